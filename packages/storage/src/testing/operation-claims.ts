import type { ClaimRequest, OperationClaim, OperationEnd, OperationLog } from "@toolglot/core";

/** A log that is empty, and its clock. */
export interface Setup {
  log: OperationLog;
  advance(ms: number): void;
}

/** Milliseconds of a lease. */
export const lease = 1000;
/** A claim. */
export const request: ClaimRequest = { scope: "tenant", key: "k1", fingerprint: "f1", owner: "a", leaseMs: lease };
export const day: number = 24 * 60 * 60 * 1000;

/** Returns a claim; throws when it is not given. */
export async function claimed(log: OperationLog, more: Partial<ClaimRequest> = {}): Promise<OperationClaim> {
  const result = await log.claim({ ...request, ...more });
  if (result.status !== "claimed") throw new Error(`expected a claim, got ${result.status}`);
  return result.claim;
}

/** Returns what another one gets. */
export async function statusOf(log: OperationLog, more: Partial<ClaimRequest> = {}): Promise<string> {
  return (await log.claim({ ...request, owner: "b", ...more })).status;
}

/** How most operations end. */
export const done: OperationEnd = { state: "done", outcome: 1 };

/** Behaviours of a log, by their names. */
export type Cases = Readonly<Record<string, (setup: Setup) => Promise<void>>>;
