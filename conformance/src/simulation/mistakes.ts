import type { ClaimRequest, OperationClaim } from "@toolglot/core";
import type { RouterStore, StartOptions, StartResult } from "@toolglot/trp-core/store";
import type { ConnectionMistakes } from "./connection.ts";
import type { Act } from "./database.ts";

// Stores that look right and are not. They are here to see that the simulation notices.

/** What a store gets wrong. */
export interface Mistakes extends ConnectionMistakes {
  /** Looks for the operation in one transaction, and writes it in another, over whatever is there by then. */
  readsThenWrites?: boolean;
  /** Takes what has no live lease and runs it again, and lets everybody write who ever held it. */
  ignoresFences?: boolean;
  /** Decides by the clock of the router, not by that of the database. */
  localClock?: boolean;
  /** Writes the audit rows of a start in a transaction of their own. */
  auditsApart?: boolean;
  /** Starts calls that were cancelled after their frames had come. */
  ignoresCancels?: boolean;
  /** Starts what another key has left in doubt. */
  ignoresEffects?: boolean;
}

/** The naive variants, by what they do. */
export const naiveVariants: Readonly<Record<string, Mistakes>> = {
  "reads, runs, and records": { readsThenWrites: true },
  "has leases without fences": { ignoresFences: true },
  "takes a commit without an answer for failed": { takesForFailed: true },
  "takes a commit without an answer for done": { takesForDone: true },
  "compares times with the router's clock": { localClock: true },
  "writes audit rows apart": { auditsApart: true },
  "looks for cancelled calls before the start alone": { ignoresCancels: true },
  "knows operations by their keys alone": { ignoresEffects: true },
};

/** The request and options of a start, as a store with these mistakes reads them. */
export function naiveStart(
  { ignoresFences, ignoresCancels, ignoresEffects, auditsApart }: Mistakes,
  request: ClaimRequest,
  options: StartOptions,
): [ClaimRequest, StartOptions] {
  const { ifFence, unlessCancelled, effectId, audit, ...rest } = options;
  return [
    ignoresFences ? { ...request, abandoned: "reclaim" } : request,
    {
      ...rest,
      ...(ifFence !== undefined && !ignoresFences && { ifFence }),
      ...(unlessCancelled !== undefined && !ignoresCancels && { unlessCancelled }),
      ...(effectId !== undefined && !ignoresEffects && { effectId }),
      ...(audit !== undefined && !auditsApart && { audit }),
    },
  ];
}

/** A start that doesn't compare: whatever has the key and is not over is gone. */
export function overwrite(request: ClaimRequest, options: StartOptions): Act<StartResult> {
  return async ({ operations }: RouterStore) => {
    const found = await operations.read(request);
    if (found?.state === "in-doubt") await operations.settle(found, { state: "released" }, "nobody");
    else if (found !== undefined) await operations.finish(found, { state: "released" });
    const { ifFence: _, ...rest } = options;
    return await operations.start(request, rest);
  };
}

/** What a start gives that is taken for done although nobody knows. */
export function presumedStart({ scope, key, ...request }: ClaimRequest, fence: number, now: number): StartResult {
  const claim = { scope, key, fence };
  const { fingerprint, owner, leaseMs } = request;
  const times = { leaseUntil: now + leaseMs, claimedAt: now, startedAt: now };
  return { status: "claimed", claim, record: { ...claim, fingerprint, owner, state: "started", ...times } };
}

type Write = (operations: RouterStore["operations"], claim: OperationClaim) => Promise<boolean>;

/** A write under a claim, of a store that doesn't look at fences. */
export function withoutFence(claim: OperationClaim, write: Write): Act<boolean> {
  return async ({ operations }) => {
    const { fence = claim.fence } = (await operations.read(claim)) ?? {};
    return await write(operations, { ...claim, fence });
  };
}

/** What a store shows that has leases and nothing else: what has no live lease was never begun. */
export function leasesAlone(
  log: RouterStore["operations"],
  now: () => number,
): Pick<RouterStore["operations"], "read" | "list" | "takeOver"> {
  return {
    read: async (key) => {
      const found = await log.read(key);
      return found?.state === "started" && found.leaseUntil <= now() ? undefined : found;
    },
    list: async () => [],
    takeOver: async () => ({ status: "changed" }),
  };
}

/** Writes under a claim, by their methods. */
export const claimWrites = ["renew", "begin", "finish", "doubt", "abandon"] as const;
