import { ack, type FrameHead, replyTo } from "../frames/replies.ts";
import type { NackPayload } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Answer, CallOutcome } from "../store/frame-types.ts";
import { settledToOutcome } from "./outcome.ts";
import type { CallFacts, CallFrame, CallReply, Settled } from "./types.ts";

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
