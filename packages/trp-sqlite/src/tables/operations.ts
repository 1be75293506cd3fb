import type {
  ClaimRequest,
  ClaimResult,
  JsonValue,
  OperationClaim,
  OperationKey,
  OperationRecord,
} from "@toolglot/core";
import {
  abandonOperation,
  beginOperation,
  type ClaimDecision,
  checkClaimRequest,
  checkDuration,
  claimOperation,
  doubtOperation,
  finishOperation,
  type KeptOperation,
  rememberedOperation,
  renewOperation,
} from "@toolglot/core/operation-log";
import {
  type ApprovalUse,
  approvalConflict,
  denialOf,
  isStartedSince,
  type RouterOperationLog,
  type SameTransaction,
  type StartResult,
  useApproval,
  useToken,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { type SameTransactionText, sameTransactionText, writeSameTransaction } from "./answers.ts";
import { findApproval, newestApproval, writeApproval } from "./approvals.ts";
import {
  dropParts,
  findOperation,
  findRecord,
  listOperations,
  recordOf,
  type Stored,
  scanOperations,
  unsettledOperation,
  writeOperation,
} from "./operation-rows.ts";
import { findCall, findSession } from "./session-rows.ts";

type Refusal = ReturnType<typeof useToken> & string;
type Change = (
  kept: KeptOperation | undefined,
  now: number,
  claim: OperationClaim,
) => KeptOperation | "released" | undefined;

/** The operation log in SQLite. */
export function sqliteOperations(commits: GroupCommit, durability: "process" | "disk"): RouterOperationLog {
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
      return commits.write((tx) => claim(tx, wanted));
    },
    async start(request, { data, approval, effectId, again = false, sinceFence, unlessCancelled, ...together }) {
      const wanted = checked(request);
      const use = approval && { ...approval };
      const texts = {
        ...(data === undefined ? {} : { data: JSON.stringify(data) }),
        ...(effectId === undefined ? {} : { effectId }),
      };
      const beside = sameTransactionText(together);
      const call = unlessCancelled && { ...unlessCancelled };
      return commits.write((tx) => {
        const session = call && findSession(tx, call.sessionId);
        if (session && findCall(tx, session, call.callId)?.isCancelled) return { status: "call-cancelled" };
        return start(tx, wanted, texts, { again, sinceFence }, use, beside);
      });
    },
    async renew(claim, leaseMs) {
      checkDuration("leaseMs", leaseMs);
      return change(claim, (kept, now, held) => renewOperation(kept, held, clamp(leaseMs), now));
    },
    async begin(claim, data) {
      const texts = data === undefined ? {} : { data: JSON.stringify(data) };
      return change(claim, (kept, now, held) => beginOperation(kept, held, undefined, now), texts);
    },
    async finish(claim, result, together) {
      if (result.state === "released") {
        return change(
          claim,
          (kept, now, held) => finishOperation(kept, held, { state: "released" }, now),
          {},
          together,
        );
      }
      const { state } = result;
      const outcome = JSON.stringify(result.outcome) ?? "null";
      const decide: Change = (kept, now, held) => finishOperation(kept, held, { state, outcome: null }, now);
      return change(claim, decide, { outcome }, together);
    },
    async doubt(claim, reason, together) {
      return change(claim, (kept, now, held) => doubtOperation(kept, held, reason, now), {}, together);
    },
    async abandon(claim) {
      return change(claim, (kept, now, held) => abandonOperation(kept, held, now));
    },
    async read({ scope, key }, effectId) {
      return commits.read((tx) => {
        const stored = findOperation(tx, { scope, key });
        if (stored) return rememberedOperation(stored.kept, tx.now()) && recordOf(tx, stored);
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

/** JSON of what is too big to be read and written with the rest. */
interface Texts {
  data?: string;
  outcome?: string;
  effectId?: string;
}

function claim(tx: Transaction, request: ClaimRequest): ClaimResult {
  const stored = findOperation(tx, request);
  return keepDecision(tx, decide(tx, request, stored), stored);
}

/** Writes what a claim came to. */
function keepDecision(tx: Transaction, { result, keep }: ClaimDecision, stored: Stored | undefined): ClaimResult {
  if (keep) {
    tx.takeFence();
    writeOperation(tx, keep, stored, {});
  }
  return { ...result, record: withTexts(tx, result.record, stored) };
}

function start(
  tx: Transaction,
  request: ClaimRequest,
  texts: Texts,
  { again, sinceFence }: { again: boolean; sinceFence: number | undefined },
  approval: ApprovalUse | undefined,
  together: SameTransactionText,
): StartResult {
  const now = tx.now();
  const stored = findOperation(tx, request);
  const decision = decide(tx, request, stored);
  const { result, keep } = decision;
  const { data, effectId } = texts;
  if (result.status !== "claimed" || !keep) return keepDecision(tx, decision, stored);
  const before = rememberedOperation(stored?.kept, now);
  const resumed = before !== undefined;
  const other = resumed || again || effectId === undefined ? undefined : unsettledOperation(tx, effectId);
  if (other) return { status: "in-doubt", record: recordOf(tx, other) };
  if (isStartedSince(before, sinceFence)) return { status: "started-since" };
  const denial = resumed ? undefined : denialOf(newestApproval(tx, request), request);
  if (denial) return { status: "approval-refused", reason: "denied", denial };
  const use = approval && useOf(tx, approval, request, resumed, now);
  if (use && "refused" in use) return { status: "approval-refused", reason: use.refused };
  const started = beginOperation(keep, result.claim, undefined, now) as KeptOperation;
  const record = {
    ...withTexts(tx, started.record, stored),
    ...(data !== undefined && { data: JSON.parse(data) as JsonValue }),
  };
  tx.takeFence();
  writeOperation(tx, started, stored, texts);
  use?.write();
  writeSameTransaction(tx, together);
  return { ...result, record };
}

function changeOperation(
  tx: Transaction,
  claim: OperationClaim,
  decide: Change,
  texts: Texts,
  together: SameTransactionText,
): boolean {
  const stored = findRecord(tx, claim);
  const next = decide(stored?.kept, tx.now(), claim);
  if (!next || !stored) return false;
  if (next === "released") {
    tx.run("DELETE FROM operations WHERE rowid = ?", stored.n);
    dropParts(tx, columnText(claim.scope), columnText(claim.key));
  } else {
    writeOperation(tx, next, stored, texts);
  }
  writeSameTransaction(tx, together);
  return true;
}

function decide(tx: Transaction, request: ClaimRequest, stored: Stored | undefined): ClaimDecision {
  const now = tx.now();
  const decision = claimOperation(stored?.kept, request, now, tx.nextFence());
  // A key that has no operation may have an approval that waits for one.
  if (decision.result.status !== "claimed" || rememberedOperation(stored?.kept, now)) return decision;
  const conflict = approvalConflict(newestApproval(tx, request), request, now);
  return conflict ? { result: { status: "conflict", record: conflict } } : decision;
}

/** A record with its data and outcome, as far as they are still known. */
function withTexts(tx: Transaction, record: OperationRecord, stored: Stored | undefined): OperationRecord {
  return stored ? recordOf(tx, { ...stored, kept: { ...stored.kept, record } }) : record;
}

function useOf(
  tx: Transaction,
  approval: ApprovalUse,
  request: ClaimRequest,
  resumed: boolean,
  now: number,
): { refused: Refusal } | { write(): void } {
  if (approval.kind === "record") {
    const used = useApproval(findApproval(tx, approval.id), approval, request, resumed, now);
    return "refused" in used ? used : { write: () => writeApproval(tx, used.record) };
  }
  const jti = columnText(approval.jti);
  const spent = tx.get("SELECT operation FROM tokens WHERE jti = ?", jti);
  const spentBy =
    spent && tx.parse<OperationKey>(spent.operation, "tokens", approval.jti, (by) => typeof by.scope === "string");
  const refused = useToken(spentBy, approval, request, resumed, now);
  if (refused) return { refused };
  const operation = JSON.stringify({ scope: request.scope, key: request.key });
  const sql = "INSERT OR REPLACE INTO tokens (jti, operation, expires_at) VALUES (?, ?, ?)";
  return { write: () => tx.run(sql, jti, operation, approval.expiresAt) };
}

function checked(request: ClaimRequest): ClaimRequest {
  checkClaimRequest(request);
  const { ttlMs, keepMs } = request;
  return {
    ...request,
    leaseMs: clamp(request.leaseMs),
    ...(ttlMs !== undefined && { ttlMs: clamp(ttlMs) }),
    ...(keepMs !== undefined && { keepMs: clamp(keepMs) }),
  };
}

/** JSON can't say Infinity; thirty thousand years are as good. */
function clamp(ms: number): number {
  return Math.min(ms, 1e15);
}
