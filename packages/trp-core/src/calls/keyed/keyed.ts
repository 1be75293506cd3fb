import type { OperationKey, OperationRecord } from "@toolglot/core";
import { uuidV7Time } from "@toolglot/internal";
import { verifyApprovalToken } from "../../approvals/token.ts";
import { decisionEntry } from "../../audit/logger.ts";
import type { Effect } from "../../catalog/types.ts";
import { type Fault, fault, isFault } from "../../frames/fault.ts";
import type { PolicyDecision } from "../../policy/types.ts";
import type { ApprovalUse, StartOptions } from "../../store/types.ts";
import { type Checked, decideCall } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { emitNow, ifDoubt, pendingEvents } from "../events.ts";
import {
  approvalDenied,
  approvalPending,
  approvalRefused,
  effectConflict,
  effectForgotten,
  equalInDoubt,
} from "../faults.ts";
import { busy, claimOf, noUsage, refused, settledFromRecord } from "../outcome.ts";
import { cancelledInTime, isCancelled } from "../running/cancel.ts";
import { dispatch } from "../running/dispatch.ts";
import { barred, type Chosen, Route } from "../running/route.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, IncomingCall, Settled } from "../types.ts";
import { type KeyAlias, operationOfAlias } from "./effect-key.ts";
import { effectIdOf } from "./keys.ts";
import {
  approvalIdOf,
  earlierAttempts,
  effectOver,
  fromJson,
  isRerunnable,
  type OperationData,
  operationData,
  routeData,
  toJson,
} from "./operation-data.ts";
import { NotAsExpected } from "./pending-admission.ts";

/** Continue with this operation: an equal one under another key, or the call's own one when the equal one is gone. */
export interface Instead {
  instead: OperationKey;
}

/**
 * A call with a key. When the key's operation has an outcome, the call gets that outcome; otherwise it starts and runs
 * the operation. While the outcome of an equal operation (same principal, family and arguments) is unknown, the call
 * joins it.
 */
export class KeyedCall {
  readonly #dependencies: CallDependencies;
  readonly #context: CallContext;
  /** The operation of the call's own key. */
  readonly #own: OperationKey;
  /** The caller's key, when the arguments name the effect and so the operation has the effect's key. */
  readonly #alias: KeyAlias | undefined;
  /** Whether a start without reading the operation first was already tried. */
  #guessed = false;

  constructor(dependencies: CallDependencies, context: CallContext, own: OperationKey, alias?: KeyAlias) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#own = own;
    this.#alias = alias;
  }

  get #call(): IncomingCall {
    return this.#context.call;
  }

  /** One attempt at an operation: the call's own, or the one that stands for it. */
  async run(operation: OperationKey, checked: Checked): Promise<Settled | Instead> {
    const { store, places, times, repeats } = this.#dependencies;
    const { capability, item, principal, signal } = this.#call;
    const { args, fingerprint } = checked;
    const isOwn = operation.key === this.#own.key;
    this.#context.operation = operation;
    const { effect, repeats: ownRepeats = repeats } = capability.definition;
    // A pure capability changes nothing, so it does not matter whether it runs twice.
    const effectId = effect === "pure" ? undefined : effectIdOf(operation.scope, args);
    const isGuarded = effectId !== undefined && ownRepeats === "guarded";

    // Most keys are new, so the start is tried without a read. When the key turns out to be known, the operation is
    // read.
    const isGuess = !this.#guessed && isOwn && this.#isLikelyNew(checked);
    this.#guessed = true;
    if (!isGuess) await this.#call.admission?.confirm();
    let prior = isGuess ? undefined : await store.operations.read(operation, isGuarded && isOwn ? effectId : undefined);
    let isForced = !isGuarded;
    if (prior !== undefined && prior.key !== operation.key) {
      // A call with an approval token was approved to run by itself, so it does not join the equal operation.
      isForced = typeof item.approval_token === "string" && isRerunnableStill(prior);
      if (!isForced) return { instead: { scope: prior.scope, key: prior.key } };
      prior = undefined;
    }
    if (prior !== undefined) this.#call.span?.link(fromJson(prior.data)?.traceparent);
    if (prior === undefined && !isOwn) return { instead: this.#own };
    if (prior !== undefined) {
      if (!isOwn && (prior.state === "in-doubt" || prior.fingerprint !== fingerprint)) return equalUnknown(prior);
      if (prior.fingerprint !== fingerprint) return refused(this.#conflict());
      const aliased = operationOfAlias(prior);
      if (aliased !== undefined) {
        // The record is from a time when the capability's arguments named the effect.
        return (await store.operations.read(aliased)) ? { instead: aliased } : refused(fault("TRP_4005"));
      }
      const settled = settledFromRecord(prior);
      if (settled !== undefined || prior.leaseUntil > store.now()) return await this.#bound(settled ?? busy());
    } else {
      const made = uuidV7Time(operation.key);
      if (made !== undefined && made + times.keyTtlMs < store.now()) return refused(fault("TRP_4005"));
    }

    const before = fromJson(prior?.data);
    const strictest = effectOver(effect, before?.effect);
    const route = new Route({ capability, principal, args, effect: strictest, earlier: earlierAttempts(before) });
    const found = strictest === "probe" && before !== undefined ? route.named(before.adapter) : route.find(store.now());
    if (isFault(found)) return refused(found);
    let approval: ApprovalUse | undefined;
    if (checked.decision.decision === "approve") {
      const given = await this.#approval(operation, checked, checked.decision, before);
      if (isFault(given)) return refused(given);
      approval = given;
    }

    const timeoutMs = timeoutOf(this.#call);
    const release = await places.take(capability, { timeoutMs, signal });
    if (isFault(release)) return refused(release);
    try {
      const again = await decideCall(this.#dependencies, this.#context, { args, fingerprint, phase: "start" });
      if (isFault(again)) return refused(again);
      if (again.decision === "approve" && approval === undefined) {
        if (isGuess) return { instead: operation };
        const given = await this.#approval(operation, checked, again, before);
        if (isFault(given)) return refused(given);
        approval = given;
      }
      // The call may have waited for a place. The adapter that was found before may be unhealthy by now.
      const chosen = this.#choose(route, before, strictest);
      if (isFault(chosen)) return refused(chosen);
      const data = operationData(this.#call, {
        args,
        attempts: (before?.attempts ?? 0) + 1,
        timeoutMs: item.timeout_ms,
        proof: this.#context.proof as OperationData["proof"],
        ...(approval === undefined ? {} : { approval }),
        ...(chosen !== undefined && !route.isSingle && routeData(chosen, route.failed)),
      });
      if (!isOwn && before !== undefined) {
        // The record keeps naming the call that began the operation, so that this call finds it again.
        data.call_id = before.call_id;
        if (before.call_digest !== undefined) data.call_digest = before.call_digest;
      }
      const effectOptions = effectId === undefined ? {} : { effectId, again: isForced };
      const bound = await this.#alias?.bind(this.#dependencies, this.#call);
      if (isFault(bound)) return refused(bound);
      const attempt = { route, chosen, prior, isGuess };
      const started = this.#start(operation, fingerprint, data, effectOptions, attempt);
      return bound === undefined ? await started : (await Promise.all([started, bound.done]))[0];
    } finally {
      route.close();
      release();
    }
  }

  /** Whether the key is probably new, so that a start without a read of the operation is worth trying. */
  #isLikelyNew({ decision }: Checked): boolean {
    const { item } = this.#call;
    if (this.#alias !== undefined || decision.decision !== "allow" || typeof item.approval_token === "string")
      return false;
    if (this.#context.frame?.known?.status === "known") return false;
    const { store, times } = this.#dependencies;
    const made = uuidV7Time(this.#own.key);
    return made === undefined || made + times.keyTtlMs >= store.now();
  }

  /**
   * The adapter that runs the operation now. When a `probe` operation was begun before, it is the adapter that can be
   * asked about it. Undefined when no adapter may run.
   */
  #choose(route: Route, before: OperationData | undefined, effect: Effect): Chosen | Fault | undefined {
    const now = this.#dependencies.store.now();
    const known = effect === "probe" && before !== undefined;
    const chosen = known ? route.named(before.adapter) : route.take(now);
    this.#context.adapterMs = route.adapterMs;
    if (isFault(chosen)) return chosen;
    if (chosen === undefined || chosen === barred) return undefined;
    if (known) route.keep(chosen, now);
    this.#context.route = route;
    return chosen;
  }

  /** Answers with the outcome of an existing operation. From now on the call's key stands for that operation. */
  async #bound(settled: Settled): Promise<Settled> {
    const bound = await this.#alias?.bind(this.#dependencies, this.#call);
    if (isFault(bound)) return refused(bound);
    await bound?.done;
    return settled;
  }

  /** The fault for a key that was used for another call, or for an effect that was requested with other arguments. */
  #conflict(): Fault {
    return this.#call.capability.definition.effectKey === undefined ? fault("TRP_4004") : effectConflict();
  }

  async #start(
    operation: OperationKey,
    fingerprint: string,
    data: OperationData,
    effectOptions: Pick<StartOptions, "effectId" | "again">,
    { route, chosen, prior, isGuess }: Attempt,
  ): Promise<Settled | Instead> {
    const { store, times, routerId } = this.#dependencies;
    const startedBefore = prior?.startedAt !== undefined;
    const resumed = startedBefore ? [{ type: "call.resumed" as const, attempt: data.attempts }] : [];
    const effect = effectOver(this.#call.capability.definition.effect, fromJson(prior?.data)?.effect);
    const { approval, proof } = data;
    const { item, session, signal, cancellable, admission } = this.#call;
    await this.#dependencies.failpoint?.("before-start", item.call_id);
    if (isCancelled(signal)) return refused(cancelledInTime());
    const result = await store.operations.start(
      {
        ...operation,
        fingerprint,
        owner: routerId,
        leaseMs: times.leaseMs,
        ttlMs: times.keyTtlMs,
        keepMs: times.keyMemoryMs,
        // A `probe` operation is claimed again too: the capability is asked before anything runs.
        abandoned: chosen !== undefined && (isRerunnable(effect) || effect === "probe") ? "reclaim" : "doubt",
      },
      {
        data: toJson(data),
        ...effectOptions,
        // The adapter was chosen from the record that was read, so the start fails when the record has changed.
        ...((isGuess || !route.isSingle) && { ifFence: prior?.fence ?? 0 }),
        ...(approval === undefined ? {} : { approval }),
        ...(admission?.isMet === false && { ifAdmitted: admission.token }),
        ...(cancellable && { unlessCancelled: { sessionId: session.id, callId: item.call_id } }),
        audit: [decisionEntry(this.#call, proof, approvalIdOf(data), data.adapter)],
        ...pendingEvents(this.#dependencies, this.#context, ...resumed),
        ...ifDoubt(this.#dependencies, prior),
      },
    );
    if (result.status === "not-admitted") throw new NotAsExpected();
    admission?.met();
    if (isGuess && result.status !== "claimed" && result.status !== "call-cancelled") return { instead: operation };
    switch (result.status) {
      case "claimed":
        break;
      case "busy":
        return busy();
      case "call-cancelled":
        return refused(cancelledInTime());
      case "conflict":
        return refused(this.#conflict());
      case "changed":
        return { instead: operation };
      case "expired":
        return refused(
          this.#call.capability.definition.effectKey === undefined ? fault("TRP_4005") : effectForgotten(),
        );
      case "approval-refused":
        return refused(result.reason === "denied" ? approvalDenied(result.denial) : approvalRefused(result.reason));
      default: {
        const { scope, key } = result.record;
        if (key !== operation.key) return { instead: { scope, key } };
        const settled = settledFromRecord(result.record);
        if (key !== this.#own.key && settled?.kind === "unknown") return equalUnknown(result.record);
        return settled ?? busy();
      }
    }
    if (chosen === undefined) throw new Error("an operation was claimed that nobody may run");
    this.#context.pendingEvents = [];
    for (const event of resumed) emitNow(this.#dependencies, this.#context, event);
    if (cancellable) cancellable.isStarted = true;
    this.#context.onStarted?.();
    return await dispatch(this.#dependencies, {
      context: this.#context,
      claim: result.claim,
      leaseUntil: result.record.leaseUntil,
      data,
      route,
      chosen,
      timeoutMs: timeoutOf(this.#call),
      askFirst: effect === "probe" && (startedBefore || wasTakenOver(result.record)),
    });
  }

  /**
   * The approval that allows the start: the one that an earlier attempt used, the token in the call, or the approval
   * record of the operation. It is not used up here, but together with the start. Rejects when the store does.
   */
  async #approval(
    operation: OperationKey,
    { args, fingerprint }: Checked,
    decision: PolicyDecision,
    before: OperationData | undefined,
  ): Promise<ApprovalUse | Fault> {
    if (before?.approval !== undefined) return before.approval;
    const { store, approvals, approvalSecrets, policy } = this.#dependencies;
    const { item, capability, principal } = this.#call;
    if (typeof item.approval_token === "string") {
      const token = verifyApprovalToken(item.approval_token, {
        secrets: approvalSecrets,
        capId: capability.capId,
        // The signer of a token knows the arguments of the call without the router's defaults.
        args: item.args,
        requester: principal.id,
        now: store.now(),
      });
      return isFault(token) ? token : { kind: "token", jti: token.jti, expiresAt: token.expiresAt };
    }
    const wanted = { operation, args, fingerprint, decision, version: policy.version };
    const { status, record } = await approvals.request(this.#call, wanted);
    if (status === "conflict") return fault("TRP_4004");
    // No request was made, because this caller already has the maximum number of waiting requests.
    if (status === "too-many") return fault("TRP_4008");
    switch (record.status) {
      case "approved":
      // This very operation has used it, and may be started again.
      case "used":
        return { kind: "record", id: record.id, fingerprint: record.fingerprint };
      case "denied":
        return approvalDenied(record);
      default:
        return approvalPending(record);
    }
  }
}

/** One attempt to start an operation. */
interface Attempt {
  route: Route;
  chosen: Chosen | undefined;
  /** The record that was read before the start. */
  prior: OperationRecord | undefined;
  /** Whether the record was not read, because the key is probably new. */
  isGuess: boolean;
}

/** The answer to a call when an equal operation under another key is unsettled. */
function equalUnknown(record: OperationRecord): Settled {
  const from = fromJson(record.data)?.call_id;
  const replayed = from === undefined ? {} : { replayedFrom: from };
  // An operation that was only given up may still continue in another attempt, so there is no doubt to remember yet.
  const doubt = record.state === "in-doubt" ? { doubt: claimOf(record) } : {};
  return { kind: "unknown", fault: equalInDoubt(record.key), usage: noUsage, ...replayed, ...doubt };
}

/** Whether an operation that was given up may run again. */
function isRerunnableStill({ state, data }: OperationRecord): boolean {
  return state !== "in-doubt" && isRerunnable(fromJson(data)?.effect ?? "opaque");
}

/** Whether the operation was taken over: only then was it claimed later than it was first started. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}
