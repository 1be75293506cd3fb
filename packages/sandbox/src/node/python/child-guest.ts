import { type ChildProcess, spawn } from "node:child_process";
import { parse } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Guest } from "../../engine.ts";
import { StartedGuest } from "../../started-guest.ts";
import type { SandboxWall } from "../../types.ts";
import { decodeFrame, encodeFrame, FrameDecoder } from "./frames.ts";

/** How to start a child. */
export interface ChildCommand {
  file: string;
  args: readonly string[];
  /** The first frame it gets. */
  init: unknown;
  /** Longer frames end it. */
  maxFrameBytes: number;
  /** Milliseconds until it must be ready. */
  startTimeoutMs: number;
  /** Gets the walls that the child found missing, before it is ready. When it throws, the child is not used. */
  onWalls?(missing: readonly SandboxWall[]): void;
}

/** The walls that a child tries for itself. */
const tried: readonly SandboxWall[] = ["files", "processes", "code", "memory", "network"];

/** Children that live: they must not outlive a host that ends by itself. */
const living = new Set<ChildProcess>();
let watching = false;

function watch(child: ChildProcess): void {
  living.add(child);
  child.once("close", () => living.delete(child));
  if (watching) return;
  watching = true;
  process.once("exit", () => {
    for (const each of living) each.kill("SIGKILL");
  });
}

/** Starts a child with no environment and two extra descriptors: 3 from it, 4 to it. */
export function startChild(command: Pick<ChildCommand, "file" | "args" | "init">): {
  child: ChildProcess;
  fromChild: Readable;
  toChild: Writable;
} {
  const child = spawn(command.file, [...command.args], {
    env: {},
    // Whatever the host's folder is called, the guest must not see it, nor a snapshot keep it.
    cwd: parse(process.execPath).root,
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  watch(child);
  const fromChild = child.stdio[3] as Readable;
  const toChild = child.stdio[4] as Writable;
  // A child that is gone shows as EPIPE or ECONNRESET here; its `close` event says all that matters.
  for (const stream of [fromChild, toChild]) stream.on("error", () => {});
  toChild.write(encodeFrame(JSON.stringify(command.init)));
  return { child, fromChild, toChild };
}

/** A guest in a process of its own. */
export class ChildGuest extends StartedGuest implements Guest {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #fromChild: Readable;
  readonly #toChild: Writable;
  readonly #onWalls: ChildCommand["onWalls"];

  constructor(command: ChildCommand) {
    const { child, fromChild, toChild } = startChild(command);
    super("the process ended", command.startTimeoutMs);
    this.#child = child;
    this.#onWalls = command.onWalls;
    this.#fromChild = fromChild;
    this.#toChild = toChild;
    this.ended = new Promise((resolve) => {
      child.once("close", () => {
        this.end();
        resolve();
      });
    });
    child.once("error", (error) => {
      this.fail(error.message);
      // A process that could not be started closes nothing.
      fromChild.destroy();
      toChild.destroy();
    });
    const decoder = new FrameDecoder(command.maxFrameBytes);
    fromChild.on("data", (chunk: Buffer) => this.#read(decoder, chunk));
  }

  send(json: string): void {
    if (!this.over && this.#toChild.writable) this.#toChild.write(encodeFrame(json));
  }

  kill(): void {
    this.#child.kill("SIGKILL");
    this.#toChild.destroy();
    this.#fromChild.destroy();
  }

  hold(alive: boolean): void {
    const handles = [this.#child, this.#fromChild, this.#toChild] as { ref?(): void; unref?(): void }[];
    for (const handle of handles) {
      if (alive) handle.ref?.();
      else handle.unref?.();
    }
  }

  #read(decoder: FrameDecoder, chunk: Buffer): void {
    if (this.over) return;
    try {
      for (const body of decoder.push(chunk)) {
        this.#receive(decodeFrame(body), body.length);
        if (this.over) return;
      }
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  #receive(message: Record<string, unknown>, bytes: number): void {
    if (this.listener) this.listener.onMessage(message, bytes);
    else if (message.type === "ready") this.#becomeReady(message.missing);
    else this.fail(message.type === "fatal" ? String(message.message) : "it sent a message too early");
  }

  /** Throws when it may not be used. */
  #becomeReady(missing: unknown): void {
    const named: readonly unknown[] = Array.isArray(missing) ? missing : [];
    this.#onWalls?.(tried.filter((wall) => named.includes(wall)));
    this.markReady();
  }
}
