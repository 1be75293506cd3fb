import { checkKeys, maxTimerMs, onAbort, removeFrom, unlessGivenUp } from "@toolglot/internal";
import type { RetryHint } from "@toolglot/trp-core/frames";
import { clientError } from "./errors.ts";
import type { RetryOptions } from "./types.ts";

/** Milliseconds of a clock that never jumps. */
export function clock(): number {
  return performance.now();
}

/** The waits of one client, which end when it is closed. */
export class Waits {
  isClosed = false;
  readonly stops: (() => void)[] = [];

  close(): void {
    this.isClosed = true;
    for (const stop of [...this.stops]) stop();
  }
}

/** How long something may take, and what stops it. */
export interface Limits {
  /** Of {@link clock}. */
  deadline: number;
  /** The caller's. */
  signal: AbortSignal | undefined;
  waits: Waits;
}

/** Throws when the client was closed, or the caller aborted the call. Does not look at the deadline. */
export function checkLimits({ signal, waits }: Limits): void {
  if (waits.isClosed) throw clientError("trp-client/closed", "The client was closed.");
  if (signal?.aborted) throw clientError("trp-client/aborted", "The call was aborted.", { cause: signal.reason });
}

/** Waits; rejects as soon as {@link checkLimits} would throw. */
export function pause(ms: number, limits: Limits): Promise<void> {
  return settleWithin(new Promise<void>(() => undefined), clock() + ms, limits, () => undefined);
}

/**
 * Settles as the work does. At `until`, by {@link clock}, it settles as `late` returns or throws; it rejects when
 * {@link checkLimits} would throw. Nothing watches while the turn of the event loop lasts in which the work began.
 */
export function settleWithin<T>(work: Promise<T>, until: number, limits: Limits, late: () => T): Promise<T> {
  const { signal, waits } = limits;
  return unlessGivenUp(work, (giveUp) => {
    const stop = (): void =>
      giveUp(() => {
        checkLimits(limits);
        return late();
      });
    const timer = setTimeout(stop, Math.max(0, Math.min(until - clock(), maxTimerMs)));
    waits.stops.push(stop);
    const stopListening = signal && onAbort(signal, stop);
    if (waits.isClosed) stop();
    return () => {
      clearTimeout(timer);
      stopListening?.();
      removeFrom(waits.stops, stop);
    };
  });
}

/** {@link RetryOptions} with their defaults; `maxRetries` undefined: the router's. */
export interface RetryRules {
  maxRetries: number | undefined;
  baseMs: number;
  capMs: number;
  connectMs: number;
}

/** Checks and fills in. Throws `TypeError` for what can't be. */
export function retryRules(options: RetryOptions = {}): RetryRules {
  checkKeys("createClient: retry", options, "maxRetries:number baseMs:number capMs:number connectMs:number");
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

/** Returns a hint as a number from 0 to an hour, else the default: it comes from outside. */
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

  /** Takes a token; returns the milliseconds until it is there. */
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
