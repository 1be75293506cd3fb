import type { ClaimRequest, ClaimResult, JsonValue, OperationRecord } from "@toolglot/core";
import {
  beginOperation,
  type ClaimDecision,
  checkClaimRequest,
  claimOperation,
  type KeptOperation,
  standingOperation,
} from "@toolglot/core/operation-log";
import {
  type ApprovalUse,
  approvalConflict,
  denialOf,
  isChanged,
  type StartOptions,
  type StartResult,
} from "@toolglot/trp-core/store";
import type { Transaction } from "../database/transaction.ts";
import { Overtaken } from "../errors.ts";
import { lockFor, type SameTransactionText, sameTransactionText, writeSameTransaction } from "./answers.ts";
import { newestApproval, useOf } from "./approvals.ts";
import {
  insertRow,
  knownAt,
  lockOperation,
  recordOf,
  replaceRow,
  type Stored,
  type Texts,
  unsettledOperation,
  updateRow,
} from "./operation-rows.ts";
import { findCall, lockSession } from "./session-rows.ts";

/** What a start is given, as texts. They are made at once, because the caller may change its objects afterwards. */
export interface Start {
  texts: Texts;
  again: boolean;
  ifFence: number | undefined;
  unlessCancelled: StartOptions["unlessCancelled"];
  approval: ApprovalUse | undefined;
  beside: SameTransactionText;
  doubt: SameTransactionText;
}

export function startOf(options: StartOptions): Start {
  const { data, effectId, again = false, ifFence, unlessCancelled, approval, ifDoubt } = options;
  return {
    texts: { ...(data !== undefined && { data: JSON.stringify(data) }), ...(effectId !== undefined && { effectId }) },
    again,
    ifFence,
    unlessCancelled: unlessCancelled && { ...unlessCancelled },
    approval: approval && { ...approval },
    beside: sameTransactionText(options),
    doubt: sameTransactionText(ifDoubt),
  };
}

/** Claims and begins an operation. */
export async function start(tx: Transaction, request: ClaimRequest, given: Start): Promise<StartResult> {
  const { texts, again, ifFence, unlessCancelled, approval, beside, doubt } = given;
  await lockFor(tx, beside, doubt);
  if (unlessCancelled && (await isCancelled(tx, unlessCancelled))) return { status: "call-cancelled" };
  const found = await lockOperation(tx, request);
  const now = await tx.now();
  const stored = knownAt(found, now);
  const before = standingOperation(stored?.kept, now);
  if (isChanged(before, ifFence)) return { status: "changed" };
  const decision = await decide(tx, request, stored, found, now);
  const { result, keep } = decision;
  if (result.status !== "claimed" || !keep) return await keepDecision(tx, decision, stored, found, doubt);
  const isResumed = before !== undefined;
  const { effectId } = texts;
  if (!isResumed && !again && effectId !== undefined) {
    const other = await unsettledOperation(tx, effectId, now);
    if (other?.kept) return { status: "in-doubt", record: recordOf(tx, other.kept, other) };
  }
  const newest = isResumed || found === undefined ? undefined : await newestApproval(tx, request);
  const denial = denialOf(newest, request);
  if (denial) return { status: "approval-refused", reason: "denied", denial };
  const use = approval && (await useOf(tx, approval, request, isResumed, now));
  if (use && "refused" in use) return { status: "approval-refused", reason: use.refused };
  const started = beginOperation(keep, result.claim, undefined, now) as KeptOperation;
  await writeRecord(tx, started, stored, found, texts);
  await use?.write();
  await writeSameTransaction(tx, beside);
  const own = texts.data === undefined ? {} : { data: JSON.parse(texts.data) as JsonValue };
  return { ...result, record: { ...withTexts(tx, started.record, stored), ...own } };
}

async function isCancelled(tx: Transaction, call: { sessionId: string; callId: string }): Promise<boolean> {
  const session = await lockSession(tx, call.sessionId);
  return session !== undefined && (await findCall(tx, session, call.callId))?.isCancelled === true;
}

/** Claims an operation. */
export async function claim(
  tx: Transaction,
  request: ClaimRequest,
  found: Stored | undefined,
  doubt: SameTransactionText,
): Promise<ClaimResult> {
  const now = await tx.now();
  const stored = knownAt(found, now);
  return await keepDecision(tx, await decide(tx, request, stored, found, now), stored, found, doubt);
}

/** Writes the result of a claim. When the claim puts the operation in doubt, `ifDoubt` is written with it. */
async function keepDecision(
  tx: Transaction,
  { result, keep }: ClaimDecision,
  stored: Stored | undefined,
  found: Stored | undefined,
  doubt: SameTransactionText,
): Promise<ClaimResult> {
  if (keep) {
    await writeRecord(tx, keep, stored, found, {});
    if (result.status === "in-doubt") await writeSameTransaction(tx, doubt);
  }
  return { ...result, record: withTexts(tx, result.record, stored) };
}

/** `found` is the row as it is, `stored` what of it is still known. */
async function writeRecord(
  tx: Transaction,
  kept: KeptOperation,
  stored: Stored | undefined,
  found: Stored | undefined,
  texts: Texts,
): Promise<void> {
  if (stored?.kept) await updateRow(tx, kept, texts);
  else if (found) await replaceRow(tx, kept, texts);
  else if (!(await insertRow(tx, kept, texts))) throw new Overtaken();
}

async function decide(
  tx: Transaction,
  request: ClaimRequest,
  stored: Stored | undefined,
  found: Stored | undefined,
  now: number,
): Promise<ClaimDecision> {
  const decision = claimOperation(stored?.kept, request, now, 0);
  const { result, keep } = decision;
  // A key that has no operation may have an approval that waits for one. Then there is a row.
  if (result.status === "claimed" && found && !standingOperation(stored?.kept, now)) {
    const conflict = approvalConflict(await newestApproval(tx, request), request, now);
    if (conflict) return { result: { status: "conflict", record: conflict } };
  }
  if (!keep) return decision;
  const [row] = await tx.write("SELECT nextval('@fences') AS fence");
  return claimOperation(stored?.kept, request, now, Number(row?.fence));
}

/** Returns a record with its data and outcome, as far as they are still known. */
function withTexts(tx: Transaction, record: OperationRecord, stored: Stored | undefined): OperationRecord {
  return stored?.kept ? recordOf(tx, { ...stored.kept, record }, stored) : record;
}

/** Returns the request with numbers that a column can express. */
export function checked(request: ClaimRequest): ClaimRequest {
  checkClaimRequest(request);
  const { ttlMs, keepMs } = request;
  return {
    ...request,
    leaseMs: clamp(request.leaseMs),
    ...(ttlMs !== undefined && { ttlMs: clamp(ttlMs) }),
    ...(keepMs !== undefined && { keepMs: clamp(keepMs) }),
  };
}

/** Cuts what a column can't express, Infinity and fractions, to thirty thousand years and to whole milliseconds. */
export function clamp(ms: number): number {
  return Math.ceil(Math.min(ms, 1e15));
}
