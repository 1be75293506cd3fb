import { andFinally, andThen, keepLease, type Lease, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { ProbeResult, ProgressUpdate } from "../../catalog/types.ts";
import { isFault } from "../../frames/fault.ts";
import { inRunSpan } from "../../tracing/spans.ts";
import type { CallDependencies, Failpoint } from "../dependencies.ts";
import { emitExecuted, emitNow, handedOver, pendingEvents } from "../events.ts";
import { executorError, executorFailed, notApplied, notAppliedThisTime, timedOut } from "../faults.ts";
import { downstreamKey } from "../keyed/keys.ts";
import { effectBegun, isRerunnable, type OperationData, routeData, toJson } from "../keyed/operation-data.ts";
import { OutcomeWriter, type StartedCall } from "../keyed/outcome-writer.ts";
import type { Execution, Settled } from "../types.ts";
import { cancelledMidway, isCancelled, watched } from "./cancel.ts";
import { PartWriter } from "./parts.ts";
import { askProbe } from "./probe.ts";
import { type Chosen, nextOf, noAdapter, timeLeft } from "./route.ts";

/**
 * Runs a started operation and commits its outcome. A call succeeds only when its success is committed. When the router
 * loses the claim meanwhile, the outcome is the one in the operation's record. Never rejects.
 */
export function dispatch(dependencies: CallDependencies, started: StartedCall): MaybePromise<Settled> {
  const { store, times } = dependencies;
  const { call } = started.context;
  const lease = keepLease(call.cancellable ? watched(store, call.cancellable) : store.operations, started.claim, {
    leaseMs: times.leaseMs,
    leaseUntil: started.leaseUntil,
    now: () => store.now(),
    signal: () => call.stop.signal,
  });
  return andFinally(
    () => new Dispatch(dependencies, started, lease).run(),
    () => void lease.stop(),
  );
}

class Dispatch {
  readonly #dependencies: CallDependencies;
  readonly #started: StartedCall;
  readonly #lease: Lease;
  readonly #operationKey: string;
  readonly #began: number = performance.now();
  #chosen: Chosen;
  /** The same data as in the operation's record. */
  #data: OperationData;
  /** Created by the first partial result, because most capabilities report none. */
  #parts: PartWriter | undefined;
  readonly #end: OutcomeWriter;

  constructor(dependencies: CallDependencies, started: StartedCall, lease: Lease) {
    this.#dependencies = dependencies;
    this.#started = started;
    this.#lease = lease;
    this.#end = new OutcomeWriter(dependencies, started, lease);
    this.#chosen = started.chosen;
    this.#data = started.data;
    this.#operationKey = downstreamKey(started.claim, dependencies.downstreamSecret);
  }

  run(): MaybePromise<Settled> {
    return whenDone<Settled, Settled>(
      () => andThen(this.#point("after-start"), () => (this.#started.askFirst ? this.#askFirst() : this.#attempt())),
      (settled) => settled,
      () => this.#fail(),
    );
  }

  /** A fault of the router itself between start and finish: it is only certain that the operation was started. */
  async #fail(): Promise<Settled> {
    if (this.#end.settled !== undefined) return this.#end.settled;
    try {
      return await this.#endUnknown({ kind: "unknown", message: "The router failed while it ran.", timedOut: false });
    } catch {
      return this.#end.settled ?? this.#end.unrecorded();
    }
  }

  async #askFirst(): Promise<Settled> {
    // Fences only rise, so every earlier attempt had this fence or a lower one.
    const found = await this.#ask(this.#started.claim.fence - 1);
    if (found.state === "unknown") return await this.#end.doubt("asked, the capability did not know");
    const mayRun = found.state === "not-applied" && !isCancelled(this.#started.context.call.stop);
    if (!mayRun || !(await this.#chooseAnew())) return await this.#endProbed(found);
    return await this.#attempt();
  }

  /** Runs the chosen adapter, and those after it. */
  #attempt(): MaybePromise<Settled> {
    // If this router stood still and another one has taken over, the call must not begin here.
    return andThen<boolean, Settled>(this.#lease.hold(), (isHeld) => {
      if (!isHeld) return this.#end.lost();
      return andThen<Execution, Settled>(this.#execute(), (execution) =>
        this.#started.route.isSingle ? this.#ended(execution) : this.#goOn(execution),
      );
    });
  }

  /** Ends with an execution, or turns to the next adapter. */
  async #goOn(ended: Execution): Promise<Settled> {
    const { claim, route } = this.#started;
    let execution = ended;
    if (execution.kind === "unknown" && route.effect === "probe") {
      const found = await this.#ask(claim.fence);
      if (found.state === "unknown") return await this.#end.doubt(execution.message);
      if (found.state !== "not-applied") return await this.#endProbed(found);
      execution = { kind: "not-applied", message: "It had no effect." };
    }
    const next = this.#next(execution);
    if (next === undefined) return await this.#ended(execution);
    if (!(await this.#hand(next))) return this.#end.settled ?? (await this.#end.lost());
    return await this.#attempt();
  }

  /** Lets any adapter run after an earlier attempt that did nothing. False when none can. */
  async #chooseAnew(): Promise<boolean> {
    const { route } = this.#started;
    if (route.isSingle) return true;
    route.cleared();
    const next = route.take(this.#dependencies.store.now());
    if (next === noAdapter || isFault(next)) return false;
    return next.adapter === this.#chosen.adapter || (await this.#hand(next));
  }

  /** Runs the chosen adapter once. */
  #execute(): MaybePromise<Execution> {
    const { context, claim } = this.#started;
    const { call } = context;
    const before = performance.now();
    const given = this.#executeContext(claim.fence);
    const { adapter, native } = this.#chosen;
    const { executor, spans } = this.#dependencies;
    const run = (): MaybePromise<Execution> =>
      executor.run(call.capability, native, given, this, this.#timeLeft(), adapter);
    const about = { verb: "run" as const, capability: call.capability, adapter, attempt: given.attempt };
    return andThen(inRunSpan(spans, about, run), (execution) => {
      context.executorMs += performance.now() - before;
      return andThen(this.#point("after-effect"), () => execution);
    });
  }

  /** Whether the run is to end: the call was cancelled, or its lease is lost. */
  get aborted(): boolean {
    return this.#started.context.call.stop.aborted || this.#lease.loss !== undefined;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /** How long the chosen adapter may run: never longer than the time that the call has left. Milliseconds. */
  #timeLeft(): number {
    const { timeoutMs, route } = this.#started;
    return route.isSingle ? timeoutMs : timeLeft(this.#chosen, timeoutMs, this.#began);
  }

  /** Returns the adapter that runs next; undefined when the call ends with this execution. */
  #next(execution: Execution): Chosen | undefined {
    const { route, timeoutMs } = this.#started;
    const isStopped = this.aborted;
    route.ended(execution, this.#dependencies.store.now(), isStopped);
    if (isStopped) return undefined;
    return nextOf(route, execution, {
      now: this.#dependencies.store.now(),
      leftMs: timeoutMs - (performance.now() - this.#began),
    });
  }

  /** Hands the operation to another adapter, and commits its name before it starts. False when the commit fails. */
  async #hand(next: Chosen): Promise<boolean> {
    const { claim, route, context } = this.#started;
    const { operations } = this.#dependencies.store;
    const { adapter: _, system: __, earlier: ___, ...rest } = this.#data;
    const data: OperationData = { ...rest, ...routeData(next, route.failed) };
    const handed = handedOver(this.#chosen, next);
    const events = pendingEvents(this.#dependencies, context, handed);
    const written = await this.#end.retry(() => operations.begin(claim, toJson(data), events));
    if (written === undefined) this.#end.settled = this.#end.unrecorded();
    if (written !== true) return false;
    context.pendingEvents = [];
    emitNow(this.#dependencies, context, handed);
    this.#data = data;
    this.#chosen = next;
    if (this.#dependencies.failpoint) await this.#point("after-start");
    return true;
  }

  /** Ends the operation with the end of its last attempt. */
  #ended(execution: Execution): MaybePromise<Settled> {
    // The parts are written before the outcome, so that a reader who sees the outcome can read all parts.
    return andThen(this.#parts?.close(), () => {
      emitExecuted(this.#dependencies, this.#started.context);
      return this.#endBy(execution);
    });
  }

  #endBy(execution: Execution): MaybePromise<Settled> {
    switch (execution.kind) {
      case "done":
        return this.#end.done(execution.value);
      case "failed":
        return this.#failed(execution.message, execution.transient);
      case "not-applied":
        if (isCancelled(this.#started.context.call.stop)) return this.#end.released(cancelledMidway(false));
        if (this.#mayHaveHappened()) return this.#end.abandon(notAppliedThisTime(execution.message), this.#data);
        return this.#end.released(notApplied(execution.message));
      default:
        return this.#endUnknown(execution);
    }
  }

  /**
   * Ends with a definite failure. The next call with the key gets the same failure. When the key is that of an effect,
   * the key becomes free instead, because the effect was not done.
   */
  #failed(message: string, transient: boolean): MaybePromise<Settled> {
    const isFree = this.#started.context.call.capability.definition.effectKey !== undefined && !this.#mayHaveHappened();
    const fault = executorFailed(message, transient, !isFree);
    return isFree ? this.#end.released(fault) : this.#end.failed(fault);
  }

  /** The facts about the attempt that a capability gets. */
  #executeContext(fence: number): Parameters<typeof askProbe>[1] & { fence: number } {
    const { context, data } = this.#started;
    const { item, traceId, principal } = context.call;
    const progress = (update: ProgressUpdate | string): void => this.#report(update);
    const about = { callId: item.call_id, traceId, principal, operationKey: this.#operationKey };
    return { ...about, attempt: data.attempts, fence, progress };
  }

  #report(update: ProgressUpdate | string): void {
    const { store } = this.#dependencies;
    const { claim, data, context } = this.#started;
    this.#parts ??= new PartWriter({
      store: { parts: store.parts, claim },
      attempt: data.attempts,
      onParts: context.onParts,
      now: () => store.now(),
    });
    this.#parts.report(update);
  }

  /**
   * Checks whether an earlier attempt may have had an effect. In that case the key must not become free: a call with other
   * arguments could take it, and the caller would read that nothing happened. False for `probe`, where the capability
   * was asked and answered that there was no effect.
   */
  #mayHaveHappened(): boolean {
    const { data, route } = this.#started;
    const { effect } = this.#started.context.call.capability.definition;
    return (data.attempts > 1 || route.isOpenBefore) && isRerunnable(effect) && effect !== "pure";
  }

  /** It is unknown whether the effect happened. The declared effect of the capability decides what follows. */
  async #endUnknown(execution: Extract<Execution, { kind: "unknown" }>): Promise<Settled> {
    const { context, timeoutMs, claim } = this.#started;
    const { capability, stop } = context.call;
    const effect = effectBegun(capability.definition);
    if (isRerunnable(effect)) {
      if (isCancelled(stop)) return await this.#end.abandon(cancelledMidway(effect !== "pure"), this.#data);
      // The router lost its lease and aborted the run. The capability has not failed, and the router that takes the
      // operation over continues it.
      if (this.#lease.loss !== undefined) return await this.#end.lost();
      const fault = execution.timedOut ? timedOut(timeoutMs) : executorError(execution.message);
      return await this.#end.abandon(fault, this.#data);
    }
    if (effect === "probe") {
      // To learn what became of an opaque one may take long: of a router that closes, the next one asks.
      if (capability.definition.effect === "opaque" && stop.aborted && !isCancelled(stop))
        return await this.#end.lost();
      const found = await this.#ask(claim.fence);
      if (found.state !== "unknown") return await this.#endProbed(found);
    }
    return await this.#end.doubt(execution.message);
  }

  async #endProbed(found: Exclude<ProbeResult, { state: "unknown" }>): Promise<Settled> {
    switch (found.state) {
      case "done":
        return await this.#end.done(found.value);
      case "failed":
        return await this.#end.failed(executorFailed(found.message, false, true));
      default:
        if (isCancelled(this.#started.context.call.stop)) return await this.#end.released(cancelledMidway(false));
        return await this.#end.released(notApplied("It had no effect."));
    }
  }

  async #ask(fence: number): Promise<ProbeResult> {
    const context = this.#executeContext(fence);
    const { capability } = this.#started.context.call;
    const about = { verb: "probe" as const, capability, adapter: this.#chosen.adapter, attempt: context.attempt };
    const { spans } = this.#dependencies;
    return await inRunSpan(spans, about, () => askProbe(this.#chosen, context, this.#started.timeoutMs));
  }

  #point(name: Failpoint): void | Promise<void> {
    return this.#dependencies.failpoint?.(name, this.#started.context.call.item.call_id);
  }
}
