import type { AuditEntry } from "./types.ts";

/** The fields that only a row about a call fills. */
export const aboutNoCall: Omit<AuditEntry, "kind" | "tenant" | "principal" | "cap_id" | "result_status"> = {
  trace_id: "",
  session_id: "",
  catalog_epoch: 0,
  seq: 0,
  call_id: "",
  idx: 0,
  idempotency_key: null,
  policy_decision: null,
  policy_rule: null,
  policy_version: null,
  policy_digest: null,
  attempt: 0,
  latency_ms: 0,
  error_class: null,
  error_code: null,
};
