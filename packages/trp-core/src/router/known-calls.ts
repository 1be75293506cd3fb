import { notApplied } from "../calls/faults.ts";
import { operationOfCall } from "../calls/keyed/effect-key.ts";
import { fromJson } from "../calls/keyed/operation-data.ts";
import { afterDoubt } from "../calls/keyed/read-operation.ts";
import { inProgress, noUsage, outcomeReply, settledToOutcome } from "../calls/outcome.ts";
import { notAgain } from "../calls/running/cancel.ts";
import type { Replay, Settled } from "../calls/types.ts";
import { fault } from "../frames/fault.ts";
import { type FrameHead, nack } from "../frames/replies.ts";
import type { ResultPayload } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { CallOutcome, CallRecord, SessionRecord } from "../store/frame-types.ts";
import type { FrameDependencies } from "./frame-dependencies.ts";

/** The state of an earlier call. `lost`: no router runs it, and it has no outcome. */
export type Standing = { kind: "outcome"; outcome: CallOutcome } | { kind: "running"; retryAfterMs: number } | Lost;
type Lost = { kind: "lost" };

/** When to ask again about a call that runs, if nothing better is known. Milliseconds. */
const askAgain = 200;

/**
 * The present state of a call. A recorded answer that can't change any more counts. Otherwise the record of the
 * operation is newer than the answer. Rejects when the store does.
 */
export async function standingOf(
  { store, pipeline, inFlight, times }: Pick<FrameDependencies, "store" | "pipeline" | "inFlight" | "times">,
  session: SessionRecord,
  call: CallRecord,
): Promise<Standing> {
  const { outcome, operation, callId } = call;
  if (outcome !== undefined && isFinal(outcome)) return { kind: "outcome", outcome };
  if (inFlight.has(session.id, "call", callId)) return { kind: "running", retryAfterMs: askAgain };
  const since = await afterDoubt(store.operations, outcome);
  if (typeof since === "object") return newer(since, outcome?.payload as ResultPayload);
  if (operation !== undefined) {
    const settled = await pipeline.inspect(operation);
    const found = settled && (await operationOfCall(store.operations, call));
    if (settled?.kind === "in-progress" && (found !== undefined || since !== "gone")) {
      return { kind: "running", retryAfterMs: settled.retryAfterMs };
    }
    if (settled !== undefined && found !== undefined) return newer(settled, addressOf(call, found));
  }
  // The operation is gone. Had a person settled it as done or failed since the session began, it would still be there.
  if (since === "gone" && session.createdAt + times.keyTtlMs > store.now()) {
    const found = notApplied("Somebody has found out that it was not done.");
    const fault = call.isCancelled ? notAgain(found) : found;
    return newer({ kind: "failed", fault, usage: noUsage }, outcome?.payload as ResultPayload);
  }
  if (outcome !== undefined) return { kind: "outcome", outcome };
  return call.deadline > store.now() ? { kind: "running", retryAfterMs: askAgain } : { kind: "lost" };

  function newer(settled: Settled, { idx, cap_id }: Pick<ResultPayload, "idx" | "cap_id">): Standing {
    const { replayedFrom, replayedAt, ...own } = settled as typeof settled & Replay;
    const made = settledToOutcome(
      replayedFrom === callId ? (own as Settled) : settled,
      { item: { call_id: callId, idx, cap_id }, frameId: call.frameId },
      { resultFailed: session.features.includes("RESULT_FAILED") },
    );
    return made === undefined ? { kind: "running", retryAfterMs: askAgain } : { kind: "outcome", outcome: made };
  }
}

/** Checks whether an answer can't change any more: a success, or a refusal of a call that was never started. */
function isFinal({ type, payload }: CallOutcome): boolean {
  return type === "RESULT" ? payload.status === "SUCCESS" : !payload.dispatched;
}

/** The `idx` and `cap_id` with which the operation was called. */
function addressOf(
  { outcome }: CallRecord,
  { record, idx }: NonNullable<Awaited<ReturnType<typeof operationOfCall>>>,
): { idx: number; cap_id: string } {
  if (outcome?.type === "RESULT") return outcome.payload;
  return { idx, cap_id: fromJson(record.data)?.cap_id ?? "" };
}

/** Returns the state of a call as the reply to a frame that can't be admitted, or not again. */
export function standingReply(
  head: FrameHead,
  standing: Standing,
  options: { now: number; expectedSeq: number },
): ResponseFrame {
  if (standing.kind === "outcome") return outcomeReply(head, standing.outcome, options);
  if (standing.kind === "lost") return nack(head, lost(), options);
  return inProgress(head, standing.retryAfterMs, options);
}

function lost(): ReturnType<typeof fault> {
  return fault("TRP_1004", "seq was used before, and the call has ended without an outcome.", {
    fix: "Send the very same call again in a new frame, with seq set to retry_hint.expected_seq.",
  });
}
