import { Worker } from "node:worker_threads";
import type { GuestThread } from "../../javascript/message-guest.ts";

/** How to start a thread. */
export interface ThreadCommand {
  /** Address of its script. */
  script: URL;
  workerData: unknown;
  /** Megabytes of its own heap, besides the interpreter's memory. */
  heapMb: number;
}

/** The interpreter's own 256 KB of stack stand for many times that of the thread's. */
const STACK_MB = 32;

/** A thread of Node with no environment, no arguments and no streams. */
export class WorkerThread implements GuestThread {
  readonly #worker: Worker;

  constructor({ script, workerData, heapMb }: ThreadCommand) {
    this.#worker = new Worker(script, {
      workerData,
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
    this.#worker.postMessage(text);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  hold(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }
}
