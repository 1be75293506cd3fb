import type { OperationKey, OperationRecord } from "@toolglot/core";
import { andFinally, andThen, uuidV7Time } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { type Fault, fault, isFault } from "../../frames/fault.ts";
import type { ApprovalUse } from "../../store/types.ts";
import { type Checked, decideCall } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { busy, refused, settledFromRecord } from "../outcome.ts";
import { type Chosen, noAdapter, Route } from "../running/route.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, IncomingCall, Settled } from "../types.ts";
import { approvalFor } from "./approval.ts";
import { type KeyAlias, operationOfAlias } from "./effect-key.ts";
import { effectIdOf } from "./keys.ts";
import { earlierAttempts, effectBegun, effectOver, fromJson, isRerunnable } from "./operation-data.ts";
import { readOperation } from "./read-operation.ts";
import { type Attempt, conflictOf, equalUnknown, type Facts, type Instead, Start } from "./start.ts";

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
        const start = (): MaybePromise<Settled | Instead> =>
          new Start(this.#dependencies, this.#context, this.#own, attempt, chosen, approval).run();
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
    if (prior.fingerprint !== fingerprint) return refused(conflictOf(this.#call));
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
}

/** Whether the adapter that was started before must be asked what it did. */
function mustAsk({ effect, before }: Attempt): boolean {
  return effect === "probe" && before !== undefined;
}

/** Checks whether an operation that was given up may run again. */
function isRerunnableStill({ state, data }: OperationRecord): boolean {
  return state !== "in-doubt" && isRerunnable(fromJson(data)?.effect ?? "opaque");
}
