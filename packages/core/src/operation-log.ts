import type { JsonValue } from "./json.ts";

/** Name of one operation. `scope` identifies whose and what (tenant, principal, capability), `key` which. */
export interface OperationKey {
  scope: string;
  key: string;
}

/**
 * `claimed`: someone is about to. `started`: the effect may have happened. The others are final. `released`: somebody has said
 * of a doubt that nothing happened ({@link OperationLog.settle}); the key is free, and the record only keeps who said so.
 */
export type OperationState = "claimed" | "started" | "done" | "failed" | "in-doubt" | "released";

/** What the log knows of an operation. Times are milliseconds since the epoch. */
export interface OperationRecord extends OperationKey {
  /** Of what is done: the same key with another fingerprint is a conflict. */
  fingerprint: string;
  state: OperationState;
  /** Rises with each claim; only the newest holder may write. */
  fence: number;
  owner: string;
  leaseUntil: number;
  /** Given at `begin`. */
  data?: JsonValue;
  /** Given at `finish`. */
  outcome?: JsonValue;
  /** Why it is in doubt. */
  reason?: string;
  /** The last word on a doubt about this key. Goes with the record, or when the key is claimed and finished anew. */
  settled?: Settlement;
  claimedAt: number;
  startedAt?: number;
  finishedAt?: number;
  /** Counted from the final state; `in-doubt` has none. */
  expiresAt?: number;
}

/** Who said of an operation in doubt whether it happened, and when. */
export interface Settlement {
  by: string;
  happened: boolean;
  at: number;
}

/** How an operation ends. `released`: it is proven not to have happened, and the key is free again. */
export type OperationEnd = { state: "done" | "failed"; outcome: JsonValue } | { state: "released" };

/** What proves the right to write: the key with the fence of a claim. */
export interface OperationClaim extends OperationKey {
  fence: number;
}

/** A wish to do something once. */
export interface ClaimRequest extends OperationKey {
  fingerprint: string;
  owner: string;
  leaseMs: number;
  /** How long a final state is remembered. Default 24 h. */
  ttlMs?: number;
  /**
   * What to do with a `started` operation whose lease ran out: `doubt` marks it in doubt (default, for effects that
   * must not happen twice), `reclaim` lets it run again (for effects that may).
   */
  abandoned?: "doubt" | "reclaim";
  /**
   * How long the key stays known after its outcome was forgotten: a claim then is `expired`. Default 0, the key is free
   * again at once, and what it stands for can be done a second time.
   */
  keepMs?: number;
}

/**
 * `claimed`: go ahead. `replay`: it is done or failed, use the outcome. `busy`: someone holds a live lease. `expired`: it
 * was done or failed, and the outcome is forgotten (only with `keepMs`).
 */
export type ClaimResult =
  | { status: "claimed"; claim: OperationClaim; record: OperationRecord }
  | { status: "replay" | "busy" | "conflict" | "in-doubt" | "expired"; record: OperationRecord };

/**
 * "Do this once." Claim, begin right before the effect, finish right after it. Every write but `claim` returns false
 * when the claim was lost (lease over and taken by another): then the caller must not report success.
 */
export interface OperationLog {
  /** What survives: `none` forgets at exit, `process` survives a crash of the process, `disk` one of the machine. */
  readonly durability: "none" | "process" | "disk";
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Sets the lease to end `leaseMs` from now: later, for work that takes long, or at once, to give a claim back. */
  renew(claim: OperationClaim, leaseMs: number): Promise<boolean>;
  /** Notes that the effect may happen from now on. Again, with other data, while it is under way: the data are replaced. */
  begin(claim: OperationClaim, data?: JsonValue): Promise<boolean>;
  /** Ends the operation. What is in doubt is ended by `settle` alone. */
  finish(claim: OperationClaim, result: OperationEnd): Promise<boolean>;
  doubt(claim: OperationClaim, reason: string): Promise<boolean>;
  /**
   * Ends the doubt about an operation, by the word of somebody who found out: `by` names who, for people. False when nothing of that
   * key is in doubt, as after somebody else's word; with a `fence`, also when the doubt is about another attempt.
   */
  settle(of: OperationKey & { fence?: number }, result: OperationEnd, by: string): Promise<boolean>;
  read(key: OperationKey): Promise<OperationRecord | undefined>;
  /**
   * Resolves when an operation may have changed, in whatever process, or after `ms`, or with the signal. A hint: it may come late, or for
   * nothing. Logs that don't hear of changes have none; then ask again after a while.
   */
  whenChanged?(key: OperationKey, wait: ChangeWait): Promise<void>;
}

/** How long to wait for a change. */
export interface ChangeWait {
  ms: number;
  signal?: AbortSignal | undefined;
}
