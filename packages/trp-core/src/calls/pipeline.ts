import type { JsonObject, OperationKey, OperationRecord } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import { uuidV7Time } from "../digest/ids.ts";
import { fault, isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import { fromJson, type OperationData, operationData, toJson } from "../operations/operation-data.ts";
import { decide } from "../policy/decide.ts";
import { policyProof } from "../policy/proof.ts";
import type { PolicyDecision, PolicyInput } from "../policy/types.ts";
import type { ApprovalUse } from "../store/types.ts";
import { approvalFor } from "./approval-step.ts";
import type { CallDependencies, CallPipeline, RunOptions } from "./dependencies.ts";
import { dispatch } from "./dispatch.ts";
import { isRerunnable } from "./effects.ts";
import { conclude, type Ending, factsOf, type Passage, usageOf } from "./ending.ts";
import {
  approvalRefused,
  conflict,
  denied,
  executorError,
  executorFailed,
  keyExpired,
  keyMissing,
  notApplied,
  notStarted,
  storeDown,
  timedOut,
  volatile,
} from "./faults.ts";
import { operationFingerprint, operationOf } from "./keys.ts";
import { lookAt } from "./look.ts";
import { settledFromRecord } from "./outcome.ts";
import type { Execution, IncomingCall, Settled } from "./types.ts";

/** What was found out about a call before its key is looked at. */
interface Checked {
  args: JsonObject;
  fingerprint: string;
  decision: PolicyDecision;
}

/** When to look again at an operation that runs elsewhere. Milliseconds. */
const retryAfterMs = 100;
const longestPauseMs = 500;
const defaultMaxTimeoutMs = 60_000;

/**
 * The path of a call: arguments, key, policy, state of the key, approval, a place to run, policy again, start, dispatch,
 * finish. What is refused before start leaves nothing behind but its audit row, and the key stays free.
 */
export function createCallPipeline(dependencies: CallDependencies): CallPipeline {
  // What runs in this router, so that whoever waits for it need not poll.
  const running = new Map<string, Promise<unknown>>();
  return {
    async run(call, options = {}) {
      const passage: Passage = {
        call,
        began: performance.now(),
        answer: options.answer,
        adapterMs: 0,
        executorMs: 0,
      };
      let ending: Ending;
      try {
        ending = await new Path(dependencies, passage, running).walk(options);
      } catch (error) {
        // Whatever goes wrong after start is dealt with where it is dispatched, so nothing was executed.
        ending = refused(ToolglotError.isInstance(error) ? storeDown() : notStarted());
      }
      return conclude(dependencies, passage, ending);
    },
    look: (key) => lookAt(dependencies, key),
  };
}

class Path {
  readonly #dependencies: CallDependencies;
  readonly #passage: Passage;
  readonly #call: IncomingCall;
  readonly #running: Map<string, Promise<unknown>>;

  constructor(dependencies: CallDependencies, passage: Passage, running: Map<string, Promise<unknown>>) {
    this.#dependencies = dependencies;
    this.#passage = passage;
    this.#call = passage.call;
    this.#running = running;
  }

  async walk(options: RunOptions): Promise<Ending> {
    const { emitter, store } = this.#dependencies;
    if (emitter.active) emitter.emit({ type: "call.accepted", at: store.now(), ...factsOf(this.#passage) });
    await this.#point("after-admit");
    const checked = await this.#check();
    if (isFault(checked)) return refused(checked);
    const key = this.#call.item.idempotency_key;
    if (typeof key !== "string") return await this.#runUnkeyed(checked);
    const operation = operationOf(
      { tenant: this.#call.principal.tenant, principal: this.#call.principal.id },
      this.#call.capability.family,
      key,
    );
    const pause = { ms: 10 };
    for (;;) {
      const ending = await this.#runKeyed(operation, checked);
      if (ending.settled.kind !== "in-progress" || options.waitForBusy !== true) return ending;
      if (!(await this.#wait(operation, pause))) return ending;
    }
  }

  /** Arguments, key, policy. */
  async #check(): Promise<Checked | Fault> {
    const { checkArguments, store, allowVolatile } = this.#dependencies;
    const { capability, item, principal } = this.#call;
    const found = await checkArguments(capability, item.args, principal);
    if (isFault(found)) return found;
    const { args } = found;
    if (capability.keyRequired && typeof item.idempotency_key !== "string") return keyMissing(capability.capId);
    if (store.durability === "none" && !allowVolatile && capability.definition.effect !== "pure") {
      return volatile(store.name);
    }
    const fingerprint = operationFingerprint(capability.capId, args);
    const decision = await this.#decide(args, fingerprint, "admission");
    if (isFault(decision)) return decision;
    if (decision.decision === "approve" && typeof item.idempotency_key !== "string") {
      return fault("TRP_4003", `${capability.capId} needs approval here, and an approval needs an idempotency_key.`);
    }
    return { args, fingerprint, decision };
  }

  /** What the policy says, its proof noted; a denial as its fault. */
  async #decide(args: JsonObject, fingerprint: string, phase: PolicyInput["phase"]): Promise<PolicyDecision | Fault> {
    const { policy, store, emitter } = this.#dependencies;
    const { capability, principal } = this.#call;
    const { capId, family, definition } = capability;
    const { riskTier, ioClass, effect } = definition;
    const input: PolicyInput = {
      principal,
      capability: { capId, family, riskTier, ioClass, effect },
      args,
      now: store.now(),
      phase,
    };
    const decision = await decide(policy, input);
    this.#passage.proof = policyProof(policy, input, decision, fingerprint);
    if (decision.decision !== "deny") return decision;
    const refusal = denied(decision);
    if (emitter.active) {
      emitter.emit({
        type: "call.policy_denied",
        at: store.now(),
        rule: decision.rule,
        code: refusal.code,
        ...factsOf(this.#passage),
      });
    }
    return refusal;
  }

  /** What needs no key may always run again: no operation stands for it. */
  async #runUnkeyed({ args, fingerprint }: Checked): Promise<Ending> {
    const { executor, places } = this.#dependencies;
    const { capability, item, traceId, principal, signal } = this.#call;
    const adapted = this.#adapt(args);
    if (isFault(adapted)) return refused(adapted);
    const timeoutMs = this.#timeoutMs();
    const taken = places.take(capability, { timeoutMs, signal });
    const place = taken instanceof Promise ? await taken : taken;
    if (isFault(place)) return refused(place);
    try {
      if (taken instanceof Promise) {
        // Time has passed: what was allowed then may not be now.
        const again = await this.#decide(args, fingerprint, "start");
        if (isFault(again)) return refused(again);
        if (again.decision === "approve") return refused(keyMissing(capability.capId));
      }
      const before = performance.now();
      const execution = await executor.run(
        capability,
        adapted.native,
        { signal, callId: item.call_id, traceId, principal, attempt: 1 },
        timeoutMs,
      );
      this.#passage.executorMs = performance.now() - before;
      await this.#point("after-effect");
      this.#tellExecuted();
      return { settled: await this.#endUnkeyed(execution, timeoutMs), committed: false };
    } catch {
      const { proof } = this.#passage;
      const failure = executorError("The router failed while it ran.");
      return {
        settled: {
          kind: "failed",
          fault: failure,
          usage: usageOf(this.#passage),
          ...(proof === undefined ? {} : { proof }),
        },
        committed: false,
      };
    } finally {
      place();
    }
  }

  async #endUnkeyed(execution: Execution, timeoutMs: number): Promise<Settled> {
    const passage = this.#passage;
    const proof = passage.proof === undefined ? {} : { proof: passage.proof };
    if (execution.kind === "done") {
      const { capability, principal } = this.#call;
      const result = await this.#dependencies.shaper.shape(capability, execution.value, principal);
      return { kind: "success", result, usage: usageOf(passage), ...proof };
    }
    const { message } = execution;
    const failure =
      execution.kind === "failed"
        ? executorFailed(message, execution.transient, false)
        : execution.kind === "not-applied"
          ? notApplied(message)
          : execution.timedOut
            ? timedOut(timeoutMs)
            : executorError(message);
    return { kind: "failed", fault: failure, usage: usageOf(passage), ...proof };
  }

  /** One attempt at an operation. */
  async #runKeyed(operation: OperationKey, checked: Checked): Promise<Ending> {
    const { store, places, times } = this.#dependencies;
    const { capability, item, signal } = this.#call;
    const { args, fingerprint } = checked;

    const prior = await store.operations.read(operation);
    if (prior !== undefined) {
      if (prior.fingerprint !== fingerprint) return refused(conflict());
      const settled = settledFromRecord(prior);
      if (settled !== undefined) return { settled, committed: false };
      if (prior.leaseUntil > store.now()) return busy();
    } else {
      const made = uuidV7Time(operation.key);
      if (made !== undefined && made + times.keyTtl < store.now()) return refused(keyExpired());
    }

    const adapted = this.#adapt(args);
    if (isFault(adapted)) return refused(adapted);
    const before = fromJson(prior?.data);
    let approval: ApprovalUse | undefined;
    if (checked.decision.decision === "approve") {
      const given = await this.#approval(operation, checked, checked.decision, before);
      if (isFault(given)) return refused(given);
      approval = given;
    }

    const timeoutMs = this.#timeoutMs();
    const place = await places.take(capability, { timeoutMs, signal });
    if (isFault(place)) return refused(place);
    try {
      const again = await this.#decide(args, fingerprint, "start");
      if (isFault(again)) return refused(again);
      if (again.decision === "approve" && approval === undefined) {
        const given = await this.#approval(operation, checked, again, before);
        if (isFault(given)) return refused(given);
        approval = given;
      }
      const data = operationData(this.#call, {
        args,
        attempts: (before?.attempts ?? 0) + 1,
        timeoutMs: item.timeout_ms,
        proof: this.#passage.proof as OperationData["proof"],
        ...(approval === undefined ? {} : { approval }),
      });
      return await this.#start(operation, fingerprint, data, adapted.native, prior);
    } finally {
      place();
    }
  }

  async #start(
    operation: OperationKey,
    fingerprint: string,
    data: OperationData,
    native: unknown,
    prior: OperationRecord | undefined,
  ): Promise<Ending> {
    const { store, times, routerId, audit } = this.#dependencies;
    const { effect } = this.#call.capability.definition;
    const startedBefore = prior?.startedAt !== undefined;
    const { approval, proof } = data;
    await this.#point("before-start");
    const result = await store.operations.start(
      {
        ...operation,
        fingerprint,
        owner: routerId,
        leaseMs: times.lease,
        ttlMs: times.keyTtl,
        keepMs: times.keyMemory,
        // What can be asked is asked before it runs again.
        abandoned: isRerunnable(effect) || effect === "probe" ? "reclaim" : "doubt",
      },
      {
        data: toJson(data),
        ...(approval === undefined ? {} : { approval }),
        audit: [
          audit.decision(this.#call, proof, approval && (approval.kind === "record" ? approval.id : approval.jti)),
        ],
      },
    );
    switch (result.status) {
      case "claimed":
        break;
      case "busy":
        return busy();
      case "conflict":
        return refused(conflict());
      case "expired":
        return refused(keyExpired());
      case "approval-refused":
        return refused(approvalRefused(result.reason));
      default: {
        const settled = settledFromRecord(result.record);
        return settled === undefined ? busy() : { settled, committed: false };
      }
    }
    const run = dispatch(this.#dependencies, {
      passage: this.#passage,
      claim: result.claim,
      leaseUntil: result.record.leaseUntil,
      data,
      native,
      timeoutMs: this.#timeoutMs(),
      askFirst: effect === "probe" && (startedBefore || wasTakenOver(result.record)),
    });
    const id = JSON.stringify([operation.scope, operation.key]);
    this.#running.set(id, run);
    try {
      return await run;
    } finally {
      if (this.#running.get(id) === run) this.#running.delete(id);
    }
  }

  /** Consent to this very call: what an earlier attempt at the operation used holds for all of them. */
  async #approval(
    operation: OperationKey,
    { args, fingerprint }: Checked,
    decision: PolicyDecision,
    before: OperationData | undefined,
  ): Promise<ApprovalUse | Fault> {
    return (
      before?.approval ??
      (await approvalFor(this.#dependencies, this.#call, { operation, args, fingerprint, decision }))
    );
  }

  #adapt(args: JsonObject): { native: unknown } | Fault {
    const before = performance.now();
    const adapted = this.#dependencies.adapters.adapt(this.#call.capability, args);
    this.#passage.adapterMs = performance.now() - before;
    return adapted;
  }

  #timeoutMs(): number {
    const { item, capability } = this.#call;
    return Math.min(item.timeout_ms, capability.definition.maxTimeoutMs ?? defaultMaxTimeoutMs);
  }

  /** Waits a little for an operation that runs elsewhere; false when the call's time is up. */
  async #wait({ scope, key }: OperationKey, pause: { ms: number }): Promise<boolean> {
    const left = this.#passage.began + this.#timeoutMs() - performance.now();
    if (left <= 0 || this.#call.signal.aborted) return false;
    const here = this.#running.get(JSON.stringify([scope, key]));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rest = new Promise((resolve) => {
      timer = setTimeout(resolve, Math.min(left, here === undefined ? pause.ms : longestPauseMs));
    });
    await (here === undefined ? rest : Promise.race([here, rest]));
    clearTimeout(timer);
    if (here === undefined) pause.ms = Math.min(pause.ms * 2, longestPauseMs);
    return true;
  }

  #tellExecuted(): void {
    const { emitter, store } = this.#dependencies;
    if (!emitter.active) return;
    const executorMs = Math.round(this.#passage.executorMs);
    emitter.emit({ type: "call.executed", at: store.now(), executorMs, ...factsOf(this.#passage) });
  }

  #point(name: Parameters<NonNullable<CallDependencies["failpoint"]>>[0]): void | Promise<void> {
    return this.#dependencies.failpoint?.(name, this.#call.item.call_id);
  }
}

/** Whether somebody else had started it: then it was claimed a lease later than started, at least. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}

function refused(refusal: Fault): Ending {
  return { settled: { kind: "refused", fault: refusal }, committed: false };
}

function busy(): Ending {
  return { settled: { kind: "in-progress", retryAfterMs }, committed: false };
}
