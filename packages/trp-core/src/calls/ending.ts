import { createRecord } from "@toolglot/core";
import { outcomeEntry } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import { ack, type FrameHead, replyTo } from "../frames/replies.ts";
import type { CallUsage, NackPayload, PartialResultEvent, PolicyProof } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Answer, CallOutcome, KnownCall } from "../store/session-types.ts";
import type { SameTransaction } from "../store/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { notRecorded } from "./faults.ts";
import { settledToOutcome } from "./outcome.ts";
import type { Chosen, Route } from "./route.ts";
import type { CallFacts, IncomingCall, PipelineResult, Settled } from "./types.ts";

/** The frame that asks for one call: what its reply is made from, besides the call itself. */
export interface CallFrame {
  head: FrameHead;
  /** What was known of the call before the frame came. */
  known: KnownCall | undefined;
}

/** What is known of a call that comes to its end. */
export interface EndingCall {
  call: CallFacts;
  /** On the clock of `performance.now()`. Absent for a call that the pipeline has not seen. */
  began?: number;
  /** Of the decision that holds at the moment. */
  proof?: PolicyProof;
  /** Given, the reply to the frame is committed with the outcome. */
  frame?: CallFrame | undefined;
  /** Of a call that was about to run. */
  route?: Route;
  /** The reply that was made last. The one that is sent must be the one that was committed. */
  reply?: CallReply;
  /** Whether the transaction of the operation has written the audit row and the reply. */
  committed?: boolean;
}

/** What is known of a call while it is on its way through the pipeline. */
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

type EndingDependencies = Pick<CallDependencies, "store" | "emitter">;

/** The reply to the frame of one call, and what the store records of it. */
export interface CallReply {
  settled: Settled;
  reply: ResponseFrame;
  /** Nothing while the call still runs: an ACK is no final answer. */
  answer?: Answer;
}

/** Builds the reply to the frame of one call from how the call ended. */
export function callReply(call: CallFacts, { head, known }: CallFrame, settled: Settled, now: number): CallReply {
  const { item, frameId, session } = call;
  const options = { now, expectedSeq: session.expectedSeq };
  const resultFailed = session.features.includes("RESULT_FAILED");
  const outcome = settledToOutcome(settled, { item, frameId }, { resultFailed });
  if (outcome === undefined) {
    const backoffMs = settled.kind === "in-progress" ? settled.retryAfterMs : 0;
    return { settled, reply: inProgress(head, backoffMs, options) };
  }
  const reply = outcomeReply(head, outcome, options);
  const outcomes = createRecord<CallOutcome>();
  if (!keepsOutcome(known, outcome)) outcomes[item.call_id] = outcome;
  return { settled, reply, answer: { sessionId: session.id, frameId, reply, outcomes } };
}

/** What happened is not undone by a refusal to do it again, and an id that belongs to another call keeps its outcome. */
export function keepsOutcome(known: KnownCall | undefined, outcome: CallOutcome): boolean {
  if (known === undefined || known.status === "new") return false;
  if (known.status === "reused") return true;
  return known.call.outcome?.type === "RESULT" && outcome.type === "NACK" && !outcome.payload.dispatched;
}

/** The outcome of a call as the reply to the frame at hand. */
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

/** Says that the call still runs. */
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

/** The proof of the decision that let the call run, for its outcome. */
export function proofOf({ proof }: { proof?: PolicyProof | undefined }): { proof?: PolicyProof } {
  return proof === undefined ? {} : { proof };
}

/** What is committed in the same transaction as the outcome of a call: its audit row, and the reply to its frame. */
export function sameTransaction(
  { store }: Pick<CallDependencies, "store">,
  context: EndingCall,
  settled: Settled,
): SameTransaction & { audit: AuditEntry[] } {
  const { call, began, frame } = context;
  const entry = outcomeEntry(call, {
    status: statusOf(settled),
    latencyMs: sinceMs(began),
    fault: "fault" in settled ? settled.fault : undefined,
    proof: ("proof" in settled ? settled.proof : undefined) ?? context.proof,
    names: context.route?.names,
  });
  if (frame === undefined) return { audit: [entry] };
  context.reply = callReply(call, frame, settled, store.now());
  const { answer } = context.reply;
  return answer === undefined ? { audit: [entry] } : { audit: [entry], answer };
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
 * Writes down an outcome that no operation's transaction has written down, and emits its events. What ran without an
 * operation and can't be written down is reported as a failure, since it may run again. Never rejects.
 */
export async function conclude(
  dependencies: EndingDependencies,
  context: EndingCall,
  outcome: Settled,
): Promise<PipelineResult> {
  let settled = outcome;
  const { store } = dependencies;
  if (context.committed !== true) {
    try {
      const { audit, answer } = sameTransaction(dependencies, context, settled);
      if (answer === undefined) await store.audit.append(audit);
      else await store.sessions.answer(answer, { audit });
    } catch {
      // A replay is in the store as what it repeats.
      if (settled.kind === "success" && settled.replayedFrom === undefined) {
        const { usage, proof } = settled;
        settled = { kind: "failed", fault: notRecorded(), usage, ...proofOf({ proof }) };
      }
    }
  }
  emitOutcome(dependencies, context, settled);
  const { call, frame, reply } = context;
  if (frame === undefined) return { settled };
  const made = reply?.settled === settled ? reply : callReply(call, frame, settled, store.now());
  return { settled, reply: made.reply };
}

/** What the events about a call have in common. */
export function eventFacts({ traceId, session, item, principal }: CallFacts): {
  traceId: string;
  sessionId: string;
  callId: string;
  capId: string;
  principal: string;
  tenant: string;
} {
  return {
    traceId,
    sessionId: session.id,
    callId: item.call_id,
    capId: item.cap_id,
    principal: principal.id,
    tenant: principal.tenant,
  };
}

/** The capability was run, whatever came of it. */
export function emitExecuted({ emitter, store }: EndingDependencies, { call, executorMs, route }: CallContext): void {
  if (!emitter.active) return;
  const ms = Math.round(executorMs);
  const { adapter } = route?.names ?? {};
  const named = adapter === undefined ? {} : { adapter };
  emitter.emit({ type: "call.executed", at: store.now(), executorMs: ms, ...named, ...eventFacts(call) });
}

/** An adapter failed, and another goes on. */
export function emitHanded(
  { emitter, store }: EndingDependencies,
  { call }: CallContext,
  from: Chosen,
  to: Chosen,
): void {
  if (!emitter.active) return;
  const names = { adapter: from.adapter.name ?? "", next: to.adapter.name ?? "" };
  emitter.emit({ type: "call.adapter_failed", at: store.now(), ...names, ...eventFacts(call) });
}

/** The events about an outcome (TRP v0.1 draft, 14.2). */
function emitOutcome({ emitter, store }: EndingDependencies, { call, began }: EndingCall, settled: Settled): void {
  if (!emitter.active || settled.kind === "in-progress") return;
  const facts = { at: store.now(), ...eventFacts(call) };
  const ms = sinceMs(began);
  if (settled.kind === "success") {
    emitter.emit({ type: "call.succeeded", replayed: settled.replayedFrom !== undefined, ms, ...facts });
    return;
  }
  const { code, errorClass, message, retryable, retryHint } = settled.fault;
  if (settled.kind === "unknown") emitter.emit({ type: "call.in_doubt", reason: message, ...facts });
  else emitter.emit({ type: "call.failed", errorClass, code, ms, ...facts });
  if (retryable) emitter.emit({ type: "call.retry_suggested", code, backoffMs: retryHint.backoff_ms ?? 0, ...facts });
}
