import type { ClaimRequest, OperationKey, OperationRecord } from "@toolglot/core";
import { andThen } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { decisionEntry } from "../../audit/logger.ts";
import type { Effect } from "../../catalog/types.ts";
import { type Fault, fault } from "../../frames/fault.ts";
import type { ApprovalUse, StartOptions, StartResult } from "../../store/types.ts";
import type { Checked } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { emitNow, ifDoubt, pendingEvents } from "../events.ts";
import { approvalDenied, approvalRefused, effectConflict, effectForgotten, equalInDoubt } from "../faults.ts";
import { busy, claimOf, noUsage, refused, settledFromRecord } from "../outcome.ts";
import { cancelledInTime, isCancelled } from "../running/cancel.ts";
import { dispatch } from "../running/dispatch.ts";
import type { Chosen, Route } from "../running/route.ts";
import { timeoutOf } from "../times.ts";
import type { CallContext, CallEvent, IncomingCall, Settled } from "../types.ts";
import {
  approvalIdOf,
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

/** What is known of an attempt before the operation is read. */
export interface Facts {
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
export interface Attempt extends Facts {
  prior: OperationRecord | undefined;
  /** The data of `prior`. */
  before: OperationData | undefined;
  /** The strictest of the effects that the operation was started with. */
  effect: Effect;
  route: Route;
}

/** The start of an attempt: the store claims the operation and begins it in one step, and the adapter that was chosen runs it. */
export class Start {
  readonly #dependencies: CallDependencies;
  readonly #context: CallContext;
  /** The operation of the call's own key. */
  readonly #own: OperationKey;
  readonly #attempt: Attempt;
  /** Undefined when no adapter may run. */
  readonly #chosen: Chosen | undefined;
  readonly #data: OperationData;

  constructor(
    dependencies: CallDependencies,
    context: CallContext,
    own: OperationKey,
    attempt: Attempt,
    chosen: Chosen | undefined,
    approval: ApprovalUse | undefined,
  ) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#own = own;
    this.#attempt = attempt;
    this.#chosen = chosen;
    this.#data = dataOf(context, attempt, chosen, approval);
  }

  get #call(): IncomingCall {
    return this.#context.call;
  }

  run(): MaybePromise<Settled | Instead> {
    const { failpoint } = this.#dependencies;
    return andThen(failpoint?.("before-start", this.#call.item.call_id), () =>
      isCancelled(this.#call.stop) ? refused(cancelledInTime()) : this.#claim(),
    );
  }

  #claim(): MaybePromise<Settled | Instead> {
    const { store, times, routerId } = this.#dependencies;
    const { prior, operation, effect, checked } = this.#attempt;
    const isResumed = prior?.startedAt !== undefined;
    const resumed = isResumed ? [{ type: "call.resumed" as const, attempt: this.#data.attempts }] : [];
    const request: ClaimRequest = {
      scope: operation.scope,
      key: operation.key,
      fingerprint: checked.fingerprint,
      owner: routerId,
      leaseMs: times.leaseMs,
      ttlMs: times.keyTtlMs,
      keepMs: times.keyMemoryMs,
      // A `probe` operation is claimed again too: the capability is asked before anything runs.
      abandoned: this.#chosen !== undefined && (isRerunnable(effect) || effect === "probe") ? "reclaim" : "doubt",
    };
    return andThen(store.operations.start(request, this.#options(resumed)), (result) => {
      if (result.status === "not-admitted") throw new NotAsExpected();
      this.#call.admission?.met();
      return result.status === "claimed" ? this.#started(result, resumed) : this.#notClaimed(result);
    });
  }

  #options(resumed: readonly CallEvent[]): StartOptions {
    const { item, session, cancellable, admission } = this.#call;
    const { prior, route, isGuess, effectId, again } = this.#attempt;
    const { approval, adapter, proof } = this.#data;
    const options: StartOptions = {
      data: toJson(this.#data),
      audit: [decisionEntry(this.#call, proof, approvalIdOf(this.#data), adapter)],
      ...pendingEvents(this.#dependencies, this.#context, ...resumed),
      ...ifDoubt(this.#dependencies, prior),
    };
    if (effectId !== undefined) {
      options.effectId = effectId;
      options.again = again;
    }
    // The adapter was chosen from the record that was read, so the start fails when the record has changed.
    if (isGuess || !route.isSingle) options.ifFence = prior?.fence ?? 0;
    if (approval !== undefined) options.approval = approval;
    if (admission?.isMet === false) options.ifAdmitted = admission.token;
    if (cancellable) options.unlessCancelled = { sessionId: session.id, callId: item.call_id };
    return options;
  }

  /** The start is committed. */
  #started(
    { claim, record }: Extract<StartResult, { status: "claimed" }>,
    resumed: readonly CallEvent[],
  ): MaybePromise<Settled> {
    const { prior, route, effect } = this.#attempt;
    const { cancellable } = this.#call;
    if (this.#chosen === undefined) throw new Error("an operation was claimed that nobody may run");
    this.#context.pendingEvents = undefined;
    for (const event of resumed) emitNow(this.#dependencies, this.#context, event);
    if (cancellable) cancellable.isStarted = true;
    this.#context.onStarted?.();
    return dispatch(this.#dependencies, {
      context: this.#context,
      claim,
      leaseUntil: record.leaseUntil,
      data: this.#data,
      route,
      chosen: this.#chosen,
      timeoutMs: timeoutOf(this.#call),
      askFirst: effect === "probe" && (prior?.startedAt !== undefined || wasTakenOver(record)),
    });
  }

  /** Ends, or turns to another operation: nothing was started. */
  #notClaimed(result: Exclude<StartResult, { status: "claimed" | "not-admitted" }>): Settled | Instead {
    const { operation, isGuess } = this.#attempt;
    if (isGuess && result.status !== "call-cancelled") return { instead: operation };
    switch (result.status) {
      case "busy":
        return busy();
      case "call-cancelled":
        return refused(cancelledInTime());
      case "conflict":
        return refused(conflictOf(this.#call));
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

/** Returns what the operation's record keeps, so that any router can run it again. */
function dataOf(
  { call, proof }: CallContext,
  { checked, before, route, isOwn }: Attempt,
  chosen: Chosen | undefined,
  approval: ApprovalUse | undefined,
): OperationData {
  const data = operationData(call, {
    args: checked.args,
    attempts: (before?.attempts ?? 0) + 1,
    timeoutMs: call.item.timeout_ms,
    proof: proof as OperationData["proof"],
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

/** Returns the fault for a key that was used for another call, or for an effect that was requested with other arguments. */
export function conflictOf({ capability }: IncomingCall): Fault {
  return capability.definition.effectKey === undefined ? fault("TRP_4004") : effectConflict();
}

/** The answer to a call when an equal operation under another key is unsettled. */
export function equalUnknown(record: OperationRecord): Settled {
  const from = fromJson(record.data)?.call_id;
  const replayed = from === undefined ? {} : { replayedFrom: from };
  // An operation that was only given up may still continue in another attempt, so there is no doubt to remember yet.
  const doubt = record.state === "in-doubt" ? { doubt: claimOf(record) } : {};
  return { kind: "unknown", fault: equalInDoubt(record.key), usage: noUsage, ...replayed, ...doubt };
}

/** Whether the operation was taken over: only then was it claimed later than it was first started. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}
