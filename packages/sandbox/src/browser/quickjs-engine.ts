import type { Engine, Guest } from "../engine.ts";
import { MessageGuest } from "../javascript/message-guest.ts";
import type { SandboxLimits } from "../types.ts";
import { WebWorkerThread } from "./web-worker-thread.ts";

/** The engine's files may come over a slow network. */
const startTimeoutMs = 60_000;

/** QuickJS in WebAssembly, in a Web Worker. */
export class QuickJsEngine implements Engine {
  readonly language = "javascript";
  /** The version is the one that the worker's script was bundled with; the range allows no other. */
  readonly label = "quickjs-emscripten 0.32";
  readonly concurrent = true;
  readonly isolation = "worker";
  readonly snapshot = "none";
  readonly #limits: SandboxLimits;
  readonly #makeWorker: () => Worker;

  constructor(limits: SandboxLimits, makeWorker: () => Worker) {
    this.#limits = limits;
    this.#makeWorker = makeWorker;
  }

  async prepare(): Promise<void> {}

  spawn(): Guest {
    const init = { memoryMb: this.#limits.memoryMb };
    return new MessageGuest(new WebWorkerThread(this.#makeWorker(), init), this.#limits, {
      startTimeoutMs,
    });
  }

  startFailed(): void {}
}
