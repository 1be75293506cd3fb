import type { OperationClaim, OperationRecord } from "@toolglot/core";
import { adaptCall, timeoutOf } from "../calls/check-call.ts";
import type { CallDependencies } from "../calls/dependencies.ts";
import { dispatch } from "../calls/dispatch.ts";
import { effectOver, isRerunnable } from "../calls/effects.ts";
import { conclude, outcomeRow, type Passage, usageOf } from "../calls/ending.ts";
import { executorError, outcomeUnknown } from "../calls/faults.ts";
import { storedOutcome } from "../calls/outcome.ts";
import type { IncomingCall, Settled } from "../calls/types.ts";
import { isFault } from "../errors/fault.ts";
import type { PolicyProof } from "../frames/types.ts";
import { decide } from "../policy/decide.ts";
import { policyProof } from "../policy/proof.ts";
import { policySubject } from "../policy/subject.ts";
import type { RecoveryReport } from "../router/types.ts";
import { callFromData, fromJson, type OperationData, toJson } from "./operation-data.ts";

/** Looked at in one sweep. */
const mostAtOnce = 10_000;
/** Settled side by side. */
const workers = 8;
/** An operation whose routers died so often is not tried again: it may be what kills them. */
const mostAttempts = 5;

/**
 * Takes over what crashed routers left behind: operations that were started, and whose lease ran out. What may run again
 * does, from what its record holds; what can be asked is asked; the rest is put in doubt. One whose caller was told that
 * an attempt came to nothing is the caller's to repeat, for as long as keys are remembered. Rejects when the store can't
 * list them; what goes wrong with one operation leaves that one alone.
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
    limit: mostAtOnce,
  });
  const left = found.filter((record) => record.startedAt !== undefined).values();
  const report: RecoveryReport = { rerun: 0, probed: 0, inDoubt: 0, leftAlone: 0 };
  const work = async (): Promise<void> => {
    for (const record of left) {
      if (signal.aborted) return;
      try {
        await new Recovery(dependencies, record, report, signal).run();
      } catch {
        report.leftAlone += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return report;
}

class Recovery {
  readonly #dependencies: CallDependencies;
  readonly #record: OperationRecord;
  readonly #report: RecoveryReport;
  readonly #signal: AbortSignal;

  constructor(dependencies: CallDependencies, record: OperationRecord, report: RecoveryReport, signal: AbortSignal) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#report = report;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const data = fromJson(this.#record.data);
    const capability = data && this.#dependencies.registry.get(data.cap_id);
    if (data === undefined || capability === undefined) {
      this.#report.leftAlone += 1;
      return;
    }
    const call = callFromData(data, this.#record.key, capability, this.#signal);
    const passage: Passage = { call, began: performance.now(), proof: data.proof, adapterMs: 0, executorMs: 0 };
    const effect = effectOver(capability.definition.effect, data.effect);
    if (data.answered !== undefined && isRerunnable(effect)) await this.#forget(passage, data);
    else if (effect === "opaque") await this.#giveUp(passage, "its router is gone, and it must not run again");
    else if (data.attempts >= mostAttempts) await this.#giveUp(passage, `its router died ${data.attempts} times`);
    else await this.#again(passage, data);
  }

  /** Nobody has come back for it while its key was remembered. */
  async #forget(passage: Passage, data: OperationData): Promise<void> {
    const { store, times } = this.#dependencies;
    if (this.#record.leaseUntil + times.keyTtlMs > store.now()) return;
    await this.#giveUp(passage, data.answered?.message ?? "it ended without an outcome");
  }

  /** Ends it: a pure one has failed, of any other nobody knows. */
  async #giveUp(passage: Passage, reason: string): Promise<void> {
    const { store } = this.#dependencies;
    const claim = await this.#takeOver();
    if (claim === undefined) return;
    const { call } = passage;
    const usage = usageOf(passage);
    const proof = passage.proof === undefined ? {} : { proof: passage.proof };
    if (call.capability.definition.effect === "pure" && fromJson(this.#record.data)?.effect === "pure") {
      const failed = { kind: "failed" as const, fault: executorError("It was given up."), usage, ...proof };
      const audit = [outcomeRow(this.#dependencies, passage, failed)];
      const outcome = storedOutcome(failed, call.item.call_id);
      const done = await store.operations.finish(claim, { state: "failed", outcome }, { audit });
      if (done) await conclude(this.#dependencies, passage, { settled: failed, committed: true });
      return;
    }
    const settled: Settled = { kind: "unknown", fault: outcomeUnknown(), usage, ...proof };
    const audit = [outcomeRow(this.#dependencies, passage, settled)];
    if (!(await store.operations.doubt(claim, reason, { audit }))) return;
    this.#report.inDoubt += 1;
    await conclude(this.#dependencies, passage, { settled, committed: true });
  }

  /** Runs it again, or asks first. */
  async #again(passage: Passage, data: OperationData): Promise<void> {
    const { call } = passage;
    const adapted = adaptCall(this.#dependencies, passage, data.args);
    const proof = isFault(adapted) ? undefined : await this.#allowed(call, data);
    if (isFault(adapted) || proof === undefined) {
      this.#report.leftAlone += 1;
      return;
    }
    const timeoutMs = timeoutOf(call);
    const place = await this.#dependencies.places.take(call.capability, { timeoutMs, signal: this.#signal });
    if (isFault(place)) {
      this.#report.leftAlone += 1;
      return;
    }
    try {
      passage.proof = proof;
      await this.#start(passage, data, adapted.native, timeoutMs);
    } finally {
      place();
    }
  }

  async #start(passage: Passage, data: OperationData, native: unknown, timeoutMs: number): Promise<void> {
    const { store, audit, times } = this.#dependencies;
    const claim = await this.#takeOver();
    if (claim === undefined) return;
    const { answered: _, ...kept } = data;
    const { proof = data.proof, call } = passage;
    const next: OperationData = { ...kept, proof, attempts: data.attempts + 1 };
    const { approval } = data;
    const approvalId = approval && (approval.kind === "record" ? approval.id : approval.jti);
    const leaseUntil = store.now() + times.leaseMs;
    await store.audit.append([audit.decision(call, proof, approvalId)]);
    if (!(await store.operations.begin(claim, toJson(next)))) return;
    const asks = effectOver(call.capability.definition.effect, data.effect) === "probe";
    const ending = await dispatch(this.#dependencies, {
      passage,
      claim,
      leaseUntil,
      data: next,
      native,
      timeoutMs,
      askFirst: asks,
    });
    if (asks) this.#report.probed += 1;
    else this.#report.rerun += 1;
    if (ending.settled.kind === "unknown") this.#report.inDoubt += 1;
    await conclude(this.#dependencies, passage, ending);
  }

  /** Whether the policy still lets it run; an approval that it was started with holds. */
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
    return refused ? undefined : policyProof(policy, input, decision, this.#record.fingerprint);
  }

  /** The claim; undefined when somebody else was quicker, or it is over already. */
  async #takeOver(): Promise<OperationClaim | undefined> {
    const { store, routerId, times } = this.#dependencies;
    const { scope, key, fingerprint } = this.#record;
    const claimed = await store.operations.claim({
      scope,
      key,
      fingerprint,
      owner: routerId,
      leaseMs: times.leaseMs,
      ttlMs: times.keyTtlMs,
      keepMs: times.keyMemoryMs,
      abandoned: "reclaim",
    });
    if (claimed.status !== "claimed") return undefined;
    if (claimed.record.startedAt !== undefined) return claimed.claim;
    // It was set free since it was listed: it is nobody's to run.
    await store.operations.finish(claimed.claim, { state: "released" });
    return undefined;
  }
}
