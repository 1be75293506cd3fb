import type { OperationClaim, OperationRecord } from "@toolglot/core";
import { inParallel } from "@toolglot/core/executing";
import { canonicalJson } from "@toolglot/internal";
import { decisionEntry } from "../../audit/logger.ts";
import { isFault } from "../../frames/fault.ts";
import type { PolicyProof } from "../../frames/results.ts";
import { decide, policyProof, policySubject, proofDigest } from "../../policy/decide.ts";
import type { CallDependencies } from "../dependencies.ts";
import { conclude, proofOf, sameTransaction, usageOf } from "../ending.ts";
import { emitNow, pendingEvents } from "../events.ts";
import { executorError, outcomeUnknown } from "../faults.ts";
import { storedOutcome } from "../outcome.ts";
import { type Cancellable, Cancellations, isCancelled, type Stop, stopOf } from "../running/cancel.ts";
import { dispatch } from "../running/dispatch.ts";
import { type Chosen, noAdapter, Route } from "../running/route.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, IncomingCall, Settled } from "../types.ts";
import {
  approvalIdOf,
  callFromData,
  earlierAttempts,
  effectBegun,
  effectOver,
  fromJson,
  isRerunnable,
  type OperationData,
  routeData,
  toJson,
} from "./operation-data.ts";

/** The number of operations that had lost their router, by what recovery did with them. */
export interface RecoveryReport {
  /** Run again: operations with the effect `pure`, `idempotent` or `keyed`. */
  rerun: number;
  /** Operations with the effect `probe`, whose capability was asked first. */
  probed: number;
  /** In doubt: a person must settle them. Includes operations that were probed or run again without a clear outcome. */
  inDoubt: number;
  /** Not touched: the capability is not registered here, the policy no longer allows it, or there was no free place. */
  leftAlone: number;
}

/** The most operations that one sweep reads. */
const maxAtOnce = 10_000;
/** How many operations are settled at the same time. */
const workers = 8;
/** An operation whose routers died this many times is not tried again, because it may be the cause of their deaths. */
const maxAttempts = 5;

/**
 * Takes over what crashed routers left behind: operations that were started and whose lease has expired. An operation
 * that may run again is run from the data in its record. For a `probe` operation the capability is asked first. All
 * others are put in doubt. When the caller was already answered that an attempt failed, the operation is left to the
 * caller, who may repeat the call for as long as keys are remembered; one lease, when the call was cancelled. Rejects when the store can't list the operations;
 * when the recovery of one operation fails, only that one is left as it is.
 */
export async function recover(
  dependencies: CallDependencies,
  { signal }: { signal: AbortSignal },
): Promise<RecoveryReport> {
  const { operations } = dependencies.store;
  const found = await operations.list({
    states: ["started", "claimed"],
    leaseExpired: true,
    scopePrefix: '["trp",',
    limit: maxAtOnce,
  });
  const stop = stopOf(signal);
  const report: RecoveryReport = { rerun: 0, probed: 0, inDoubt: 0, leftAlone: 0 };
  const started = found.filter((record) => record.startedAt !== undefined);
  await inParallel(started, workers, async (record) => {
    if (signal.aborted) return;
    try {
      await new Recovery(dependencies, record, report, stop).run();
    } catch {
      report.leftAlone += 1;
    }
  });
  return report;
}

class Recovery {
  readonly #dependencies: CallDependencies;
  readonly #record: OperationRecord;
  readonly #report: RecoveryReport;
  readonly #stop: Stop;

  constructor(dependencies: CallDependencies, record: OperationRecord, report: RecoveryReport, stop: Stop) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#report = report;
    this.#stop = stop;
  }

  async run(): Promise<void> {
    const data = fromJson(this.#record.data);
    const capability = data && this.#dependencies.registry.get(data.cap_id);
    if (data === undefined || capability === undefined) {
      this.#report.leftAlone += 1;
      return;
    }
    const call = callFromData(data, this.#record.key, capability, this.#stop);
    const cancellable = new Cancellations().open(data.session_id, data.call_id, this.#stop);
    try {
      await this.#recall(call, data, cancellable);
      await this.#settle(call, data);
    } finally {
      cancellable.end();
    }
  }

  /**
   * Reads what the session knows of the call: the frame that is to get the outcome, and whether the call is cancelled.
   */
  async #recall(call: IncomingCall, data: OperationData, cancellable: Cancellable): Promise<void> {
    const { sessions } = this.#dependencies.store;
    const { tenant, id: principal } = call.principal;
    const session = await sessions.read(data.session_id, { tenant, principal });
    call.auditFields = this.#dependencies.auditFields?.({
      ...{ tenant, principal, capId: data.cap_id, key: this.#record.key, callId: data.call_id },
      agentId: session?.agentId,
    });
    const known = session && (await sessions.readCall(data.session_id, data.call_id));
    if (session) call.session = session;
    if (known && known.digest === data.call_digest) call.frameId = known.frameId;
    Object.assign(call, { cancellable, stop: cancellable });
    if (known?.isCancelled) cancellable.cancel();
  }

  async #settle(call: IncomingCall, data: OperationData): Promise<void> {
    const { capability } = call;
    const { scope, key } = this.#record;
    const began = performance.now();
    const context: CallContext = {
      ...{ call, began, proof: data.proof, adapterMs: 0, executorMs: 0, operation: { scope, key } },
    };
    const effect = effectOver(effectBegun(capability.definition), data.effect);
    const { args } = data;
    const earlier = earlierAttempts(data);
    const route = new Route({ capability, principal: call.principal, args, effect, earlier });
    if (data.answered !== undefined && isRerunnable(effect)) await this.#forget(context, data);
    else if (effect === "opaque") await this.#giveUp(context, "its router is gone, and it must not run again");
    else if (isCancelled(call.stop) && effect !== "probe")
      await this.#giveUp(context, "it was cancelled, and its router is gone");
    else if (data.attempts >= maxAttempts) await this.#giveUp(context, `its router died ${data.attempts} times`);
    else {
      try {
        await this.#again(context, data, route);
      } finally {
        route.close();
      }
    }
  }

  /**
   * Writes off an operation whose caller was answered and has not repeated the call: while the key was remembered; for one
   * lease, when the caller had cancelled it, and so nobody is expected to ask again.
   */
  async #forget(context: CallContext, { answered }: OperationData): Promise<void> {
    const { store, times } = this.#dependencies;
    const waitMs = answered?.code === "TRP_3005" ? times.leaseMs : times.keyTtlMs;
    if (this.#record.leaseUntil + waitMs > store.now()) return;
    await this.#giveUp(context, answered?.message ?? "it ended without an outcome");
  }

  /** Ends the operation without a run: a pure one has failed, any other one is in doubt. */
  async #giveUp(context: CallContext, reason: string): Promise<void> {
    const claim = await this.#takeOver();
    if (claim !== undefined) await this.#traced(context, () => this.#writeOff(context, claim, reason));
  }

  async #writeOff(context: CallContext, claim: OperationClaim, reason: string): Promise<Settled | undefined> {
    const { operations } = this.#dependencies.store;
    const { call } = context;
    const shared = { usage: usageOf(context), ...proofOf(context) };
    const isPure = call.capability.definition.effect === "pure" && fromJson(this.#record.data)?.effect === "pure";
    const failed = { kind: "failed" as const, fault: executorError("It was given up."), ...shared };
    const settled: Settled = isPure ? failed : { kind: "unknown", fault: outcomeUnknown(), ...shared };
    const together = sameTransaction(this.#dependencies, context, settled);
    const written = isPure
      ? operations.finish(claim, { state: "failed", outcome: storedOutcome(failed, call.item.call_id) }, together)
      : operations.doubt(claim, reason, together);
    context.committed = await written;
    if (!context.committed) return undefined;
    context.pendingEvents = [];
    if (!isPure) this.#report.inDoubt += 1;
    await conclude(this.#dependencies, context, settled);
    return settled;
  }

  /** Settles in a separate trace, whose span links to the span of the call that began the operation. */
  async #traced(context: CallContext, settle: () => Promise<Settled | undefined>): Promise<void> {
    const { spans } = this.#dependencies;
    if (spans === undefined) {
      await settle();
      return;
    }
    const { call } = context;
    const about = { capability: call.capability, isAlone: true, settled: (end: Settled | undefined) => end };
    await spans.call(call, about, () => {
      call.span?.link(fromJson(this.#record.data)?.traceparent);
      return settle();
    });
  }

  /** Runs the operation again, or asks the capability first. */
  async #again(context: CallContext, data: OperationData, route: Route): Promise<void> {
    const { call } = context;
    const chosen = this.#choose(context, data, route);
    if (chosen === undefined || chosen === noAdapter) {
      return await this.#giveUp(context, "no adapter may continue what another has begun");
    }
    const proof = isFault(chosen) ? undefined : await this.#allowed(call, data);
    if (isFault(chosen) || proof === undefined) {
      this.#report.leftAlone += 1;
      return;
    }
    const timeoutMs = timeoutOf(call);
    const release = await this.#dependencies.places.take(call.capability, { timeoutMs, stop: this.#stop });
    if (isFault(release)) {
      this.#report.leftAlone += 1;
      return;
    }
    try {
      context.proof = proof;
      await this.#start(context, data, { route, chosen }, timeoutMs);
    } finally {
      release();
    }
  }

  /** Returns the adapter that runs the operation again. For a `probe` operation it is the adapter that was started last. */
  #choose(context: CallContext, data: OperationData, route: Route): ReturnType<Route["take"]> | undefined {
    const now = this.#dependencies.store.now();
    const chosen = route.effect === "probe" ? route.named(data.adapter) : route.take(now);
    context.adapterMs = route.adapterMs;
    if (chosen === undefined || chosen === noAdapter || isFault(chosen)) return chosen;
    if (route.effect === "probe") route.keep(chosen, now);
    context.route = route;
    return chosen;
  }

  async #start(
    context: CallContext,
    data: OperationData,
    { route, chosen }: { route: Route; chosen: Chosen },
    timeoutMs: number,
  ): Promise<void> {
    const claim = await this.#takeOver();
    if (claim === undefined) return;
    await this.#traced(context, () => this.#run(context, data, { route, chosen }, timeoutMs, claim));
  }

  async #run(
    context: CallContext,
    data: OperationData,
    { route, chosen }: { route: Route; chosen: Chosen },
    timeoutMs: number,
    claim: OperationClaim,
  ): Promise<Settled | undefined> {
    const { store, times } = this.#dependencies;
    const { answered: _, adapter: __, system: ___, earlier: ____, ...kept } = data;
    const { proof = data.proof, call } = context;
    const next: OperationData = {
      ...kept,
      proof,
      attempts: data.attempts + 1,
      ...(call.span !== undefined && { traceparent: call.span.traceparent }),
      ...(!route.isSingle && routeData(chosen, route.effect === "probe" ? (data.earlier ?? []) : route.failed)),
    };
    const leaseUntil = store.now() + times.leaseMs;
    const resumed = { type: "call.resumed" as const, attempt: next.attempts };
    const together = {
      audit: [decisionEntry(call, proof, approvalIdOf(data), next.adapter)],
      ...pendingEvents(this.#dependencies, context, resumed),
    };
    if (!(await store.operations.begin(claim, toJson(next), together))) return undefined;
    emitNow(this.#dependencies, context, resumed);
    const asks = route.effect === "probe";
    const settled = await dispatch(this.#dependencies, {
      context,
      claim,
      leaseUntil,
      data: next,
      route,
      chosen,
      timeoutMs,
      askFirst: asks,
    });
    if (asks) this.#report.probed += 1;
    else this.#report.rerun += 1;
    if (settled.kind === "unknown") this.#report.inDoubt += 1;
    await conclude(this.#dependencies, context, settled);
    return settled;
  }

  /** Returns the proof that the policy still allows it, else undefined. An approval that it was started with stays valid. */
  async #allowed({ capability, principal }: IncomingCall, data: OperationData): Promise<PolicyProof | undefined> {
    const { policy, store } = this.#dependencies;
    const input = {
      principal,
      capability: policySubject(capability),
      args: data.args,
      now: store.now(),
      phase: "start" as const,
    };
    const decision = await decide(policy, input);
    const refused = decision.decision === "deny" || (decision.decision === "approve" && data.approval === undefined);
    return refused ? undefined : policyProof(policy, decision, proofDigest(input, this.#record.fingerprint));
  }

  /** Claims the operation. Undefined when another router was quicker, or when the operation has ended. */
  async #takeOver(): Promise<OperationClaim | undefined> {
    const { store, routerId, times } = this.#dependencies;
    const { scope, key, fingerprint, fence, data } = this.#record;
    const request = {
      ...{ scope, key, fingerprint, owner: routerId },
      ...{ leaseMs: times.leaseMs, ttlMs: times.keyTtlMs, keepMs: times.keyMemoryMs },
      abandoned: "reclaim" as const,
    };
    const claimed = await store.operations.takeOver(request, fence);
    if (claimed.status !== "claimed") return undefined;
    if (canonicalJson(claimed.record.data ?? null) === canonicalJson(data ?? null)) return claimed.claim;
    // A router has continued it since it was listed. The next sweep will look at the new state.
    await store.operations.abandon(claimed.claim);
    return undefined;
  }
}
