import type { JsonObject, JsonValue, OperationClaim, OperationRecord } from "@toolglot/core";
import { type Fault, fault, faultPayload } from "../frames/fault.ts";
import { ack, type FrameHead, replyTo } from "../frames/replies.ts";
import type {
  BatchItemResult,
  CallUsage,
  FaultPayload,
  NackPayload,
  PolicyProof,
  ResultPayload,
  ShapedResult,
} from "../frames/results.ts";
import type { CallItem, ResponseFrame } from "../frames/types.ts";
import type { Answer, CallOutcome } from "../store/frame-types.ts";
import { outcomeUnknown } from "./faults.ts";
import type { CallFacts, CallFrame, CallReply, Replay, Settled } from "./types.ts";

/** How an operation ended, as its record keeps it. */
export type StoredOutcome = {
  /** The call under which the effect happened. */
  call_id: string;
  usage: CallUsage;
  proof?: PolicyProof;
} & ({ kind: "success"; result: ShapedResult } | { kind: "failed"; fault: Fault });

/** What the record of an operation keeps of how it ended. */
export function storedOutcome(settled: Extract<Settled, { kind: "success" | "failed" }>, callId: string): JsonValue {
  const { replayedFrom, replayedAt, ...rest } = settled;
  // Plain data throughout; JSON drops what is undefined.
  return { call_id: callId, ...rest } as unknown as JsonObject;
}

/** Returns how an operation ended, for the next call with its key; undefined while it has no outcome. */
export function settledFromRecord(record: OperationRecord): Settled | undefined {
  if (record.state === "in-doubt") {
    const from = callIdOf(record.data);
    return {
      kind: "unknown",
      fault: outcomeUnknown(),
      usage: noUsage,
      doubt: claimOf(record),
      ...(from === undefined ? {} : { replayedFrom: from }),
    };
  }
  if (record.state !== "done" && record.state !== "failed") return undefined;
  const stored = record.outcome as unknown as StoredOutcome;
  const shared = {
    usage: stored.usage,
    replayedFrom: stored.call_id,
    ...(record.finishedAt === undefined ? {} : { replayedAt: record.finishedAt }),
    ...(stored.proof === undefined ? {} : { proof: stored.proof }),
  };
  return stored.kind === "success"
    ? { kind: "success", result: stored.result, ...shared }
    : { kind: "failed", fault: stored.fault, ...shared };
}

/** Names the attempt that a record is about. */
export function claimOf({ scope, key, fence }: OperationClaim): OperationClaim {
  return { scope, key, fence };
}

export function refused(fault: Fault): Settled {
  return { kind: "refused", fault };
}

/** The same operation runs elsewhere. */
export function busy(): Settled {
  return { kind: "in-progress", retryAfterMs: 100 };
}

/** The usage of a call whose times are unknown. */
export const noUsage: CallUsage = { router_ms: 0, adapter_ms: 0, executor_ms: 0 };

function callIdOf(data: JsonValue | undefined): string | undefined {
  const id = (data as JsonObject | undefined)?.call_id;
  return typeof id === "string" ? id : undefined;
}

/**
 * How a call is answered. A failure after dispatch is a RESULT when the session has `RESULT_FAILED`, else a NACK that
 * with `dispatched`; an unknown outcome is always a RESULT. Undefined while the call has no outcome: answer with an
 * ACK.
 */
export function settledToOutcome(
  settled: Settled,
  call: { item: Pick<CallItem, "call_id" | "idx" | "cap_id">; frameId: string },
  options: { resultFailed: boolean },
): CallOutcome | undefined {
  if (settled.kind === "in-progress") return undefined;
  if (settled.kind === "refused" || (settled.kind === "failed" && !options.resultFailed)) {
    return {
      type: "NACK",
      payload: {
        nack_of_frame_id: call.frameId,
        nack_of_call_id: call.item.call_id,
        ...faultPayload(settled.fault),
      },
    };
  }
  const { call_id, idx, cap_id } = call.item;
  const payload: ResultPayload = {
    call_id,
    idx,
    cap_id,
    status: settled.kind === "success" ? "SUCCESS" : settled.kind === "failed" ? "FAILED" : "UNKNOWN",
    result: settled.kind === "success" ? settled.result : null,
    usage: settled.usage,
  };
  if (settled.kind !== "success") payload.error = faultPayload(settled.fault);
  if (settled.proof !== undefined) payload.policy_proof = settled.proof;
  if (settled.replayedFrom !== undefined || settled.replayedAt !== undefined) {
    Object.assign(payload, replayFields(settled));
  }
  if (settled.kind === "unknown" && settled.doubt !== undefined)
    return { type: "RESULT", payload, doubt: settled.doubt };
  return { type: "RESULT", payload };
}

/**
 * Returns how a call is answered in the answer of a batch. One that is still running elsewhere has failed for now (TRP_3003).
 */
export function settledToItem(settled: Settled, callId: string): BatchItemResult {
  switch (settled.kind) {
    case "success":
      return { call_id: callId, status: "SUCCESS", result: settled.result, ...extras(settled) };
    case "refused":
      return { call_id: callId, status: "FAILED", ...faultPayload(settled.fault) };
    case "in-progress":
      return { call_id: callId, status: "FAILED", ...faultPayload(stillRunning(settled.retryAfterMs)) };
    default:
      return {
        call_id: callId,
        status: settled.kind === "failed" ? "FAILED" : "UNKNOWN",
        ...faultPayload(settled.fault),
        ...extras(settled),
      };
  }
}

function extras(settled: Extract<Settled, { usage: CallUsage }>): Partial<BatchItemResult> {
  return {
    usage: settled.usage,
    ...(settled.proof === undefined ? {} : { policy_proof: settled.proof }),
    ...replayFields(settled),
  };
}

function replayFields({ replayedFrom, replayedAt }: Replay): Pick<ResultPayload, "replayed_from" | "replayed_at_ms"> {
  return {
    ...(replayedFrom === undefined ? {} : { replayed_from: replayedFrom }),
    ...(replayedAt === undefined ? {} : { replayed_at_ms: replayedAt }),
  };
}

function stillRunning(retryAfterMs: number): Fault {
  return fault("TRP_3003", "The same operation is still running under another call.", {
    dispatched: true,
    retryHint: { backoff_ms: retryAfterMs },
    fix: "Call again with the same idempotency_key to get its outcome.",
  });
}

/** Returns the outcome with which a begun call was answered. Undefined when it was never begun, or has no answer yet. */
export function settledIfBegun(outcome: CallOutcome | undefined): Settled | undefined {
  if (outcome === undefined || (outcome.type === "NACK" && !outcome.payload.dispatched)) return undefined;
  return settledFromOutcome(outcome);
}

/** Turns the recorded outcome of a call back into a `Settled`. */
export function settledFromOutcome(outcome: CallOutcome): Settled {
  if (outcome.type === "NACK") {
    const { payload } = outcome;
    const reason = faultOf(payload);
    return payload.dispatched ? { kind: "failed", fault: reason, usage: noUsage } : refused(reason);
  }
  const { status, result, error, usage, policy_proof, replayed_from, replayed_at_ms } = outcome.payload;
  const shared = {
    usage,
    ...(policy_proof === undefined ? {} : { proof: policy_proof }),
    ...(replayed_from === undefined ? {} : { replayedFrom: replayed_from }),
    ...(replayed_at_ms === undefined ? {} : { replayedAt: replayed_at_ms }),
  };
  if (status === "SUCCESS" && result !== null) return { kind: "success", result, ...shared };
  const reason = error === undefined ? fault("TRP_5001") : faultOf(error);
  return { kind: status === "UNKNOWN" ? "unknown" : "failed", fault: reason, ...shared };
}

function faultOf(payload: FaultPayload): Fault {
  const { error_class, error_code, message, retryable, retry_hint, fix, dispatched } = payload;
  return {
    code: error_code,
    errorClass: error_class,
    message,
    fix,
    retryable,
    retryHint: retry_hint,
    dispatched,
  };
}

function outcomeOfCall({ item, frameId, session }: CallFacts, settled: Settled): CallOutcome | undefined {
  const resultFailed = session.features.includes("RESULT_FAILED");
  return settledToOutcome(settled, { item, frameId }, { resultFailed });
}

/** Records only the outcome of a call. Its frame is answered later, or by another router. */
export function outcomeAlone(call: CallFacts, settled: Settled): Answer {
  const { item, frameId, session } = call;
  const outcome = outcomeOfCall(call, settled);
  return { sessionId: session.id, frameId, outcomes: outcome === undefined ? [] : [[item.call_id, outcome]] };
}

/** Builds the reply to a frame with a single call from the call's outcome. */
export function callReply(call: CallFacts, { head }: CallFrame, settled: Settled, now: number): CallReply {
  const { item, frameId, session } = call;
  const options = { now, expectedSeq: session.expectedSeq };
  const outcome = outcomeOfCall(call, settled);
  if (outcome === undefined) {
    const backoffMs = settled.kind === "in-progress" ? settled.retryAfterMs : 0;
    return { settled, reply: inProgress(head, backoffMs, options) };
  }
  const reply = outcomeReply(head, outcome, options);
  return { settled, reply, answer: { sessionId: session.id, frameId, reply, outcomes: [[item.call_id, outcome]] } };
}

/** The reply to a frame with the outcome of its call. */
export function outcomeReply(
  head: FrameHead,
  outcome: CallOutcome,
  options: { now: number; expectedSeq: number },
): ResponseFrame {
  if (outcome.type === "RESULT") return replyTo(head, "RESULT", outcome.payload, { now: options.now });
  const payload: NackPayload = {
    ...outcome.payload,
    nack_of_frame_id: head.frameId,
    retry_hint: { ...outcome.payload.retry_hint, expected_seq: options.expectedSeq },
  };
  return replyTo(head, "NACK", payload, { now: options.now });
}

/** Returns the reply while the call still runs. */
export function inProgress(
  head: FrameHead,
  backoffMs: number,
  options: { now: number; expectedSeq: number },
): ResponseFrame {
  return ack(head, "IN_PROGRESS", { ...options, retryHint: { backoff_ms: backoffMs, action: "RESULT_QUERY" } });
}
