import { createRecord } from "@toolglot/core";
import type { RunOptions } from "../calls/dependencies.ts";
import { dependencyFault, dependencyState } from "../calls/depends-on.ts";
import { denied } from "../calls/faults.ts";
import { settledToOutcome } from "../calls/outcome.ts";
import type { IncomingCall, Settled } from "../calls/types.ts";
import { fault, isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import { isThenable } from "../execution/thenable.ts";
import type { CallItem, RequestOf, ResponseFrame } from "../frames/types.ts";
import { isOperationOf } from "../operations/operation-data.ts";
import { decide } from "../policy/decide.ts";
import { policySubject } from "../policy/subject.ts";
import { nothingKnown } from "../store/session-rules.ts";
import type { Answer, CallOutcome, KnownCall } from "../store/types.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { inProgress, outcomeReply } from "./known-calls.ts";
import { callFacts, noteRefusal } from "./refusals.ts";

/** Answers a `CALL_REQ` (TRP v0.1 draft, 6.2.1), and records the answer. */
export async function answerCall(
  deps: FrameDependencies,
  admitted: AdmittedFrame<RequestOf<"CALL_REQ">>,
): Promise<ResponseFrame> {
  const { store } = deps;
  const { frame, head, session } = admitted;
  const item = frame.payload;
  // Looking for a name is not free, and mostly there is none.
  const known = admitted.known === nothingKnown ? undefined : admitted.known[item.call_id];
  const options = (): { now: number; expectedSeq: number } => ({ now: store.now(), expectedSeq: session.expectedSeq });

  if (known?.status === "known") {
    const { outcome } = known.call;
    if (known.call.operation === undefined && outcome !== undefined && isKept(outcome)) {
      const reply = outcomeReply(head, outcome, options());
      // Not recorded, it would be made again in the same way.
      await store.sessions.answer({ ...at(admitted), reply, outcomes: {} }).catch(() => {});
      return reply;
    }
    if (deps.running.has(session.id, "call", item.call_id)) return inProgress(head, 200, options());
  }

  let last: { settled: Settled; answer: Answer | undefined; reply: ResponseFrame } | undefined;
  function told(settled: Settled): NonNullable<typeof last> {
    if (last?.settled === settled) return last;
    const outcome = settledToOutcome(settled, { item, frameId: frame.frame_id }, features(admitted));
    if (outcome === undefined) {
      const wait = settled.kind === "in-progress" ? settled.retryAfterMs : 0;
      last = { settled, answer: undefined, reply: inProgress(head, wait, options()) };
    } else {
      const reply = outcomeReply(head, outcome, options());
      const changed = staysAsItWas(known, outcome) ? undefined : { callId: item.call_id, outcome };
      last = { settled, answer: new CallAnswer(admitted, reply, changed), reply };
    }
    return last;
  }

  const answering = deps.running.begin(session.id, "frame", frame.frame_id);
  try {
    const settled = await settleItem(deps, admitted, item, known, {
      answer: (how) => told(how).answer,
      dependencies: true,
    });
    return told(settled).reply;
  } finally {
    deps.running.end(answering);
  }
}

/** The answer of a frame with one call. Its outcomes by name are made for those who look at them. */
class CallAnswer implements Answer {
  readonly sessionId: string;
  readonly frameId: string;
  readonly reply: ResponseFrame;
  readonly only?: { readonly callId: string; readonly outcome: CallOutcome };

  constructor({ session, frame }: AdmittedFrame, reply: ResponseFrame, only: CallAnswer["only"]) {
    this.sessionId = session.id;
    this.frameId = frame.frame_id;
    this.reply = reply;
    if (only !== undefined) this.only = only;
  }

  get outcomes(): Record<string, CallOutcome> {
    const outcomes = createRecord<CallOutcome>();
    if (this.only !== undefined) outcomes[this.only.callId] = this.only.outcome;
    return outcomes;
  }
}

/** How one call of an admitted frame is settled. */
export interface SettleOptions extends RunOptions {
  /** Looks at `depends_on`; a batch does so by itself. */
  dependencies: boolean;
}

/** Brings one call of an admitted frame to its end: what can be said before its capability is known, then the pipeline. */
export async function settleItem(
  deps: FrameDependencies,
  admitted: AdmittedFrame,
  item: CallItem,
  known: KnownCall | undefined,
  options: SettleOptions,
): Promise<Settled> {
  const { store, registry, pipeline, running, stop } = deps;
  const { session } = admitted;
  const isReused = known?.status === "reused";
  const stopping = stop.take();
  const { signal } = stopping;
  const calling = isReused ? undefined : running.begin(session.id, "call", item.call_id);
  try {
    let reason: Fault | undefined = isReused ? fault("TRP_1007") : undefined;
    const dependsOn = item.depends_on ?? [];
    if (reason === undefined && options.dependencies && dependsOn.length > 0) {
      reason = await dependencyFault(dependsOn, (callId) => dependencyState(store, session.id, callId));
    }
    if (reason === undefined) {
      const resolved = registry.resolve(session, admitted.principal, item, admitted.frame.catalog_epoch);
      const found = isThenable(resolved) ? await resolved : resolved;
      if (!isFault(found)) {
        const { frame, principal } = admitted;
        const call: IncomingCall = {
          item,
          session,
          principal,
          traceId: frame.trace_id,
          frameId: frame.frame_id,
          seq: frame.seq ?? 0,
          catalogEpoch: frame.catalog_epoch ?? 0,
          signal,
          capability: found,
        };
        return await pipeline.run(call, options);
      }
      reason = found;
    }
    return await refuse(deps, admitted, item, known, options, reason, signal);
  } finally {
    if (calling !== undefined) running.end(calling);
    stop.giveBack(stopping);
  }
}

/** Refuses a call that the pipeline has not seen, unless it was done before. */
async function refuse(
  deps: FrameDependencies,
  admitted: AdmittedFrame,
  item: CallItem,
  known: KnownCall | undefined,
  options: SettleOptions,
  reason: Fault,
  signal: AbortSignal,
): Promise<Settled> {
  const { store } = deps;
  const earlier = known?.status === "known" ? await earlierEnd(deps, admitted, item, known) : undefined;
  const settled: Settled = earlier ?? { kind: "refused", fault: reason };
  const answer = options.answer?.(settled);
  if (earlier === undefined) {
    await noteRefusal(deps, callFacts(admitted, item, signal), reason);
    if (answer !== undefined) await store.sessions.answer(answer);
  } else if (answer !== undefined) {
    // Not recorded, it would be told again in the same way.
    await store.sessions.answer(answer).catch(() => {});
  }
  return settled;
}

/**
 * How a call ended that is sent again after its capability has changed or gone, or a dependency failed: that its effect
 * happened is no question of these. Nothing for whoever may not use it any more.
 */
async function earlierEnd(
  { registry, policy, pipeline, store }: FrameDependencies,
  { principal }: AdmittedFrame,
  item: CallItem,
  { call }: Extract<KnownCall, { status: "known" }>,
): Promise<Settled | undefined> {
  if (call.operation === undefined) return undefined;
  const registered = registry.get(item.cap_id);
  if (registered !== undefined && !registry.visible(principal).includes(registered)) return undefined;
  const settled = await pipeline.look(call.operation);
  if (settled === undefined || settled.kind === "in-progress") return undefined;
  // What the key did for another call, with other arguments perhaps, is not how this one ended.
  if (!isOperationOf(await store.operations.read(call.operation), call)) return undefined;
  if (registered === undefined) return settled;
  const decision = await decide(policy, {
    principal,
    capability: policySubject(registered),
    args: item.args,
    now: store.now(),
    phase: "start",
  });
  return decision.decision === "deny" ? { kind: "refused", fault: denied(decision) } : settled;
}

/** Whether a call without a key that is sent again has its answer: else it may well be run again. */
export function isKept({ type, payload }: CallOutcome): boolean {
  return type === "RESULT" || (payload.dispatched && !payload.retryable);
}

/** What happened is not undone by a refusal to do it again, and an id that belongs to another call keeps its outcome. */
export function staysAsItWas(known: KnownCall | undefined, outcome: CallOutcome): boolean {
  if (known === undefined || known.status === "new") return false;
  if (known.status === "reused") return true;
  return known.call.outcome?.type === "RESULT" && outcome.type === "NACK" && !outcome.payload.dispatched;
}

function features({ session }: AdmittedFrame): { resultFailed: boolean } {
  return { resultFailed: session.features.includes("RESULT_FAILED") };
}

function at({ session, frame }: AdmittedFrame): { sessionId: string; frameId: string } {
  return { sessionId: session.id, frameId: frame.frame_id };
}
