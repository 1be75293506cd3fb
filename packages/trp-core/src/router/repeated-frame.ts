import { inProgress } from "../calls/outcome.ts";
import { fault } from "../frames/fault.ts";
import { nack } from "../frames/replies.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { AdmissionResult, KnownCall } from "../store/frame-types.ts";
import type { FrameDependencies } from "./frame-dependencies.ts";
import { isGroup, standingGroup } from "./group-frame.ts";
import { standingOf, standingReply } from "./known-calls.ts";
import { type Asked, callsOf, knownOf, runFrame } from "./run-frame.ts";

/** Answers a frame that is not admitted: it was before, or its session, its seq or its id speaks against it. */
export async function answerUnadmitted(
  deps: FrameDependencies,
  asked: Asked,
  result: Exclude<AdmissionResult, { status: "admitted" }>,
): Promise<ResponseFrame> {
  const { frame, head } = asked;
  const now = deps.store.now();
  if (result.status === "no-session") return nack(head, fault("TRP_1008"), { now });
  const { expectedSeq } = result.session;
  const options = { now, expectedSeq };
  switch (result.status) {
    case "duplicate":
      return await again(deps, asked, result);
    case "stale":
      return await stale(deps, asked, result);
    case "frame-reused": {
      const reason = fault("TRP_2000", "frame_id: it was used for another frame of this session.", {
        fix: "Give every new frame a new frame_id; send a frame_id again only with the very same frame.",
      });
      return nack(head, reason, options);
    }
    case "gap": {
      const message = `seq ${frame.seq} is above ${expectedSeq}, the next one: a frame before it has not arrived.`;
      return nack(head, fault("TRP_1002", message), options);
    }
  }
}

/** Answers a frame that was sent before: with its recorded answer, or its state. A lost one runs now. */
async function again(
  deps: FrameDependencies,
  asked: Asked,
  { session, reply, frameCalls }: Extract<AdmissionResult, { status: "duplicate" }>,
): Promise<ResponseFrame> {
  if (reply !== undefined) return reply;
  const { frame, head } = asked;
  const { store, inFlight } = deps;
  const options = { now: store.now(), expectedSeq: session.expectedSeq };
  const isInFlight = (): boolean => inFlight.has(session.id, "frame", frame.frame_id);
  if (isInFlight()) return inProgress(head, 200, options);
  const known = new Map<string, KnownCall>();
  for (const { callId, digest } of asked.sent.map((sent) => sent.call)) {
    const call = await store.sessions.readCall(session.id, callId);
    if (call === undefined) continue;
    // An id that belonged to another call was not brought by this frame, and still is that one's.
    const isSame = frameCalls.includes(callId) && call.digest === digest;
    known.set(callId, { status: isSame ? "known" : "reused", call });
  }
  const admitted = { ...asked, session, known };
  if (frame.frame_type === "CALL_REQ") {
    const found = known.get(frame.payload.call_id);
    if (found?.status === "known") {
      const standing = await standingOf(deps, session, found.call);
      if (standing.kind !== "lost") return standingReply(head, standing, options);
    }
  }
  if (isGroup(admitted)) {
    const found = await standingGroup(deps, admitted);
    if ("reply" in found) return found.reply;
    if (!found.lost) return inProgress(head, 200, options);
  }
  // Reading took a while: another copy of the frame may have begun.
  return isInFlight() ? inProgress(head, 200, options) : await runFrame(deps, admitted);
}

/** Answers a frame whose seq was taken before: with the state of its calls, when the seq was theirs. */
async function stale(
  deps: FrameDependencies,
  asked: Asked,
  { session, calls }: Extract<AdmissionResult, { status: "stale" }>,
): Promise<ResponseFrame> {
  const { frame, head } = asked;
  const options = { now: deps.store.now(), expectedSeq: session.expectedSeq };
  const known = knownOf(calls);
  const found = callsOf(frame).map(({ call_id }) => known.get(call_id));
  if (found.some((call) => call?.status === "reused")) return nack(head, fault("TRP_1007"), options);
  if (found.length === 0 || found.some((call) => call?.status !== "known")) {
    return nack(head, fault("TRP_1004"), options);
  }
  const admitted = { ...asked, session, known };
  if (isGroup(admitted)) {
    const standing = await standingGroup(deps, admitted);
    if ("reply" in standing) return standing.reply;
    return standing.lost ? standingReply(head, { kind: "lost" }, options) : inProgress(head, 200, options);
  }
  const [only] = found as Extract<KnownCall, { status: "known" }>[];
  const standing = only ? await standingOf(deps, session, only.call) : { kind: "lost" as const };
  return standingReply(head, standing, options);
}
