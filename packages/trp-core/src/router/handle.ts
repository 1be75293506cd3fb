import { andThen, asPromise, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { mayBeCommitted, notRecorded, storeDown } from "../calls/faults.ts";
import { NotAsExpected, PendingAdmission } from "../calls/keyed/pending-admission.ts";
import { inProgress } from "../calls/outcome.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { type ParsedFrame, parseFrame } from "../frames/parse-frame.ts";
import { emptyHead, type FrameHead, headOf, nack } from "../frames/replies.ts";
import type { Feature, RequestFrame, ResponseFrame } from "../frames/types.ts";
import { isPrincipal, narrow } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { AdmissionResult } from "../store/frame-types.ts";
import { answerHello } from "./control-frames.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { answerUnadmitted } from "./repeated-frame.ts";
import { type Asked, knownOf, type Numbered, nameAsync, runFrame, sentCalls } from "./run-frame.ts";
import type { FrameContext } from "./types.ts";

/**
 * Turns frames into answers. In this order (TRP v0.1 draft, 8.1, and the precedence of ids): shape, who, session, frame
 * id, seq, call ids, then what the frame asks for. Nothing is waited for but what takes time: a store that answers at
 * once, and a capability that does, make an answer at once.
 */
export class FrameHandler {
  readonly #deps: FrameDependencies;

  constructor(deps: FrameDependencies) {
    this.#deps = deps;
  }

  /** Returns the answer to a frame. Total: it never rejects. */
  handle(input: unknown, context: FrameContext): Promise<ResponseFrame> {
    const parsed = parseFrame(input, this.#deps.limits);
    if (this.#deps.emitter.active) return this.#reported(parsed, context);
    return asPromise(this.#traced(parsed, context));
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

  #traced(parsed: ParsedFrame, context: FrameContext): MaybePromise<ResponseFrame> {
    const { spans } = this.#deps;
    if (spans === undefined) return this.#answer(parsed, context);
    const type = "frame" in parsed ? parsed.frame.frame_type : undefined;
    const head = "frame" in parsed ? headOf(parsed.frame) : parsed.head;
    return spans.frame({ type, head, trace: context?.trace }, () => this.#answer(parsed, context));
  }

  #answer(parsed: ParsedFrame, context: FrameContext): MaybePromise<ResponseFrame> {
    const { lifecycle } = this.#deps;
    let head: FrameHead = emptyHead;
    let who: Principal | undefined;
    lifecycle.begin();
    const end = (reply: ResponseFrame): ResponseFrame => {
      lifecycle.end();
      return reply;
    };
    return whenDone(
      () => {
        const given: unknown = context?.principal;
        who = isPrincipal(given) ? given : undefined;
        head = "fault" in parsed ? parsed.head : headOf(parsed.frame);
        return this.#taken(parsed, head, who, context);
      },
      end,
      // Only the store can fail here, and before anything was dispatched: the path of a call never rejects.
      () => this.#refuse(head, storeDown(), who).then(end),
    );
  }

  #taken(
    parsed: ParsedFrame,
    head: FrameHead,
    who: Principal | undefined,
    context: FrameContext,
  ): MaybePromise<ResponseFrame> {
    const { lifecycle, narrowed } = this.#deps;
    if ("fault" in parsed) return this.#refuse(head, parsed.fault, who);
    const { frame } = parsed;
    nameAsync(frame);
    if (who === undefined) return this.#refuse(head, fault("TRP_4007"), undefined);
    if (lifecycle.closing()) {
      return this.#refuse(head, fault("TRP_5003", "The router is closing; it takes no more frames."), who);
    }
    const principal = narrow(who, frame.auth_context);
    if (principal !== who) narrowed(principal, who);
    if (frame.frame_type === "HELLO_REQ") return answerHello(this.#deps, { frame, head, principal });
    return andThen(this.#featureFault(frame, principal), (ungranted) => {
      if (ungranted !== undefined) return this.#refuse(head, ungranted, who);
      const { sent, calls } = sentCalls(frame, principal);
      return this.#admit({ frame, head, principal, context, sent, calls }, this.#mayExpect(frame));
    });
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
  #featureFault(frame: Numbered, { tenant, id }: Principal): MaybePromise<Fault | undefined> {
    const { frame_type: type, session_id: sessionId } = frame;
    const feature = featureOf[type];
    if (feature === undefined || sessionId === null) return undefined;
    return this.#deps.store.sessions.read(sessionId, { tenant, principal: id }).then((session) => {
      if (session === undefined || session.features.includes(feature)) return undefined;
      return fault("TRP_5000", `frame_type: ${type} needs the feature ${feature}, which this session does not have.`, {
        fix: `Open a session with features: ["${feature}"].`,
      });
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

  #admit(asked: Asked, mayExpect: boolean): MaybePromise<ResponseFrame> {
    const { frame, calls, principal } = asked;
    const admitted = this.#deps.sessions.admit(frame, calls, principal, mayExpect);
    return andThen(admitted, (result) => this.#proceed(asked, result));
  }

  /** Answers a frame by the result of its admission, or by the result that the store expects. */
  #proceed(asked: Asked, result: AdmissionResult): MaybePromise<ResponseFrame> {
    if (result.status !== "admitted") return answerUnadmitted(this.#deps, asked, result);
    const { session, calls, pending } = result;
    const { frame, head, principal, context, sent } = asked;
    const admission = pending && new PendingAdmission(pending, session.view);
    // Written out: a spread costs every call more than all that is in it.
    const admitted = { frame, head, principal, context, sent, session, known: knownOf(calls), admission };
    return admission === undefined ? runFrame(this.#deps, admitted) : this.#expected(asked, admitted, admission);
  }

  /** Answers a frame while its admission is pending, and once more when that did not become as the store expected. */
  #expected(asked: Asked, admitted: AdmittedFrame<Numbered>, admission: PendingAdmission): MaybePromise<ResponseFrame> {
    return whenDone<ResponseFrame, ResponseFrame>(
      () => andThen(runFrame(this.#deps, admitted), (reply) => andThen(admission.confirm(), () => reply)),
      (reply) => reply,
      (error) => this.#unexpected(asked, admitted, admission, error),
    );
  }

  async #unexpected(
    asked: Asked,
    admitted: AdmittedFrame<Numbered>,
    admission: PendingAdmission,
    error: unknown,
  ): Promise<ResponseFrame> {
    const { head, principal } = asked;
    // The start of the call may be committed with the admission.
    if (mayBeCommitted(error)) {
      return inProgress(head, 200, { now: this.#deps.store.now(), expectedSeq: admitted.session.expectedSeq });
    }
    if (!(error instanceof NotAsExpected)) {
      if (admission.hasRun) return await this.#refuse(head, notRecorded(), principal);
      throw error;
    }
    const found = await admission.result;
    // The frames before it may still come.
    return await (found.status === "gap" ? this.#admit(asked, false) : this.#proceed(asked, found));
  }
}

/** Frames that a session may only send when it has a feature. */
const featureOf: Partial<Record<RequestFrame["frame_type"], Feature>> = {
  CALL_DAG_REQ: "CALL_DAG",
  CANCEL_REQ: "CANCEL",
};
