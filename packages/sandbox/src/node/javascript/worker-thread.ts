import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { GuestThread } from "../../javascript/message-guest.ts";

/** How to start a thread. */
export interface ThreadCommand {
  /** Address of its script. */
  script: URL;
  workerData: Readonly<Record<string, unknown>>;
  /** Megabytes of its own heap, besides the interpreter's memory. */
  heapMb: number;
}

/** The interpreter's own 256 KB of stack stand for many times that of the thread's. */
const STACK_MB = 32;

/**
 * How long a host that has answered looks for the next call before it sleeps: to be woken takes longer than a call. Its event
 * loop goes on meanwhile.
 */
const LOOK_MS = 0.2;

const processors = availableParallelism();

/** Threads that run a program. Both sides look while a processor is there for each of them. */
const atWork = new Set<WorkerThread>();

/** A thread of Node with no environment, no arguments and no streams. */
export class WorkerThread implements GuestThread {
  readonly #worker: Worker;
  /** What the thread sees at once: how many messages were sent, and whether it may look for the next one. */
  readonly #seen: Int32Array = new Int32Array(new SharedArrayBuffer(8));
  #looking = false;
  #lookUntil = 0;

  constructor({ script, workerData, heapMb }: ThreadCommand) {
    this.#worker = new Worker(script, {
      workerData: { ...workerData, seen: this.#seen },
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      // Not passed on to the host's own; nothing reads them.
      stdout: true,
      stderr: true,
      trackUnmanagedFds: true,
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
    });
  }

  attach({ onMessage, onEnd }: Parameters<GuestThread["attach"]>[0]): void {
    this.#worker.on("message", onMessage);
    this.#worker.on("messageerror", () => onEnd("it sent something that cannot be read"));
    this.#worker.on("error", (error: unknown) => onEnd(error instanceof Error ? error.message : String(error)));
    this.#worker.on("exit", () => onEnd("the thread ended"));
  }

  post(text: string): void {
    atWork.add(this);
    const mayLook = processors >= 2 * atWork.size;
    Atomics.store(this.#seen, 1, mayLook ? 1 : 0);
    this.#worker.postMessage(text);
    Atomics.add(this.#seen, 0, 1);
    if (!mayLook) return;
    this.#lookUntil = performance.now() + LOOK_MS;
    if (!this.#looking) this.#look();
  }

  #look(): void {
    this.#looking = performance.now() < this.#lookUntil;
    if (this.#looking) setImmediate(() => this.#look());
  }

  async end(): Promise<void> {
    atWork.delete(this);
    this.#lookUntil = 0;
    await this.#worker.terminate();
  }

  hold(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }
}
