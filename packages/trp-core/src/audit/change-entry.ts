import type { AuditEntry, CapabilityChange } from "./types.ts";

/** The entry about a change of a capability. It is about no call: what only calls have is empty. */
export function changeEntry({ capId, decidedBy, fields }: CapabilityChange): AuditEntry {
  return {
    ...fields,
    kind: "change",
    tenant: "",
    principal: "",
    trace_id: "",
    session_id: "",
    catalog_epoch: 0,
    seq: 0,
    call_id: "",
    idx: 0,
    cap_id: capId,
    idempotency_key: null,
    policy_decision: null,
    policy_rule: null,
    policy_version: null,
    policy_digest: null,
    attempt: 0,
    latency_ms: 0,
    result_status: decidedBy === undefined ? "CHANGED" : "APPROVED",
    error_class: null,
    error_code: null,
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  };
}
