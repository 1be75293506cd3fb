import type { JsonObject, JsonValue } from "@toolglot/core";
import type { AnyCapability, Effect, RegisteredCapability } from "../../catalog/types.ts";
import type { Fault } from "../../frames/fault.ts";
import type { PolicyProof } from "../../frames/results.ts";
import type { Principal } from "../../identity/types.ts";
import type { ApprovalUse } from "../../store/types.ts";
import type { Stop } from "../running/cancel.ts";
import { attemptOf, type Chosen, type EarlierAttempt, withAttempt } from "../running/route.ts";
import type { IncomingCall } from "../types.ts";

/** What an operation's record keeps as `data`: all that is needed to run it again without the call that began it. */
export interface OperationData {
  cap_id: string;
  /** After defaults. */
  args: JsonObject;
  effect: Effect;
  call_id: string;
  /** Of capability, arguments as sent, and key: it distinguishes calls with the same key. */
  call_digest?: string;
  trace_id: string;
  frame_id: string;
  session_id: string;
  /** The span of the call that began it last. Present when calls are traced. */
  traceparent?: string;
  catalog_epoch: number;
  seq: number;
  idx: number;
  timeout_ms: number;
  principal: Principal;
  /** How often it was started. */
  attempts: number;
  proof: PolicyProof;
  approval?: ApprovalUse;
  /** The adapter that was started last. Absent for a capability that has only `execute`. */
  adapter?: string;
  /** The system that it names. */
  system?: string;
  /** What failed before it. */
  earlier?: readonly EarlierAttempt[];
  /**
   * What the caller was answered when an attempt ended without an outcome: the caller decides whether to try again.
   * Absent while an attempt runs, and when its router died.
   */
  answered?: Fault;
}

/** The data of a call that is about to be started for the `attempts`-th time. */
export function operationData(
  call: IncomingCall,
  start: Pick<OperationData, "args" | "attempts" | "proof" | "approval" | "adapter" | "system" | "earlier"> & {
    timeoutMs: number;
  },
): OperationData {
  const { item, capability, principal } = call;
  const { args, attempts, timeoutMs, proof, ...more } = start;
  return {
    cap_id: capability.capId,
    args,
    effect: effectBegun(capability.definition),
    call_id: item.call_id,
    call_digest: call.digest,
    trace_id: call.traceId,
    frame_id: call.frameId,
    session_id: call.session.id,
    ...(call.span !== undefined && { traceparent: call.span.traceparent }),
    catalog_epoch: call.catalogEpoch,
    seq: call.seq,
    idx: item.idx,
    timeout_ms: timeoutMs,
    principal: { tenant: principal.tenant, id: principal.id, roles: principal.roles, canDelete: principal.canDelete },
    attempts,
    proof,
    ...more,
  };
}

/** Returns the names that an operation's record has of the started adapter and of those before it. */
export function routeData(
  { adapter }: Chosen,
  failed: readonly EarlierAttempt[],
): Pick<OperationData, "adapter" | "system" | "earlier"> {
  const { outcome: _, ...names } = attemptOf(adapter, "unknown");
  return { ...names, ...(failed.length > 0 && { earlier: failed }) };
}

/** The earlier attempts at an operation. The outcome of the last one is unknown. */
export function earlierAttempts(before: OperationData | undefined): EarlierAttempt[] {
  if (before === undefined) return [];
  const { adapter, system, earlier = [] } = before;
  const names = { ...(adapter !== undefined && { adapter }), ...(system !== undefined && { system }) };
  return withAttempt(earlier, { ...names, outcome: "unknown" });
}

/** Returns the approval record or token that a start uses, as audit rows name it. */
export function approvalIdOf({ approval }: Pick<OperationData, "approval">): string | undefined {
  return approval?.kind === "record" ? approval.id : approval?.jti;
}

/** As the store keeps it. */
export function toJson(data: OperationData): JsonObject {
  return data as unknown as JsonObject;
}

/** Undefined when the record is not of a router. */
export function fromJson(data: JsonValue | undefined): OperationData | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const { cap_id, args, effect, principal, attempts } = data;
  const known =
    typeof cap_id === "string" &&
    typeof args === "object" &&
    typeof effect === "string" &&
    typeof principal === "object" &&
    typeof attempts === "number";
  return known ? (data as unknown as OperationData) : undefined;
}

/** Returns the call that an operation was begun by, put together again from its record. Its session may be gone. */
export function callFromData(
  data: OperationData,
  key: string,
  capability: RegisteredCapability,
  stop: Stop,
): IncomingCall {
  const { principal } = data;
  return {
    item: {
      call_id: data.call_id,
      idempotency_key: key,
      idx: data.idx,
      cap_id: data.cap_id,
      depends_on: [],
      attempt: data.attempts,
      timeout_ms: data.timeout_ms,
      approval_token: null,
      args: data.args,
    },
    session: {
      id: data.session_id,
      tenant: principal.tenant,
      principal: principal.id,
      agentId: "",
      features: [],
      view: "",
      expectedSeq: data.seq + 1,
      createdAt: 0,
      expiresAt: 0,
    },
    principal,
    digest: data.call_digest ?? "",
    traceId: data.trace_id,
    frameId: data.frame_id,
    seq: data.seq,
    catalogEpoch: data.catalog_epoch,
    capability,
    stop,
  };
}

/**
 * Checks whether an effect may run again although it may have happened. A `probe` effect may only after asking, so it is not.
 */
export function isRerunnable(effect: Effect): boolean {
  return effect === "pure" || effect === "idempotent" || effect === "keyed";
}

/** How an operation is to be treated that was begun: also of an opaque one its capability may know what became of it. */
export function effectBegun({ effect, probe }: Pick<AnyCapability, "effect" | "probe">): Effect {
  return effect === "opaque" && probe !== undefined ? "probe" : effect;
}

const hardness: Readonly<Record<Effect, number>> = { pure: 0, idempotent: 1, keyed: 1, probe: 2, opaque: 3 };

/**
 * How an operation is to be treated that an earlier attempt began, perhaps under another version of the code: what that
 * attempt did is no easier to repeat than in its own version.
 */
export function effectOver(now: Effect, before: Effect | undefined): Effect {
  return before === undefined || hardness[before] <= hardness[now] ? now : before;
}
