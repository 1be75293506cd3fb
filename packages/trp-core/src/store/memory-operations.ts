import type {
  ClaimRequest,
  ClaimResult,
  JsonValue,
  OperationClaim,
  OperationEnd,
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
  operationFreeAt,
  rememberedOperation,
  renewOperation,
  settleOperation,
  standingOperation,
} from "@toolglot/core/operation-log";
import { copyJson } from "@toolglot/internal";
import { approvalConflict, denialOf, isChanged, useApproval, useToken } from "./approval-rules.ts";
import type { SameTransaction } from "./frame-types.ts";
import type { MemoryFrames } from "./memory-frames.ts";
import { type MemoryTables, mapKey } from "./memory-tables.ts";
import type {
  ApprovalUse,
  Changed,
  ClaimOptions,
  OperationFilter,
  RouterOperationLog,
  StartOptions,
  StartResult,
} from "./types.ts";

type Change = (kept: KeptOperation | undefined, now: number) => KeptOperation | "released" | undefined;

/** The operation log of a `MemoryStore`. Its methods are fields, so that they work without their object. */
export class MemoryOperations implements RouterOperationLog {
  readonly durability = "none" as const;
  readonly #tables: MemoryTables;
  readonly #sessions: MemoryFrames;

  constructor(tables: MemoryTables, sessions: MemoryFrames) {
    this.#tables = tables;
    this.#sessions = sessions;
  }

  readonly claim = async (request: ClaimRequest): Promise<ClaimResult> => {
    const now = this.#tables.enter();
    checkClaimRequest(request);
    return this.#claim(request, {}, now);
  };

  readonly takeOver = async (
    request: ClaimRequest,
    fence: number,
    options: ClaimOptions = {},
  ): Promise<ClaimResult | Changed> => {
    const now = this.#tables.enter();
    checkClaimRequest(request);
    const before = standingOperation(this.#tables.operations.get(mapKey(request)), now);
    return isChanged(before, fence) ? { status: "changed" } : this.#claim(request, options, now);
  };

  #claim(request: ClaimRequest, { ifDoubt }: ClaimOptions, now: number): ClaimResult {
    const decision = this.#decide(request, now);
    const { result } = decision;
    this.#keepDecision(request, decision, ifDoubt, now);
    return { ...result, record: copyJson(result.record) };
  }

  readonly start = async (request: ClaimRequest, options: StartOptions): Promise<StartResult> => {
    const { data, approval, effectId, again = false, ifFence, unlessCancelled, ifDoubt, ...together } = options;
    const now = this.#tables.enter();
    checkClaimRequest(request);
    // No admission of this store is pending.
    if (options.ifAdmitted !== undefined) return { status: "not-admitted" };
    if (unlessCancelled && this.#sessions.isCancelled(unlessCancelled, now)) return { status: "call-cancelled" };
    const before = standingOperation(this.#tables.operations.get(mapKey(request)), now);
    if (isChanged(before, ifFence)) return { status: "changed" };
    const decision = this.#decide(request, now);
    const { result, keep } = decision;
    const other = before === undefined && effectId !== undefined && !again && this.#tables.unsettled(effectId, now);
    if (other && result.status === "claimed") return { status: "in-doubt", record: copyJson(other.record) };
    if (result.status !== "claimed") {
      this.#keepDecision(request, decision, ifDoubt, now);
      return { ...result, record: copyJson(result.record) };
    }
    const denial = before === undefined && denialOf(this.#tables.newestApprovalOf(request), request);
    if (denial) return { status: "approval-refused", reason: "denied", denial: copyJson(denial) };
    const use = approval && this.#use(approval, request, before !== undefined, now);
    if (use && "refused" in use) return { status: "approval-refused", reason: use.refused };
    const started = beginOperation(keep, result.claim, copyJson(data), now) as KeptOperation;
    const write = this.#prepare(together, now);
    this.#keep(request, started, now, effectId);
    use?.write();
    write();
    return { ...result, record: copyJson(started.record) };
  };

  readonly renew = async (claim: OperationClaim, leaseMs: number): Promise<boolean> => {
    checkDuration("leaseMs", leaseMs);
    return this.#write(claim, (kept, now) => renewOperation(kept, claim, leaseMs, now));
  };

  readonly begin = async (claim: OperationClaim, data?: JsonValue, together?: SameTransaction): Promise<boolean> => {
    return this.#write(claim, (kept, now) => beginOperation(kept, claim, copyJson(data), now), together);
  };

  readonly finish = async (
    claim: OperationClaim,
    result: OperationEnd,
    together?: SameTransaction,
  ): Promise<boolean> => {
    return this.#write(claim, (kept, now) => finishOperation(kept, claim, copyJson(result), now), together);
  };

  readonly doubt = async (claim: OperationClaim, reason: string, together?: SameTransaction): Promise<boolean> => {
    return this.#write(claim, (kept, now) => doubtOperation(kept, claim, reason, now), together);
  };

  readonly settle = async (
    of: OperationKey & { fence?: number },
    result: OperationEnd,
    by: string,
    together?: SameTransaction,
  ): Promise<boolean> => {
    return this.#write(of, (kept, now) => settleOperation(kept, of.fence, copyJson(result), by, now), together);
  };

  readonly abandon = async (claim: OperationClaim): Promise<boolean> => {
    return this.#write(claim, (kept, now) => abandonOperation(kept, claim, now));
  };

  readonly read = async (key: OperationKey, effectId?: string): Promise<OperationRecord | undefined> => {
    const now = this.#tables.enter();
    const kept = this.#tables.operations.get(mapKey(key));
    if (effectId !== undefined && isFree(kept, now)) {
      return copyJson(this.#tables.unsettled(effectId, now)?.record);
    }
    return copyJson(rememberedOperation(kept, now));
  };

  readonly list = async ({
    states,
    leaseExpired,
    scopePrefix = "",
    limit = 100,
  }: OperationFilter): Promise<OperationRecord[]> => {
    const now = this.#tables.enter();
    const found: OperationRecord[] = [];
    for (const kept of this.#tables.operations.values()) {
      const record = rememberedOperation(kept, now);
      if (!record || !states.includes(record.state) || !record.scope.startsWith(scopePrefix)) continue;
      if (!leaseExpired || record.leaseUntil <= now) found.push(record);
    }
    // Fences rise: oldest claims first.
    found.sort((one, other) => one.fence - other.fence);
    return copyJson(found.slice(0, limit));
  };

  readonly scan = async (): Promise<{ records: OperationRecord[] }> => {
    const now = this.#tables.enter();
    const records: OperationRecord[] = [];
    for (const kept of this.#tables.operations.values()) {
      const record = standingOperation(kept, now);
      if (record) records.push({ ...record });
    }
    return { records };
  };

  #decide(request: ClaimRequest, now: number): ClaimDecision {
    const kept = this.#tables.operations.get(mapKey(request));
    const decision = claimOperation(kept, request, now, this.#tables.fence + 1);
    // A key that has no operation may have an approval that waits for one.
    if (decision.result.status !== "claimed" || standingOperation(kept, now)) return decision;
    const conflict = approvalConflict(this.#tables.newestApprovalOf(request), request, now);
    return conflict ? { result: { status: "conflict", record: conflict } } : decision;
  }

  /** Stores the result of a claim. When the claim puts the operation in doubt, `ifDoubt` is stored with it. */
  #keepDecision(
    request: ClaimRequest,
    { result, keep }: ClaimDecision,
    ifDoubt: ClaimOptions["ifDoubt"],
    now: number,
  ): void {
    if (!keep) return;
    const write = this.#prepare(result.status === "in-doubt" ? ifDoubt : {}, now);
    this.#keep(request, keep, now);
    write();
  }

  #use(
    approval: ApprovalUse,
    request: ClaimRequest,
    resumed: boolean,
    now: number,
  ): { refused: ReturnType<typeof useToken> & string } | { write(): void } {
    const { approvals, tokens } = this.#tables;
    if (approval.kind === "record") {
      const used = useApproval(approvals.get(approval.id), approval, request, resumed, now);
      return "refused" in used ? used : { write: () => this.#tables.keepApproval(used.record) };
    }
    const { jti, expiresAt } = approval;
    const refused = useToken(tokens.get(jti)?.operation, approval, request, resumed, now);
    const operation = { scope: request.scope, key: request.key };
    return refused ? { refused } : { write: () => tokens.set(jti, { operation, expiresAt }) };
  }

  #write(of: OperationKey, change: Change, together?: SameTransaction): boolean {
    const now = this.#tables.enter();
    const key = mapKey(of);
    const next = change(this.#tables.operations.get(key), now);
    if (!next) return false;
    const write = this.#prepare(together, now);
    this.#tables.keepOperation(key, next === "released" ? undefined : next);
    write();
    return true;
  }

  /** Prepares what is written together; what is returned then can't fail. */
  #prepare({ answer, ...rows }: SameTransaction = {}, now: number): () => void {
    const keepRows = this.#tables.prepareRows(rows, now);
    const keepAnswer = answer && this.#sessions.prepare(answer, now);
    return () => {
      keepRows();
      keepAnswer?.();
    };
  }

  #keep(key: OperationKey, kept: KeptOperation, now: number, effectId?: string): void {
    // Only claims come here, and each takes the next fence.
    this.#tables.fence += 1;
    this.#tables.added(now);
    this.#tables.keepOperation(mapKey(key), kept, effectId);
  }
}

function isFree(kept: KeptOperation | undefined, now: number): boolean {
  return kept === undefined || kept.record.state === "released" || operationFreeAt(kept) <= now;
}
