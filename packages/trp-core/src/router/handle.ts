import { storeDown } from "../calls/faults.ts";
import { callDigest, familyOf, keyOfAsync, operationOf } from "../calls/keyed/keys.ts";
import { NotAsExpected, PendingAdmission } from "../calls/keyed/pending-admission.ts";
import { inProgress } from "../calls/replies.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { type ParsedFrame, parseFrame } from "../frames/parse-frame.ts";
import { emptyHead, type FrameHead, headOf, nack } from "../frames/replies.ts";
import type { CallItem, Feature, RequestFrame, RequestOf, ResponseFrame } from "../frames/types.ts";
import { isPrincipal, narrow } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { AdmissionResult, AdmittedCall, KnownCall } from "../store/session-types.ts";
import { answerCall } from "./call-frame.ts";
import { answerCancel } from "./cancel-frame.ts";
import { answerCapQuery, answerHello, answerSync } from "./control-frames.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { answerGroup, isGroup, standingGroup } from "./group-frame.ts";
import { standingOf, standingReply } from "./known-calls.ts";
import { answerResultQuery } from "./query-frame.ts";
import type { FrameContext } from "./types.ts";

/**
 * Turns frames into answers. In this order (TRP v0.1 draft, 8.1, and the precedence of ids): shape, who, session, frame
 * id, seq, call ids, then what the frame asks for. Total: it never rejects.
 */
export function createHandle(
  deps: FrameDependencies,
): (input: unknown, context: FrameContext) => Promise<ResponseFrame> {
  const { store } = deps;

  return (input, context) => {
    const parsed = parseFrame(input, deps.limits);
    return deps.emitter.active ? reported(parsed, context) : traced(parsed, context);
  };

  async function reported(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    const began = performance.now();
    const reply = await traced(parsed, context);
    const code = reply.frame_type === "NACK" ? { code: reply.payload.error_code } : {};
    const frame = "frame" in parsed ? { frame: parsed.frame.frame_type } : {};
    const ms = Math.round(performance.now() - began);
    deps.emitter.emit({ type: "frame.answered", at: Date.now(), ...frame, answer: reply.frame_type, ...code, ms });
    return reply;
  }

  function traced(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    const { spans } = deps;
    if (spans === undefined) return answerParsed(parsed, context);
    const type = "frame" in parsed ? parsed.frame.frame_type : undefined;
    const head = "frame" in parsed ? headOf(parsed.frame) : parsed.head;
    return spans.frame({ type, head, trace: context?.trace }, () => answerParsed(parsed, context));
  }

  async function answerParsed(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    let head: FrameHead = emptyHead;
    let who: Principal | undefined;
    deps.lifecycle.begin();
    try {
      const given: unknown = context?.principal;
      who = isPrincipal(given) ? given : undefined;
      if ("fault" in parsed) {
        head = parsed.head;
        return await refuse(head, parsed.fault, who);
      }
      const { frame } = parsed;
      head = headOf(frame);
      nameAsync(frame);
      if (who === undefined) return await refuse(head, fault("TRP_4007"), undefined);
      if (deps.lifecycle.closing()) {
        return await refuse(head, fault("TRP_5003", "The router is closing; it takes no more frames."), who);
      }
      const principal = narrow(who, frame.auth_context);
      if (principal !== who) deps.narrowed(principal, who);
      if (frame.frame_type === "HELLO_REQ") return await answerHello(deps, { frame, head, principal });
      const ungranted = await featureFault(frame, principal);
      if (ungranted !== undefined) return await refuse(head, ungranted, who);
      const calls = admittedCalls(frame, principal);
      for (let mayExpect = isOneKeyedCall(frame); ; mayExpect = false) {
        const result = await deps.sessions.admit(frame, calls, principal, mayExpect);
        const found = await proceed(frame, head, principal, result, context);
        if (found !== "ask again") return found;
      }
    } catch {
      // Only the store can fail here, and before anything was dispatched: the path of a call never rejects.
      return await refuse(head, storeDown(), who);
    } finally {
      deps.lifecycle.end();
    }
  }

  /** Refuses what is not admitted. The reply names the next seq when the session is this principal's. */
  async function refuse(head: FrameHead, reason: Fault, who: Principal | undefined): Promise<ResponseFrame> {
    let expectedSeq: number | undefined;
    let now = Date.now();
    try {
      now = store.now();
      if (head.sessionId !== null && who !== undefined) {
        const session = await store.sessions.read(head.sessionId, { tenant: who.tenant, principal: who.id });
        expectedSeq = session?.expectedSeq;
      }
    } catch {
      // The reply goes without it.
    }
    return nack(head, reason, { now, ...(expectedSeq === undefined ? {} : { expectedSeq }) });
  }

  /** Why the session may not send this frame: it is part of a feature that was not asked for. */
  async function featureFault(frame: Numbered, { tenant, id }: Principal): Promise<Fault | undefined> {
    const { frame_type: type, session_id: sessionId } = frame;
    const feature = featureOf[type];
    if (feature === undefined || sessionId === null) return undefined;
    const session = await store.sessions.read(sessionId, { tenant, principal: id });
    if (session === undefined || session.features.includes(feature)) return undefined;
    return fault("TRP_5000", `frame_type: ${type} needs the feature ${feature}, which this session does not have.`, {
      fix: `Open a session with features: ["${feature}"].`,
    });
  }

  /** A frame that was not admitted. */
  async function answer(
    frame: Numbered,
    head: FrameHead,
    principal: Principal,
    result: Exclude<AdmissionResult, { status: "admitted" }>,
    context: FrameContext,
  ): Promise<ResponseFrame> {
    if (result.status === "no-session") return nack(head, fault("TRP_1008"), { now: store.now() });
    const { session } = result;
    const options = { now: store.now(), expectedSeq: session.expectedSeq };
    switch (result.status) {
      case "duplicate":
        return await again(frame, head, principal, result, context);
      case "stale":
        return await stale(frame, head, principal, result);
      case "frame-reused": {
        const reason = fault("TRP_2000", "frame_id: it was used for another frame of this session.", {
          fix: "Give every new frame a new frame_id; send a frame_id again only with the very same frame.",
        });
        return nack(head, reason, options);
      }
      case "gap": {
        const message = `seq ${frame.seq} is above ${session.expectedSeq}, the next one: a frame before it has not arrived.`;
        return nack(head, fault("TRP_1002", message), options);
      }
    }
  }

  /** Answers a frame by the result of its admission, or by the result that the store expects. */
  async function proceed(
    frame: Numbered,
    head: FrameHead,
    principal: Principal,
    result: AdmissionResult,
    context: FrameContext,
  ): Promise<ResponseFrame | "ask again"> {
    if (result.status !== "admitted") return await answer(frame, head, principal, result, context);
    const { session, calls, pending } = result;
    const admitted = { frame, head, session, principal, known: new Map(Object.entries(calls)), context };
    if (pending === undefined) return await run(admitted);
    const admission = new PendingAdmission(pending, session.view);
    try {
      const reply = await run({ ...admitted, admission });
      await admission.confirm();
      return reply;
    } catch (error) {
      if (!(error instanceof NotAsExpected)) throw error;
    }
    const found = await admission.result;
    // Those before it may still come.
    return found.status === "gap" ? "ask again" : await proceed(frame, head, principal, found, context);
  }

  /** Does what an admitted frame asks for, and records the answer. */
  function run(admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
    const { frame } = admitted;
    return frame.frame_type === "CALL_REQ"
      ? answerCall(deps, admitted as AdmittedFrame<RequestOf<"CALL_REQ">>)
      : runOther(admitted);
  }

  async function runOther(admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
    const { frame, session } = admitted;
    const end = deps.inFlight.begin(session.id, "frame", frame.frame_id);
    try {
      if (isGroup(admitted)) return await answerGroup(deps, admitted);
      const reply = await control(admitted as AdmittedFrame<Control>);
      await store.sessions.answer({ sessionId: session.id, frameId: frame.frame_id, reply, outcomes: {} });
      return reply;
    } finally {
      end();
    }
  }

  function control(admitted: AdmittedFrame<Control>): Promise<ResponseFrame> {
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

  /** The same frame again: its recorded answer, or how things stand; what was lost is done now. */
  async function again(
    frame: Numbered,
    head: FrameHead,
    principal: Principal,
    { session, reply, frameCalls }: Extract<AdmissionResult, { status: "duplicate" }>,
    context: FrameContext,
  ): Promise<ResponseFrame> {
    if (reply !== undefined) return reply;
    const options = { now: store.now(), expectedSeq: session.expectedSeq };
    if (deps.inFlight.has(session.id, "frame", frame.frame_id)) return inProgress(head, 200, options);
    const known = new Map<string, KnownCall>();
    for (const item of callsOf(frame)) {
      const call = await store.sessions.readCall(session.id, item.call_id);
      if (call === undefined) continue;
      // An id that belonged to another call was not brought by this frame, and still is that one's.
      const isSame = frameCalls.includes(item.call_id) && call.digest === callDigest(item);
      known.set(item.call_id, { status: isSame ? "known" : "reused", call });
    }
    const admitted = { frame, head, session, principal, known, context };
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
    if (deps.inFlight.has(session.id, "frame", frame.frame_id)) return inProgress(head, 200, options);
    return await run(admitted);
  }

  /** A seq that was taken before: what became of its calls, when they are these. */
  async function stale(
    frame: Numbered,
    head: FrameHead,
    principal: Principal,
    { session, calls }: Extract<AdmissionResult, { status: "stale" }>,
  ): Promise<ResponseFrame> {
    const options = { now: store.now(), expectedSeq: session.expectedSeq };
    const known = new Map(Object.entries(calls));
    const found = callsOf(frame).map(({ call_id }) => known.get(call_id));
    if (found.some((call) => call?.status === "reused")) return nack(head, fault("TRP_1007"), options);
    if (found.length === 0 || found.some((call) => call?.status !== "known")) {
      return nack(head, fault("TRP_1004"), options);
    }
    const admitted = { frame, head, session, principal, known };
    if (isGroup(admitted)) {
      const standing = await standingGroup(deps, admitted);
      if ("reply" in standing) return standing.reply;
      return standing.lost ? standingReply(head, { kind: "lost" }, options) : inProgress(head, 200, options);
    }
    const [only] = found as Extract<KnownCall, { status: "known" }>[];
    return standingReply(head, only ? await standingOf(deps, session, only.call) : { kind: "lost" }, options);
  }
}

/** Frames that a session may only send when it has a feature. */
const featureOf: Partial<Record<RequestFrame["frame_type"], Feature>> = {
  CALL_DAG_REQ: "CALL_DAG",
  CANCEL_REQ: "CANCEL",
};

/** Frames with a seq, and those of them that are no calls. */
type Numbered = Exclude<RequestFrame, RequestOf<"HELLO_REQ">>;
type Control = Exclude<Numbered, RequestOf<"CALL_REQ" | "CALL_BATCH_REQ" | "CALL_DAG_REQ">>;

function callsOf(frame: Numbered): readonly CallItem[] {
  if (frame.frame_type === "CALL_REQ") return [frame.payload];
  return "calls" in frame.payload ? frame.payload.calls : [];
}

function admittedCalls(frame: Numbered, principal: Principal): AdmittedCall[] {
  if (frame.frame_type === "CALL_REQ") return [admittedCall(frame.payload, principal)];
  return callsOf(frame).map((item) => admittedCall(item, principal));
}

/** An ASYNC call is an operation, also without a key of its own: it outlives the frame that brought it. */
function nameAsync(frame: RequestFrame): void {
  if (frame.frame_type !== "CALL_REQ" || frame.payload.execution_mode !== "ASYNC") return;
  frame.payload.idempotency_key ??= keyOfAsync(frame.session_id as string, frame.payload.call_id);
}

/** Whether the frame has a single keyed call without dependencies, so that an operation usually starts next. */
function isOneKeyedCall(frame: Numbered): boolean {
  if (frame.frame_type !== "CALL_REQ") return false;
  const { idempotency_key: key, depends_on: dependsOn = [] } = frame.payload;
  return typeof key === "string" && dependsOn.length === 0;
}

/** A call as the store needs it. */
function admittedCall(item: CallItem, principal: Principal): AdmittedCall {
  const { call_id: callId, cap_id, idempotency_key: key, timeout_ms: timeoutMs } = item;
  const call: AdmittedCall = { callId, digest: callDigest(item), timeoutMs };
  if (key === null || key === undefined) return call;
  const who = { tenant: principal.tenant, principal: principal.id };
  return { ...call, operation: operationOf(who, familyOf(cap_id), key) };
}
