import type { ClaimRequest, ClaimResult, JsonValue, OperationClaim, OperationRecord } from "@toolglot/core";
import {
  abandonOperation,
  beginOperation,
  type ClaimDecision,
  checkClaimRequest,
  checkDuration,
  claimOperation,
  doubtOperation,
  type KeptOperation,
  rememberedOperation,
  renewOperation,
  settleOperation,
  standingOperation,
} from "@toolglot/core/operation-log";
import { columnText } from "@toolglot/internal";
import {
  type ApprovalUse,
  approvalConflict,
  denialOf,
  isChanged,
  type RouterOperationLog,
  type SameTransaction,
  type StartResult,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { type SameTransactionText, sameTransactionText, writeSameTransaction } from "./answers.ts";
import { newestApproval, useOf } from "./approvals.ts";
import {
  dropParts,
  findOperation,
  findRecord,
  insertOperation,
  listOperations,
  recordOf,
  type Stored,
  scanOperations,
  unsettledOperation,
  writeIfSame,
  writeOperation,
} from "./operation-rows.ts";

export type Change = (
  kept: KeptOperation | undefined,
  now: number,
  claim: OperationClaim,
) => KeptOperation | "released" | undefined;

/** Creates the operation log in SQLite, without the two steps that every call needs; `operationsBySteps` has these. */
export function sqliteOperations(
  commits: GroupCommit,
  durability: "process" | "disk",
): Omit<RouterOperationLog, "start" | "finish"> {
  const change = (
    claim: OperationClaim,
    decide: Change,
    texts: Texts = {},
    together?: SameTransaction,
  ): Promise<boolean> => {
    // The caller may change its own object meanwhile.
    const held = { ...claim };
    const beside = sameTransactionText(together);
    return commits.write((tx) => changeOperation(tx, held, decide, texts, beside));
  };
  return {
    durability,
    async claim(request) {
      const wanted = checked(request);
      return commits.write((tx) => claim(tx, wanted, findOperation(tx, wanted), sameTransactionText(undefined)));
    },
    async takeOver(request, fence, { ifDoubt } = {}) {
      const wanted = checked(request);
      const doubt = sameTransactionText(ifDoubt);
      return commits.write((tx) => {
        const stored = findOperation(tx, wanted);
        if (isChanged(standingOperation(stored?.kept, tx.now()), fence)) return { status: "changed" };
        return claim(tx, wanted, stored, doubt);
      });
    },
    async renew(claim, leaseMs) {
      checkDuration("leaseMs", leaseMs);
      return change(claim, (kept, now, held) => renewOperation(kept, held, clamp(leaseMs), now));
    },
    async begin(claim, data, together) {
      const texts = data === undefined ? {} : { data: JSON.stringify(data) };
      return change(claim, (kept, now, held) => beginOperation(kept, held, undefined, now), texts, together);
    },
    async doubt(claim, reason, together) {
      return change(claim, (kept, now, held) => doubtOperation(kept, held, reason, now), {}, together);
    },
    async settle(of, result, by, together) {
      const { scope, key, fence } = of;
      const beside = sameTransactionText(together);
      const texts = result.state === "released" ? {} : { outcome: JSON.stringify(result.outcome) ?? "null" };
      const end = result.state === "released" ? result : { ...result, outcome: null };
      return commits.write((tx) => {
        const decide: Change = (kept, now) => settleOperation(kept, fence, end, by, now);
        return changeOperation(tx, { scope, key, fence: fence ?? 0 }, decide, texts, beside);
      });
    },
    async abandon(claim) {
      return change(claim, (kept, now, held) => abandonOperation(kept, held, now));
    },
    async read({ scope, key }, effectId) {
      return commits.read((tx) => {
        const stored = findOperation(tx, { scope, key });
        const isFree = stored?.kept.record.state === "released";
        if (stored && !(isFree && effectId !== undefined)) {
          return rememberedOperation(stored.kept, tx.now()) && recordOf(tx, stored);
        }
        const other = effectId === undefined ? undefined : unsettledOperation(tx, effectId);
        return other && recordOf(tx, other);
      });
    },
    async list({ states, leaseExpired = false, scopePrefix = "", limit = 100 }) {
      const filter = { states: [...new Set(states)], leaseExpired, scopePrefix, limit };
      return listOperations(commits, filter);
    },
    async scan(after, limit) {
      return commits.read((tx) => scanOperations(tx, after, limit));
    },
  };
}

/** JSON texts of the parts that are too big to be read and written with the rest of a record. */
interface Texts {
  data?: string;
  outcome?: string;
  effectId?: string;
}

function claim(
  tx: Transaction,
  request: ClaimRequest,
  stored: Stored | undefined,
  doubt: SameTransactionText,
): ClaimResult {
  return keepDecision(tx, decide(tx, request, stored), stored, doubt);
}

/** Writes the result of a claim. When the claim puts the operation in doubt, `ifDoubt` is written with it. */
function keepDecision(
  tx: Transaction,
  { result, keep }: ClaimDecision,
  stored: Stored | undefined,
  doubt: SameTransactionText,
): ClaimResult {
  if (keep) {
    tx.takeFence();
    writeOperation(tx, keep, stored, {});
    if (result.status === "in-doubt") writeSameTransaction(tx, doubt);
  }
  return { ...result, record: withTexts(tx, result.record, stored) };
}

/** Claims and begins an operation. `isNew`: the store had no record of it. */
export function start(
  tx: Transaction,
  request: ClaimRequest,
  texts: Texts,
  { again, ifFence }: { again: boolean; ifFence: number | undefined },
  approval: ApprovalUse | undefined,
  { beside, doubt }: { beside: SameTransactionText; doubt: SameTransactionText },
): { result: StartResult; isNew?: boolean } {
  const now = tx.now();
  if (approval === undefined && (ifFence ?? 0) === 0) {
    const { result, keep } = claimOperation(undefined, request, now, tx.nextFence());
    const { claim } = result as { claim: OperationClaim };
    const started = beginOperation(keep, claim, undefined, now) as KeptOperation;
    if (insertOperation(tx, started, texts, again)) {
      tx.takeFence();
      writeSameTransaction(tx, beside);
      return { result: { status: "claimed", claim, record: started.record }, isNew: true };
    }
  }
  const stored = findOperation(tx, request);
  const before = standingOperation(stored?.kept, now);
  if (isChanged(before, ifFence)) return { result: { status: "changed" } };
  const decision = decide(tx, request, stored);
  const { result, keep } = decision;
  const { data, effectId } = texts;
  if (result.status !== "claimed" || !keep) {
    return { result: keepDecision(tx, decision, stored, doubt) };
  }
  const resumed = before !== undefined;
  const other = resumed || again || effectId === undefined ? undefined : unsettledOperation(tx, effectId);
  if (other) return { result: { status: "in-doubt", record: recordOf(tx, other) } };
  const denial = resumed ? undefined : denialOf(newestApproval(tx, request), request);
  if (denial) return { result: { status: "approval-refused", reason: "denied", denial } };
  const use = approval && useOf(tx, approval, request, resumed, now);
  if (use && "refused" in use) return { result: { status: "approval-refused", reason: use.refused } };
  const started = beginOperation(keep, result.claim, undefined, now) as KeptOperation;
  tx.takeFence();
  writeOperation(tx, started, stored, texts);
  use?.write();
  writeSameTransaction(tx, beside);
  if (stored === undefined) return { result: { ...result, record: started.record }, isNew: true };
  const record = {
    ...withTexts(tx, started.record, stored),
    ...(data !== undefined && { data: JSON.parse(data) as JsonValue }),
  };
  return { result: { ...result, record } };
}

/**
 * Ends an operation whose start this process has written, without reading its record: the write finds out whether the
 * record is still the same. Undefined when it is not, or when the operation is released.
 */
export function finishStarted(
  tx: Transaction,
  claim: OperationClaim,
  decide: Change,
  texts: Texts,
  together: SameTransactionText,
): boolean | undefined {
  const stored = tx.takeStarted(claim.scope, claim.key);
  const next = stored && decide(stored.kept, tx.now(), claim);
  if (!stored || !next || next === "released" || !writeIfSame(tx, next, stored, texts)) return undefined;
  writeSameTransaction(tx, together);
  return true;
}

export function changeOperation(
  tx: Transaction,
  of: OperationClaim,
  decide: Change,
  texts: Texts,
  together: SameTransactionText,
): boolean {
  const stored = findRecord(tx, of);
  const next = decide(stored?.kept, tx.now(), of);
  if (!next || !stored) return false;
  const isFree = next === "released" || next.record.state === "released";
  if (isFree) {
    tx.run("DELETE FROM operations WHERE rowid = ?", stored.n);
    dropParts(tx, columnText(of.scope), columnText(of.key));
  }
  if (next !== "released") writeOperation(tx, next, isFree ? undefined : stored, texts);
  writeSameTransaction(tx, together);
  return true;
}

function decide(tx: Transaction, request: ClaimRequest, stored: Stored | undefined): ClaimDecision {
  const now = tx.now();
  const decision = claimOperation(stored?.kept, request, now, tx.nextFence());
  // A key that has no operation may have an approval that waits for one.
  if (decision.result.status !== "claimed" || standingOperation(stored?.kept, now)) return decision;
  const conflict = approvalConflict(newestApproval(tx, request), request, now);
  return conflict ? { result: { status: "conflict", record: conflict } } : decision;
}

/** Returns a record with its data and outcome, as far as they are still known. */
function withTexts(tx: Transaction, record: OperationRecord, stored: Stored | undefined): OperationRecord {
  return stored ? recordOf(tx, { ...stored, kept: { ...stored.kept, record } }) : record;
}

/** Returns the request with numbers that JSON can express. */
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

/** Cuts what JSON can't express, Infinity, to thirty thousand years. */
function clamp(ms: number): number {
  return Math.min(ms, 1e15);
}
