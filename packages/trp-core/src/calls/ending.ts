import { createRecord, type OperationKey, type OperationRecord } from "@toolglot/core";
import { outcomeEntry } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import type { CallEventFacts, NewEvent } from "../events/types.ts";
import { ack, type FrameHead, replyTo } from "../frames/replies.ts";
import type { CallUsage, NackPayload, PartialResultEvent, PolicyProof } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Answer, CallOutcome, KnownCall } from "../store/session-types.ts";
import type { ClaimOptions, SameTransaction } from "../store/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { notRecorded } from "./faults.ts";
import { operationId } from "./keyed/keys.ts";
import { fromJson } from "./keyed/operation-data.ts";
import { settledToOutcome } from "./outcome.ts";
import type { Chosen, Route } from "./running/route.ts";
import type { CallFacts, IncomingCall, PipelineResult, Settled } from "./types.ts";

/** A frame with a single call: the facts that its reply needs besides the call itself. */
export interface CallFrame {
  head: FrameHead;
  /** The state of the call before this frame arrived. */
  known: KnownCall | undefined;
}

/** The facts about a call that is about to end. */
export interface EndingCall {
  call: CallFacts;
  /** A time of `performance.now()`. Absent when the call did not go through the pipeline. */
  began?: number;
  /** The proof of the latest policy decision. */
  proof?: PolicyProof;
  /** When present, the reply to this frame is committed together with the outcome. */
  frame?: CallFrame | undefined;
  /** Present when the call was about to run. */
  route?: Route;
  /** The latest reply. The reply that is sent must be the one that was committed. */
  reply?: CallReply;
  /** The operation that the call stands for, once it is known. */
  operation?: OperationKey;
  /** Events for the outbox that the next commit will write. */
  untold?: CallEvent[];
  /** Whether the transaction of the operation has written the audit row and the reply. */
  committed?: boolean;
}

/** The facts about a call while it goes through the pipeline. */
export interface CallContext extends EndingCall {
  call: IncomingCall;
  began: number;
  /** As in `RunOptions`. */
  onStarted?: (() => void) | undefined;
  /** As in `RunOptions`. */
  onParts?: ((events: PartialResultEvent[]) => void) | undefined;
  adapterMs: number;
  executorMs: number;
}

type EndingDependencies = Pick<CallDependencies, "store" | "emitter" | "outbox" | "ended">;

/** The reply to a frame with a single call, and its record in the store. */
export interface CallReply {
  settled: Settled;
  reply: ResponseFrame;
  /** Absent while the call still runs, because an ACK is no final answer. */
  answer?: Answer;
}

function outcomeOfCall({ item, frameId, session }: CallFacts, settled: Settled): CallOutcome | undefined {
  const resultFailed = session.features.includes("RESULT_FAILED");
  return settledToOutcome(settled, { item, frameId }, { resultFailed });
}

/** Records only the outcome of a call. Its frame is answered later, or by another router. */
function outcomeAlone(call: CallFacts, settled: Settled): Answer {
  const { item, frameId, session } = call;
  const outcome = outcomeOfCall(call, settled);
  return { sessionId: session.id, frameId, outcomes: outcome === undefined ? {} : { [item.call_id]: outcome } };
}

/** Builds the reply to a frame with a single call from the call's outcome. */
export function callReply(call: CallFacts, { head, known }: CallFrame, settled: Settled, now: number): CallReply {
  const { item, frameId, session } = call;
  const options = { now, expectedSeq: session.expectedSeq };
  const outcome = outcomeOfCall(call, settled);
  if (outcome === undefined) {
    const backoffMs = settled.kind === "in-progress" ? settled.retryAfterMs : 0;
    return { settled, reply: inProgress(head, backoffMs, options) };
  }
  const reply = outcomeReply(head, outcome, options);
  const outcomes = createRecord<CallOutcome>();
  if (!keepsOutcome(known, outcome)) outcomes[item.call_id] = outcome;
  return { settled, reply, answer: { sessionId: session.id, frameId, reply, outcomes } };
}

/**
 * Whether the recorded outcome of a `call_id` stays. It stays when the id belongs to another call. A result also stays
 * when the router now refuses to run the same call again, because the refusal does not undo what happened.
 */
export function keepsOutcome(known: KnownCall | undefined, outcome: CallOutcome): boolean {
  if (known === undefined || known.status === "new") return false;
  if (known.status === "reused") return true;
  return known.call.outcome?.type === "RESULT" && outcome.type === "NACK" && !outcome.payload.dispatched;
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

/** The reply while the call still runs. */
export function inProgress(
  head: FrameHead,
  backoffMs: number,
  options: { now: number; expectedSeq: number },
): ResponseFrame {
  return ack(head, "IN_PROGRESS", { ...options, retryHint: { backoff_ms: backoffMs, action: "RESULT_QUERY" } });
}

export function usageOf({ began, adapterMs, executorMs, route }: CallContext): CallUsage {
  return {
    router_ms: sinceMs(began),
    adapter_ms: Math.round(adapterMs),
    executor_ms: Math.round(executorMs),
    ...route?.names,
  };
}

/** The proof of the decision that allowed the call, as a member of its outcome. */
export function proofOf({ proof }: { proof?: PolicyProof | undefined }): { proof?: PolicyProof } {
  return proof === undefined ? {} : { proof };
}

/**
 * What one transaction commits together with the outcome of a call: the audit row, the events, and the reply to the
 * frame. `isReleased`: the operation leaves no record, so the outcome is written to the call's record even without a
 * frame.
 */
export function sameTransaction(
  dependencies: EndingDependencies,
  context: EndingCall,
  settled: Settled,
  isReleased: boolean = false,
): SameTransaction & { audit: AuditEntry[] } {
  const { call, began, frame } = context;
  const entry = outcomeEntry(call, {
    status: statusOf(settled),
    latencyMs: sinceMs(began),
    fault: "fault" in settled ? settled.fault : undefined,
    proof: ("proof" in settled ? settled.proof : undefined) ?? context.proof,
    names: context.route?.names,
  });
  const together = { audit: [entry], ...untold(dependencies, context, ...outcomeEvents(context, settled)) };
  if (frame === undefined) return isReleased ? { ...together, answer: outcomeAlone(call, settled) } : together;
  context.reply = callReply(call, frame, settled, dependencies.store.now());
  const { answer } = context.reply;
  return answer === undefined ? together : { ...together, answer };
}

function sinceMs(began: number | undefined): number {
  return began === undefined ? 0 : Math.round(performance.now() - began);
}

function statusOf(settled: Settled): AuditEntry["result_status"] {
  switch (settled.kind) {
    case "success":
      return "SUCCESS";
    case "failed":
      return "FAILED";
    case "unknown":
      return "UNKNOWN";
    default:
      return "REFUSED";
  }
}

/**
 * Ends a call: records its outcome, unless the transaction of its operation has done so, and emits the events. When a
 * call without an operation succeeded but its outcome can't be recorded, the call is reported as failed; it may run
 * again. Rejects only as `PendingAdmission.confirm` does.
 */
export async function conclude(
  dependencies: EndingDependencies,
  context: EndingCall,
  outcome: Settled,
): Promise<PipelineResult> {
  let settled = outcome;
  const { store, ended } = dependencies;
  await context.call.admission?.confirm();
  // The number of audit rows: one for the decision and one for the outcome, or only one for a refusal.
  ended?.(context.committed === true ? 2 : 1);
  if (context.committed !== true) {
    try {
      const { answer, audit, ...events } = sameTransaction(dependencies, context, settled);
      if (answer === undefined) await store.audit.append(audit, events);
      else await store.sessions.answer(answer, { audit, ...events });
    } catch {
      // The outcome that a replay repeats is in the store already.
      if (settled.kind === "success" && settled.replayedFrom === undefined) {
        const { usage, proof } = settled;
        settled = { kind: "failed", fault: notRecorded(), usage, ...proofOf({ proof }) };
      }
    }
  }
  for (const event of outcomeEvents(context, settled)) emit(dependencies, context, event);
  const { call, frame, reply } = context;
  if (frame === undefined) return { settled };
  const made = reply?.settled === settled ? reply : callReply(call, frame, settled, store.now());
  return { settled, reply: made.reply };
}

/** The events about calls, without the members that all of them share. */
type CallEvent = NewEvent extends infer Event
  ? Event extends CallEventFacts & NewEvent
    ? Omit<Event, keyof CallEventFacts>
    : never
  : never;

function whole({ call, operation }: EndingCall, event: CallEvent): NewEvent {
  const { traceId, session, item, principal } = call;
  return {
    ...event,
    traceId,
    sessionId: session.id,
    callId: item.call_id,
    capId: item.cap_id,
    principal: principal.id,
    tenant: principal.tenant,
    ...(operation === undefined ? {} : { operation: operationId(operation) }),
  } as NewEvent;
}

/** Emits an event to the listeners in this process. */
export function emit({ emitter, store }: EndingDependencies, context: EndingCall, event: CallEvent): void {
  if (emitter.active) emitter.emit({ at: store.now(), ...whole(context, event) });
}

/**
 * Emits an event to the listeners in this process, now or as soon as the frame is admitted. Other processes get the
 * event through the outbox, which the next commit of the call writes.
 */
export function tell(dependencies: EndingDependencies, context: EndingCall, event: CallEvent): void {
  const { admission } = context.call;
  if (admission?.isMet === false) admission.onMet(() => emit(dependencies, context, event));
  else emit(dependencies, context, event);
  if (dependencies.outbox) context.untold = [...(context.untold ?? []), event];
}

/**
 * The events that a commit writes to the outbox: those still waiting, and `events`. Empty `context.untold` after it.
 */
export function untold(
  { outbox }: EndingDependencies,
  context: EndingCall,
  ...events: CallEvent[]
): Pick<SameTransaction, "events"> {
  if (!outbox) return {};
  return { events: [...(context.untold ?? []), ...events].map((event) => whole(context, event)) };
}

/**
 * Options of a claim that may put an operation in doubt. The event is about the call that began the operation, also
 * when another call makes the claim.
 */
export function ifDoubt(
  { outbox, store }: Pick<EndingDependencies, "outbox" | "store">,
  record: OperationRecord | undefined,
): ClaimOptions {
  const data = fromJson(record?.data);
  if (!outbox || record?.startedAt === undefined || data === undefined) return {};
  const event: NewEvent = {
    type: "call.in_doubt",
    reason: "Its router is gone, and nobody knows what came of it.",
    ms: Math.max(0, store.now() - record.startedAt),
    traceId: data.trace_id,
    sessionId: data.session_id,
    callId: data.call_id,
    capId: data.cap_id,
    principal: data.principal.id,
    tenant: data.principal.tenant,
    operation: operationId(record),
  };
  return { ifDoubt: { events: [event] } };
}

/** Reports that the capability has run, with any outcome. */
export function tellExecuted(dependencies: EndingDependencies, context: CallContext): void {
  const { adapter } = context.route?.names ?? {};
  const named = adapter === undefined ? {} : { adapter };
  tell(dependencies, context, { type: "call.executed", executorMs: Math.round(context.executorMs), ...named });
}

/** The event that one adapter failed and the next one continues. */
export function handedOver(from: Chosen, to: Chosen): CallEvent {
  return { type: "call.adapter_failed", adapter: from.adapter.name ?? "", next: to.adapter.name ?? "" };
}

/** The events about an outcome (TRP v0.1 draft, 14.2). */
function outcomeEvents({ began }: EndingCall, settled: Settled): CallEvent[] {
  const ms = sinceMs(began);
  if (settled.kind === "in-progress") return [];
  if (settled.kind === "success") {
    return [{ type: "call.succeeded", replayed: settled.replayedFrom !== undefined, ms }];
  }
  const { code, errorClass, message, retryable, retryHint } = settled.fault;
  const end: CallEvent =
    settled.kind === "unknown"
      ? { type: "call.in_doubt", reason: message, ms }
      : { type: "call.failed", errorClass, code, dispatched: settled.kind === "failed", ms };
  if (!retryable) return [end];
  return [end, { type: "call.retry_suggested", code, backoffMs: retryHint.backoff_ms ?? 0 }];
}
