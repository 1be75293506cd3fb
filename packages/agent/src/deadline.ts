import type { AgentRuntime } from "./types.ts";

/** Time a run may take, not counting the time it waits for people. */
export class Deadline {
  readonly #runtime: AgentRuntime;
  readonly #onTimeout: () => void;
  #remaining: number;
  #startedAt = 0;
  #waits = 0;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(ms: number, runtime: AgentRuntime, onTimeout: () => void) {
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

  /** The run is over. */
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
