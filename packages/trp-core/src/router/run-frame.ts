import { canonicalJson } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { callDigest, familyOf, keyOfAsync, operationOf } from "../calls/keyed/keys.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { CallItem, RequestFrame, RequestOf, ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { AdmittedCall, KnownCall } from "../store/frame-types.ts";
import { answerCall } from "./call-frame.ts";
import { answerCancel } from "./cancel-frame.ts";
import { answerCapQuery, answerSync } from "./control-frames.ts";
import type { AdmittedFrame, FrameDependencies, SentCall } from "./frame-dependencies.ts";
import { answerGroup, isGroup } from "./group-frame.ts";
import { answerResultQuery } from "./query-frame.ts";
import type { FrameContext } from "./types.ts";

/** Frames that are no calls. */
type Control = Exclude<Numbered, RequestOf<"CALL_REQ" | "CALL_BATCH_REQ" | "CALL_DAG_REQ">>;

/** Does what an admitted frame asks for, and records the answer. */
export function runFrame(deps: FrameDependencies, admitted: AdmittedFrame<Numbered>): MaybePromise<ResponseFrame> {
  return admitted.frame.frame_type === "CALL_REQ"
    ? answerCall(deps, admitted as AdmittedFrame<RequestOf<"CALL_REQ">>)
    : runOther(deps, admitted);
}

async function runOther(deps: FrameDependencies, admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
  const { store, inFlight } = deps;
  const { frame, session } = admitted;
  const end = inFlight.begin(session.id, "frame", frame.frame_id);
  try {
    if (isGroup(admitted)) return await answerGroup(deps, admitted);
    const reply = await answerControl(deps, admitted as AdmittedFrame<Control>);
    await store.sessions.answer({ sessionId: session.id, frameId: frame.frame_id, reply, outcomes: [] });
    return reply;
  } finally {
    end();
  }
}

function answerControl(deps: FrameDependencies, admitted: AdmittedFrame<Control>): Promise<ResponseFrame> {
  switch (admitted.frame.frame_type) {
    case "CATALOG_SYNC_REQ":
      return answerSync(deps, admitted as AdmittedFrame<RequestOf<"CATALOG_SYNC_REQ">>);
    case "CAP_QUERY_REQ":
      return answerCapQuery(deps, admitted as AdmittedFrame<RequestOf<"CAP_QUERY_REQ">>);
    case "RESULT_QUERY_REQ":
      return answerResultQuery(deps, admitted as AdmittedFrame<RequestOf<"RESULT_QUERY_REQ">>);
    case "CANCEL_REQ":
      return answerCancel(deps, admitted as AdmittedFrame<RequestOf<"CANCEL_REQ">>);
  }
}

/** Frames with a seq. */
export type Numbered = Exclude<RequestFrame, RequestOf<"HELLO_REQ">>;

/** A frame of a session, who sent it, and what came with it. */
export interface Asked {
  frame: Numbered;
  head: FrameHead;
  principal: Principal;
  context: FrameContext;
  /** Its calls. */
  sent: readonly SentCall[];
  /** The same as the store needs them. */
  calls: AdmittedCall[];
}

/** The calls that a frame asks for. */
export function callsOf(frame: Numbered): readonly CallItem[] {
  if (frame.frame_type === "CALL_REQ") return [frame.payload];
  return "calls" in frame.payload ? frame.payload.calls : [];
}

/** An ASYNC call is an operation, also without a key of its own: it outlives the frame that brought it. */
export function nameAsync(frame: RequestFrame): void {
  if (frame.frame_type !== "CALL_REQ" || frame.payload.execution_mode !== "ASYNC") return;
  frame.payload.idempotency_key ??= keyOfAsync(frame.session_id as string, frame.payload.call_id);
}

/** A frame's calls as they were sent, and as the store needs them. */
export function sentCalls(frame: Numbered, principal: Principal): { sent: SentCall[]; calls: AdmittedCall[] } {
  if (frame.frame_type === "CALL_REQ") {
    const only = sentCall(frame.payload, principal);
    return { sent: [only], calls: [only.call] };
  }
  const sent = callsOf(frame).map((item) => sentCall(item, principal));
  return { sent, calls: sent.map(({ call }) => call) };
}

function sentCall(item: CallItem, { tenant, id }: Principal): SentCall {
  const { call_id: callId, cap_id, idempotency_key: key, timeout_ms: timeoutMs, args } = item;
  const argsText = canonicalJson(args);
  const call: AdmittedCall = { callId, digest: callDigest(item, argsText), timeoutMs };
  if (key !== null && key !== undefined) call.operation = operationOf({ tenant, principal: id }, familyOf(cap_id), key);
  return { item, call, argsText };
}

const none: ReadonlyMap<string, KnownCall> = new Map();

/** What the store knows of a frame's calls, by their ids. */
export function knownOf(calls: Readonly<Record<string, KnownCall>>): ReadonlyMap<string, KnownCall> {
  for (const _ in calls) return new Map(Object.entries(calls));
  return none;
}
