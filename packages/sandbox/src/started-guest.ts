import { inBackground } from "@toolglot/internal";
import type { GuestListener } from "./engine.ts";

/** A guest that can be set back is, in a few milliseconds, and so it is with its memory; machines under load take many times that. */
export const answerTimeoutMs = 60_000;

/** Fault of a guest that is asked for its memory, or to be set back, and can do neither. */
export const notAtRestFault = "its interpreter can't be set back";

/** Base of all guests: a start that may take so long, and one end, which the listener hears of however late it comes. */
export abstract class StartedGuest {
  readonly ready: Promise<void>;
  protected listener: GuestListener | undefined;
  protected over = false;
  /** Why it has ended, or will have. */
  protected fault: string;
  protected markReady: () => void = () => {};
  protected markFailed: (error: Error) => void = () => {};
  #onLost: (error: Error) => void = () => {};

  constructor(fault: string, startTimeoutMs: number) {
    this.fault = fault;
    this.ready = new Promise((resolve, reject) => {
      this.markReady = resolve;
      this.markFailed = reject;
    });
    const timer = inBackground(() => this.fail("it did not start in time"), startTimeoutMs);
    const stop = (): void => clearTimeout(timer);
    this.ready.then(stop, stop);
  }

  abstract kill(): void;

  listen(listener: GuestListener): void {
    this.listener = listener;
    if (this.over) queueMicrotask(() => listener.onEnd(this.fault));
  }

  /** Ends it for what is wrong with it. */
  protected fail(fault: string): void {
    this.fault = fault;
    this.kill();
    this.end();
  }

  /** Asks it for something that is no program, and waits for what settles that. */
  protected async ask<Answer>(
    ask: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => void,
  ): Promise<Answer> {
    const timer = setTimeout(() => this.fail("it did not answer in time"), answerTimeoutMs);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#onLost = reject;
        if (this.over) reject(new Error(this.fault));
        else ask(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  protected end(): void {
    if (this.over) return;
    this.over = true;
    this.markFailed(new Error(this.fault));
    this.listener?.onEnd(this.fault);
    this.#onLost(new Error(this.fault));
  }
}
