import { canonicalJson } from "@toolglot/internal";
import { mayBeCommitted, notRecorded, storeDown } from "../calls/faults.ts";
import { callDigest, familyOf, keyOfAsync, operationOf } from "../calls/keyed/keys.ts";
import { NotAsExpected, PendingAdmission } from "../calls/keyed/pending-admission.ts";
import { inProgress } from "../calls/replies.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { type ParsedFrame, parseFrame } from "../frames/parse-frame.ts";
import { emptyHead, type FrameHead, headOf, nack } from "../frames/replies.ts";
import type { CallItem, Feature, RequestFrame, RequestOf, ResponseFrame } from "../frames/types.ts";
import { isPrincipal, narrow } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { AdmissionResult, AdmittedCall, KnownCall } from "../store/frame-types.ts";
import { answerCall } from "./call-frame.ts";
import { answerCancel } from "./cancel-frame.ts";
import { answerCapQuery, answerHello, answerSync } from "./control-frames.ts";
import type { AdmittedFrame, FrameDependencies, SentCall } from "./frame-dependencies.ts";
import { answerGroup, isGroup, standingGroup } from "./group-frame.ts";
import { standingOf, standingReply } from "./known-calls.ts";
import { answerResultQuery } from "./query-frame.ts";
import type { FrameContext } from "./types.ts";

/** A frame of a session, who sent it, and what came with it. */
interface Asked {
  frame: Numbered;
  head: FrameHead;
  principal: Principal;
  context: FrameContext;
  /** Its calls. */
  sent: readonly SentCall[];
}

/**
 * Turns frames into answers. In this order (TRP v0.1 draft, 8.1, and the precedence of ids): shape, who, session, frame
 * id, seq, call ids, then what the frame asks for.
 */
export class FrameHandler {
  readonly #deps: FrameDependencies;

  constructor(deps: FrameDependencies) {
    this.#deps = deps;
  }

  /** Returns the answer to a frame. Total: it never rejects. */
  handle(input: unknown, context: FrameContext): Promise<ResponseFrame> {
    const parsed = parseFrame(input, this.#deps.limits);
    return this.#deps.emitter.active ? this.#reported(parsed, context) : this.#traced(parsed, context);
  }

  async #reported(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    const began = performance.now();
    const reply = await this.#traced(parsed, context);
    const code = reply.frame_type === "NACK" ? { code: reply.payload.error_code } : {};
    const frame = "frame" in parsed ? { frame: parsed.frame.frame_type } : {};
    const ms = Math.round(performance.now() - began);
    const event = { type: "frame.answered" as const, at: Date.now(), ...frame, answer: reply.frame_type, ...code, ms };
    this.#deps.emitter.emit(event);
    return reply;
  }

  #traced(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    const { spans } = this.#deps;
    if (spans === undefined) return this.#answer(parsed, context);
    const type = "frame" in parsed ? parsed.frame.frame_type : undefined;
    const head = "frame" in parsed ? headOf(parsed.frame) : parsed.head;
    return spans.frame({ type, head, trace: context?.trace }, () => this.#answer(parsed, context));
  }

  async #answer(parsed: ParsedFrame, context: FrameContext): Promise<ResponseFrame> {
    const { lifecycle, narrowed, sessions } = this.#deps;
    let head: FrameHead = emptyHead;
    let who: Principal | undefined;
    lifecycle.begin();
    try {
      const given: unknown = context?.principal;
      who = isPrincipal(given) ? given : undefined;
      if ("fault" in parsed) {
        head = parsed.head;
        return await this.#refuse(head, parsed.fault, who);
      }
      const { frame } = parsed;
      head = headOf(frame);
      nameAsync(frame);
      if (who === undefined) return await this.#refuse(head, fault("TRP_4007"), undefined);
      if (lifecycle.closing()) {
        return await this.#refuse(head, fault("TRP_5003", "The router is closing; it takes no more frames."), who);
      }
      const principal = narrow(who, frame.auth_context);
      if (principal !== who) narrowed(principal, who);
      if (frame.frame_type === "HELLO_REQ") return await answerHello(this.#deps, { frame, head, principal });
      const ungranted = await this.#featureFault(frame, principal);
      if (ungranted !== undefined) return await this.#refuse(head, ungranted, who);
      const { sent, calls } = sentCalls(frame, principal);
      const asked = { frame, head, principal, context, sent };
      for (let mayExpect = this.#mayExpect(frame); ; mayExpect = false) {
        const result = await sessions.admit(frame, calls, principal, mayExpect);
        const reply = await this.#proceed(asked, result);
        if (reply !== "ask again") return reply;
      }
    } catch {
      // Only the store can fail here, and before anything was dispatched: the path of a call never rejects.
      return await this.#refuse(head, storeDown(), who);
    } finally {
      lifecycle.end();
    }
  }

  /** Refuses what is not admitted. The reply names the next seq when the session is this principal's. */
  async #refuse(head: FrameHead, reason: Fault, who: Principal | undefined): Promise<ResponseFrame> {
    const { store } = this.#deps;
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

  /** Returns why the session may not send this frame: it is part of a feature that was not asked for. */
  async #featureFault(frame: Numbered, { tenant, id }: Principal): Promise<Fault | undefined> {
    const { frame_type: type, session_id: sessionId } = frame;
    const feature = featureOf[type];
    if (feature === undefined || sessionId === null) return undefined;
    const session = await this.#deps.store.sessions.read(sessionId, { tenant, principal: id });
    if (session === undefined || session.features.includes(feature)) return undefined;
    return fault("TRP_5000", `frame_type: ${type} needs the feature ${feature}, which this session does not have.`, {
      fix: `Open a session with features: ["${feature}"].`,
    });
  }

  /**
   * Whether the frame has a single call, without dependencies, of which something is usually committed next: an operation is
   * started, or a capability without effects answers.
   */
  #mayExpect(frame: Numbered): boolean {
    if (frame.frame_type !== "CALL_REQ") return false;
    const { idempotency_key: key, cap_id: capId, depends_on: dependsOn = [] } = frame.payload;
    if (dependsOn.length > 0) return false;
    return typeof key === "string" || this.#deps.registry.get(capId)?.definition.effect === "pure";
  }

  /** Answers a frame by the result of its admission, or by the result that the store expects. */
  async #proceed(asked: Asked, result: AdmissionResult): Promise<ResponseFrame | "ask again"> {
    if (result.status !== "admitted") return await this.#notAdmitted(asked, result);
    const { session, calls, pending } = result;
    const { frame, head, principal, context, sent } = asked;
    const admission = pending && new PendingAdmission(pending, session.view);
    // Written out: a spread costs every call more than all that is in it.
    const admitted = { frame, head, principal, context, sent, session, known: knownOf(calls), admission };
    if (admission === undefined) return await this.#run(admitted);
    try {
      const reply = await this.#run(admitted);
      await admission.confirm();
      return reply;
    } catch (error) {
      // The start of the call may be committed with the admission.
      if (mayBeCommitted(error)) {
        return inProgress(head, 200, { now: this.#deps.store.now(), expectedSeq: session.expectedSeq });
      }
      const isStores = !(error instanceof NotAsExpected);
      if (isStores && admission.hasRun) return await this.#refuse(head, notRecorded(), principal);
      if (isStores) throw error;
    }
    const found = await admission.result;
    // The frames before it may still come.
    return found.status === "gap" ? "ask again" : await this.#proceed(asked, found);
  }

  async #notAdmitted(asked: Asked, result: Exclude<AdmissionResult, { status: "admitted" }>): Promise<ResponseFrame> {
    const { frame, head } = asked;
    const now = this.#deps.store.now();
    if (result.status === "no-session") return nack(head, fault("TRP_1008"), { now });
    const { expectedSeq } = result.session;
    const options = { now, expectedSeq };
    switch (result.status) {
      case "duplicate":
        return await this.#again(asked, result);
      case "stale":
        return await this.#stale(asked, result);
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

  /** Does what an admitted frame asks for, and records the answer. */
  #run(admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
    return admitted.frame.frame_type === "CALL_REQ"
      ? answerCall(this.#deps, admitted as AdmittedFrame<RequestOf<"CALL_REQ">>)
      : this.#runOther(admitted);
  }

  async #runOther(admitted: AdmittedFrame<Numbered>): Promise<ResponseFrame> {
    const { store, inFlight } = this.#deps;
    const { frame, session } = admitted;
    const end = inFlight.begin(session.id, "frame", frame.frame_id);
    try {
      if (isGroup(admitted)) return await answerGroup(this.#deps, admitted);
      const reply = await this.#control(admitted as AdmittedFrame<Control>);
      await store.sessions.answer({ sessionId: session.id, frameId: frame.frame_id, reply, outcomes: {} });
      return reply;
    } finally {
      end();
    }
  }

  #control(admitted: AdmittedFrame<Control>): Promise<ResponseFrame> {
    switch (admitted.frame.frame_type) {
      case "CATALOG_SYNC_REQ":
        return answerSync(this.#deps, admitted as AdmittedFrame<RequestOf<"CATALOG_SYNC_REQ">>);
      case "CAP_QUERY_REQ":
        return answerCapQuery(this.#deps, admitted as AdmittedFrame<RequestOf<"CAP_QUERY_REQ">>);
      case "RESULT_QUERY_REQ":
        return answerResultQuery(this.#deps, admitted as AdmittedFrame<RequestOf<"RESULT_QUERY_REQ">>);
      case "CANCEL_REQ":
        return answerCancel(this.#deps, admitted as AdmittedFrame<RequestOf<"CANCEL_REQ">>);
    }
  }

  /** Answers a frame that was sent before: with its recorded answer, or its state. A lost one runs now. */
  async #again(
    asked: Asked,
    { session, reply, frameCalls }: Extract<AdmissionResult, { status: "duplicate" }>,
  ): Promise<ResponseFrame> {
    if (reply !== undefined) return reply;
    const { frame, head } = asked;
    const { store, inFlight } = this.#deps;
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
        const standing = await standingOf(this.#deps, session, found.call);
        if (standing.kind !== "lost") return standingReply(head, standing, options);
      }
    }
    if (isGroup(admitted)) {
      const found = await standingGroup(this.#deps, admitted);
      if ("reply" in found) return found.reply;
      if (!found.lost) return inProgress(head, 200, options);
    }
    // Reading took a while: another copy of the frame may have begun.
    return isInFlight() ? inProgress(head, 200, options) : await this.#run(admitted);
  }

  /** Answers a frame whose seq was taken before: with the state of its calls, when the seq was theirs. */
  async #stale(
    asked: Asked,
    { session, calls }: Extract<AdmissionResult, { status: "stale" }>,
  ): Promise<ResponseFrame> {
    const { frame, head } = asked;
    const options = { now: this.#deps.store.now(), expectedSeq: session.expectedSeq };
    const known = knownOf(calls);
    const found = callsOf(frame).map(({ call_id }) => known.get(call_id));
    if (found.some((call) => call?.status === "reused")) return nack(head, fault("TRP_1007"), options);
    if (found.length === 0 || found.some((call) => call?.status !== "known")) {
      return nack(head, fault("TRP_1004"), options);
    }
    const admitted = { ...asked, session, known };
    if (isGroup(admitted)) {
      const standing = await standingGroup(this.#deps, admitted);
      if ("reply" in standing) return standing.reply;
      return standing.lost ? standingReply(head, { kind: "lost" }, options) : inProgress(head, 200, options);
    }
    const [only] = found as Extract<KnownCall, { status: "known" }>[];
    const standing = only ? await standingOf(this.#deps, session, only.call) : { kind: "lost" as const };
    return standingReply(head, standing, options);
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

/** An ASYNC call is an operation, also without a key of its own: it outlives the frame that brought it. */
function nameAsync(frame: RequestFrame): void {
  if (frame.frame_type !== "CALL_REQ" || frame.payload.execution_mode !== "ASYNC") return;
  frame.payload.idempotency_key ??= keyOfAsync(frame.session_id as string, frame.payload.call_id);
}

function sentCalls(frame: Numbered, principal: Principal): { sent: SentCall[]; calls: AdmittedCall[] } {
  if (frame.frame_type === "CALL_REQ") {
    const only = sentCall(frame.payload, principal);
    return { sent: [only], calls: [only.call] };
  }
  const sent = callsOf(frame).map((item) => sentCall(item, principal));
  return { sent, calls: sent.map(({ call }) => call) };
}

const none: ReadonlyMap<string, KnownCall> = new Map();

function knownOf(calls: Readonly<Record<string, KnownCall>>): ReadonlyMap<string, KnownCall> {
  for (const _ in calls) return new Map(Object.entries(calls));
  return none;
}

function sentCall(item: CallItem, { tenant, id }: Principal): SentCall {
  const { call_id: callId, cap_id, idempotency_key: key, timeout_ms: timeoutMs, args } = item;
  const argsText = canonicalJson(args);
  const call: AdmittedCall = { callId, digest: callDigest(item, argsText), timeoutMs };
  if (key !== null && key !== undefined) call.operation = operationOf({ tenant, principal: id }, familyOf(cap_id), key);
  return { item, call, argsText };
}
