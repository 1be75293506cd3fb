import type { ExecutorContext, ToolContext, Usage } from "@toolglot/core";
import { addReported, isThenable, onAbort, unsettled } from "@toolglot/internal";
import type { CallOptions } from "../types.ts";

type Wait = NonNullable<ExecutorContext["wait"]>;
type Ask = NonNullable<ToolContext["ask"]>;

/**
 * One attempt at a call: the context that the tool gets, and what ends the attempt early. It makes a signal only when the tool asks
 * for one, because most tools never do.
 */
export class CallScope implements ToolContext {
  readonly callId: string;
  readonly runId?: string;
  readonly wait?: Wait;
  readonly hooked?: NonNullable<ToolContext["hooked"]>;
  readonly ask?: Ask;
  readonly report: NonNullable<ToolContext["report"]>;
  readonly #canStop: boolean;
  readonly #stopListening: () => void;
  readonly #timeoutMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Of the time limit, what is left, and since when it runs down. */
  #leftMs = 0;
  #since = 0;
  #waits = 0;
  #controller: AbortController | undefined;
  #interrupt: (() => void) | undefined;
  /** Why the call was stopped from outside; undefined while it runs. */
  stop: "aborted" | "timeout" | undefined;
  #reason: unknown;
  #closed = false;

  /** `wait`, `ask`: the host's ways to wait for a person. Meanwhile this attempt's own time stands as well. */
  constructor(
    callId: string,
    outer: AbortSignal | undefined,
    timeoutMs: number | undefined,
    { runId, wait, ask, hooked }: Pick<CallOptions, "runId" | "wait" | "ask" | "hooked"> = {},
    used: Usage = {},
  ) {
    this.report = (given) => addReported(used, given);
    if (hooked !== undefined) this.hooked = hooked;
    this.callId = callId;
    if (runId !== undefined) this.runId = runId;
    this.#canStop = outer !== undefined || timeoutMs !== undefined;
    this.#timeoutMs = timeoutMs;
    this.#stopListening = onAbort(outer, () => this.#end("aborted", outer?.reason));
    if (wait !== undefined) this.wait = (request, work) => this.#timeless(() => wait(request, work));
    if (ask !== undefined) this.ask = (question) => this.#timeless(() => ask(question));
    if (timeoutMs === undefined) return;
    this.#leftMs = timeoutMs;
    this.#startTimer();
  }

  #startTimer(): void {
    if (this.#timeoutMs === undefined || this.stop !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.#end("timeout", new DOMException(`timed out after ${this.#timeoutMs} ms`, "TimeoutError"));
    }, this.#leftMs);
  }

  async #timeless<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waits++ === 0 && this.#timeoutMs !== undefined) {
      clearTimeout(this.#timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
    }
    try {
      return await work();
    } finally {
      if (--this.#waits === 0 && !this.#closed) this.#startTimer();
    }
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

  /** Returns the work's value, or `unsettled` once the call is stopped. One piece of work at a time. */
  settle<Value>(work: Value | PromiseLike<Value>): Value | PromiseLike<Value | typeof unsettled> | typeof unsettled {
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
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    if (abandoned) this.#controller?.abort();
  }
}
