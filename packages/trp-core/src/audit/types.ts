import type { PolicyProof } from "../frames/results.ts";

/** What an audit row says, in the TRP v0.1 draft's names (14.1). No arguments, no results, no key in the clear. */
export interface AuditEntry {
  /**
   * `decision`: what the policy said, before anything ran. `outcome`: how a call ended. `approval`: somebody decided.
   * `resolution`: somebody settled an operation in doubt.
   */
  kind: "decision" | "outcome" | "approval" | "resolution";
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
  /** `STARTED` in a decision row, `REFUSED` for what was not dispatched, else the result's status. */
  result_status: "STARTED" | "REFUSED" | "SUCCESS" | "FAILED" | "UNKNOWN" | "APPROVED" | "DENIED";
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

/** A row of the audit log. Each row's hash covers the one before, so that nothing can be taken out or changed unseen. */
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

/** Options of `audit.verify`. */
export interface VerifyOptions {
  /** A row that was noted elsewhere, as an earlier report's last row: it must still be there, with this hash. */
  expect?: { index: number; hash: string };
}

/** What checking the audit log came to. */
export interface AuditReport {
  /** How many were checked. */
  rows: number;
  ok: boolean;
  /** The first row that does not fit. */
  brokenAt?: number;
  /** What is wrong with it. */
  problem?: string;
  /** Hash of the last row. Note it elsewhere with the row's index, and a log that was cut or made anew is noticed. */
  head: string;
  /** How many operations of the store were compared with the rows. */
  operations?: number;
  /** How far the log can be trusted, in words. */
  trust?: string;
}
