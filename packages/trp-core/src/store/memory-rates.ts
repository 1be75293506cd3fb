import { isRateFull, type RateBucket, takeRate } from "./rate-rules.ts";
import type { Rate, RateTaken } from "./types.ts";

/** Fewer are kept whatever they hold. */
const fewBuckets = 1_024;

/** Token buckets in memory. Those that are full again are forgotten whenever their number has doubled. */
export class MemoryRates {
  readonly #buckets = new Map<string, RateBucket>();
  #pruneAt = fewBuckets;

  take(key: string, rate: Rate, now: number): RateTaken {
    const known = this.#buckets.get(key);
    if (known === undefined && this.#buckets.size >= this.#pruneAt) this.prune(now);
    const { bucket, taken } = takeRate(known, rate, now);
    this.#buckets.set(key, bucket);
    return taken;
  }

  prune(now: number): void {
    for (const [key, bucket] of this.#buckets) if (isRateFull(bucket, now)) this.#buckets.delete(key);
    this.#pruneAt = Math.max(fewBuckets, this.#buckets.size * 2);
  }

  clear(): void {
    this.#buckets.clear();
  }
}
