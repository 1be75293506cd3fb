import type { RunOptions } from "../calls/dependencies.ts";
import { conclude } from "../calls/ending.ts";
import { storeDown } from "../calls/faults.ts";
import { refused, settledFromOutcome, settledToOutcome } from "../calls/outcome.ts";
import { type BatchEntry, batchPayload, checkBatch, runBatch } from "../calls/running/batch.ts";
import { dependencyState } from "../calls/running/depends-on.ts";
import type { Settled } from "../calls/types.ts";
import { isFault } from "../frames/fault.ts";
import { nack, replyTo } from "../frames/replies.ts";
import type { CallItem, RequestOf, ResponseFrame } from "../frames/types.ts";
import type { CallOutcome } from "../store/frame-types.ts";
import { answered, callFacts, isKept, settleItem } from "./call-frame.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { Graph } from "./graph.ts";
import { type Standing, standingOf } from "./known-calls.ts";

/** A frame with several calls: a batch, or a graph of calls. */
type GroupFrame = AdmittedFrame<RequestOf<"CALL_BATCH_REQ" | "CALL_DAG_REQ">>;

export function isGroup(admitted: AdmittedFrame): admitted is GroupFrame {
  const { frame_type: type } = admitted.frame;
  return type === "CALL_BATCH_REQ" || type === "CALL_DAG_REQ";
}

/**
 * Answers a `CALL_BATCH_REQ` (TRP v0.1 draft, 6.2.6) or a `CALL_DAG_REQ` (18), and records the answer with the outcome of
 * each call.
 */
export async function answerGroup(deps: FrameDependencies, admitted: GroupFrame): Promise<ResponseFrame> {
  const { store } = deps;
  const { frame, head, session } = admitted;
  const { calls, max_concurrency } = frame.payload;
  const { mode = "PARALLEL", on_error = "continue" } = frame.frame_type === "CALL_BATCH_REQ" ? frame.payload : {};
  const place = { sessionId: session.id, frameId: frame.frame_id };
  const checked =
    frame.frame_type === "CALL_DAG_REQ"
      ? await Graph.check(deps, admitted as AdmittedFrame<RequestOf<"CALL_DAG_REQ">>)
      : undefined;
  const graph = isFault(checked) ? undefined : checked;
  const dependsOn = (item: CallItem): readonly string[] => graph?.dependsOn(item) ?? item.depends_on ?? [];
  const ids = calls.map((item) => ({ call_id: item.call_id, depends_on: [...dependsOn(item)] }));
  const refusal = isFault(checked) ? checked : checkBatch(ids);
  const outcomes = new Map<string, CallOutcome>();
  const note = (item: CallItem, end: Settled): void => {
    const resultFailed = session.features.includes("RESULT_FAILED");
    const outcome = settledToOutcome(end, { item, frameId: frame.frame_id }, { resultFailed });
    if (outcome !== undefined) outcomes.set(item.call_id, outcome);
  };
  const noteRefusal = async (item: CallItem, end: Settled): Promise<void> => {
    await conclude(deps, { call: callFacts(deps, admitted, item) }, end);
  };
  if (refusal !== undefined) {
    for (const item of calls) {
      note(item, refused(refusal));
      await noteRefusal(item, refused(refusal));
    }
    const reply = nack(head, refusal, { now: store.now(), expectedSeq: session.expectedSeq });
    await store.sessions.answer({ ...place, reply, outcomes: [...outcomes] });
    return reply;
  }
  const begun = new Set<CallItem>();
  const entries = calls.map((item): BatchEntry => {
    const known = admitted.known.get(item.call_id);
    const outcome = known?.status === "known" && known.call.operation === undefined ? known.call.outcome : undefined;
    const before = outcome !== undefined && isKept(outcome) ? settledFromOutcome(outcome) : undefined;
    if (before !== undefined) graph?.ended(item.call_id, before);
    const settle = async (options: RunOptions): Promise<Settled> => {
      const args = graph === undefined ? item.args : await graph.fill(item);
      if (isFault(args)) return refused(args);
      begun.add(item);
      const filled = { ...item, args };
      return (await settleItem(deps, admitted, filled, known, { ...options, dependencies: false })).settled;
    };
    return {
      callId: item.call_id,
      dependsOn: dependsOn(item),
      ...(before === undefined ? {} : { known: before }),
      async run(options) {
        // The others have their ends: what the store fails at for one must not take them away.
        const end = await settle(options).catch(() => refused(storeDown()));
        graph?.ended(item.call_id, end);
        return end;
      },
    };
  });
  const ends = await runBatch({
    entries,
    mode,
    maxConcurrency: max_concurrency,
    onError: on_error,
    earlier: (callId) => dependencyState(store, session.id, callId).catch(() => "unfinished" as const),
  });
  // What stopped before it began, because of other calls.
  for (const [index, item] of calls.entries()) {
    if (!begun.has(item) && ends[index]?.kind === "refused") await noteRefusal(item, ends[index]);
  }
  const callIds = calls.map(({ call_id }) => call_id);
  const reply = groupReply(admitted, callIds, ends, store.now());
  for (const [index, item] of calls.entries()) note(item, ends[index] as Settled);
  // What has happened is answered, also when it can't be recorded: a copy of the frame finds the operations.
  return await answered(deps, { ...place, reply, outcomes: [...outcomes] }, reply);
}

/**
 * Returns the answer to a group that came before, put together from how its calls stand: undefined while one of them runs, or was
 * lost (`lost`).
 */
export async function standingGroup(
  deps: FrameDependencies,
  admitted: GroupFrame,
): Promise<{ reply: ResponseFrame } | { lost: boolean }> {
  const { frame, session, known } = admitted;
  const ends: Settled[] = [];
  let lost = false;
  for (const { call_id } of frame.payload.calls) {
    const found = known.get(call_id);
    const standing: Standing =
      found?.status === "known" ? await standingOf(deps, session, found.call) : { kind: "lost" };
    if (standing.kind === "running") return { lost: false };
    if (standing.kind === "lost") lost = true;
    else ends.push(settledFromOutcome(standing.outcome));
  }
  if (lost) return { lost };
  const callIds = frame.payload.calls.map(({ call_id }) => call_id);
  return { reply: groupReply(admitted, callIds, ends, deps.store.now()) };
}

function groupReply(
  { frame, head }: GroupFrame,
  callIds: readonly string[],
  ends: readonly Settled[],
  now: number,
): ResponseFrame {
  if (frame.frame_type === "CALL_BATCH_REQ") {
    return replyTo(head, "CALL_BATCH_RES", batchPayload(frame.payload.batch_id, callIds, ends), { now });
  }
  const { dag_id } = frame.payload;
  const { status, results } = batchPayload(dag_id, callIds, ends);
  return replyTo(head, "CALL_DAG_RES", { dag_id, status, results }, { now });
}
