import type { ClaimRequest, OperationKey, OperationRecord } from "@toolglot/core";
import type { ApprovalRecord, ApprovalStore, Denial } from "./approval-types.ts";
import type { ApprovalUse, StartResult } from "./types.ts";

// What every store decides about approvals and effects, whatever it keeps them in. Pure functions; nothing given is changed.

/** How long after its expiry an approval, or a spent token, can still be looked up. Milliseconds. */
export const approvalMemoryMs: number = 24 * 60 * 60 * 1000;

type Wanted = Parameters<ApprovalStore["request"]>[0];
type Refusal = Exclude<Extract<StartResult, { status: "approval-refused" }>["reason"], "denied">;

/** As it stands now: what was not decided, or not used, in time has expired. */
export function approvalAt(record: ApprovalRecord, now: number): ApprovalRecord {
  const lapsed = (record.status === "pending" || record.status === "approved") && record.expiresAt <= now;
  return lapsed ? { ...record, status: "expired" } : record;
}

/**
 * What a request for approval comes to, given the newest record of the same operation and what is known of the operation
 * itself. `created` is to be written.
 */
export function requestApproval(
  newest: ApprovalRecord | undefined,
  known: OperationRecord | undefined,
  wanted: Wanted,
  now: number,
): { status: "created" | "existing" | "conflict"; record: ApprovalRecord } {
  const operation = known?.state === "released" ? undefined : known;
  if (operation && operation.fingerprint !== wanted.fingerprint) {
    return { status: "conflict", record: newest ?? inPlaceOf(operation, wanted) };
  }
  const found = newest && approvalAt(newest, now);
  if (found && found.expiresAt > now && found.fingerprint !== wanted.fingerprint) {
    if (found.status === "pending" || found.status === "approved") return { status: "conflict", record: found };
  }
  if (found && found.fingerprint === wanted.fingerprint) {
    const holds = found.expiresAt > now || (found.status === "used" && operation !== undefined);
    if (holds) return { status: "existing", record: found };
  }
  const { ttlMs, maxPending: _, outbox: __, ...asked } = wanted;
  const record: ApprovalRecord = { ...asked, status: "pending", createdAt: now, expiresAt: now + ttlMs };
  // The next decision is made with the earlier one in view.
  const denial = found?.fingerprint === wanted.fingerprint ? denialIn(found) : undefined;
  return { status: "created", record: denial === undefined ? record : { ...record, deniedBefore: denial } };
}

/** Returns the denial that a record is, or that it came after. */
function denialIn({ id, status, decidedBy = "", decidedAt = 0, deniedBefore }: ApprovalRecord): Denial | undefined {
  return status === "denied" ? { id, by: decidedBy, at: decidedAt } : deniedBefore;
}

/**
 * The denial that stands in the way of a start, whatever else allows it: the newest decision about this very operation is
 * no. It holds as long as it is known; only another decision of a person, or another operation, gets past it.
 */
export function denialOf(
  newest: ApprovalRecord | undefined,
  { fingerprint }: ClaimRequest,
): ApprovalRecord | undefined {
  if (newest === undefined || newest.fingerprint !== fingerprint) return undefined;
  const { status, deniedBefore } = newest;
  const isAskedAnew = deniedBefore !== undefined && status !== "approved" && status !== "used";
  return status === "denied" || isAskedAnew ? newest : undefined;
}

/** Returns the operation that a claim must not overtake: an approval of its key with another fingerprint is open. */
export function approvalConflict(
  newest: ApprovalRecord | undefined,
  { scope, key, fingerprint }: ClaimRequest,
  now: number,
): OperationRecord | undefined {
  if (!newest || newest.fingerprint === fingerprint || newest.expiresAt <= now) return undefined;
  if (newest.status !== "pending" && newest.status !== "approved") return undefined;
  const { requester, createdAt, expiresAt } = newest;
  return {
    scope,
    key,
    fingerprint: newest.fingerprint,
    state: "claimed",
    fence: 0,
    owner: requester,
    leaseUntil: expiresAt,
    claimedAt: createdAt,
  };
}

/**
 * Checks whether an approval record lets the operation `key` start. `resumed`: the operation has a record already. The record
 * to be written when it does; one that this very operation used before stays as it is.
 */
export function useApproval(
  found: ApprovalRecord | undefined,
  { fingerprint }: Extract<ApprovalUse, { kind: "record" }>,
  key: OperationKey,
  resumed: boolean,
  now: number,
): { refused: Refusal } | { record: ApprovalRecord } {
  const own = found && found.operation.scope === key.scope && found.operation.key === key.key;
  if (!found || !own || found.fingerprint !== fingerprint) {
    return { refused: found?.status === "used" ? "spent" : "not-approved" };
  }
  const { status } = approvalAt(found, now);
  if (status === "used") return resumed || found.expiresAt > now ? { record: found } : { refused: "spent" };
  if (status === "expired") return { refused: "expired" };
  return status === "approved" ? { record: { ...found, status: "used", usedAt: now } } : { refused: "not-approved" };
}

/** Returns the same for a signed token, given by which operation it was spent, if it was. */
export function useToken(
  spentBy: OperationKey | undefined,
  { expiresAt }: Extract<ApprovalUse, { kind: "token" }>,
  key: OperationKey,
  resumed: boolean,
  now: number,
): Refusal | undefined {
  if (spentBy && (spentBy.scope !== key.scope || spentBy.key !== key.key)) return "spent";
  return expiresAt > now || (spentBy && resumed) ? undefined : "expired";
}

/** Only a pending record that has not expired can be decided. */
export function decideApproval(
  found: ApprovalRecord | undefined,
  { status, by, comment }: Parameters<ApprovalStore["decide"]>[1],
  now: number,
): ApprovalRecord | undefined {
  if (!found || approvalAt(found, now).status !== "pending") return undefined;
  return { ...found, status, decidedAt: now, decidedBy: by, ...(comment !== undefined && { comment }) };
}

/** Returns a used record for a key whose operation needed no approval. */
function inPlaceOf(
  operation: OperationRecord,
  { ttlMs: _, maxPending: __, outbox: ___, ...wanted }: Wanted,
): ApprovalRecord {
  const { fingerprint, claimedAt, leaseUntil, expiresAt = leaseUntil } = operation;
  return { ...wanted, fingerprint, status: "used", createdAt: claimedAt, expiresAt };
}

/**
 * Whether the outcome of an operation is unknown: it is in doubt, or it was begun and its holder has given it up. As
 * long as that is so, another operation with the same effect must not begin.
 */
export function isUnsettled({ state, startedAt, leaseUntil }: OperationRecord, now: number): boolean {
  if (state === "in-doubt") return true;
  return startedAt !== undefined && state !== "done" && state !== "failed" && leaseUntil <= now;
}

/** Checks whether the key's operation is no longer the one that the caller has read (`StartOptions.ifFence`). */
export function isChanged(record: OperationRecord | undefined, ifFence: number | undefined): boolean {
  return ifFence !== undefined && (record?.fence ?? 0) !== ifFence;
}
