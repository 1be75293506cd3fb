import type { PolicyInput, PolicyRule } from "./types.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** Fewer are kept whatever they hold. */
const fewBuckets = 1_024;

/**
 * Token buckets of one rate, one for each of whom it is per. `take` gives 0 for a call within the rate, which it counts,
 * else the milliseconds until the next one may come. Buckets that are full again are forgotten.
 */
export function createRate(rate: NonNullable<PolicyRule["rate"]>): { take(input: PolicyInput): number } {
  const { limit, windowMs, per = ["principal"] } = rate;
  const buckets = new Map<string, Bucket>();
  let pruneAt = fewBuckets;

  const tokensAt = (bucket: Bucket, now: number): number =>
    // A clock that was set back gives nothing, and takes nothing away.
    Math.min(limit, bucket.tokens + (Math.max(0, now - bucket.at) * limit) / windowMs);

  const prune = (now: number): void => {
    for (const [key, bucket] of buckets) if (tokensAt(bucket, now) >= limit) buckets.delete(key);
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
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        if (buckets.size >= pruneAt) prune(now);
        bucket = { tokens: limit, at: now };
        buckets.set(key, bucket);
      }
      const tokens = tokensAt(bucket, now);
      bucket.at = Math.max(bucket.at, now);
      const within = tokens >= 1;
      bucket.tokens = within ? tokens - 1 : tokens;
      return within ? 0 : Math.max(1, Math.ceil(((1 - tokens) * windowMs) / limit));
    },
  };
}
