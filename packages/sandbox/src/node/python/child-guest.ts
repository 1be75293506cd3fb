import { type ChildProcess, spawn } from "node:child_process";
import { parse } from "node:path";
import type { Readable, Writable } from "node:stream";
import { errorText } from "@toolglot/internal";
import { BaseMismatchError, type Guest, type GuestMemory } from "../../engine.ts";
import { NotAtRestError } from "../../reuse.ts";
import { answerTimeoutMs, notAtRestFault, StartedGuest } from "../../started-guest.ts";
import type { SandboxWall } from "../../types.ts";
import { decodeFrame, encodeFrame, FrameDecoder } from "./frames.ts";
import { MemoryTransfer } from "./memory-transfer.ts";

/** Command that starts a child. */
export interface ChildCommand {
  file: string;
  args: readonly string[];
  /** The first frame it gets. */
  init: unknown;
  /** Bytes right behind it. */
  after?: Buffer | undefined;
  /** Longer frames end it. */
  maxFrameBytes: number;
  /** Milliseconds until it must be ready. */
  startTimeoutMs: number;
  /** Of the interpreter, of a child that is to give its memory away. */
  maxMemoryBytes?: number;
  /** Gets the walls that the child found missing, before it is ready. When it throws, the child is not used. */
  onWalls?(missing: readonly SandboxWall[]): void;
  /** The child itself said that it can't be started from the snapshot. */
  onRefused?(): void;
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

/** A child and the two ways to it. */
interface RunningChild {
  child: ChildProcess;
  fromChild: Readable;
  toChild: Writable;
}

/** Answer of a child that was asked for its memory, or to be set back, and can do neither. */
const notAtRest = Buffer.from('{"type":"not-at-rest"}');

/** Starts a child with no environment and two extra descriptors: 3 from it, 4 to it. */
export function startChild(command: Pick<ChildCommand, "file" | "args" | "init" | "after">): RunningChild {
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
  // A child that is gone shows as EPIPE or ECONNRESET here; its `close` event is all that matters.
  for (const stream of [fromChild, toChild]) stream.on("error", () => {});
  toChild.write(encodeFrame(JSON.stringify(command.init)));
  if (command.after !== undefined) toChild.write(command.after);
  return { child, fromChild, toChild };
}

/** An interpreter in a process of its own, which it may have from a guest before it. */
export class ChildGuest extends StartedGuest implements Guest {
  readonly ended: Promise<void>;
  grownMb = 0;
  readonly #command: ChildCommand;
  readonly #running: RunningChild;
  readonly #decoder: FrameDecoder;
  readonly #leave: () => void;
  /** Of the memory, as the child reports it: when it was ready for its first program. */
  #firstMb: number;
  #resting = false;
  holds: string | undefined;
  /** What takes the next frames in place of the listener; never called after the end. */
  #take: ((body: Buffer) => void) | undefined;
  #markEnded: () => void = () => {};

  /** `before`: the guest that had the child. */
  constructor(command: ChildCommand, before?: ChildGuest) {
    const running = before === undefined ? startChild(command) : before.#running;
    super("the process ended", before === undefined ? command.startTimeoutMs : answerTimeoutMs);
    this.#command = command;
    this.#running = running;
    this.#firstMb = before === undefined ? 0 : before.#firstMb;
    this.#decoder = new FrameDecoder(command.maxFrameBytes);
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
    const { child, fromChild, toChild } = running;
    const onClose = (): void => {
      this.end();
      this.#markEnded();
    };
    const onError = (error: Error): void => {
      this.fail(error.message);
      // A process that could not be started closes nothing.
      fromChild.destroy();
      toChild.destroy();
    };
    const onData = (chunk: Buffer): void => this.#read(chunk);
    child.once("close", onClose);
    child.on("error", onError);
    fromChild.on("data", onData);
    this.#leave = () => {
      child.off("close", onClose);
      child.off("error", onError);
      fromChild.off("data", onData);
    };
  }

  send(json: string): void {
    const { toChild } = this.#running;
    if (!this.over && toChild.writable) toChild.write(encodeFrame(json));
  }

  kill(): void {
    const { child, fromChild, toChild } = this.#running;
    child.kill("SIGKILL");
    toChild.destroy();
    fromChild.destroy();
  }

  rest(): void {
    if (!this.over) this.#resting = true;
  }

  renew(held?: string): Guest | undefined {
    const { child } = this.#running;
    if (!this.#resting || this.over || child.exitCode !== null || child.signalCode !== null) return undefined;
    this.#leave();
    const next = new ChildGuest(this.#command, this);
    next.holds = held;
    next.send(JSON.stringify({ type: "renew", held }));
    this.over = true;
    this.#markEnded();
    return next;
  }

  restore(memory: GuestMemory, held: string): Promise<void> {
    const { base, memoryBytes, numbers, pages, folders } = memory;
    const files = memory.files.map(({ path, data }) => ({ path, bytes: data.length }));
    this.holds = undefined;
    const request = { base, memoryBytes, numbers, bytes: pages.length, held, folders, files };
    const parts = [pages, ...memory.files.map(({ data }) => data)];
    return this.ask<void>((resolve, reject) => {
      this.#take = (body) => {
        this.#take = undefined;
        const answer = decodeFrame(body);
        if (answer.type !== "restored" || typeof answer.base !== "string") throw new Error("it restored nothing");
        if (answer.base !== base) {
          reject(new BaseMismatchError(answer.base));
          return;
        }
        this.holds = held;
        resolve();
      };
      this.send(JSON.stringify({ type: "restore", ...request }));
      for (const bytes of parts) if (!this.over && bytes.length > 0) this.#running.toChild.write(bytes);
    });
  }

  capture(): Promise<GuestMemory> {
    const transfer = new MemoryTransfer(this.#command.maxMemoryBytes ?? 0);
    return this.ask<GuestMemory>((resolve, reject) => {
      this.#take = (body) => {
        if (body.equals(notAtRest)) {
          reject(new NotAtRestError(notAtRestFault));
          this.fail(notAtRestFault);
          return;
        }
        const memory = transfer.push(body);
        if (memory === undefined) return;
        this.#take = undefined;
        resolve(memory);
      };
      this.send('{"type":"capture"}');
    });
  }

  hold(alive: boolean): void {
    const { child, fromChild, toChild } = this.#running;
    for (const handle of [child, fromChild, toChild] as { ref?(): void; unref?(): void }[]) {
      if (alive) handle.ref?.();
      else handle.unref?.();
    }
  }

  #read(chunk: Buffer): void {
    if (this.over) return;
    try {
      for (const body of this.#decoder.push(chunk)) {
        if (this.#take) this.#take(body);
        else if (this.#resting) throw new Error("it sent a message after its end");
        else this.#receive(decodeFrame(body), body.length);
        if (this.over) return;
      }
    } catch (error) {
      this.fail(errorText(error));
    }
  }

  #receive(message: Record<string, unknown>, bytes: number): void {
    if (this.listener) {
      if (message.type === "usage") this.grownMb = Number(message.memoryMb) - this.#firstMb;
      this.listener.onMessage(message, bytes);
    } else if (message.type === "ready") this.#becomeReady(message);
    else if (message.type === "not-at-rest") {
      this.markFailed(new NotAtRestError(notAtRestFault));
      this.fail(notAtRestFault);
    } else {
      if (message.refused === true) this.#command.onRefused?.();
      this.fail(message.type === "fatal" ? String(message.message) : "it sent a message too early");
    }
  }

  /** Throws when it may not be used. */
  #becomeReady({ missing, memoryMb }: Record<string, unknown>): void {
    if (Array.isArray(missing)) this.#command.onWalls?.(tried.filter((wall) => missing.includes(wall)));
    if (typeof memoryMb === "number") this.#firstMb = memoryMb;
    this.markReady();
  }
}
