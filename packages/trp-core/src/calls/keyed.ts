import type { OperationKey, OperationRecord } from "@toolglot/core";
import { uuidV7Time } from "@toolglot/internal";
import { verifyApprovalToken } from "../approvals/token.ts";
import { decisionEntry } from "../audit/logger.ts";
import type { Effect } from "../catalog/types.ts";
import { type Fault, fault, isFault } from "../frames/fault.ts";
import type { PolicyDecision } from "../policy/types.ts";
import type { ApprovalUse, StartOptions } from "../store/types.ts";
import { cancelledInTime, isCancelled } from "./cancel.ts";
import { type Checked, decideCall, timeoutOf } from "./check-call.ts";
import type { CallDependencies } from "./dependencies.ts";
import { dispatch } from "./dispatch.ts";
import { type KeyAlias, operationOfAlias } from "./effect-key.ts";
import { type CallContext, emit, ifDoubt, untold } from "./ending.ts";
import {
  approvalDenied,
  approvalPending,
  approvalRefused,
  effectConflict,
  effectForgotten,
  equalInDoubt,
} from "./faults.ts";
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
import { busy, claimOf, noUsage, refused, settledFromRecord } from "./outcome.ts";
import { NotAsExpected } from "./pending-admission.ts";
import { barred, type Chosen, Route } from "./route.ts";
import type { IncomingCall, Settled } from "./types.ts";

/** The operation to go on with: an equal one under another key, or the call's own when that one has come to nothing. */
export interface Instead {
  instead: OperationKey;
}

/**
 * A call with a key: what the key's operation says, and when it says nothing, the start and the run of it. While nobody
 * knows what came of an equal operation (same principal, family and arguments), the call stands for that one.
 */
export class KeyedCall {
  readonly #dependencies: CallDependencies;
  readonly #context: CallContext;
  /** Of the call's own key. */
  readonly #own: OperationKey;
  /** The caller's key, when the operation is that of an effect. */
  readonly #alias: KeyAlias | undefined;
  /** Whether the operation was tried to start without a look at it. */
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
    // What changes nothing can't be done twice.
    const effectId = effect === "pure" ? undefined : effectIdOf(operation.scope, args);
    const isGuarded = effectId !== undefined && ownRepeats === "guarded";

    // Most keys are new. The start finds out whether this one is; what it finds is looked at when it is not.
    const isGuess = !this.#guessed && isOwn && this.#isLikelyNew(checked);
    this.#guessed = true;
    if (!isGuess) await this.#call.admission?.confirm();
    let prior = isGuess ? undefined : await store.operations.read(operation, isGuarded && isOwn ? effectId : undefined);
    let isForced = !isGuarded;
    if (prior !== undefined && prior.key !== operation.key) {
      // A consent that the call carries is meant for an operation of its own.
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
        // From a time when the capability named its effects.
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
      // Who was asked first a while ago may not be well any more.
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
        // The call that began it finds it again as its own.
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

  /** Whether nothing speaks against a start without a look at the operation. */
  #isLikelyNew({ decision }: Checked): boolean {
    const { item } = this.#call;
    if (this.#alias !== undefined || decision.decision !== "allow" || typeof item.approval_token === "string")
      return false;
    if (this.#context.frame?.known?.status === "known") return false;
    const { store, times } = this.#dependencies;
    const made = uuidV7Time(this.#own.key);
    return made === undefined || made + times.keyTtlMs >= store.now();
  }

  /** Who runs it now: for a probe that was begun before, who can be asked; nobody when nobody may. */
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

  /** The answer of an operation that is there already, to a call whose key stands for it from now on. */
  async #bound(settled: Settled): Promise<Settled> {
    const bound = await this.#alias?.bind(this.#dependencies, this.#call);
    if (isFault(bound)) return refused(bound);
    await bound?.done;
    return settled;
  }

  /** The key was used for something else; or the same effect was asked for with other arguments. */
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
        // What can be asked is asked before it runs again.
        abandoned: chosen !== undefined && (isRerunnable(effect) || effect === "probe") ? "reclaim" : "doubt",
      },
      {
        data: toJson(data),
        ...effectOptions,
        // Who may run it follows from what was read: it must still be that.
        ...((isGuess || !route.isSingle) && { ifFence: prior?.fence ?? 0 }),
        ...(approval === undefined ? {} : { approval }),
        ...(admission?.isMet === false && { ifAdmitted: admission.token }),
        ...(cancellable && { unlessCancelled: { sessionId: session.id, callId: item.call_id } }),
        audit: [decisionEntry(this.#call, proof, approvalIdOf(data), data.adapter)],
        ...untold(this.#dependencies, this.#context, ...resumed),
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
    this.#context.untold = [];
    for (const event of resumed) emit(this.#dependencies, this.#context, event);
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
   * What allows the start of a call that needs consent: what an earlier attempt at the operation used, the token that the
   * call carries, or the record of its operation. None is spent here, but with the start. Rejects when the store does.
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
        // A token is made by somebody who has the call, not the router's defaults.
        args: item.args,
        requester: principal.id,
        now: store.now(),
      });
      return isFault(token) ? token : { kind: "token", jti: token.jti, expiresAt: token.expiresAt };
    }
    const wanted = { operation, args, fingerprint, decision, version: policy.version };
    const { status, record } = await approvals.request(this.#call, wanted);
    if (status === "conflict") return fault("TRP_4004");
    // No request was made: as many of this caller's as there may be are waiting.
    if (status === "too-many") return fault("TRP_4008");
    switch (record.status) {
      case "approved":
      // Used by this very operation, which may be started again.
      case "used":
        return { kind: "record", id: record.id, fingerprint: record.fingerprint };
      case "denied":
        return approvalDenied(record);
      default:
        return approvalPending(record);
    }
  }
}

/** One try to start an operation. */
interface Attempt {
  route: Route;
  chosen: Chosen | undefined;
  /** What was known of the operation before. */
  prior: OperationRecord | undefined;
  /** It was not looked for. */
  isGuess: boolean;
}

/** What a call gets that asks for what is in doubt under another key. */
function equalUnknown(record: OperationRecord): Settled {
  const from = fromJson(record.data)?.call_id;
  const replayed = from === undefined ? {} : { replayedFrom: from };
  // What was only given up may yet be taken up again, by another attempt.
  const doubt = record.state === "in-doubt" ? { doubt: claimOf(record) } : {};
  return { kind: "unknown", fault: equalInDoubt(record.key), usage: noUsage, ...replayed, ...doubt };
}

/** Whether an operation that was given up may go on. */
function isRerunnableStill({ state, data }: OperationRecord): boolean {
  return state !== "in-doubt" && isRerunnable(fromJson(data)?.effect ?? "opaque");
}

/** Whether somebody else had started it: then it was claimed a lease later than started, at least. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}
