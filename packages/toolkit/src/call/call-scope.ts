import type { ToolContext } from "@toolglot/core";
import { isThenable, onAbort, unsettled } from "@toolglot/internal";

/**
 * One attempt at a call: the context that the tool gets, and what ends the attempt early. It makes a signal only when the tool asks
 * for one, because most tools never do.
 */
export class CallScope implements ToolContext {
  readonly callId: string;
  readonly #canStop: boolean;
  readonly #stopListening: () => void;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;
  #interrupt: (() => void) | undefined;
  /** Why the call was stopped from outside; undefined while it runs. */
  stop: "aborted" | "timeout" | undefined;
  #reason: unknown;

  constructor(callId: string, outer: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.callId = callId;
    this.#canStop = outer !== undefined || timeoutMs !== undefined;
    this.#stopListening = onAbort(outer, () => this.#end("aborted", outer?.reason));
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#end("timeout", new DOMException(`timed out after ${timeoutMs} ms`, "TimeoutError"));
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.stop !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  #end(stop: "aborted" | "timeout", reason: unknown): void {
    if (this.stop !== undefined) return;
    this.stop = stop;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#interrupt?.();
  }

  /** The work's value, or `unsettled` once the call is stopped. One piece of work at a time. */
  wait<Value>(work: Value | PromiseLike<Value>): Value | PromiseLike<Value | typeof unsettled> | typeof unsettled {
    if (!this.#canStop || !isThenable(work)) return this.stop === undefined ? work : unsettled;
    return new Promise((resolve, reject) => {
      // Not Promise.race: a promise that takes part in many races keeps a reaction for each of them.
      this.#interrupt = () => resolve(unsettled);
      if (this.stop !== undefined) resolve(unsettled);
      work.then(resolve, reject);
    });
  }

  /** Ends the timer and the listener. `abandoned`: the result is no longer wanted, so the tool's signal is aborted. */
  close(abandoned: boolean): void {
    clearTimeout(this.#timer);
    this.#stopListening();
    if (abandoned) this.#controller?.abort();
  }
}
