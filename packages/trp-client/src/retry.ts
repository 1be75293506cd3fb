import { checkWords } from "@toolglot/internal";
import type { RetryHint } from "@toolglot/trp-core/frames";
import type { RetryOptions } from "./types.ts";

/** {@link RetryOptions} with their defaults; `maxRetries` undefined: as the router says. */
export interface RetryRules {
  maxRetries: number | undefined;
  baseMs: number;
  capMs: number;
  connectMs: number;
}

/** Checks and fills in. Throws `TypeError` for what can't be. */
export function retryRules(options: RetryOptions = {}): RetryRules {
  checkWords("createClient: retry", options, "maxRetries baseMs capMs connectMs");
  const { maxRetries, baseMs = 200, capMs = 10_000, connectMs = 5000 } = options;
  for (const [name, value] of Object.entries({ maxRetries, baseMs, capMs, connectMs })) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw new TypeError(`retry.${name} must be a number from 0, not ${value}`);
    }
  }
  return { maxRetries, baseMs, capMs, connectMs };
}

/**
 * The pause after failed attempt number `attempt` (from 1): `base · 2^(attempt-1)` and jitter, capped, but never less than
 * the router asks for (TRP v0.1 draft, 8.3).
 */
export function backoff(attempt: number, rules: RetryRules, hint: RetryHint = {}): number {
  const jitter = Math.random() * bounded(hint.jitter_ms, rules.baseMs);
  const grown = rules.baseMs * 2 ** Math.min(attempt - 1, 30) + jitter;
  return Math.max(Math.min(grown, rules.capMs), bounded(hint.backoff_ms, 0));
}

/** A hint comes from outside: a number from 0 to an hour, else the default. */
function bounded(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 0 ? Math.min(value, 3_600_000) : otherwise;
}

/**
 * The retry budget of a session: so many retries at once, and one more per second and per success. A retry beyond that
 * waits for its token, so that many calls in trouble together don't become a storm.
 */
export class RetryBudget {
  readonly #size: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(size: number, now: () => number) {
    this.#size = Math.max(1, size);
    this.#tokens = this.#size;
    this.#now = now;
    this.#at = now();
  }

  /** Takes a token; gives the milliseconds until it is there. */
  take(): number {
    const now = this.#now();
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#at) / 1000) - 1;
    this.#at = now;
    return Math.max(0, -this.#tokens * 1000);
  }

  /** A call went well. */
  credit(): void {
    this.#tokens = Math.min(this.#size, this.#tokens + 1);
  }
}
