import type { ChangeWait, JsonObject, OperationKey } from "@toolglot/core";
import type { SameTransaction } from "./frame-types.ts";

/**
 * `approved` and `denied` are decisions; `used`: the call has started; `expired`: nothing came in
 * time.
 */
export type ApprovalStatus = "pending" | "approved" | "denied" | "used" | "expired";

/** A request for somebody's consent to one call (11.2). */
export interface ApprovalRecord {
  id: string;
  tenant: string;
  requester: string;
  /** The operation that waits for it. */
  operation: OperationKey;
  capId: string;
  /** Of capability and args: other arguments need another approval. */
  fingerprint: string;
  /** The args after defaults, for those who decide. */
  args: JsonObject;
  riskTier: string;
  /** Why the policy asks. */
  reason: string;
  /** Of the policy that asked. */
  policyVersion: string;
  status: ApprovalStatus;
  createdAt: number;
  /** For deciding and for using it. */
  expiresAt: number;
  decidedAt?: number;
  decidedBy?: string;
  /** The decider's words. */
  comment?: string;
  /** When the call started. */
  usedAt?: number;
  /** The same operation was asked for before, and denied: this decision is another one, and names it. */
  deniedBefore?: Denial;
}

/** An earlier denial of the same operation. */
export interface Denial {
  /** Of its record. */
  id: string;
  by: string;
  at: number;
}

/** Requests for consent. */
export interface ApprovalStore {
  /**
   * The pending, approved or denied record of this operation, or a new pending one. Expired ones are replaced; what
   * comes after a denial names it. A `used` one is given back as long as {@link RouterOperationLog.start} takes it
   * again for this operation. `conflict`: one with another fingerprint is pending or approved, or the key is an
   * operation's with another. `too-many`: the requester has `maxPending` requests waiting; nothing was made, the
   * record is what it would have been.
   */
  request(
    wanted: Omit<ApprovalRecord, "status" | "createdAt" | "expiresAt" | "deniedBefore"> & {
      ttlMs: number;
      /** Default: no limit. */
      maxPending?: number;
      /** Writes `approval.requested` to the outbox when one is made. Default false. */
      outbox?: boolean;
    },
  ): Promise<{ status: "created" | "existing" | "conflict" | "too-many"; record: ApprovalRecord }>;
  read(id: string): Promise<ApprovalRecord | undefined>;
  /**
   * Newest first; at most `limit`, default 100. `requester`: only theirs. `before`: only those that were made before
   * the one of this id; none when it is unknown.
   */
  list(filter: {
    tenant: string;
    requester?: string;
    status?: ApprovalStatus;
    before?: string;
    limit?: number;
  }): Promise<ApprovalRecord[]>;
  /** Only a pending one that has not expired can be decided; undefined otherwise. */
  decide(
    id: string,
    decision: { status: "approved" | "denied"; by: string; comment?: string },
    together?: SameTransaction,
  ): Promise<ApprovalRecord | undefined>;
  /** As that of `OperationLog`: resolves when a decision may have been made, in whatever process, or after `ms`, or with the signal. */
  whenChanged?(id: string, wait: ChangeWait): Promise<void>;
}
