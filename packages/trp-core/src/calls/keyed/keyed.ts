import type { ClaimRequest, OperationKey, OperationRecord } from "@toolglot/core";
import { andFinally, andThen, uuidV7Time } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { decisionEntry } from "../../audit/logger.ts";
import type { Effect } from "../../catalog/types.ts";
import { type Fault, fault, isFault } from "../../frames/fault.ts";
import type { ApprovalUse, StartOptions, StartResult } from "../../store/types.ts";
import { type Checked, decideCall } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { emitNow, ifDoubt, pendingEvents } from "../events.ts";
import { approvalDenied, approvalRefused, effectConflict, effectForgotten, equalInDoubt } from "../faults.ts";
import { busy, claimOf, noUsage, refused, settledFromRecord } from "../outcome.ts";
import { cancelledInTime, isCancelled } from "../running/cancel.ts";
import { dispatch } from "../running/dispatch.ts";
import { type Chosen, noAdapter, Route } from "../running/route.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, CallEvent, IncomingCall, Settled } from "../types.ts";
import { approvalFor } from "./approval.ts";
import { type KeyAlias, operationOfAlias } from "./effect-key.ts";
import { effectIdOf } from "./keys.ts";
import {
  approvalIdOf,
  earlierAttempts,
  effectBegun,
  effectOver,
  fromJson,
  isRerunnable,
  type OperationData,
  operationData,
  routeData,
  toJson,
} from "./operation-data.ts";
import { NotAsExpected } from "./pending-admission.ts";
import { readOperation } from "./read-operation.ts";

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

  /**
   * Makes one attempt at an operation, the call's own or the one that stands for it: finds what is known of it, asks
   * whether it may start, chooses an adapter, and starts.
   */
  run(operation: OperationKey, checked: Checked): MaybePromise<Settled | Instead> {
    this.#context.operation = operation;
    return andThen(this.#find(operation, checked), (found) => ("route" in found ? this.#run(found) : found));
  }

  #run(attempt: Attempt): MaybePromise<Settled | Instead> {
    const { capability, stop } = this.#call;
    const { route } = attempt;
    const { decision } = attempt.checked;
    const found = mustAsk(attempt) ? route.named(attempt.before?.adapter) : route.find(this.#dependencies.store.now());
    if (isFault(found)) return refused(found);
    const isNeeded = decision.decision === "approve";
    const early = isNeeded ? approvalFor(this.#dependencies, this.#call, attempt, decision) : undefined;
    return andThen<ApprovalUse | Fault | undefined, Settled | Instead>(early, (approval) => {
      if (isFault(approval)) return refused(approval);
      const taken = this.#dependencies.places.take(capability, { timeoutMs: timeoutOf(this.#call), stop });
      return andThen(taken, (release) => {
        if (isFault(release)) return refused(release);
        const end = (): void => {
          route.close();
          release();
        };
        return andFinally(() => this.#placed(attempt, approval), end);
      });
    });
  }

  /** The call has its place. */
  #placed(attempt: Attempt, early: ApprovalUse | undefined): MaybePromise<Settled | Instead> {
    return andThen<ApprovalUse | Fault | "unknown" | undefined, Settled | Instead>(
      this.#authorise(attempt, early),
      (approval) => {
        if (approval === "unknown") return { instead: attempt.operation };
        if (isFault(approval)) return refused(approval);
        // The call may have waited for a place. The adapter that was found before may be unhealthy by now.
        const chosen = this.#choose(attempt);
        if (isFault(chosen)) return refused(chosen);
        const start = (): MaybePromise<Settled | Instead> => this.#start(attempt, chosen, approval);
        return this.#alias === undefined ? start() : this.#startAs(this.#alias, start);
      },
    );
  }

  /** Starts, and binds the caller's key to the operation beside that. */
  async #startAs(alias: KeyAlias, start: () => MaybePromise<Settled | Instead>): Promise<Settled | Instead> {
    const bound = await alias.bind(this.#dependencies, this.#call);
    if (isFault(bound)) return refused(bound);
    // What a start throws at once is to find the binding waited for.
    return (await Promise.all([(async () => await start())(), bound.done]))[0];
  }

  /** Reads what is known of the operation. Returns its outcome when it has one, else what a start needs. */
  #find(operation: OperationKey, checked: Checked): MaybePromise<Attempt | Settled | Instead> {
    const { repeats } = this.#dependencies;
    const { capability } = this.#call;
    const { effect, repeats: ownRepeats = repeats } = capability.definition;
    const isOwn = operation.key === this.#own.key;
    // A pure capability changes nothing, so it does not matter whether it runs twice.
    const effectId = effect === "pure" ? undefined : effectIdOf(operation.scope, checked.argsText);
    const isGuarded = effectId !== undefined && ownRepeats === "guarded";
    // Most keys are new, so the start is tried without a read. When the key turns out to be known, the operation is
    // read.
    const isGuess = !this.#guessed && isOwn && this.#isLikelyNew(checked);
    this.#guessed = true;
    const facts: Facts = { operation, checked, isOwn, isGuess, effectId, again: !isGuarded };
    return isGuess ? this.#attempt(facts, undefined) : this.#read(facts);
  }

  async #read(facts: Facts): Promise<Attempt | Settled | Instead> {
    const { store, times } = this.#dependencies;
    const { item, admission, span } = this.#call;
    const { operation, isOwn, effectId, checked } = facts;
    await admission?.confirm();
    let { again } = facts;
    let prior = await readOperation(store.operations, operation, again || !isOwn ? undefined : effectId);
    if (prior !== undefined && prior.key !== operation.key) {
      // A call with an approval token was approved to run by itself, so it does not join the equal operation.
      again = typeof item.approval_token === "string" && isRerunnableStill(prior);
      if (!again) return { instead: { scope: prior.scope, key: prior.key } };
      prior = undefined;
    }
    if (prior === undefined) {
      if (!isOwn) return { instead: this.#own };
      const made = uuidV7Time(operation.key);
      if (made !== undefined && made + times.keyTtlMs < store.now()) return refused(fault("TRP_4005"));
    } else {
      span?.link(fromJson(prior.data)?.traceparent);
      const end = await this.#standing(prior, isOwn, checked.fingerprint);
      if (end !== undefined) return end;
    }
    return this.#attempt({ ...facts, again }, prior);
  }

  #attempt(
    { operation, checked, isOwn, isGuess, effectId, again }: Facts,
    prior: OperationRecord | undefined,
  ): Attempt {
    const { capability, principal } = this.#call;
    const before = fromJson(prior?.data);
    const effect = effectOver(effectBegun(capability.definition), before?.effect);
    const route = new Route({ capability, principal, args: checked.args, effect, earlier: earlierAttempts(before) });
    return { operation, checked, isOwn, isGuess, prior, before, effect, effectId, again, route };
  }

  /** Returns how the call ends because of the operation's record. Undefined when the operation may be started again. */
  async #standing(prior: OperationRecord, isOwn: boolean, fingerprint: string): Promise<Settled | Instead | undefined> {
    const { store } = this.#dependencies;
    if (!isOwn && (prior.state === "in-doubt" || prior.fingerprint !== fingerprint)) return equalUnknown(prior);
    if (prior.fingerprint !== fingerprint) return refused(this.#conflict());
    const aliased = operationOfAlias(prior);
    if (aliased !== undefined) {
      // The record is from a time when the capability's arguments named the effect.
      return (await readOperation(store.operations, aliased)) ? { instead: aliased } : refused(fault("TRP_4005"));
    }
    const settled = settledFromRecord(prior);
    const isOver = settled !== undefined || prior.leaseUntil > store.now();
    return isOver ? await this.#bound(settled ?? busy()) : undefined;
  }

  /** Asks the policy once more, now that the call has a place. `unknown`: the operation must be read first. */
  #authorise(
    attempt: Attempt,
    early: ApprovalUse | undefined,
  ): MaybePromise<ApprovalUse | Fault | "unknown" | undefined> {
    const { args, fingerprint } = attempt.checked;
    return andThen(decideCall(this.#dependencies, this.#context, { args, fingerprint, phase: "start" }), (again) => {
      if (isFault(again) || early !== undefined || again.decision !== "approve") return isFault(again) ? again : early;
      return attempt.isGuess ? "unknown" : approvalFor(this.#dependencies, this.#call, attempt, again);
    });
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
   * Returns the adapter that runs the operation now. When a `probe` operation was begun before, it is the adapter that
   * can be asked about it. Undefined when no adapter may run.
   */
  #choose(attempt: Attempt): Chosen | Fault | undefined {
    const { route, before } = attempt;
    const now = this.#dependencies.store.now();
    const isKnown = mustAsk(attempt);
    const chosen = isKnown ? route.named(before?.adapter) : route.take(now);
    this.#context.adapterMs = route.adapterMs;
    if (isFault(chosen)) return chosen;
    if (chosen === undefined || chosen === noAdapter) return undefined;
    if (isKnown) route.keep(chosen, now);
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

  #start(
    attempt: Attempt,
    chosen: Chosen | undefined,
    approval: ApprovalUse | undefined,
  ): MaybePromise<Settled | Instead> {
    const data = this.#data(attempt, chosen, approval);
    const { failpoint } = this.#dependencies;
    return andThen(failpoint?.("before-start", this.#call.item.call_id), () =>
      isCancelled(this.#call.stop) ? refused(cancelledInTime()) : this.#claim(attempt, chosen, data),
    );
  }

  #claim(attempt: Attempt, chosen: Chosen | undefined, data: OperationData): MaybePromise<Settled | Instead> {
    const { store, times, routerId } = this.#dependencies;
    const { prior, operation, effect, checked } = attempt;
    const isResumed = prior?.startedAt !== undefined;
    const resumed = isResumed ? [{ type: "call.resumed" as const, attempt: data.attempts }] : [];
    const request: ClaimRequest = {
      scope: operation.scope,
      key: operation.key,
      fingerprint: checked.fingerprint,
      owner: routerId,
      leaseMs: times.leaseMs,
      ttlMs: times.keyTtlMs,
      keepMs: times.keyMemoryMs,
      // A `probe` operation is claimed again too: the capability is asked before anything runs.
      abandoned: chosen !== undefined && (isRerunnable(effect) || effect === "probe") ? "reclaim" : "doubt",
    };
    return andThen(store.operations.start(request, this.#startOptions(attempt, data, resumed)), (result) => {
      if (result.status === "not-admitted") throw new NotAsExpected();
      this.#call.admission?.met();
      if (result.status !== "claimed") return this.#notClaimed(result, attempt);
      return this.#started(attempt, chosen, data, result, resumed);
    });
  }

  /** The start is committed. */
  #started(
    { prior, route, effect }: Attempt,
    chosen: Chosen | undefined,
    data: OperationData,
    result: Extract<StartResult, { status: "claimed" }>,
    resumed: readonly CallEvent[],
  ): MaybePromise<Settled> {
    const { cancellable } = this.#call;
    if (chosen === undefined) throw new Error("an operation was claimed that nobody may run");
    this.#context.pendingEvents = undefined;
    for (const event of resumed) emitNow(this.#dependencies, this.#context, event);
    if (cancellable) cancellable.isStarted = true;
    this.#context.onStarted?.();
    return dispatch(this.#dependencies, {
      context: this.#context,
      claim: result.claim,
      leaseUntil: result.record.leaseUntil,
      data,
      route,
      chosen,
      timeoutMs: timeoutOf(this.#call),
      askFirst: effect === "probe" && (prior?.startedAt !== undefined || wasTakenOver(result.record)),
    });
  }

  /** Returns what the operation's record keeps, so that any router can run it again. */
  #data(
    { checked, before, route, isOwn }: Attempt,
    chosen: Chosen | undefined,
    approval: ApprovalUse | undefined,
  ): OperationData {
    const data = operationData(this.#call, {
      args: checked.args,
      attempts: (before?.attempts ?? 0) + 1,
      timeoutMs: this.#call.item.timeout_ms,
      proof: this.#context.proof as OperationData["proof"],
      ...(approval === undefined ? {} : { approval }),
      ...(chosen !== undefined && !route.isSingle && routeData(chosen, route.failed)),
    });
    if (!isOwn && before !== undefined) {
      // The record keeps naming the call that began the operation, so that this call finds it again.
      data.call_id = before.call_id;
      if (before.call_digest !== undefined) data.call_digest = before.call_digest;
    }
    return data;
  }

  #startOptions(
    { prior, route, isGuess, effectId, again }: Attempt,
    data: OperationData,
    resumed: readonly CallEvent[],
  ): StartOptions {
    const { item, session, cancellable, admission } = this.#call;
    const options: StartOptions = {
      data: toJson(data),
      audit: [decisionEntry(this.#call, data.proof, approvalIdOf(data), data.adapter)],
      ...pendingEvents(this.#dependencies, this.#context, ...resumed),
      ...ifDoubt(this.#dependencies, prior),
    };
    if (effectId !== undefined) {
      options.effectId = effectId;
      options.again = again;
    }
    // The adapter was chosen from the record that was read, so the start fails when the record has changed.
    if (isGuess || !route.isSingle) options.ifFence = prior?.fence ?? 0;
    if (data.approval !== undefined) options.approval = data.approval;
    if (admission?.isMet === false) options.ifAdmitted = admission.token;
    if (cancellable) options.unlessCancelled = { sessionId: session.id, callId: item.call_id };
    return options;
  }

  /** Ends, or turns to another operation: nothing was started. */
  #notClaimed(
    result: Exclude<StartResult, { status: "claimed" | "not-admitted" }>,
    { operation, isGuess }: Attempt,
  ): Settled | Instead {
    if (isGuess && result.status !== "call-cancelled") return { instead: operation };
    switch (result.status) {
      case "busy":
        return busy();
      case "call-cancelled":
        return refused(cancelledInTime());
      case "conflict":
        return refused(this.#conflict());
      case "changed":
        return { instead: operation };
      case "expired": {
        const isNamed = this.#call.capability.definition.effectKey !== undefined;
        return refused(isNamed ? effectForgotten() : fault("TRP_4005"));
      }
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
  }
}

/** What is known of an attempt before the operation is read. */
interface Facts {
  operation: OperationKey;
  checked: Checked;
  /** Whether it is the operation of the call's own key. */
  isOwn: boolean;
  /** Whether the record is not read, because the key is probably new. */
  isGuess: boolean;
  effectId: string | undefined;
  /** Whether it starts although an equal operation is unsettled. */
  again: boolean;
}

/** One attempt at an operation that may be started. */
interface Attempt extends Facts {
  prior: OperationRecord | undefined;
  /** The data of `prior`. */
  before: OperationData | undefined;
  /** The strictest of the effects that the operation was started with. */
  effect: Effect;
  route: Route;
}

/** Whether the adapter that was started before must be asked what it did. */
function mustAsk({ effect, before }: Attempt): boolean {
  return effect === "probe" && before !== undefined;
}

/** The answer to a call when an equal operation under another key is unsettled. */
function equalUnknown(record: OperationRecord): Settled {
  const from = fromJson(record.data)?.call_id;
  const replayed = from === undefined ? {} : { replayedFrom: from };
  // An operation that was only given up may still continue in another attempt, so there is no doubt to remember yet.
  const doubt = record.state === "in-doubt" ? { doubt: claimOf(record) } : {};
  return { kind: "unknown", fault: equalInDoubt(record.key), usage: noUsage, ...replayed, ...doubt };
}

/** Checks whether an operation that was given up may run again. */
function isRerunnableStill({ state, data }: OperationRecord): boolean {
  return state !== "in-doubt" && isRerunnable(fromJson(data)?.effect ?? "opaque");
}

/** Whether the operation was taken over: only then was it claimed later than it was first started. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}
