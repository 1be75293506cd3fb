import { canonicalJson } from "@toolglot/internal";
import { sha256Digest } from "../digest/sha256.ts";
import type { Fault } from "../frames/fault.ts";
import type { PolicyProof } from "../frames/results.ts";
import type { CallItem } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { AuditEntry, AuditFields, AuditSubject } from "./types.ts";

// The audit entries of calls, with every field of the TRP v0.1 draft, 14.1. They have no arguments, no results and no messages.
// The store sets the time of a row; the rows get into the store with what they are about.

/** A call as audit rows see it: one that is refused early has no capability. */
export interface AuditedCall {
  item: CallItem;
  session: { id: string };
  principal: Principal;
  traceId: string;
  catalogEpoch: number;
  seq: number;
  /** The key of `item` as rows have it, once a row was made: {@link auditKey}. */
  auditKey?: string | undefined;
  /** The host's own fields of its rows. */
  auditFields?: AuditFields | undefined;
}

/** What was decided before a call runs. */
export function decisionEntry(
  call: AuditedCall,
  proof: PolicyProof,
  approvalId?: string,
  adapter?: string,
): AuditEntry {
  const entry = facts(call, "decision", proof);
  entry.result_status =
    proof.decision === "deny" || (proof.decision === "approve" && approvalId === undefined) ? "REFUSED" : "STARTED";
  if (approvalId !== undefined) entry.approval_id = approvalId;
  if (adapter !== undefined) entry.adapter = adapter;
  return entry;
}

/** How a call ended. */
export function outcomeEntry(
  call: AuditedCall,
  end: {
    status: AuditEntry["result_status"];
    fault?: Fault | undefined;
    proof?: PolicyProof | undefined;
    latencyMs: number;
    names?: Pick<AuditEntry, "adapter" | "failed_adapters"> | undefined;
  },
): AuditEntry {
  const entry = facts(call, "outcome", end.proof);
  entry.result_status = end.status;
  entry.latency_ms = Math.max(0, end.latencyMs);
  entry.error_class = end.fault?.errorClass ?? null;
  entry.error_code = end.fault?.code ?? null;
  return end.names === undefined ? entry : Object.assign(entry, end.names);
}

/** Returns a key as audit rows have it: it can be compared, but not used. The same key of two tenants makes two texts. */
export function auditKey(tenant: string, key: string): string {
  return sha256Digest(canonicalJson([tenant, key]));
}

function facts(call: AuditedCall, kind: "decision" | "outcome", proof: PolicyProof | undefined): AuditEntry {
  const { item, principal } = call;
  const { idempotency_key: key } = item;
  if (typeof key === "string") call.auditKey ??= auditKey(principal.tenant, key);
  const entry: AuditEntry = {
    attempt: item.attempt ?? 1,
    call_id: item.call_id,
    cap_id: item.cap_id,
    catalog_epoch: call.catalogEpoch,
    error_class: null,
    error_code: null,
    idempotency_key: call.auditKey ?? null,
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
  return withFields(entry, call.auditFields);
}

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
