import type { SandboxLanguage } from "./types.ts";

/** What a guest says, already read as JSON and not to be believed. */
export type GuestMessage = Record<string, unknown>;

/** Hears one guest. */
export interface GuestListener {
  /** `bytes`: size of the message as it came. */
  onMessage(message: GuestMessage, bytes: number): void;
  /** Called once, when the guest has ended for whatever reason. `fault`: what was wrong with it, for the host's eyes. */
  onEnd(fault: string): void;
}

/** One interpreter, used for one run. */
export interface Guest {
  /** Resolves when it can take a program. Rejects when it did not start. */
  readonly ready: Promise<void>;
  listen(listener: GuestListener): void;
  /** Takes JSON text. */
  send(json: string): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  /** Whether it keeps the host's process alive. A guest that waits for work must not. */
  hold(alive: boolean): void;
}

/** Makes interpreters of one language. What a run looks like from here on is the same for all of them. */
export interface Engine {
  readonly language: SandboxLanguage;
  /** Name and version. */
  readonly label: string;
  /** Done before the first guest: finds or makes what `spawn` starts from. Never rejects. */
  prepare(): Promise<void>;
  spawn(): Guest;
  /** Told after a guest did not start, so that the next may start another way. */
  startFailed(): void;
  /** Where guests start from. */
  readonly snapshot: "none" | "built" | "cached" | "plain";
}
