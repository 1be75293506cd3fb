import { settleWithin, unsettled } from "@toolglot/internal";
import type { AgentRuntime } from "./options.ts";
import type { LimitKind } from "./result.ts";

/** Cause of a run's stop before its end. */
export type StopCause = { cause: "signal" } | { cause: "limit"; limit: LimitKind } | { cause: "session" | "step" };

/** Thrown inside the loop where it notices that the run was stopped. Never leaves the package. */
class Stopped extends Error {
  constructor() {
    super("The run was stopped.");
    this.name = "Stopped";
  }
}

/** Settles as `work` does, but rejects with {@link Stopped} as soon as the signal is aborted. */
export async function orStopped<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const value = await settleWithin(work, { signal });
  if (value === unsettled) throw new Stopped();
  return value;
}

/** Throws {@link Stopped} when the signal is aborted. */
export function checkStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped();
}

/** Time a run may take, not counting the time it waits for people. */
export class Deadline {
  readonly #runtime: AgentRuntime;
  readonly #onTimeout: () => void;
  readonly #total: number;
  #remaining: number;
  #startedAt = 0;
  #waits = 0;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(ms: number, runtime: AgentRuntime, onTimeout: () => void) {
    this.#total = ms;
    this.#remaining = ms;
    this.#runtime = runtime;
    this.#onTimeout = onTimeout;
    this.#start();
  }

  /** Stops the clock until the matching {@link resume}; calls nest. */
  pause(): void {
    this.#waits += 1;
    if (this.#waits > 1 || this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#remaining -= this.#runtime.now() - this.#startedAt;
  }

  resume(): void {
    this.#waits -= 1;
    if (this.#waits === 0) this.#start();
  }

  /** Milliseconds that were used until `now`; 0 where they are not limited. */
  used(now: number): number {
    if (this.#total === Number.POSITIVE_INFINITY) return 0;
    const running = this.#cancel === undefined ? 0 : Math.max(0, now - this.#startedAt);
    return this.#total - this.#remaining + running;
  }

  /** Closes the clock: the run is over. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #start(): void {
    if (this.#closed || this.#remaining === Number.POSITIVE_INFINITY) return;
    this.#startedAt = this.#runtime.now();
    this.#cancel = this.#runtime.startTimer("deadline", Math.max(0, this.#remaining), () => {
      this.#cancel = undefined;
      this.#onTimeout();
    });
  }
}
