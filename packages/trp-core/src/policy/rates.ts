import type { MaybePromise } from "@toolglot/schema";
import { sha256Digest } from "../digest/sha256.ts";
import { MemoryRates } from "../store/memory-rates.ts";
import type { RateTaken, RouterStore } from "../store/types.ts";
import type { PolicyInput, PolicyRule } from "./types.ts";

/** Counts a call, and tells whether it is within the rate. Undefined: the rate is shared, and there is no store to count in. */
export type TakeRate = (
  input: PolicyInput,
  store: Pick<RouterStore, "rates"> | undefined,
) => MaybePromise<RateTaken> | undefined;

/**
 * Returns what counts the calls of a rule, in token buckets: one for each of whom the rate is per. They are in this process, and
 * then the answer is no promise, or in the store. The key there is `sha256:` and 64 hexadecimal digits, over the rule's id and
 * whose bucket it is: rules with the same id count together, in all routers on the store and over changes of the rate.
 */
export function createRate(id: string, rate: NonNullable<PolicyRule["rate"]>): TakeRate {
  const { per = ["principal"], shared = false } = rate;
  const whose = ({ principal, capability }: PolicyInput): (string | null)[] => [
    // Ids of principals are unique in their tenant only.
    per.includes("tenant") || per.includes("principal") ? principal.tenant : null,
    per.includes("principal") ? principal.id : null,
    per.includes("capability") ? capability.capId : null,
  ];
  if (!shared) {
    const buckets = new MemoryRates();
    return (input) => buckets.take(JSON.stringify(whose(input)), rate, input.now);
  }
  const { limit, windowMs } = rate;
  return (input, store) => store?.rates?.take(sha256Digest(JSON.stringify([id, ...whose(input)])), { limit, windowMs });
}
