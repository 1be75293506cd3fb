import type { ToolContext } from "@toolglot/core";

/** Why a call was stopped from outside. */
export type Stop = "aborted" | "timeout";

/** What a step gives when the call was stopped before the step ended. */
export const stopped: unique symbol = Symbol("stopped");

/**
 * One attempt at a call: what the tool gets as its context, and what ends the attempt early. Costs nothing until a
 * signal is asked for: most tools never look at theirs.
 */
export class CallScope implements ToolContext {
  readonly callId: string;
  readonly #outer: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #canStop: boolean;
  #interrupt: (() => void) | undefined;
  #stop: Stop | undefined;
  #reason: unknown;
  #onAbort: (() => void) | undefined;

  constructor(callId: string, outer: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.callId = callId;
    this.#outer = outer;
    this.#canStop = outer !== undefined || timeoutMs !== undefined;
    if (!this.#canStop) return;
    if (outer?.aborted) this.#end("aborted", outer.reason);
    else if (outer !== undefined) {
      this.#onAbort = () => this.#end("aborted", outer.reason);
      outer.addEventListener("abort", this.#onAbort, { once: true });
    }
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.#end("timeout", new DOMException(`timed out after ${timeoutMs} ms`, "TimeoutError"));
      }, timeoutMs);
    }
  }

  /** Why the call was stopped; undefined while it runs. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stop !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  #end(stop: Stop, reason: unknown): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#interrupt?.();
  }

  /** Waits for a piece of work, but no longer than the call lives. One piece at a time. */
  wait<Value>(work: Value | PromiseLike<Value>): Value | PromiseLike<Value | typeof stopped> | typeof stopped {
    if (!this.#canStop || !isThenable(work)) return this.#stop === undefined ? work : stopped;
    return new Promise((resolve, reject) => {
      // Not Promise.race: what outlives many races remembers each of them.
      this.#interrupt = () => resolve(stopped);
      if (this.#stop !== undefined) resolve(stopped);
      work.then(resolve, reject);
    });
  }

  /** Lets go of timer and listener. `abandoned`: nobody wants the result any more, so the tool is told. */
  close(abandoned: boolean): void {
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) this.#outer?.removeEventListener("abort", this.#onAbort);
    if (abandoned) this.#controller?.abort();
  }
}

/** Whether a value is to be waited for. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Waits for work, or for the signal. */
export async function untilAborted<Value>(
  work: Value | PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | typeof stopped> {
  const scope = new CallScope("", signal, undefined);
  try {
    return await scope.wait(work);
  } finally {
    scope.close(false);
  }
}

/** Waits so long. False, at once and without a timer left behind, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  const ended = await untilAborted(over, signal);
  clearTimeout(timer);
  return ended !== stopped;
}
