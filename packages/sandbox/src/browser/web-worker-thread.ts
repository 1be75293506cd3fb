import type { GuestThread, ThreadListener } from "../javascript/message-guest.ts";

/** A Web Worker that runs `guest/javascript/worker.browser.mjs`. */
export class WebWorkerThread implements GuestThread {
  readonly #worker: Worker;
  #listener: ThreadListener | undefined;

  /** `init`: what the worker gets first. */
  constructor(worker: Worker, init: { memoryMb: number }) {
    this.#worker = worker;
    this.#worker.postMessage(init);
  }

  attach(listener: ThreadListener): void {
    this.#listener = listener;
    this.#worker.addEventListener("message", ({ data }: MessageEvent) => listener.onMessage(data));
    this.#worker.addEventListener("messageerror", () => listener.onEnd("it sent something that cannot be read"));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      listener.onEnd(event.message || "the worker's script could not be loaded");
    });
  }

  post(text: string): void {
    this.#worker.postMessage(text);
  }

  /** A worker that was terminated says nothing more, and there is no event for it. */
  async end(): Promise<void> {
    this.#worker.terminate();
    this.#listener?.onEnd("the worker was ended");
  }

  /** Workers end with their page. */
  hold(): void {}
}
