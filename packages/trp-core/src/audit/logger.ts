import { canonicalJson } from "../digest/canonical-json.ts";
import { sha256Digest } from "../digest/sha256.ts";
import type { PolicyProof } from "../frames/types.ts";
import type { AuditedCall, AuditLogger } from "../parts.ts";
import type { AuditEntry } from "./types.ts";

/**
 * Makes the audit entries of calls, with every field of the TRP v0.1 draft, 14.1. They have no arguments, no results and
 * no messages; the idempotency key only as a hash over tenant and key, so that the same key of two tenants can't be told
 * to be the same. When a row was written is the store's to say.
 */
export function createAuditLogger(): AuditLogger {
  return {
    decision(call, proof, approvalId) {
      const entry = facts(call, "decision", proof);
      entry.result_status =
        proof.decision === "deny" || (proof.decision === "approve" && approvalId === undefined) ? "REFUSED" : "STARTED";
      if (approvalId !== undefined) entry.approval_id = approvalId;
      return entry;
    },
    outcome(call, { status, fault, proof, latencyMs }) {
      const entry = facts(call, "outcome", proof);
      entry.result_status = status;
      entry.latency_ms = Math.max(0, latencyMs);
      entry.error_class = fault?.errorClass ?? null;
      entry.error_code = fault?.code ?? null;
      return entry;
    },
  };
}

function facts(call: AuditedCall, kind: "decision" | "outcome", proof: PolicyProof | undefined): AuditEntry {
  const { item, principal } = call;
  // In order of names: canonical as it stands.
  return {
    attempt: item.attempt ?? 1,
    call_id: item.call_id,
    cap_id: item.cap_id,
    catalog_epoch: call.catalogEpoch,
    error_class: null,
    error_code: null,
    idempotency_key: hashedKey(call),
    idx: item.idx,
    kind,
    latency_ms: 0,
    policy_decision: proof?.decision ?? null,
    policy_digest: proof?.digest ?? null,
    policy_rule: proof?.rule ?? null,
    policy_version: proof?.policy_version ?? null,
    principal: principal.id,
    result_status: "STARTED",
    seq: call.seq,
    session_id: call.session.id,
    tenant: principal.tenant,
    trace_id: call.traceId,
  };
}

/** The rows of one call share it. */
const hashes = new WeakMap<AuditedCall, string>();

function hashedKey(call: AuditedCall): string | null {
  const key = call.item.idempotency_key;
  if (key === null || key === undefined) return null;
  let hash = hashes.get(call);
  if (hash === undefined) {
    hash = sha256Digest(canonicalJson([call.principal.tenant, key]));
    hashes.set(call, hash);
  }
  return hash;
}
