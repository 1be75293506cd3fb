import { andFinally, andThen, asPromise, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { RunOptions } from "../calls/dependencies.ts";
import { conclude } from "../calls/ending.ts";
import { denied } from "../calls/faults.ts";
import { operationOfCall } from "../calls/keyed/effect-key.ts";
import { busy, callReply, inProgress, noUsage, outcomeReply, refused, settledIfBegun } from "../calls/outcome.ts";
import { cancelledInTime, cancelledMidway, notAgain } from "../calls/running/cancel.ts";
import { dependencyFault, dependencyState } from "../calls/running/depends-on.ts";
import type { CallFacts, IncomingCall, PipelineResult, Settled } from "../calls/types.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import { type Fault, fault, isFault } from "../frames/fault.ts";
import { ack, replyTo } from "../frames/replies.ts";
import type { PartialResultPayload } from "../frames/results.ts";
import type { CallItem, RequestOf, ResponseFrame } from "../frames/types.ts";
import { decide, policySubject } from "../policy/decide.ts";
import type { Answer, CallOutcome, CallRecord, KnownCall } from "../store/frame-types.ts";
import { type AdmittedFrame, type FrameDependencies, partialSender, type SentCall } from "./frame-dependencies.ts";

/** Answers a `CALL_REQ` (TRP v0.1 draft, 6.2.1), and records the answer. */
export function answerCall(
  deps: FrameDependencies,
  admitted: AdmittedFrame<RequestOf<"CALL_REQ">>,
): MaybePromise<ResponseFrame> {
  const { store } = deps;
  const { frame, head, session } = admitted;
  const item = frame.payload;
  const known = admitted.known.get(item.call_id);
  if (known?.status === "known") {
    const options = { now: store.now(), expectedSeq: session.expectedSeq };
    const { outcome } = known.call;
    if (known.call.operation === undefined && outcome !== undefined && isKept(outcome)) {
      const reply = outcomeReply(head, outcome, options);
      return answered(deps, { sessionId: session.id, frameId: frame.frame_id, reply, outcomes: [] }, reply);
    }
    if (deps.inFlight.has(session.id, "call", item.call_id)) return inProgress(head, 200, options);
  }
  const end = deps.inFlight.begin(session.id, "frame", frame.frame_id);
  const onParts = admitted.context?.onPartial && partsListener(deps, admitted);
  const options: SettleOptions = { frame: { head, known }, dependencies: true, onParts };
  if (item.execution_mode === "ASYNC") {
    return answerAsync(deps, admitted, (onStarted) =>
      andFinally(() => settleItem(deps, admitted, item, known, { ...options, onStarted }), end),
    );
  }
  return whenDone<PipelineResult, ResponseFrame>(
    () => settleItem(deps, admitted, item, known, options),
    ({ reply }) => {
      end();
      return reply as ResponseFrame;
    },
    (error) => {
      end();
      throw error;
    },
  );
}

/** Records an answer, and goes on. If this write fails, a repeated frame gets the same reply again. */
export function answered<Value>({ store }: FrameDependencies, answer: Answer, value: Value): MaybePromise<Value> {
  const goOn = (): Value => value;
  return whenDone(() => store.sessions.answer(answer), goOn, goOn);
}

/** Sends parts to who sent the frame, if they listen. */
function partsListener(
  { store }: FrameDependencies,
  { frame, head, context }: AdmittedFrame<RequestOf<"CALL_REQ">>,
): RunOptions["onParts"] {
  const send = partialSender(context);
  if (send === undefined) return undefined;
  return (events) => {
    const last = events.at(-1)?.event_id ?? 0;
    const payload: PartialResultPayload = {
      call_id: frame.payload.call_id,
      status: "IN_PROGRESS",
      events,
      next_after_event_id: last,
      events_truncated: false,
      first_retained_event_id: events[0]?.event_id ?? null,
      last_event_id: last,
      terminal: false,
      final_available: false,
    };
    send(replyTo(head, "PARTIAL_RESULT", payload, { now: store.now() }));
  };
}

/**
 * Returns the answer to an ASYNC call: an ACK as soon as its start is committed. What ends before that is answered as it is: a
 * refusal, or the outcome of an earlier call.
 */
async function answerAsync(
  { store, lifecycle }: FrameDependencies,
  { head, session }: AdmittedFrame,
  run: (onStarted: () => void) => MaybePromise<PipelineResult>,
): Promise<ResponseFrame> {
  lifecycle.begin();
  return await new Promise<ResponseFrame>((resolve, reject) => {
    const accepted = (): void => {
      const retryHint = { action: "RESULT_QUERY" as const };
      resolve(ack(head, "ACCEPTED", { now: store.now(), expectedSeq: session.expectedSeq, retryHint }));
    };
    asPromise(andFinally(() => run(accepted), lifecycle.end)).then(
      ({ reply }) => resolve(reply as ResponseFrame),
      reject,
    );
  });
}

/** How one call of an admitted frame is settled. */
export interface SettleOptions extends RunOptions {
  /** Looks at `depends_on`; a batch does so by itself. */
  dependencies: boolean;
}

/**
 * Brings one call of an admitted frame to its end: refusals that need no capability, then the pipeline.
 */
export function settleItem(
  deps: FrameDependencies,
  admitted: AdmittedFrame,
  item: CallItem,
  known: KnownCall | undefined,
  options: SettleOptions,
): MaybePromise<PipelineResult> {
  const { spans, registry } = deps;
  const call = callFacts(deps, admitted, item);
  if (spans === undefined) return settleCall(deps, admitted, call, known, options);
  const about = { capability: registry.get(item.cap_id), settled: ({ settled }: PipelineResult) => settled };
  return spans.call(call, about, () => settleCall(deps, admitted, call, known, options));
}

function settleCall(
  deps: FrameDependencies,
  admitted: AdmittedFrame,
  call: CallFacts,
  known: KnownCall | undefined,
  options: SettleOptions,
): MaybePromise<PipelineResult> {
  const { store, registry, pipeline, inFlight } = deps;
  const { session, principal, frame } = admitted;
  const { item } = call;
  if (known?.status === "reused") return refuse(deps, call, known, options, fault("TRP_1007"));
  if (known?.status === "known" && known.call.isCancelled) {
    return refuse(deps, call, known, options, cancelledInTime(), () => cancelledBefore(deps, call, known.call));
  }
  const end = inFlight.begin(session.id, "call", item.call_id);
  const cancellable = session.features.includes("CANCEL")
    ? deps.cancellations.open(session.id, item.call_id, call.stop, isUntold(known))
    : undefined;
  if (cancellable !== undefined) {
    call.stop = cancellable;
    call.cancellable = cancellable;
  }
  const run = (found: RegisteredCapability | Fault): MaybePromise<PipelineResult> => {
    if (isFault(found)) return refuse(deps, call, known, options, found);
    const incoming = call as IncomingCall;
    incoming.capability = found;
    return pipeline.run(incoming, options);
  };
  return andFinally(
    () => {
      const { depends_on: dependsOn = [] } = item;
      const depends = options.dependencies && dependsOn.length > 0;
      const unready = depends
        ? dependencyFault(dependsOn, (callId) => dependencyState(store, session.id, callId))
        : undefined;
      return andThen(unready, (fault) =>
        andThen(fault ?? registry.resolve(session, principal, item, frame.catalog_epoch), run),
      );
    },
    () => {
      cancellable?.end();
      end();
    },
  );
}

/** Checks whether the call was sent before and its outcome is unknown. */
function isUntold(known: KnownCall | undefined): boolean {
  return known?.status === "known" && known.call.outcome === undefined;
}

/** A call without its capability, which may not be known. */
export function callFacts(
  { stop, auditFields }: Pick<FrameDependencies, "stop" | "auditFields">,
  { frame, session, principal, admission, sent }: AdmittedFrame,
  item: CallItem,
): CallFacts {
  const [first] = sent;
  const own = (first?.item === item ? first : sent.find((each) => each.item.call_id === item.call_id)) as SentCall;
  const { digest, operation } = own.call;
  return {
    admission,
    item,
    digest,
    argsText: own.item.args === item.args ? own.argsText : undefined,
    auditFields: auditFields?.({
      ...{ tenant: principal.tenant, principal: principal.id, capId: item.cap_id },
      ...{ key: item.idempotency_key ?? undefined, callId: item.call_id, agentId: session.agentId },
    }),
    operation,
    session,
    principal,
    traceId: frame.trace_id,
    frameId: frame.frame_id,
    seq: frame.seq ?? 0,
    catalogEpoch: frame.catalog_epoch ?? 0,
    stop,
  };
}

/**
 * Refuses a call before it reaches the pipeline. When the call was begun before, the answer is its state instead, and
 * then that of `otherwise`.
 */
async function refuse(
  deps: FrameDependencies,
  call: CallFacts,
  known: KnownCall | undefined,
  { frame }: SettleOptions,
  reason: Fault,
  otherwise?: () => Promise<Settled | undefined>,
): Promise<PipelineResult> {
  const earlier =
    (known?.status === "known" ? await earlierOutcome(deps, call, known) : undefined) ?? (await otherwise?.());
  if (earlier === undefined) return await conclude(deps, { call, frame }, refused(reason));
  if (frame === undefined) return { settled: earlier };
  const { reply, answer } = callReply(call, frame, earlier, deps.store.now());
  const result = { settled: earlier, reply };
  return answer === undefined ? result : await answered(deps, answer, result);
}

/**
 * Returns the state of a call that was cancelled and is sent again, and whose operation has no record. When the call was begun,
 * its recorded answer counts. Without an answer, a call without a key may be running in another router, or may have run
 * there. A call with a key is not running: the cancel mark has kept it from starting.
 */
async function cancelledBefore(
  { store, registry }: FrameDependencies,
  { item }: CallFacts,
  known: CallRecord,
): Promise<Settled | undefined> {
  // The call is read again after its operation: it may have ended since the frame was admitted, which only this shows.
  const { outcome = known.outcome } = (await store.sessions.readCall(known.sessionId, known.callId)) ?? known;
  const { operation, deadline } = known;
  if (outcome !== undefined || operation !== undefined) {
    const settled = settledIfBegun(outcome);
    return settled?.kind === "failed" ? { ...settled, fault: notAgain(settled.fault) } : settled;
  }
  if (deadline > store.now()) return busy();
  const effect = registry.get(item.cap_id)?.definition.effect;
  return { kind: "failed", fault: cancelledMidway(effect !== "pure"), usage: noUsage };
}

/**
 * Returns the state of a call that is sent again after it was cancelled, after its capability was changed or removed, or after
 * a dependency failed. None of these undoes its effect or stops another router. Undefined for a principal who may no
 * longer use the capability.
 */
async function earlierOutcome(
  { registry, policy, pipeline, store }: FrameDependencies,
  { principal, item }: CallFacts,
  { call }: Extract<KnownCall, { status: "known" }>,
): Promise<Settled | undefined> {
  if (call.operation === undefined) return undefined;
  const registered = registry.get(item.cap_id);
  if (registered !== undefined && !registry.visible(principal).includes(registered)) return undefined;
  const settled = await pipeline.inspect(call.operation);
  if (settled === undefined) return undefined;
  // The operation may belong to another call with the same key, perhaps with other arguments. Then it has no meaning
  // here.
  if ((await operationOfCall(store.operations, call)) === undefined) return undefined;
  if (registered === undefined) return settled;
  const decision = await decide(policy, {
    principal,
    capability: policySubject(registered),
    args: item.args,
    now: store.now(),
    phase: "start",
  });
  return decision.decision === "deny" ? refused(denied(decision)) : settled;
}

/**
 * Checks whether a call without a key that is sent again gets its earlier answer; otherwise it may run again. An unknown
 * outcome is not kept, because it may be known by now when the arguments name the effect.
 */
export function isKept({ type, payload }: CallOutcome): boolean {
  return type === "RESULT" ? payload.status !== "UNKNOWN" : payload.dispatched && !payload.retryable;
}
