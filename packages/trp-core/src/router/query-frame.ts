import { settleWithin } from "@toolglot/internal";
import { operationOfCall } from "../calls/keyed/effect-key.ts";
import { eventOf } from "../calls/running/parts.ts";
import { ack, replyTo } from "../frames/replies.ts";
import type { PartialResultPayload, ResultQueryResPayload } from "../frames/results.ts";
import type { RequestOf, ResponseFrame, ResponseOf } from "../frames/types.ts";
import type { CallRecord } from "../store/frame-types.ts";
import type { PartList } from "../store/types.ts";
import { type AdmittedFrame, type FrameDependencies, partialSender } from "./frame-dependencies.ts";
import { standingOf } from "./known-calls.ts";

type QueryFrame = AdmittedFrame<RequestOf<"RESULT_QUERY_REQ">>;

/**
 * Partial results in one frame: fewer where more frames follow, so that a stream that breaks off has brought something.
 */
const partsAtOnce = 100;
const partsInStream = 20;
/** Between two looks at a call that is followed, at first and at most. Milliseconds. */
const minPauseMs = 20;
const maxPauseMs = 250;
/** After so long a call that is followed is answered as it stands, so that no question stays open for ever. */
const maxFollowMs = 30_000;

/**
 * Answers a `RESULT_QUERY_REQ`: how a call of this session stands, or its partial results. A sender who listens gets
 * those as they come, from any router, and the answer when the call is over.
 */
export async function answerResultQuery(deps: FrameDependencies, admitted: QueryFrame): Promise<ResponseFrame> {
  const { frame, context } = admitted;
  const { call_id, after_event_id = null, include_partials = true } = frame.payload;
  const isFollowed = after_event_id !== null && include_partials;
  const send = isFollowed ? partialSender(context) : undefined;
  if (!isFollowed) return await lookAt(deps, admitted, Number.MAX_SAFE_INTEGER);
  let after = after_event_id;
  const until = performance.now() + maxFollowMs;
  const early = send && acknowledged(deps, admitted, send);
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const reply = await lookAt(deps, admitted, after);
    if (early === undefined) return reply;
    if (reply.frame_type === "PARTIAL_RESULT") {
      early(reply);
      after = reply.payload.next_after_event_id;
      pauseMs = minPauseMs;
      continue;
    }
    const signal = context?.signal;
    const isOver = reply.payload.status !== "IN_PROGRESS" || performance.now() >= until;
    if (isOver || deps.lifecycle.closing() || signal?.aborted === true) return reply;
    early();
    await settleWithin(new Promise<never>(() => {}), { ms: pauseMs, signal });
  }

  async function lookAt(
    { store }: FrameDependencies,
    { head, session }: QueryFrame,
    from: number,
  ): Promise<ResponseOf<"RESULT_QUERY_RES"> | ResponseOf<"PARTIAL_RESULT">> {
    const payload: ResultQueryResPayload = {
      call_id,
      status: "NOT_FOUND",
      result: null,
      error: null,
      last_event_id: 0,
    };
    const call = await store.sessions.readCall(session.id, call_id);
    const standing = call === undefined ? undefined : await standingOf(deps, session, call);
    // After the standing: when that is an end, these are all there are.
    const limit = send === undefined ? partsAtOnce : partsInStream;
    const found = call && (await partsOf(deps, call, { after: from, limit }));
    // The parts are deleted with their operation. A reader who asks for more after the end has received all of them.
    const isGone = found === undefined && call?.operation !== undefined && standing?.kind === "outcome";
    payload.last_event_id = (isGone ? after_event_id : found?.last) ?? 0;
    if (standing?.kind === "running") payload.status = "IN_PROGRESS";
    else if (standing?.kind === "outcome") {
      const { outcome } = standing;
      payload.status = outcome.type === "RESULT" ? outcome.payload.status : "FAILED";
      if (outcome.type === "RESULT") payload.result = outcome.payload;
      else payload.error = outcome.payload;
    }
    const now = store.now();
    return found === undefined || found.parts.length === 0
      ? replyTo(head, "RESULT_QUERY_RES", payload, { now })
      : replyTo(head, "PARTIAL_RESULT", partialOf(payload, found, from), { now });
  }
}

/**
 * Sends partial results, and an ACK before the first early frame: the sender learns that the frame was
 * taken, so that the next ones need not wait for its answer, and that what comes now is not yet this answer.
 */
function acknowledged(
  { store }: FrameDependencies,
  { head, session }: QueryFrame,
  send: (frame: ResponseFrame) => void,
): (reply?: ResponseFrame) => void {
  let isFirst = true;
  return (reply) => {
    if (isFirst) send(ack(head, "ACCEPTED", { now: store.now(), expectedSeq: session.expectedSeq }));
    isFirst = false;
    if (reply !== undefined) send(reply);
  };
}

/** Returns some of a call's partial results. As long as there is more to read, the call is not over for its reader. */
function partialOf({ call_id, status }: ResultQueryResPayload, found: PartList, after: number): PartialResultPayload {
  const last = found.parts.at(-1)?.id ?? 0;
  const isOver = status !== "IN_PROGRESS" && last === found.last;
  return {
    call_id,
    status: isOver ? status : "IN_PROGRESS",
    events: found.parts.map(eventOf),
    next_after_event_id: last,
    events_truncated: after < found.first - 1,
    first_retained_event_id: found.first,
    last_event_id: found.last,
    terminal: isOver,
    final_available: isOver,
  };
}

/** Returns the partial results of a call's operation, when it is the call's own. */
async function partsOf(
  { store }: FrameDependencies,
  call: CallRecord,
  range: { after: number; limit: number },
): Promise<PartList | undefined> {
  const found = await operationOfCall(store.operations, call);
  if (found === undefined) return undefined;
  const { scope, key } = found.record;
  return await store.parts.read({ scope, key }, range);
}
