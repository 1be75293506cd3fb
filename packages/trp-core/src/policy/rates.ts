import type { PolicyInput, PolicyRule } from "./types.ts";

/** Fewer are kept whatever they hold. */
const fewBuckets = 1_024;

/**
 * Token buckets of one rate, one for each of whom it is per. `take` returns 0 for a call within the rate, which it counts,
 * else the milliseconds until the next one may come. Buckets that are full again are forgotten.
 */
export function createRate(rate: NonNullable<PolicyRule["rate"]>): { take(input: PolicyInput): number } {
  const { limit, windowMs, per = ["principal"] } = rate;
  const perToken = windowMs / limit;
  /** A bucket is the moment when it will be full again. */
  const buckets = new Map<string, number>();
  let pruneAt = fewBuckets;

  const prune = (now: number): void => {
    for (const [key, fullAt] of buckets) if (fullAt <= now) buckets.delete(key);
    pruneAt = Math.max(fewBuckets, buckets.size * 2);
  };

  return {
    take({ principal, capability, now }: PolicyInput): number {
      const key = JSON.stringify([
        // Ids of principals are unique in their tenant only.
        per.includes("tenant") || per.includes("principal") ? principal.tenant : null,
        per.includes("principal") ? principal.id : null,
        per.includes("capability") ? capability.capId : null,
      ]);
      const known = buckets.get(key);
      if (known === undefined && buckets.size >= pruneAt) prune(now);
      // An empty bucket is full after a window: a clock that was set back makes nobody wait longer.
      const fullAt = Math.min(Math.max(known ?? now, now), now + windowMs);
      const wait = fullAt + perToken - (now + windowMs);
      // Fractions of a millisecond are the rounding of perToken.
      if (wait > 1e-6) {
        buckets.set(key, fullAt);
        return Math.max(1, Math.ceil(wait - 1e-6));
      }
      buckets.set(key, fullAt + perToken);
      return 0;
    },
  };
}
