import { type JsonValue, type OperationKey, type OperationRecord, ToolglotError } from "@toolglot/core";
import { auditKey, type FieldsOf, withFields } from "../../audit/logger.ts";
import type { AuditEntry } from "../../audit/types.ts";
import type { CapabilityRegistry } from "../../catalog/types.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { NewEvent } from "../../events/types.ts";
import type { ShapedResult } from "../../frames/results.ts";
import type { Principal } from "../../identity/types.ts";
import type { ResultShaper } from "../../results/shaper.ts";
import type { RouterStore } from "../../store/types.ts";
import { executorFailed } from "../faults.ts";
import { operationId, ownerOf, scopePrefix } from "../keyed/keys.ts";
import { fromJson } from "../keyed/operation-data.ts";
import { noUsage, storedOutcome } from "../outcome.ts";

/** What the resolution of operations depends on. */
export interface OperationDependencies {
  store: Pick<RouterStore, "operations" | "now">;
  registry: Pick<CapabilityRegistry, "get">;
  shaper: ResultShaper;
  emitter: Pick<Emitter, "emit">;
  /** As in `CallDependencies`. */
  outbox?: boolean;
  /** As in `CallDependencies`. */
  auditFields?: FieldsOf;
}

/** How a person settles an operation in doubt. */
export type Resolution =
  | { state: "done"; value: JsonValue }
  | { state: "failed"; message: string }
  | { state: "not-applied" };

/** Operations in doubt, for people. */
export interface Operations {
  /** Those of the principal's tenant that are in doubt. Needs role `approver`, else rejects with `trp/not-allowed`. */
  inDoubt(who: Principal, limit?: number): Promise<OperationRecord[]>;
  /** Settles an operation in doubt; rejects with `trp/not-in-doubt` when there is none. Written to the audit log. */
  resolve(who: Principal, key: OperationKey, result: Resolution): Promise<void>;
}

/**
 * {@link Operations}: a principal with the role `approver` sees the operations in doubt of their tenant, and settles
 * them. After `done` and `failed` the key replays this outcome; after `not-applied` the key is free again.
 */
export function createOperations(dependencies: OperationDependencies): Operations {
  const { store, emitter, outbox, auditFields } = dependencies;
  return {
    async inDoubt(who, limit = 100) {
      checkRole(who);
      return store.operations.list({ states: ["in-doubt"], scopePrefix: scopePrefix(who.tenant), limit });
    },
    async resolve(who, key, result) {
      checkRole(who);
      checkResolution(result);
      const record = await store.operations.read({ scope: key.scope, key: key.key });
      // Another tenant's looks like none.
      if (record?.state !== "in-doubt" || ownerOf(record.scope)?.tenant !== who.tenant) throw notInDoubt(key);
      const end = await endOf(dependencies, record, result);
      const claim = { scope: record.scope, key: record.key, fence: record.fence };
      const event: NewEvent = {
        type: "operation.resolved",
        tenant: who.tenant,
        state: end.state,
        by: who.id,
        operation: operationId(record),
      };
      const row = auditRow(record, result, who);
      const { tenant, principal, cap_id: capId, call_id: callId } = row;
      const fields = auditFields?.({ tenant, principal, capId, key: record.key, callId });
      const together = { audit: [withFields(row, fields)], ...(outbox && { events: [event] }) };
      if (!(await store.operations.settle(claim, end, who.id, together))) throw notInDoubt(key);
      emitter.emit({ at: store.now(), ...event });
    },
  };
}

type End = Parameters<RouterStore["operations"]["finish"]>[1];

async function endOf(
  { registry, shaper }: OperationDependencies,
  record: OperationRecord,
  result: Resolution,
): Promise<End> {
  if (result.state === "not-applied") return { state: "released" };
  const data = fromJson(record.data);
  const callId = data?.call_id ?? "";
  const proof = data?.proof === undefined ? {} : { proof: data.proof };
  if (result.state === "failed") {
    const fault = executorFailed(result.message, false, true);
    return { state: "failed", outcome: storedOutcome({ kind: "failed", fault, usage: noUsage, ...proof }, callId) };
  }
  const capability = data && registry.get(data.cap_id);
  const shaped: ShapedResult =
    capability === undefined || data === undefined
      ? { summary: "Done.", data: result.value, artifacts: [], warnings: [] }
      : // As the capability's own result would have been, for the principal who asked for it.
        await shaper.shape(capability, result.value, data.principal);
  return {
    state: "done",
    outcome: storedOutcome({ kind: "success", result: shaped, usage: noUsage, ...proof }, callId),
  };
}

function checkRole(who: Principal): void {
  if (!who.roles.includes("approver")) {
    throw new ToolglotError("trp/not-allowed", `${who.id} may not settle operations: the role approver is needed`);
  }
}

function checkResolution(result: Resolution): void {
  const { state } = result;
  if (state !== "done" && state !== "failed" && state !== "not-applied") {
    throw new TypeError(
      'resolve takes { state: "done", value }, { state: "failed", message } or { state: "not-applied" }',
    );
  }
  if (state === "failed" && typeof result.message !== "string") throw new TypeError("message must be a string");
  if (state === "done" && result.value === undefined)
    throw new TypeError("value must be JSON; null when there is none");
}

function notInDoubt({ scope, key }: OperationKey): ToolglotError {
  return new ToolglotError("trp/not-in-doubt", "there is no such operation in doubt", { data: { scope, key } });
}

function auditRow(record: OperationRecord, { state }: Resolution, who: Principal): AuditEntry {
  const data = fromJson(record.data);
  return {
    kind: "resolution",
    tenant: who.tenant,
    principal: ownerOf(record.scope)?.principal || (data?.principal.id ?? ""),
    trace_id: data?.trace_id ?? "",
    session_id: data?.session_id ?? "",
    catalog_epoch: data?.catalog_epoch ?? 0,
    seq: data?.seq ?? 0,
    call_id: data?.call_id ?? "",
    idx: data?.idx ?? 0,
    cap_id: data?.cap_id ?? "",
    idempotency_key: auditKey(who.tenant, record.key),
    policy_decision: data?.proof.decision ?? null,
    policy_rule: data?.proof.rule ?? null,
    policy_version: data?.proof.policy_version ?? null,
    policy_digest: data?.proof.digest ?? null,
    attempt: data?.attempts ?? 0,
    latency_ms: 0,
    // `not-applied` is as if it had never been started.
    result_status: state === "done" ? "SUCCESS" : state === "failed" ? "FAILED" : "REFUSED",
    error_class: state === "failed" ? "EXECUTOR_ERROR" : null,
    error_code: state === "failed" ? "TRP_3002" : null,
    decided_by: who.id,
  };
}
