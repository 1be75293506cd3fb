import type { AuditEntry, AuditFields, AuditSubject, CapabilityChange } from "./types.ts";

/** The host's own fields of a row. Never throws. */
export type FieldsOf = (subject: AuditSubject) => AuditFields | undefined;

/** A host's fields that can't disturb a call: what it throws, and what is no text, is left out. */
export function safeFields(fieldsOf: FieldsOf): FieldsOf {
  return (subject) => {
    try {
      const fields = Object.entries(fieldsOf(subject) ?? {}).filter(([, value]) => typeof value === "string");
      return Object.fromEntries(fields);
    } catch {
      return undefined;
    }
  };
}

/** Adds fields to an entry, which keeps its own. */
export function withFields(entry: AuditEntry, fields: AuditFields | undefined): AuditEntry {
  return fields === undefined ? entry : { ...fields, ...entry };
}

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
