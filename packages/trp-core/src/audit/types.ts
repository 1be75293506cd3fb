import type { PolicyProof } from "../frames/results.ts";

/** What an audit row is about, for the option `auditFields` of `createRouter`. */
export interface AuditSubject {
  tenant: string;
  principal: string;
  capId: string;
  /** The key of the operation. Absent when it has none. */
  key?: string | undefined;
  /** Absent in a row about an approval, which is not about one call. */
  callId?: string | undefined;
  /** As the session's client has named itself. Absent when the row is not written by a session's call. */
  agentId?: string | undefined;
}

/** Fields of the host's own in audit rows. A field of the draft, with the same name, is never replaced. */
export type AuditFields = Readonly<Record<string, string>>;

/** A change of what a capability is, for its audit row. */
export interface CapabilityChange {
  capId: string;
  /** Who has decided that it is accepted. Absent: nobody was asked. */
  decidedBy?: string | undefined;
  /** What has changed, in words of the host. */
  fields?: AuditFields;
}

/**
 * The fields of an audit row, in the TRP v0.1 draft's names (14.1). No arguments, no results, no key in the clear. A row may
 * have more: those of the option `auditFields` of `createRouter`.
 */
export interface AuditEntry {
  /**
   * `decision`: the policy's decision, before anything ran. `outcome`: how a call ended. `approval`: somebody decided.
   * `resolution`: somebody settled an operation in doubt. `change`: what a capability is has changed, by itself or because
   * somebody accepted it.
   */
  kind: "decision" | "outcome" | "approval" | "resolution" | "change";
  tenant: string;
  principal: string;
  trace_id: string;
  session_id: string;
  catalog_epoch: number;
  seq: number;
  call_id: string;
  idx: number;
  cap_id: string;
  /** `sha256:` and hex over tenant and key; null without a key. */
  idempotency_key: string | null;
  policy_decision: PolicyProof["decision"] | null;
  policy_rule: string | null;
  policy_version: string | null;
  policy_digest: string | null;
  attempt: number;
  latency_ms: number;
  /** `STARTED` in a decision row, `REFUSED` for what was not dispatched, `CHANGED` for a change, else the result's status. */
  result_status: "STARTED" | "REFUSED" | "SUCCESS" | "FAILED" | "UNKNOWN" | "APPROVED" | "DENIED" | "CHANGED";
  error_class: string | null;
  error_code: string | null;
  /** Of a capability with several adapters: the one that was started, in an outcome the one that ran last. */
  adapter?: string;
  /** In an outcome: adapters that failed before it. */
  failed_adapters?: string[];
  /** Who approved, denied or resolved. */
  decided_by?: string;
  /** The approval record or token that was used. */
  approval_id?: string;
  /** In a decision about what was denied before: the approval record of that denial. */
  denied_before?: string;
}

/**
 * A row of the audit log. Each row's hash covers the one before, so that nothing can be taken out or changed unseen.
 */
export interface AuditRow {
  /** From 1, without gaps. */
  index: number;
  /** Of the store's clock, milliseconds since the epoch. */
  at: number;
  entry: AuditEntry;
  /** Hex; of row 1: 64 zeros. */
  prevHash: string;
  /** Hex SHA-256 over the canonical JSON of `{ index, at, entry, prevHash }`. */
  hash: string;
}

/**
 * A checkpoint of the audit log. It names a row and its hash, and states that all rows up to this row were unchanged
 * when the checkpoint was made. The store keeps it. Keep a copy elsewhere, too: with the copy, `audit.verify` can check
 * that the log still has this row ({@link VerifyOptions.expect}).
 */
export interface AuditCheckpoint {
  /** The index of the row. */
  index: number;
  /** The hash of the row, 64 hex digits. */
  hash: string;
  /** When the checkpoint was made, by the store's clock. Milliseconds since the epoch. */
  at: number;
  /** The first row that the log must still have. Earlier rows may be dropped because of their age. 1: none may. */
  from: number;
  /** The public key that the signature is checked with, as its maker names it. Absent: not signed. */
  key?: string;
  /**
   * base64url, over the UTF-8 bytes of the canonical JSON of `{ at, from, hash, index, type: "audit-checkpoint.v1" }`.
   */
  signature?: string;
}

/** Signs checkpoints. `checkpointSigner` creates one from an Ed25519 key; your own can use a vault or an HSM. */
export interface CheckpointSigner {
  /** Names the public key. */
  readonly key: string;
  /** Returns the signature of these bytes. An error goes to `onError`, and the next checkpoint tries again. */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Checks signatures of checkpoints. `checkpointVerifier` creates one from an Ed25519 public key. */
export interface CheckpointVerifier {
  /** The same name as the signer's `key`. */
  readonly key: string;
  /** Whether the signature is valid for these bytes. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>;
}

/** Options of `audit.verify`. */
export interface VerifyOptions {
  /**
   * A row that you noted outside the store, for example `last` of an earlier report, or a checkpoint. The log must
   * still have this row, with this hash.
   */
  expect?: { index: number; hash: string };
  /**
   * The keys whose checkpoints you trust. The log must have at least one checkpoint that one of these keys has signed,
   * and all of those must be valid and fit the log. Rows may be missing only before `from` of such a checkpoint.
   * Default: signatures are not checked.
   */
  keys?: readonly CheckpointVerifier[];
}

/** The result of checking the audit log. */
export interface AuditReport {
  /** How many rows were checked. */
  rows: number;
  ok: boolean;
  /** The first row that does not fit. */
  brokenAt?: number;
  /** What is wrong with it. */
  problem?: string;
  /** Hash of the last row. */
  head: string;
  /**
   * The last row. Note it outside the store and pass it as `expect` next time: then a log that was cut or written anew
   * is found.
   */
  last?: { index: number; hash: string };
  /** How many operations of the store were compared with the rows. */
  operations?: number;
  /** How many checkpoints were compared with the rows; with `keys`: those that are signed by one of them. */
  checkpoints?: number;
  /** The newest of these checkpoints. */
  checkpoint?: AuditCheckpoint;
  /** The first row that was checked. Present when earlier rows were dropped. */
  from?: number;
  /** How far the log can be trusted, in words. */
  trust?: string;
}
