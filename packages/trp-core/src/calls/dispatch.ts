import type { OperationClaim } from "@toolglot/core";
import { keepLease, type Lease, sleep } from "@toolglot/internal";
import type { ProbeResult, ProgressUpdate } from "../catalog/types.ts";
import { type Fault, isFault } from "../frames/fault.ts";
import type { ShapedResult } from "../frames/results.ts";
import type { SameTransaction } from "../store/types.ts";
import { cancelledMidway, isCancelled } from "./cancel.ts";
import type { CallDependencies } from "./dependencies.ts";
import { type CallContext, emitExecuted, emitHanded, proofOf, sameTransaction, usageOf } from "./ending.ts";
import { executorError, executorFailed, notApplied, notAppliedThisTime, outcomeUnknown, timedOut } from "./faults.ts";
import { downstreamKey } from "./keys.ts";
import { isRerunnable, type OperationData, routeData, toJson } from "./operation-data.ts";
import { busy, noUsage, settledFromRecord, storedOutcome } from "./outcome.ts";
import { PartWriter } from "./parts.ts";
import { askProbe } from "./probe.ts";
import { barred, type Chosen, nextOf, type Route, timeLeft } from "./route.ts";
import type { Execution, IncomingCall, Settled } from "./types.ts";

/** An operation that is STARTED and committed, to be run under its claim. */
export interface StartedCall {
  context: CallContext;
  claim: OperationClaim;
  leaseUntil: number;
  data: OperationData;
  route: Route;
  /** Committed with the start. */
  chosen: Chosen;
  timeoutMs: number;
  /** There was an attempt before, of which nobody knows what it did: the capability is asked first. */
  askFirst?: boolean;
}

/** Two ways to say what an attempt came to. */
type End = Extract<Settled, { kind: "success" | "failed" }>;

/**
 * Runs a started operation and commits its outcome. Success is only what was committed. When the claim was lost meanwhile,
 * the outcome is what the record says. Never rejects.
 */
export async function dispatch(dependencies: CallDependencies, started: StartedCall): Promise<Settled> {
  const { store, times } = dependencies;
  const { call } = started.context;
  const lease = keepLease(call.cancellable ? watched(store, call) : store.operations, started.claim, {
    leaseMs: times.leaseMs,
    leaseUntil: started.leaseUntil,
    now: () => store.now(),
    signal: call.signal,
  });
  try {
    return await new Dispatch(dependencies, started, lease).run();
  } finally {
    lease.stop();
  }
}

/** Renews the lease of a call, and looks whether it was cancelled through another router. */
function watched(
  { operations, sessions }: CallDependencies["store"],
  { session, item, cancellable }: IncomingCall,
): Pick<CallDependencies["store"]["operations"], "renew"> {
  return {
    async renew(claim, leaseMs) {
      const isRenewed = await operations.renew(claim, leaseMs);
      const found = await sessions.readCall(session.id, item.call_id).catch(() => undefined);
      if (found?.isCancelled) cancellable?.cancel();
      return isRenewed;
    },
  };
}

class Dispatch {
  readonly #dependencies: CallDependencies;
  readonly #started: StartedCall;
  readonly #lease: Lease;
  readonly #operationKey: string;
  readonly #began: number = performance.now();
  #chosen: Chosen;
  /** As the operation's record has it. */
  #data: OperationData;
  /** Made by the first report: most capabilities make none. */
  #parts: PartWriter | undefined;
  /** What was written down or decided: nothing that goes wrong afterwards can change it. */
  #settled: Settled | undefined;

  constructor(dependencies: CallDependencies, started: StartedCall, lease: Lease) {
    this.#dependencies = dependencies;
    this.#started = started;
    this.#lease = lease;
    this.#chosen = started.chosen;
    this.#data = started.data;
    this.#operationKey = downstreamKey(started.claim, dependencies.downstreamSecret);
  }

  async run(): Promise<Settled> {
    try {
      return await this.#run();
    } catch {
      // Our own fault, somewhere between start and finish: all that is known is that it was started.
      if (this.#settled !== undefined) return this.#settled;
      try {
        return await this.#endUnknown({ kind: "unknown", message: "The router failed while it ran.", timedOut: false });
      } catch {
        return this.#settled ?? this.#unrecorded();
      }
    }
  }

  async #run(): Promise<Settled> {
    const { askFirst, claim, route } = this.#started;
    await this.#point("after-start");
    if (askFirst === true) {
      // Fences rise, so this one is no lower than that of any attempt before.
      const found = await this.#ask(claim.fence - 1);
      if (found.state === "unknown") return await this.#doubt("asked, the capability could not tell");
      if (found.state !== "not-applied" || !(await this.#chooseAnew())) return await this.#endProbed(found);
    }
    for (;;) {
      // Held up until another router took over, the call must not begin.
      if (!(await this.#lease.hold())) return await this.#lost();
      let execution = await this.#execute();
      if (!route.isSingle && execution.kind === "unknown" && route.effect === "probe") {
        const found = await this.#ask(claim.fence);
        if (found.state === "unknown") return await this.#doubt(execution.message);
        if (found.state !== "not-applied") return await this.#endProbed(found);
        execution = { kind: "not-applied", message: "It had no effect." };
      }
      const next = route.isSingle ? undefined : this.#next(execution);
      if (next === undefined) return await this.#end(execution);
      if (!(await this.#hand(next))) return this.#settled ?? (await this.#lost());
    }
  }

  /** Nothing was done by who was started before: whoever is first now goes on. False when nobody is. */
  async #chooseAnew(): Promise<boolean> {
    const { route } = this.#started;
    if (route.isSingle) return true;
    route.cleared();
    const next = route.take(this.#dependencies.store.now());
    if (next === barred || isFault(next)) return false;
    return next.adapter === this.#chosen.adapter || (await this.#hand(next));
  }

  /** Runs the adapter that was chosen, once. */
  async #execute(): Promise<Execution> {
    const { context, claim } = this.#started;
    const { call } = context;
    const before = performance.now();
    const given = { ...this.#executeContext(claim.fence), signal: this.#lease.signal };
    const { adapter, native } = this.#chosen;
    const execution = await this.#dependencies.executor.run(call.capability, native, given, this.#timeLeft(), adapter);
    context.executorMs += performance.now() - before;
    await this.#point("after-effect");
    return execution;
  }

  /** For the adapter that was chosen: no longer than the call has. */
  #timeLeft(): number {
    const { timeoutMs, route } = this.#started;
    return route.isSingle ? timeoutMs : timeLeft(this.#chosen, timeoutMs, this.#began);
  }

  /** Who runs it after this, if anybody does. */
  #next(execution: Execution): Chosen | undefined {
    const { route, timeoutMs } = this.#started;
    const { signal } = this.#lease;
    route.ended(execution, this.#dependencies.store.now(), signal.aborted);
    if (signal.aborted) return undefined;
    return nextOf(route, execution, {
      now: this.#dependencies.store.now(),
      leftMs: timeoutMs - (performance.now() - this.#began),
    });
  }

  /** Hands the operation to another adapter: its name is committed before it is started. False when it can't be. */
  async #hand(next: Chosen): Promise<boolean> {
    const { claim, route, context } = this.#started;
    const { operations } = this.#dependencies.store;
    const { adapter: _, system: __, earlier: ___, ...rest } = this.#data;
    const data: OperationData = { ...rest, ...routeData(next, route.failed) };
    const written = await this.#retry(() => operations.begin(claim, toJson(data)));
    if (written === undefined) this.#settled = this.#unrecorded();
    if (written !== true) return false;
    emitHanded(this.#dependencies, context, this.#chosen, next);
    this.#data = data;
    this.#chosen = next;
    await this.#point("after-start");
    return true;
  }

  /** The end of the last attempt is that of the operation. */
  async #end(execution: Execution): Promise<Settled> {
    const { context } = this.#started;
    const { call } = context;
    // Before the outcome: who has read that has read all parts.
    await this.#parts?.close();
    emitExecuted(this.#dependencies, context);
    switch (execution.kind) {
      case "done":
        return await this.#finish("done", await this.#success(execution.value));
      case "failed":
        return await this.#failed(execution.message, execution.transient);
      case "not-applied":
        if (isCancelled(call.signal)) return await this.#finish("released", this.#failure(cancelledMidway(false)));
        if (this.#mayHaveHappened()) return await this.#abandon(notAppliedThisTime(execution.message));
        return await this.#finish("released", this.#failure(notApplied(execution.message)));
      default:
        return await this.#endUnknown(execution);
    }
  }

  /** A definite failure is repeated to the next call with the key; not so when the key is that of an effect, which is not done. */
  async #failed(message: string, transient: boolean): Promise<Settled> {
    const isFree = this.#started.context.call.capability.definition.effectKey !== undefined && !this.#mayHaveHappened();
    const failure = this.#failure(executorFailed(message, transient, !isFree));
    return await this.#finish(isFree ? "released" : "failed", failure);
  }

  /** What a capability gets to know of the attempt. */
  #executeContext(fence: number): Parameters<typeof askProbe>[1] & { fence: number } {
    const { context, data } = this.#started;
    const { item, traceId, principal } = context.call;
    const operationKey = this.#operationKey;
    const progress = (update: ProgressUpdate | string): void => this.#report(update);
    return { callId: item.call_id, traceId, principal, operationKey, attempt: data.attempts, fence, progress };
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
   * Whether an attempt before this one may have had an effect. Then its key must not come free: it would be taken by other
   * arguments, and the caller would read that nothing happened. A probe has said that there was none.
   */
  #mayHaveHappened(): boolean {
    const { data, route } = this.#started;
    const { effect } = this.#started.context.call.capability.definition;
    return (data.attempts > 1 || route.isOpenBefore) && isRerunnable(effect) && effect !== "pure";
  }

  /** Nobody knows whether the effect happened: what follows depends on what the capability says about its effect. */
  async #endUnknown(execution: Extract<Execution, { kind: "unknown" }>): Promise<Settled> {
    const { context, timeoutMs, claim } = this.#started;
    const { capability, signal } = context.call;
    const { effect } = capability.definition;
    if (isRerunnable(effect)) {
      if (isCancelled(signal)) return await this.#abandon(cancelledMidway(effect !== "pure"));
      return await this.#abandon(execution.timedOut ? timedOut(timeoutMs) : executorError(execution.message));
    }
    if (effect === "probe") {
      const found = await this.#ask(claim.fence);
      if (found.state !== "unknown") return await this.#endProbed(found);
    }
    return await this.#doubt(execution.message);
  }

  async #endProbed(found: Exclude<ProbeResult, { state: "unknown" }>): Promise<Settled> {
    switch (found.state) {
      case "done":
        return await this.#finish("done", await this.#success(found.value));
      case "failed":
        return await this.#finish("failed", this.#failure(executorFailed(found.message, false, true)));
      default:
        return await this.#finish("released", this.#failure(notApplied("It had no effect.")));
    }
  }

  async #ask(fence: number): Promise<ProbeResult> {
    return await askProbe(this.#chosen, this.#executeContext(fence), this.#started.timeoutMs);
  }

  async #success(value: unknown): Promise<End> {
    const { context } = this.#started;
    const { capability, principal } = context.call;
    let result: ShapedResult;
    try {
      result = await this.#dependencies.shaper.shape(capability, value, principal);
    } catch {
      // It has happened, and that must not be lost because its result can't be shown.
      result = { summary: "Done.", data: null, artifacts: [], warnings: ["The result could not be put into words."] };
    }
    return { kind: "success", result, usage: usageOf(context), ...proofOf(context) };
  }

  #failure(fault: Fault): End {
    const { context } = this.#started;
    return { kind: "failed", fault, usage: usageOf(context), ...proofOf(context) };
  }

  async #finish(state: "done" | "failed" | "released", settled: End): Promise<Settled> {
    const { context, claim } = this.#started;
    const outcome = storedOutcome(settled, context.call.item.call_id);
    const result = state === "released" ? { state } : { state, outcome };
    const { operations } = this.#dependencies.store;
    return await this.#commit(settled, (together) => operations.finish(claim, result, together));
  }

  async #doubt(reason: string): Promise<Settled> {
    const { context, claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const settled: Settled = {
      kind: "unknown",
      fault: outcomeUnknown(),
      usage: usageOf(context),
      ...proofOf(context),
    };
    return await this.#commit(settled, (together) => operations.doubt(claim, reason, together));
  }

  /** Writes the outcome of the operation, with its audit row and the reply to the frame in the same transaction. */
  async #commit(settled: Settled, write: (together: SameTransaction) => Promise<boolean>): Promise<Settled> {
    await this.#point("before-finish");
    const { context } = this.#started;
    const together = sameTransaction(this.#dependencies, context, settled);
    const done = await this.#retry(() => write(together));
    if (done === undefined) return this.#unrecorded();
    if (!done) return await this.#lost();
    context.committed = true;
    this.#settled = settled;
    await this.#point("after-finish");
    return settled;
  }

  /** Leaves the operation to the next call with its key, and answers this caller with what is known. */
  async #abandon(fault: Fault): Promise<Settled> {
    await this.#point("before-finish");
    const { claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const written = await this.#retry(() => operations.begin(claim, toJson({ ...this.#data, answered: fault })));
    if (written === false) return await this.#lost();
    // Should this fail, the lease runs out by itself.
    if (written === true) await operations.abandon(claim).catch(() => false);
    this.#settled = this.#failure(fault);
    await this.#point("after-finish");
    return this.#settled;
  }

  /** Tries a write again for as long as the lease holds; undefined when it could not be done. */
  async #retry(write: () => Promise<boolean>): Promise<boolean | undefined> {
    const { times } = this.#dependencies;
    const until = performance.now() + times.leaseMs;
    for (let backoffMs = 5; ; backoffMs = Math.min(backoffMs * 2, 250)) {
      try {
        return await write();
      } catch (error) {
        // A malformed request stays malformed.
        const isLost = this.#lease.loss !== undefined;
        if (error instanceof TypeError || isLost || performance.now() >= until) return undefined;
      }
      await sleep(Math.min(backoffMs, until - performance.now()));
    }
  }

  /** Another router holds the operation, or has ended it: what the record says is what happened. */
  async #lost(): Promise<Settled> {
    const { claim } = this.#started;
    try {
      const record = await this.#dependencies.store.operations.read(claim);
      return record === undefined ? this.#unrecorded() : (settledFromRecord(record) ?? busy());
    } catch {
      return this.#unrecorded();
    }
  }

  /** It was started, and how it ended is not in the store: this may not be called a success. */
  #unrecorded(): Settled {
    const { context } = this.#started;
    const usage = context.executorMs > 0 ? usageOf(context) : noUsage;
    return { kind: "unknown", fault: outcomeUnknown(), usage, ...proofOf(context) };
  }

  #point(name: Parameters<NonNullable<CallDependencies["failpoint"]>>[0]): void | Promise<void> {
    return this.#dependencies.failpoint?.(name, this.#started.context.call.item.call_id);
  }
}
