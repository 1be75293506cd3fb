import type { Rate, RateTaken } from "./types.ts";

// The rule of shared rates, for all stores. Pure functions: they don't change their arguments.

/** A token bucket as it is kept: at `at`, in milliseconds since the epoch, it was `fillingMs` from being full again. */
export interface RateBucket {
  // Not the moment when it is full: beside milliseconds since the epoch, a number has no room for their fractions.
  at: number;
  fillingMs: number;
}

/** Fractions of a millisecond below this are the rounding of `windowMs / limit`. */
export const rateRoundingMs = 1e-6;

/**
 * Takes a token from a bucket; without one, it is full. A bucket holds `limit` tokens, and fills in `windowMs`. A clock that was
 * set back makes nobody wait longer than a window. A bucket may come with another rate than before: the share of it that is
 * used stays used, a window at most. The bucket is kept whether a token was left or not.
 *
 * One statement of SQL can do the same: with `price = windowMs / limit` and `filling = min(max(fillingMs - (now - at), 0),
 * windowMs)`, a token is left when `filling <= windowMs - price + rateRoundingMs`. The bucket is then `filling + price`, else
 * `filling`, at `now`.
 */
export function takeRate(
  bucket: RateBucket | undefined,
  { limit, windowMs }: Rate,
  now: number,
): { bucket: RateBucket; taken: RateTaken } {
  const price = windowMs / limit;
  const { at, fillingMs } = bucket ?? { at: now, fillingMs: 0 };
  const filling = Math.min(Math.max(fillingMs - (now - at), 0), windowMs);
  if (filling <= windowMs - price + rateRoundingMs) {
    return { bucket: { at: now, fillingMs: filling + price }, taken: { ok: true } };
  }
  return { bucket: { at: now, fillingMs: filling }, taken: rateUsedUp(filling, { limit, windowMs }) };
}

/** Returns when the next token comes, of a bucket that has none and is `fillingMs` from being full. */
export function rateUsedUp(fillingMs: number, { limit, windowMs }: Rate): RateTaken {
  const waitMs = fillingMs + windowMs / limit - windowMs;
  return { ok: false, retryAfterMs: Math.max(1, Math.ceil(waitMs - rateRoundingMs)) };
}

/** Whether a bucket is full again, and may be forgotten. */
export function isRateFull({ at, fillingMs }: RateBucket, now: number): boolean {
  return at + fillingMs <= now;
}

/** Throws `TypeError` for a malformed key or rate. */
export function checkRate(key: unknown, rate: Rate): void {
  if (typeof key !== "string" || key === "" || key.length > 200) {
    throw new TypeError("rates.take: key must be a text of 1 to 200 characters");
  }
  for (const name of ["limit", "windowMs"] as const) {
    const value = rate?.[name];
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`rates.take: ${name} must be a whole number from 1`);
  }
}
