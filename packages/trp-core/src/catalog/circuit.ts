/** Whether an adapter may be asked: as usual, `later` than others, as the one `trial` after a row of failures, or not. */
export type Standing = "closed" | "later" | "trial" | "open";

/** How an attempt ended for the tool behind an adapter; `cancelled` is no sign of its health. */
export type AttemptEnd = "well" | "badly" | "cancelled";

const defaultFailures = 3;
const defaultCoolDownMs = 30_000;

/**
 * A circuit breaker: the health of a tool by its latest attempts. After a failure it comes later than others, after
 * `maxFailures` in a row it is left out, each time for `coolDownMs`; then one attempt at a time tries whether it is back.
 * It counts in this process, for one router. Times are milliseconds of one clock.
 */
export class Circuit {
  readonly #most: number;
  readonly #coolDownMs: number;
  /** In a row, the latest of them at `#failedAt`. */
  #failures = 0;
  #failedAt = 0;
  #onTrial = false;

  constructor({ maxFailures = defaultFailures, coolDownMs = defaultCoolDownMs }: CircuitOptions) {
    this.#most = maxFailures;
    this.#coolDownMs = coolDownMs;
  }

  standing(now: number): Standing {
    const isOut = this.#failures >= this.#most;
    if (this.#failures > 0 && now < this.#failedAt + this.#coolDownMs) return isOut ? "open" : "later";
    if (!isOut) return "closed";
    return this.#onTrial ? "open" : "trial";
  }

  /** Begins an attempt; call the returned function with how it ended. */
  begin(now: number): (end: AttemptEnd, at: number) => void {
    const isTrial = this.standing(now) === "trial";
    if (isTrial) this.#onTrial = true;
    return (end, at) => {
      if (isTrial) this.#onTrial = false;
      if (end === "well") this.#failures = 0;
      if (end !== "badly") return;
      this.#failures += 1;
      this.#failedAt = at;
    };
  }

  /** When it may be asked again, if it may not be now. */
  get opensAt(): number {
    return this.#failedAt + this.#coolDownMs;
  }
}

/** Options of {@link Circuit}. */
export interface CircuitOptions {
  maxFailures?: number | undefined;
  coolDownMs?: number | undefined;
}
