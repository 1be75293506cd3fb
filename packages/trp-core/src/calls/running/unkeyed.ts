import type { ProgressUpdate } from "../../catalog/types.ts";
import { type Fault, isFault } from "../../frames/fault.ts";
import { inRunSpan } from "../../tracing/spans.ts";
import { type Checked, decideCall } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { proofOf, usageOf } from "../ending.ts";
import { emit, emitExecuted, handedOver } from "../events.ts";
import { executorError, executorFailed, keyForApproval, notApplied, timedOut } from "../faults.ts";
import type { PendingAdmission } from "../keyed/pending-admission.ts";
import { refused } from "../outcome.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, Execution, Settled } from "../types.ts";
import { cancelledInTime, cancelledMidway, isCancelled } from "./cancel.ts";
import { type PartOptions, PartWriter } from "./parts.ts";
import { type Chosen, nextOf, noAdapter, Route, timeLeft } from "./route.ts";

/**
 * Runs a call without a key. Such a call may always run again, so no operation stands for it. One without effects runs while
 * the admission of its frame is pending, so that both are committed with its answer.
 */
export async function runUnkeyed(
  dependencies: CallDependencies,
  context: CallContext,
  { args, fingerprint }: Checked,
): Promise<Settled> {
  const { executor, places, failpoint, store, shaper, spans } = dependencies;
  const { capability, item, traceId, principal, stop, admission } = context.call;
  const { effect } = capability.definition;
  const isEarly = effect === "pure" && admission?.isMet === false && admission.mayAnswer;
  if (!isEarly) await admission?.confirm();
  const route = new Route({ capability, principal, args, effect });
  const found = route.find(store.now());
  if (isFault(found)) return refused(found);
  const timeoutMs = timeoutOf(context.call);
  const taken = places.take(capability, { timeoutMs, stop });
  const release = taken instanceof Promise ? await whenAdmitted(admission, taken) : taken;
  if (isFault(release)) return refused(release);
  try {
    if (taken instanceof Promise) {
      // Time has passed: what was allowed then may not be now.
      const again = await decideCall(dependencies, context, { args, fingerprint, phase: "start" });
      if (isFault(again)) return refused(again);
      if (again.decision === "approve") return refused(keyForApproval(capability.capId));
    }
    const first = route.take(store.now());
    context.adapterMs = route.adapterMs;
    if (isFault(first)) return refused(first);
    if (first === noAdapter) throw new Error("nothing was tried yet");
    if (isCancelled(stop)) return refused(cancelledInTime());
    context.route = route;
    if (context.call.cancellable) context.call.cancellable.isStarted = true;
    const before = performance.now();
    if (isEarly) {
      admission.hasRun = true;
      // It may run for long: then others hear of it as soon as its frame is admitted.
      admission.follow();
    }
    const parts =
      context.onParts && new PartWriter({ attempt: 1, onParts: listenerOf(context), now: () => store.now() });
    const progress = (update: ProgressUpdate | string): void => parts?.report(update);
    const given = { callId: item.call_id, traceId, principal, attempt: 1, progress };
    let chosen: Chosen = first;
    let execution: Execution;
    for (;;) {
      const ms = route.isSingle ? timeoutMs : timeLeft(chosen, timeoutMs, before);
      const { native, adapter } = chosen;
      const run = (): Promise<Execution> => executor.run(capability, native, given, stop, ms, adapter);
      execution = await inRunSpan(spans, { verb: "run", capability, adapter, attempt: 1 }, run);
      if (route.isSingle) break;
      route.ended(execution, store.now(), stop.aborted);
      const leftMs = timeoutMs - (performance.now() - before);
      const next = stop.aborted ? undefined : nextOf(route, execution, { now: store.now(), leftMs });
      if (next === undefined) break;
      emit(dependencies, context, handedOver(chosen, next));
      chosen = next;
    }
    if (parts !== undefined) await parts.close();
    context.executorMs = performance.now() - before;
    if (failpoint !== undefined) await failpoint("after-effect", item.call_id);
    emitExecuted(dependencies, context);
    if (execution.kind === "done") {
      const shaped = shaper.shape(capability, execution.value, principal);
      const result = shaped instanceof Promise ? await shaped : shaped;
      return { kind: "success", result, usage: usageOf(context), ...proofOf(context) };
    }
    if (execution.kind === "unknown" && isCancelled(stop)) {
      return failed(context, cancelledMidway(effect !== "pure"));
    }
    return failed(context, faultOf(execution, timeoutMs));
  } catch {
    return failed(context, executorError("The router failed while it ran."));
  } finally {
    route.close();
    release();
  }
}

/** Waits for a place, once the frame is admitted: that can take long. */
async function whenAdmitted(
  admission: PendingAdmission | undefined,
  place: Promise<(() => void) | Fault>,
): Promise<(() => void) | Fault> {
  try {
    await admission?.confirm();
  } catch (error) {
    void place.then((release) => isFault(release) || release());
    throw error;
  }
  return await place;
}

/** What a call reports goes to its caller; nobody hears of a frame that isn't admitted. */
function listenerOf({ onParts, call: { admission } }: CallContext): PartOptions["onParts"] {
  if (onParts === undefined || admission === undefined || admission.isMet) return onParts;
  return async (events) => {
    await admission.confirm();
    onParts(events);
  };
}

function failed(context: CallContext, fault: Fault): Settled {
  return { kind: "failed", fault, usage: usageOf(context), ...proofOf(context) };
}

function faultOf(execution: Exclude<Execution, { kind: "done" }>, timeoutMs: number): Fault {
  const { message } = execution;
  if (execution.kind === "failed") return executorFailed(message, execution.transient, false);
  if (execution.kind === "not-applied") return notApplied(message);
  return execution.timedOut ? timedOut(timeoutMs) : executorError(message);
}
