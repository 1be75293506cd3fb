import { andThen, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
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
export function runUnkeyed(
  dependencies: CallDependencies,
  context: CallContext,
  checked: Checked,
): MaybePromise<Settled> {
  const { capability, admission } = context.call;
  const isEarly = capability.definition.effect === "pure" && admission?.isMet === false && admission.mayAnswer;
  if (isEarly) return new UnkeyedRun(dependencies, context, checked, admission).run();
  return andThen(admission?.confirm(), () => new UnkeyedRun(dependencies, context, checked).run());
}

class UnkeyedRun {
  readonly #dependencies: CallDependencies;
  readonly #context: CallContext;
  readonly #checked: Checked;
  /** The admission while which it runs. */
  readonly #early: PendingAdmission | undefined;
  readonly #route: Route;
  readonly #timeoutMs: number;
  #parts: PartWriter | undefined;
  /** When the first adapter was started. */
  #began = 0;

  constructor(dependencies: CallDependencies, context: CallContext, checked: Checked, early?: PendingAdmission) {
    const { capability, principal } = context.call;
    this.#dependencies = dependencies;
    this.#context = context;
    this.#checked = checked;
    this.#early = early;
    this.#route = new Route({ capability, principal, args: checked.args, effect: capability.definition.effect });
    this.#timeoutMs = timeoutOf(context.call);
  }

  run(): MaybePromise<Settled> {
    const { places } = this.#dependencies;
    const { capability, stop, admission } = this.#context.call;
    const found = this.#route.find(this.#now());
    if (isFault(found)) return refused(found);
    const taken = places.take(capability, { timeoutMs: this.#timeoutMs, stop });
    if (taken instanceof Promise) {
      return whenAdmitted(admission, taken).then((release) => this.#placed(release, () => this.#decideAgain()));
    }
    return this.#placed(taken, () => this.#start());
  }

  #placed(release: (() => void) | Fault, go: () => MaybePromise<Settled>): MaybePromise<Settled> {
    if (isFault(release)) return refused(release);
    const end = (settled: Settled): Settled => {
      this.#route.close();
      release();
      return settled;
    };
    return whenDone(go, end, () => end(this.#failed(executorError("The router failed while it ran."))));
  }

  /** Time has passed: what was allowed then may not be now. */
  #decideAgain(): MaybePromise<Settled> {
    const { args, fingerprint } = this.#checked;
    return andThen(decideCall(this.#dependencies, this.#context, { args, fingerprint, phase: "start" }), (again) => {
      if (isFault(again)) return refused(again);
      if (again.decision === "approve") return refused(keyForApproval(this.#context.call.capability.capId));
      return this.#start();
    });
  }

  #start(): MaybePromise<Settled> {
    const context = this.#context;
    const { store } = this.#dependencies;
    const { stop, cancellable } = context.call;
    const first = this.#route.take(this.#now());
    context.adapterMs = this.#route.adapterMs;
    if (isFault(first)) return refused(first);
    if (first === noAdapter) throw new Error("nothing was tried yet");
    if (isCancelled(stop)) return refused(cancelledInTime());
    context.route = this.#route;
    if (cancellable) cancellable.isStarted = true;
    this.#began = performance.now();
    if (this.#early !== undefined) {
      this.#early.hasRun = true;
      // It may run for long: then others hear of it as soon as its frame is admitted.
      this.#early.follow();
    }
    const onParts = listenerOf(context);
    if (onParts !== undefined) this.#parts = new PartWriter({ attempt: 1, onParts, now: () => store.now() });
    return andThen(this.#runWith(first), (execution) => this.#ended(execution));
  }

  /** Runs an adapter; and the next ones, as long as one may go on where the one before has ended. */
  #runWith(chosen: Chosen): MaybePromise<Execution> {
    const { executor, spans, store } = this.#dependencies;
    const { capability, item, traceId, principal, stop } = this.#context.call;
    const { native, adapter } = chosen;
    const progress = (update: ProgressUpdate | string): void => this.#parts?.report(update);
    const given = { callId: item.call_id, traceId, principal, attempt: 1, progress };
    const route = this.#route;
    const ms = route.isSingle ? this.#timeoutMs : timeLeft(chosen, this.#timeoutMs, this.#began);
    const run = (): MaybePromise<Execution> => executor.run(capability, native, given, stop, ms, adapter);
    const running = inRunSpan(spans, { verb: "run", capability, adapter, attempt: 1 }, run);
    if (route.isSingle) return running;
    return andThen(running, (execution) => {
      route.ended(execution, store.now(), stop.aborted);
      const leftMs = this.#timeoutMs - (performance.now() - this.#began);
      const next = stop.aborted ? undefined : nextOf(route, execution, { now: store.now(), leftMs });
      if (next === undefined) return execution;
      emit(this.#dependencies, this.#context, handedOver(chosen, next));
      return this.#runWith(next);
    });
  }

  /** The time, where the route asks for it: when there is something to choose. */
  #now(): number {
    return this.#route.isSingle ? 0 : this.#dependencies.store.now();
  }

  #ended(execution: Execution): MaybePromise<Settled> {
    const context = this.#context;
    const { failpoint, shaper } = this.#dependencies;
    const { capability, item, principal, stop } = context.call;
    return andThen(this.#parts?.close(), () => {
      context.executorMs = performance.now() - this.#began;
      return andThen(failpoint?.("after-effect", item.call_id), () => {
        emitExecuted(this.#dependencies, context);
        if (execution.kind === "done") {
          return andThen(shaper.shape(capability, execution.value, principal), (result) => {
            const settled: Settled = { kind: "success", result, usage: usageOf(context) };
            if (context.proof !== undefined) settled.proof = context.proof;
            return settled;
          });
        }
        if (execution.kind === "unknown" && isCancelled(stop)) {
          return this.#failed(cancelledMidway(capability.definition.effect !== "pure"));
        }
        return this.#failed(faultOf(execution, this.#timeoutMs));
      });
    });
  }

  #failed(fault: Fault): Settled {
    return { kind: "failed", fault, usage: usageOf(this.#context), ...proofOf(this.#context) };
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

function faultOf(execution: Exclude<Execution, { kind: "done" }>, timeoutMs: number): Fault {
  const { message } = execution;
  if (execution.kind === "failed") return executorFailed(message, execution.transient, false);
  if (execution.kind === "not-applied") return notApplied(message);
  return execution.timedOut ? timedOut(timeoutMs) : executorError(message);
}
