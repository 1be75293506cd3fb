import type { RouterStore } from "@toolglot/trp-core/store";
import type { Variant } from "../../../trp-core/test/chaos/naive.ts";
import { replaced } from "../../../trp-core/test/chaos/replaced.ts";
import { ambiguous, cut } from "./commits.ts";
import { transactions } from "./points.ts";

type Start = RouterStore["operations"]["start"];

/** In place of the error that would make the store find out whether a start was committed. */
class Ambiguous extends Error {}
const isAmbiguous = (error: unknown): boolean =>
  error instanceof Ambiguous || (error as { cause?: unknown } | undefined)?.cause instanceof Ambiguous;

/** Breaks a share of the commits of this process. Two variants don't find out whether a start was committed, and guess. */
export function guessing(variant: Variant, share: number): (store: RouterStore) => RouterStore {
  const guess = { "commit-taken-for-done": done, "commit-taken-for-failed": failed }[variant as string];
  if (guess === undefined) {
    if (share > 0) ambiguous(share);
    return (store) => store;
  }
  ambiguous(share, ({ client, sql }) => {
    if (!transactions.start.test(sql)) cut(client);
    throw new Ambiguous("not found out");
  });
  return (store) => replaced(store, { operations: replaced(store.operations, { start: guess(store.operations) }) });
}

/** A start that counts as done runs. */
function done(operations: RouterStore["operations"]): Start {
  return async (request, options) => {
    try {
      return await operations.start(request, options);
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      const { scope, key, fingerprint, owner, leaseMs } = request;
      const [now, fence] = [Date.now(), 1];
      const times = { claimedAt: now, startedAt: now, leaseUntil: now + leaseMs };
      const { data } = options;
      const record = {
        scope,
        key,
        fingerprint,
        owner,
        fence,
        state: "started" as const,
        ...times,
        ...(data && { data }),
      };
      return { status: "claimed", claim: { scope, key, fence }, record };
    }
  };
}

/** A start that counts as failed is sent again, as another operation. */
function failed(operations: RouterStore["operations"]): Start {
  return async (request, options) => {
    try {
      return await operations.start(request, options);
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      const { ifAdmitted: _, ifFence: __, ...rest } = options;
      return await operations.start({ ...request, key: `${request.key}_again` }, rest);
    }
  };
}
