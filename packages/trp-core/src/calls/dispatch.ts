import type { OperationClaim } from "@toolglot/core";
import type { ProbeResult } from "../capability/types.ts";
import type { Fault } from "../errors/types.ts";
import type { ShapedResult } from "../frames/types.ts";
import { type OperationData, toJson } from "../operations/operation-data.ts";
import type { CallDependencies } from "./dependencies.ts";
import { isRerunnable } from "./effects.ts";
import { along, type Ending, factsOf, type Passage, usageOf } from "./ending.ts";
import { executorError, executorFailed, notApplied, notAppliedThisTime, outcomeUnknown, timedOut } from "./faults.ts";
import { downstreamKey } from "./keys.ts";
import { keepLease, type Lease } from "./lease.ts";
import { noUsage, settledFromRecord, storedOutcome } from "./outcome.ts";
import { askProbe } from "./probe.ts";
import type { Execution, Settled } from "./types.ts";

/** An operation that is STARTED and committed, to be run under its claim. */
export interface StartedCall {
  passage: Passage;
  claim: OperationClaim;
  leaseUntil: number;
  data: OperationData;
  native: unknown;
  timeoutMs: number;
  /** There was an attempt before, of which nobody knows what it did: the capability is asked first. */
  askFirst?: boolean;
}

/** Two ways to say what an attempt came to. */
type End = Extract<Settled, { kind: "success" | "failed" }>;

/**
 * Runs a started operation and writes its end down. Success is only what was committed; who lost the claim meanwhile gets
 * what the record says. Never rejects.
 */
export async function dispatch(dependencies: CallDependencies, started: StartedCall): Promise<Ending> {
  const { store, times } = dependencies;
  const lease = keepLease(store, started.claim, {
    leaseMs: times.leaseMs,
    leaseUntil: started.leaseUntil,
    signal: started.passage.call.signal,
  });
  try {
    return await new Dispatch(dependencies, started, lease).run();
  } finally {
    lease.stop();
  }
}

class Dispatch {
  readonly #dependencies: CallDependencies;
  readonly #started: StartedCall;
  readonly #lease: Lease;
  readonly #operationKey: string;
  /** What was committed: nothing that goes wrong afterwards can change it. */
  #committed: Ending | undefined;

  constructor(dependencies: CallDependencies, started: StartedCall, lease: Lease) {
    this.#dependencies = dependencies;
    this.#started = started;
    this.#lease = lease;
    this.#operationKey = downstreamKey(started.claim, dependencies.downstreamSecret);
  }

  async run(): Promise<Ending> {
    try {
      return await this.#run();
    } catch {
      // Our own fault, somewhere between start and finish: all that is known is that it was started.
      if (this.#committed !== undefined) return this.#committed;
      try {
        return await this.#endUnknown({ kind: "unknown", message: "The router failed while it ran.", timedOut: false });
      } catch {
        return this.#committed ?? this.#unrecorded();
      }
    }
  }

  async #run(): Promise<Ending> {
    const { passage, native, timeoutMs, askFirst, data, claim } = this.#started;
    const { call } = passage;
    await this.#point("after-start");
    if (askFirst === true) {
      // Fences rise, so this one is no lower than that of any attempt before.
      const found = await this.#ask(claim.fence - 1);
      if (found.state === "unknown") return await this.#doubt("asked, the capability could not tell");
      if (found.state !== "not-applied") return await this.#endProbed(found);
    }
    // Whoever was held up until somebody else took over must not begin.
    if (!(await this.#lease.hold())) return await this.#lost();
    const before = performance.now();
    const execution = await this.#dependencies.executor.run(
      call.capability,
      native,
      {
        signal: this.#lease.signal,
        callId: call.item.call_id,
        traceId: call.traceId,
        principal: call.principal,
        operationKey: this.#operationKey,
        attempt: data.attempts,
        fence: claim.fence,
      },
      timeoutMs,
    );
    passage.executorMs += performance.now() - before;
    await this.#point("after-effect");
    const { emitter, store } = this.#dependencies;
    if (emitter.active) {
      const executorMs = Math.round(passage.executorMs);
      emitter.emit({ type: "call.executed", at: store.now(), executorMs, ...factsOf(passage) });
    }
    return await this.#end(execution);
  }

  async #end(execution: Execution): Promise<Ending> {
    switch (execution.kind) {
      case "done":
        return await this.#finish("done", await this.#success(execution.value));
      case "failed":
        return await this.#finish(
          "failed",
          this.#failure(executorFailed(execution.message, execution.transient, true)),
        );
      case "not-applied":
        if (this.#mayHaveHappened()) return await this.#abandon(notAppliedThisTime(execution.message));
        return await this.#finish("released", this.#failure(notApplied(execution.message)));
      default:
        return await this.#endUnknown(execution);
    }
  }

  /**
   * Whether an attempt before this one may have had an effect. Then its key must not come free: it would be taken by other
   * arguments, and the caller be told that nothing happened. A probe has said that there was none.
   */
  #mayHaveHappened(): boolean {
    const { data, passage } = this.#started;
    const { effect } = passage.call.capability.definition;
    return data.attempts > 1 && isRerunnable(effect) && effect !== "pure";
  }

  /** Nobody knows whether the effect happened: what follows depends on what the capability says about its effect. */
  async #endUnknown(execution: Extract<Execution, { kind: "unknown" }>): Promise<Ending> {
    const { passage, timeoutMs, claim } = this.#started;
    const { effect } = passage.call.capability.definition;
    if (isRerunnable(effect)) {
      return await this.#abandon(execution.timedOut ? timedOut(timeoutMs) : executorError(execution.message));
    }
    if (effect === "probe") {
      const found = await this.#ask(claim.fence);
      if (found.state !== "unknown") return await this.#endProbed(found);
    }
    return await this.#doubt(execution.message);
  }

  async #endProbed(found: Exclude<ProbeResult, { state: "unknown" }>): Promise<Ending> {
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
    const { passage, native, timeoutMs, data } = this.#started;
    const { call } = passage;
    const context = {
      callId: call.item.call_id,
      traceId: call.traceId,
      principal: call.principal,
      operationKey: this.#operationKey,
      attempt: data.attempts,
      fence,
    };
    return await askProbe(call.capability, native, context, timeoutMs);
  }

  async #success(value: unknown): Promise<End> {
    const { passage } = this.#started;
    const { capability, principal } = passage.call;
    let result: ShapedResult;
    try {
      result = await this.#dependencies.shaper.shape(capability, value, principal);
    } catch {
      // It has happened, and that must not be lost because of how it would be told.
      result = { summary: "Done.", data: null, artifacts: [], warnings: ["The result could not be put into words."] };
    }
    return { kind: "success", result, usage: usageOf(passage), ...this.#proof() };
  }

  #failure(fault: Fault): End {
    return { kind: "failed", fault, usage: usageOf(this.#started.passage), ...this.#proof() };
  }

  #proof(): Pick<End, "proof"> {
    const { proof } = this.#started.passage;
    return proof === undefined ? {} : { proof };
  }

  async #finish(state: "done" | "failed" | "released", settled: End): Promise<Ending> {
    await this.#point("before-finish");
    const { passage, claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const outcome = storedOutcome(settled, passage.call.item.call_id);
    const result = state === "released" ? { state } : { state, outcome };
    const rows = along(this.#dependencies, passage, settled);
    const done = await this.#insist(() => operations.finish(claim, result, rows));
    if (done === undefined) return this.#unrecorded();
    if (!done) return await this.#lost();
    this.#committed = { settled, committed: true };
    await this.#point("after-finish");
    return this.#committed;
  }

  async #doubt(reason: string): Promise<Ending> {
    await this.#point("before-finish");
    const { passage, claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const settled: Settled = {
      kind: "unknown",
      fault: outcomeUnknown(),
      usage: usageOf(passage),
      ...this.#proof(),
    };
    const rows = along(this.#dependencies, passage, settled);
    const done = await this.#insist(() => operations.doubt(claim, reason, rows));
    if (done === undefined) return this.#unrecorded();
    if (!done) return await this.#lost();
    this.#committed = { settled, committed: true };
    await this.#point("after-finish");
    return this.#committed;
  }

  /** Leaves the operation to whoever sends the key again, and tells this caller what is known. */
  async #abandon(fault: Fault): Promise<Ending> {
    await this.#point("before-finish");
    const { claim, data } = this.#started;
    const { operations } = this.#dependencies.store;
    const told = await this.#insist(() => operations.begin(claim, toJson({ ...data, answered: fault })));
    if (told === false) return await this.#lost();
    // Should this fail, the lease runs out by itself.
    if (told === true) await operations.abandon(claim).catch(() => false);
    const ending: Ending = { settled: this.#failure(fault), committed: false };
    this.#committed = ending;
    await this.#point("after-finish");
    return ending;
  }

  /** Tries a write again for as long as the lease holds; undefined when it could not be done. */
  async #insist(write: () => Promise<boolean>): Promise<boolean | undefined> {
    const { times } = this.#dependencies;
    const until = performance.now() + times.leaseMs;
    for (let wait = 5; ; wait = Math.min(wait * 2, 250)) {
      try {
        return await write();
      } catch (error) {
        // A malformed request stays malformed.
        if (error instanceof TypeError || this.#lease.lost || performance.now() >= until) return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, until - performance.now())));
    }
  }

  /** Somebody else holds the operation, or has ended it: what the record says is what happened. */
  async #lost(): Promise<Ending> {
    const { claim } = this.#started;
    try {
      const record = await this.#dependencies.store.operations.read(claim);
      if (record === undefined) return this.#unrecorded();
      const settled = settledFromRecord(record) ?? { kind: "in-progress", retryAfterMs: 100 };
      return { settled, committed: false };
    } catch {
      return this.#unrecorded();
    }
  }

  /** It was started, and how it ended is not in the store: nobody may call that a success. */
  #unrecorded(): Ending {
    const { passage } = this.#started;
    const usage = passage.executorMs > 0 ? usageOf(passage) : noUsage;
    const settled: Settled = { kind: "unknown", fault: outcomeUnknown(), usage, ...this.#proof() };
    return { settled, committed: false };
  }

  #point(name: Parameters<NonNullable<CallDependencies["failpoint"]>>[0]): void | Promise<void> {
    return this.#dependencies.failpoint?.(name, this.#started.passage.call.item.call_id);
  }
}
