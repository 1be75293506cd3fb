import type { OperationKey } from "@toolglot/core";
import { type KeptOperation, standingOperation, tidyOperation } from "@toolglot/core/operation-log";
import type { ResponseFrame } from "../frames/types.ts";
import { approvalMemoryMs, isUnsettled } from "./approval-rules.ts";
import type { ApprovalRecord } from "./approval-types.ts";
import { storeClosed } from "./checks.ts";
import type { CallOutcome, SameTransaction, SessionRecord } from "./frame-types.ts";
import type { Retention } from "./log-types.ts";
import { MemoryAudit, MemoryOutbox } from "./memory-logs.ts";
import { MemoryRates } from "./memory-rates.ts";
import type { StoredArtifact, StoredPart } from "./types.ts";

/** A session with what it remembers; both maps are in order of seq. */
export interface KeptSession {
  record: SessionRecord;
  frames: Map<string, KeptFrame>;
  calls: Map<string, KeptCall>;
}

export interface KeptFrame {
  digest: string;
  seq: number;
  /** The calls that it brought, without those whose id was another call's. */
  calls: string[];
  reply?: ResponseFrame;
}

/** A `CallRecord`, and the seq that brought it. */
export interface KeptCall {
  seq: number;
  digest: string;
  frameId: string;
  operation: OperationKey | undefined;
  deadline: number;
  outcome: CallOutcome | undefined;
  isCancelled: boolean;
}

/** Operations without an outcome that are to bring about the same. */
interface OpenEffect {
  keys: Set<string>;
  /** Before this time the outcome of none of them is unknown. */
  from: number;
}

interface KeptToken {
  operation: OperationKey;
  expiresAt: number;
}

const keepEpochs = 1024;

/** What a `MemoryStore` keeps. Nothing in it is shared with callers. */
export class MemoryTables {
  readonly sessions: Map<string, KeptSession> = new Map();
  readonly operations: Map<string, KeptOperation> = new Map();
  /** Operations without an outcome, by what they are to bring about; and the other way round. */
  readonly effects: Map<string, OpenEffect> = new Map();
  readonly effectOf: Map<string, string> = new Map();
  /** Partial results, by operation. */
  readonly parts: Map<string, StoredPart[]> = new Map();
  readonly approvals: Map<string, ApprovalRecord> = new Map();
  /** Id of the newest approval of each operation. */
  readonly newestApproval: Map<string, string> = new Map();
  /** Ids of pending approvals, by tenant and requester; some of them may have expired. */
  readonly pendingOf: Map<string, Set<string>> = new Map();
  readonly tokens: Map<string, KeptToken> = new Map();
  readonly artifacts: Map<string, { artifact: StoredArtifact; bytes: Uint8Array }> = new Map();
  /** Epoch to digest, rising. */
  readonly epochs: Map<number, string> = new Map();
  readonly views: Map<string, string> = new Map();
  readonly rates: MemoryRates = new MemoryRates();
  readonly audit: MemoryAudit;
  readonly outbox: MemoryOutbox;
  readonly #now: () => number;
  fence = 0;
  closed = false;
  #added = 0;
  #pruneAt = 1024;

  constructor(now: () => number, keepAuditRows: number) {
    this.#now = now;
    this.audit = new MemoryAudit(keepAuditRows);
    this.outbox = new MemoryOutbox(() => this.enter());
  }

  /** Copies what is written together with a step. The returned function stores the copies and can't fail. */
  prepareRows({ audit, events }: Pick<SameTransaction, "audit" | "events">, now: number): () => void {
    const keepRows = this.audit.prepare(audit, now);
    const keepEvents = this.outbox.prepare(events, now);
    return () => {
      keepRows();
      keepEvents();
    };
  }

  /** Returns the time at the start of a method; throws when the store is closed. */
  enter(): number {
    if (this.closed) throw storeClosed("memory");
    return this.#now();
  }

  /** Returns a session that has not expired. */
  session(id: string, now: number): KeptSession | undefined {
    const session = this.sessions.get(id);
    return session && session.record.expiresAt > now ? session : undefined;
  }

  /** Keeps an operation, or lets go of it. */
  keepOperation(key: string, kept: KeptOperation | undefined, given?: string): void {
    const effectId = given ?? this.effectOf.get(key);
    // Partial results go with the outcome.
    if (kept === undefined || standingOperation(kept, this.#now()) === undefined) this.parts.delete(key);
    if (kept === undefined) this.operations.delete(key);
    else this.operations.set(key, kept);
    if (effectId === undefined) return;
    const effect = this.effects.get(effectId) ?? { keys: new Set(), from: Number.POSITIVE_INFINITY };
    // What has an outcome stands in nobody's way.
    if (kept === undefined || kept.record.expiresAt !== undefined) {
      this.effectOf.delete(key);
      effect.keys.delete(key);
      if (effect.keys.size === 0) this.effects.delete(effectId);
      return;
    }
    this.effectOf.set(key, effectId);
    effect.keys.add(key);
    effect.from = Math.min(effect.from, unsettledFrom(kept));
    this.effects.set(effectId, effect);
  }

  /** Returns an operation with this effect whose outcome is unknown: one in doubt first, then the oldest. */
  unsettled(effectId: string, now: number): KeptOperation | undefined {
    const effect = this.effects.get(effectId);
    // Many may do the same at one time, and each start asks.
    if (effect === undefined || now < effect.from) return undefined;
    effect.from = Number.POSITIVE_INFINITY;
    let oldest: KeptOperation | undefined;
    for (const key of effect.keys) {
      const kept = this.operations.get(key);
      if (kept === undefined) continue;
      effect.from = Math.min(effect.from, unsettledFrom(kept));
      if (!isUnsettled(kept.record, now)) continue;
      if (oldest === undefined || rank(kept) < rank(oldest)) oldest = kept;
    }
    return oldest;
  }

  newestApprovalOf(key: OperationKey): ApprovalRecord | undefined {
    const id = this.newestApproval.get(mapKey(key));
    return id === undefined ? undefined : this.approvals.get(id);
  }

  /** Keeps an approval as it is now. */
  keepApproval(record: ApprovalRecord): void {
    const { id, status } = record;
    this.approvals.set(id, record);
    const whose = requesterOf(record);
    const ids = this.pendingOf.get(whose) ?? new Set();
    if (status === "pending") this.pendingOf.set(whose, ids.add(id));
    else if (ids.delete(id) && ids.size === 0) this.pendingOf.delete(whose);
  }

  /** How many requests of this requester wait for a decision. */
  pendingCount(of: Pick<ApprovalRecord, "tenant" | "requester">, now: number): number {
    const whose = requesterOf(of);
    const ids = this.pendingOf.get(whose) ?? new Set();
    for (const id of ids) if ((this.approvals.get(id)?.expiresAt ?? 0) <= now) ids.delete(id);
    if (ids.size === 0) this.pendingOf.delete(whose);
    return ids.size;
  }

  /** Called for each new row of a table: drops what is over whenever the store has doubled, so that nobody has to. */
  added(now: number): void {
    this.#added += 1;
    if (this.#added < this.#pruneAt) return;
    this.prune(now);
  }

  prune(now: number, retention?: Retention): void {
    this.audit.prune();
    this.outbox.prune(now, retention);
    this.rates.prune(now);
    for (const [id, { record }] of this.sessions) if (record.expiresAt <= now) this.sessions.delete(id);
    for (const [key, kept] of this.operations) {
      const tidy = tidyOperation(kept, now);
      if (tidy !== kept) this.keepOperation(key, tidy);
    }
    for (const [id, { expiresAt, status, operation }] of this.approvals) {
      const key = mapKey(operation);
      if (expiresAt + approvalMemoryMs > now) continue;
      // A resumed operation may use its approval once more.
      if (status === "used" && standingOperation(this.operations.get(key), now)) continue;
      this.approvals.delete(id);
      if (this.newestApproval.get(key) === id) this.newestApproval.delete(key);
    }
    for (const [jti, { expiresAt }] of this.tokens) {
      if (expiresAt + approvalMemoryMs <= now) this.tokens.delete(jti);
    }
    for (const [id, { artifact }] of this.artifacts) if (artifact.expiresAt <= now) this.artifacts.delete(id);
    for (const epoch of this.epochs.keys()) {
      if (this.epochs.size <= keepEpochs) break;
      this.epochs.delete(epoch);
    }
    const { sessions, operations, approvals, tokens, artifacts } = this;
    this.#added = 0;
    this.#pruneAt = Math.max(1024, sessions.size + operations.size + approvals.size + tokens.size + artifacts.size);
  }

  close(): void {
    this.closed = true;
    for (const table of [this.sessions, this.operations, this.approvals, this.newestApproval]) table.clear();
    for (const table of [this.tokens, this.pendingOf, this.parts]) table.clear();
    for (const table of [this.artifacts, this.epochs, this.views, this.effects, this.effectOf]) table.clear();
    this.audit.clear();
    this.outbox.clear();
    this.rates.clear();
  }
}

function requesterOf({ tenant, requester }: Pick<ApprovalRecord, "tenant" | "requester">): string {
  return mapKey({ scope: tenant, key: requester });
}

function unsettledFrom({ record }: KeptOperation): number {
  return record.state === "in-doubt" ? Number.NEGATIVE_INFINITY : record.leaseUntil;
}

function rank({ record }: KeptOperation): number {
  return record.state === "in-doubt" ? record.fence - Number.MAX_SAFE_INTEGER : record.fence;
}

/** Different for different keys. */
export function mapKey({ scope, key }: OperationKey): string {
  return `${scope.length}:${scope}${key}`;
}
