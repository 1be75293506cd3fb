import { inBackground } from "@toolglot/internal";
import type { GuestListener } from "./engine.ts";

/** What all guests have in common: a start that may take so long, and one end, which the listener hears of however late it comes. */
export abstract class StartedGuest {
  readonly ready: Promise<void>;
  protected listener: GuestListener | undefined;
  protected over = false;
  /** Why it has ended, or will have. */
  protected fault: string;
  protected markReady: () => void = () => {};
  protected markFailed: (error: Error) => void = () => {};

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

  protected end(): void {
    if (this.over) return;
    this.over = true;
    this.markFailed(new Error(this.fault));
    this.listener?.onEnd(this.fault);
  }
}
