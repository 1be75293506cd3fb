import { type GuestThread, renewMessage, type ThreadListener } from "../javascript/message-guest.ts";

/** Returns a Web Worker that runs `guest/javascript/worker.browser.mjs`. `init`: what it gets first. */
export function webWorkerThread(worker: Worker, init: { memoryMb: number }): GuestThread {
  let listener: ThreadListener | undefined;
  const onEnd = (fault: string): void => listener?.onEnd(fault);
  worker.addEventListener("message", ({ data }: MessageEvent) => listener?.onMessage(data));
  worker.addEventListener("messageerror", () => onEnd("it sent something that cannot be read"));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    onEnd(event.message || "the worker's script could not be loaded");
  });
  worker.postMessage(init);
  return {
    attach(next) {
      listener = next;
    },
    post(text) {
      worker.postMessage(text);
    },
    renew() {
      worker.postMessage(renewMessage);
    },
    // A worker that was terminated sends nothing more, and there is no event for it.
    async end() {
      worker.terminate();
      onEnd("the worker was ended");
    },
    // Workers end with their page.
    hold() {},
  };
}
