import type {
  ClaimRequest,
  ClaimResult,
  JsonObject,
  JsonValue,
  OperationClaim,
  OperationEnd,
  OperationKey,
  OperationLog,
  OperationRecord,
  OperationState,
} from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import type { ApprovalRecord, ApprovalStore } from "./approval-types.ts";
import type { FrameStore, SameTransaction, Who } from "./frame-types.ts";
import type { AuditStore, OutboxStore, Retention } from "./log-types.ts";

/**
 * A storage with the tables of a router. Routers share nothing but a store, so any router serves any frame of any session.
 * Each method is one transaction: when its promise is fulfilled, it has happened at the store's `durability`; when it
 * rejects, nothing of it has. Only `trp/store-unsettled` leaves that open: the connection ended in the middle of the commit.
 * All times are of the store's clock, in milliseconds since the epoch. Records are copies. Methods reject with
 * `ToolglotError` when the store can't serve (locked, closed, broken) and with `TypeError` for malformed requests.
 */
export interface RouterStore extends Storage {
  /** For people: `memory`, `sqlite (libsql)`. */
  readonly name: string;
  readonly sessions: FrameStore;
  readonly operations: RouterOperationLog;
  readonly parts: PartStore;
  readonly approvals: ApprovalStore;
  readonly audit: AuditStore;
  readonly outbox: OutboxStore;
  readonly artifacts: OwnedArtifactStore;
  readonly catalog: CatalogStore;
  /** Absent in a store that counts no rates: a router on it refuses policies with `rate.shared`. */
  readonly rates?: RateStore | undefined;
  /** Rejects unless a write would be committed now, where the next process that opens the store will find it. */
  ping(): Promise<void>;
  /**
   * Drops expired records: sessions, final operations, approvals, artifacts, audit rows before `from` of the newest
   * checkpoint, and events that every consumer has acknowledged or that `retention` does not keep. It does so in many
   * short transactions. Logs and blobs stay until those who wrote them delete them.
   */
  prune(retention?: Retention): Promise<void>;
}

/** How many calls may come: `limit` at once, then one more each `windowMs / limit` milliseconds. Whole numbers from 1. */
export interface Rate {
  limit: number;
  windowMs: number;
}

/** Whether a call is within its rate; if not, when the next one is, in whole milliseconds. */
export type RateTaken = { ok: true } | { ok: false; retryAfterMs: number };

/** Rates that all routers on the store count together, in token buckets. */
export interface RateStore {
  /**
   * Takes one token from the bucket of a key, by the store's clock; the rule is `takeRate`. A key is a text of 1 to 200
   * characters; those of a policy's rules are digests, `sha256:` and 64 hexadecimal digits. Buckets that are full again go when
   * the store is pruned.
   */
  take(key: string, rate: Rate): Promise<RateTaken>;
}

/** How the start of an operation is allowed, when policy asks for an approval. */
export type ApprovalUse =
  | { kind: "record"; id: string; fingerprint: string }
  /** A signed token, spent once, for one operation. */
  | { kind: "token"; jti: string; expiresAt: number };

/** What a claim also writes when it puts the operation in doubt: its holder is gone, and `abandoned` is `doubt`. */
export interface ClaimOptions {
  ifDoubt?: Pick<SameTransaction, "audit" | "events">;
}

/** What is written with the start of an operation, in its transaction. */
export interface StartOptions extends SameTransaction, ClaimOptions {
  /** What is needed to run it again: kept as the record's `data`. */
  data?: JsonObject;
  approval?: ApprovalUse;
  /** What the operation is to bring about, whatever its key is: kept with its record. */
  effectId?: string;
  /** Begins it also while another operation of the same `effectId` is unsettled. Default false. */
  again?: boolean;
  /**
   * The fence of the operation that the caller has read; 0 when it found none. When the key's operation has another
   * fence by now, or is gone, nothing begins (`changed`). Default: the fence is not checked.
   */
  ifFence?: number;
  /** The token of a pending admission. Unless the frame is admitted as expected, nothing begins (`not-admitted`). */
  ifAdmitted?: string;
  /** The call that it is begun for: when that is cancelled, nothing begins. */
  unlessCancelled?: { sessionId: string; callId: string };
}

/** The key's operation is no longer the one that the caller has read. */
export interface Changed {
  status: "changed";
}

/** The result of a start: one of core's claim results, or the reason why nothing was claimed. */
export type StartResult =
  | ClaimResult
  | Changed
  | { status: "call-cancelled" }
  | { status: "not-admitted" }
  | { status: "approval-refused"; reason: "spent" | "expired" | "not-approved" }
  /** A person has decided against this very operation. */
  | { status: "approval-refused"; reason: "denied"; denial: ApprovalRecord };

/**
 * Core's operation log, with what a router needs in the same transaction. A claim conflicts with a pending or approved
 * approval of the same key and another fingerprint as it does with another operation.
 */
export interface RouterOperationLog extends OperationLog {
  /**
   * Claims the operation that the caller has read, which has this fence. `changed` when the key's operation is another.
   */
  takeOver(request: ClaimRequest, fence: number, options?: ClaimOptions): Promise<ClaimResult | Changed>;
  /**
   * Claims and begins in one transaction, with the approval's consumption and the audit rows: all or nothing. `claimed`
   * means the record is `started` and committed. An approval that this very operation consumed before is taken again,
   * so that an abandoned operation can be resumed.
   *
   * An operation that was denied (by its newest approval record) does not begin, whatever `approval` is.
   *
   * When nothing is known of the key and another operation of the same `effectId` is unsettled (`isUnsettled`), nothing
   * is claimed: the answer is `in-doubt`, with the record of that one.
   */
  start(request: ClaimRequest, options: StartOptions): Promise<StartResult>;
  finish(claim: OperationClaim, result: OperationEnd, together?: SameTransaction): Promise<boolean>;
  /** Begins as core's log does. Audit rows and events are written only when the operation begins. */
  begin(
    claim: OperationClaim,
    data?: JsonValue,
    together?: Pick<SameTransaction, "audit" | "events">,
  ): Promise<boolean>;
  doubt(claim: OperationClaim, reason: string, together?: SameTransaction): Promise<boolean>;
  settle(
    of: OperationKey & { fence?: number },
    result: OperationEnd,
    by: string,
    together?: SameTransaction,
  ): Promise<boolean>;
  /**
   * With an `effectId`, when nothing is known of the key: an unsettled operation with it, one in doubt first, then the
   * oldest.
   */
  read(key: OperationKey, effectId?: string): Promise<OperationRecord | undefined>;
  /** Releases the lease at once, without an outcome: the next claim may take it over. False when it was lost. */
  abandon(claim: OperationClaim): Promise<boolean>;
  list(filter: OperationFilter): Promise<OperationRecord[]>;
  /**
   * Returns all operations that are remembered, in the order in which the store has them, a piece at a time: `after` is 0, then
   * `last` of the piece before, until there is none. Data and outcomes may be left out.
   */
  scan(after: number, limit: number): Promise<{ records: OperationRecord[]; last?: number }>;
}

/** A partial result, before it has its number. */
export interface NewPart {
  /** `PROGRESS`: the capability reported it. */
  kind: "PROGRESS";
  stage: string;
  message: string;
  /** Which attempt at the operation it is of. */
  attempt: number;
  data?: JsonValue;
}

/** A partial result of an operation. */
export interface StoredPart extends NewPart {
  /** From 1, in order. */
  id: number;
  at: number;
}

/** Partial results of operations. They go with their operation's outcome. */
export interface PartStore {
  /**
   * Adds parts to an operation that is started, under its claim, and returns the number of the last one; undefined when
   * the claim was lost. Numbers follow the last part, `skipped` of them left out before these. Only the newest
   * `keep` parts stay.
   */
  add(
    claim: OperationClaim,
    parts: NewPart[],
    options: { keep: number; skipped?: number },
  ): Promise<number | undefined>;
  /**
   * Returns at most `limit` parts after a number, oldest first; `first` and `last` are the numbers of the oldest and the newest
   * that are kept, 0 when there are none. What an earlier operation with this key left is not among them.
   */
  read(key: OperationKey, range: { after: number; limit: number }): Promise<PartList>;
}

/** See {@link PartStore.read}. */
export interface PartList {
  parts: StoredPart[];
  first: number;
  last: number;
}

/** Which operations to list. */
export interface OperationFilter {
  states: OperationState[];
  /** Only those whose lease ran out. */
  leaseExpired?: boolean;
  /** Only scopes that begin so. */
  scopePrefix?: string;
  /** Default 100. */
  limit?: number;
}

/** Bytes that were too big for an answer. */
export interface StoredArtifact {
  id: string;
  tenant: string;
  principal: string;
  mediaType: string;
  sha256: string;
  size: number;
  createdAt: number;
  expiresAt: number;
}

/**
 * What was too big for an answer: bytes that only the principal of the call may read, until they expire. Core's
 * `ArtifactStore` is another thing: texts of one host's run, named by their content and without an end.
 */
export interface OwnedArtifactStore {
  put(
    artifact: Omit<StoredArtifact, "createdAt" | "expiresAt" | "size"> & { ttlMs: number; bytes: Uint8Array },
  ): Promise<StoredArtifact>;
  /** Undefined alike for unknown, foreign and expired ones. */
  read(
    id: string,
    who: Who,
    range?: { offset?: number; length?: number },
  ): Promise<{ artifact: StoredArtifact; bytes: Uint8Array } | undefined>;
}

/** Epochs and alias views, which all routers on the store share. */
export interface CatalogStore {
  /** Returns the epoch of a catalog with this digest: the lowest known one that is at least `atLeast`, or a new, higher one. */
  epoch(digest: string, atLeast: number): Promise<number>;
  /** The highest one that was given out; 0 when none was. */
  highestEpoch(): Promise<number>;
  /** Views are immutable: the id is made from the content. */
  putView(id: string, view: JsonObject): Promise<void>;
  readView(id: string): Promise<JsonObject | undefined>;
}
