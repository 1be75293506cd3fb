import type { SandboxIsolation, SandboxLanguage, SandboxWall } from "./types.ts";

/**
 * A message of a guest, already read as JSON. Not to be trusted:
 *
 * - `call { id, tool, args, line }`: `tool` is the tool's place in the list, `id` counts the program's calls from 0;
 * - `log { stream, text, cut? }`, `usage { memoryMb }` (once, before the outcome);
 * - `idle { answered }`: nothing can run until an answer comes; `answered` is how many it has taken so far;
 * - `result { value, bytes, conversions, warnings }` or `error { error, conversions, warnings }`, the outcome.
 */
export type GuestMessage = Record<string, unknown>;

/** Gets the messages of one guest. */
export interface GuestListener {
  /** `bytes`: size of the message as it came; of an outcome in bytes, of anything else it may be UTF-16 units. */
  onMessage(message: GuestMessage, bytes: number): void;
  /** Called once, when the guest has ended for whatever reason. `fault`: what was wrong with it, for the host's eyes. */
  onEnd(fault: string): void;
}

/** One interpreter, used for one run; what it runs in may be used for the next ({@link renew}). */
export interface Guest {
  /** Resolves when it can take a program. Rejects when it did not start. */
  readonly ready: Promise<void>;
  listen(listener: GuestListener): void;
  /** Takes JSON text: `run` first, then a `return` or a `throw` for each call. */
  send(json: string): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Called instead of `kill` when its program has ended by itself. From then on it sends nothing. */
  rest?(): void;
  /**
   * Ends it like `kill`, but what it runs in makes a new interpreter that has nothing of this one. Undefined when that can't
   * be: it is not at rest, was killed, or has been renewed often enough.
   */
  renew?(): Guest | undefined;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  /** Whether it keeps the host's process alive. A guest that waits for work must not. */
  hold(alive: boolean): void;
}

/** Makes interpreters of one language. A run goes the same way with all of them. */
export interface Engine {
  readonly language: SandboxLanguage;
  /** Name and version. */
  readonly label: string;
  /**
   * Whether a program can have several calls in flight. Such a guest says `idle` when it waits; it takes one answer at a
   * time and runs until nothing is left to do before it takes the next, so that answers in the same order lead to the
   * same state. A guest without waits in each call.
   */
  readonly concurrent: boolean;
  /** The libraries that programs find, by name, where the language has any. */
  readonly libraries?: readonly string[];
  /** What a guest runs in. */
  readonly isolation: SandboxIsolation;
  /** Walls that the last guest that started was found to lack. */
  readonly missingWalls?: readonly SandboxWall[];
  /** The same in words, for each run to warn of. */
  readonly warnings?: readonly string[];
  /** Done before the first guest: finds or makes what `spawn` starts from. Never rejects. */
  prepare(): Promise<void>;
  spawn(): Guest;
  /** Called after a guest did not start, so that the next may start another way. */
  startFailed(): void;
  /** Where guests start from. */
  readonly snapshot: "none" | "built" | "cached" | "plain";
}
