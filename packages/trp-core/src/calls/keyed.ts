import type { OperationKey, OperationRecord } from "@toolglot/core";
import { uuidV7Time } from "../digest/ids.ts";
import { isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import { fromJson, type OperationData, operationData, toJson } from "../operations/operation-data.ts";
import type { PolicyDecision } from "../policy/types.ts";
import type { ApprovalUse, StartOptions } from "../store/types.ts";
import { approvalFor } from "./approval-step.ts";
import { adaptCall, type Checked, decideCall, timeoutOf } from "./check-call.ts";
import type { CallDependencies } from "./dependencies.ts";
import { dispatch } from "./dispatch.ts";
import { effectOver, isRerunnable } from "./effects.ts";
import { busy, type Ending, type Passage, refused } from "./ending.ts";
import { approvalDenied, approvalRefused, conflict, equalInDoubt, keyExpired } from "./faults.ts";
import { effectIdOf } from "./keys.ts";
import { noUsage, settledFromRecord } from "./outcome.ts";
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
  readonly #passage: Passage;
  /** Of the call's own key. */
  readonly #own: OperationKey;

  constructor(dependencies: CallDependencies, passage: Passage, own: OperationKey) {
    this.#dependencies = dependencies;
    this.#passage = passage;
    this.#own = own;
  }

  get #call(): IncomingCall {
    return this.#passage.call;
  }

  /** One attempt at an operation: the call's own, or the one that stands for it. */
  async run(operation: OperationKey, checked: Checked): Promise<Ending | Instead> {
    const { store, places, times, repeats } = this.#dependencies;
    const { capability, item, signal } = this.#call;
    const { args, fingerprint } = checked;
    const isOwn = operation.key === this.#own.key;
    const { effect, repeats: ownRepeats = repeats } = capability.definition;
    // What changes nothing can't be done twice.
    const effectId = effect === "pure" ? undefined : effectIdOf(operation.scope, args);
    const isGuarded = effectId !== undefined && ownRepeats === "guarded";

    let prior = await store.operations.read(operation, isGuarded && isOwn ? effectId : undefined);
    let isForced = !isGuarded;
    if (prior !== undefined && prior.key !== operation.key) {
      // A consent that the call brings along is meant for an operation of its own.
      isForced = typeof item.approval_token === "string" && isRerunnableStill(prior);
      if (!isForced) return { instead: { scope: prior.scope, key: prior.key } };
      prior = undefined;
    }
    if (prior === undefined && !isOwn) return { instead: this.#own };
    if (prior !== undefined) {
      if (!isOwn && (prior.state === "in-doubt" || prior.fingerprint !== fingerprint)) return equalUnknown(prior);
      if (prior.fingerprint !== fingerprint) return refused(conflict());
      const settled = settledFromRecord(prior);
      if (settled !== undefined) return { settled, committed: false };
      if (prior.leaseUntil > store.now()) return busy();
    } else {
      const made = uuidV7Time(operation.key);
      if (made !== undefined && made + times.keyTtlMs < store.now()) return refused(keyExpired());
    }

    const adapted = adaptCall(this.#dependencies, this.#passage, args);
    if (isFault(adapted)) return refused(adapted);
    const before = fromJson(prior?.data);
    let approval: ApprovalUse | undefined;
    if (checked.decision.decision === "approve") {
      const given = await this.#approval(operation, checked, checked.decision, before);
      if (isFault(given)) return refused(given);
      approval = given;
    }

    const timeoutMs = timeoutOf(this.#call);
    const place = await places.take(capability, { timeoutMs, signal });
    if (isFault(place)) return refused(place);
    try {
      const again = await decideCall(this.#dependencies, this.#passage, { args, fingerprint, phase: "start" });
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
      if (!isOwn && before !== undefined) {
        // Whoever began it finds it again as theirs.
        data.call_id = before.call_id;
        if (before.call_digest !== undefined) data.call_digest = before.call_digest;
      }
      const effectOptions = effectId === undefined ? {} : { effectId, again: isForced };
      return await this.#start(operation, fingerprint, data, effectOptions, adapted.native, prior);
    } finally {
      place();
    }
  }

  async #start(
    operation: OperationKey,
    fingerprint: string,
    data: OperationData,
    effectOptions: Pick<StartOptions, "effectId" | "again">,
    native: unknown,
    prior: OperationRecord | undefined,
  ): Promise<Ending | Instead> {
    const { store, times, routerId, audit } = this.#dependencies;
    const startedBefore = prior?.startedAt !== undefined;
    const effect = effectOver(this.#call.capability.definition.effect, fromJson(prior?.data)?.effect);
    const { approval, proof } = data;
    await this.#dependencies.failpoint?.("before-start", this.#call.item.call_id);
    const result = await store.operations.start(
      {
        ...operation,
        fingerprint,
        owner: routerId,
        leaseMs: times.leaseMs,
        ttlMs: times.keyTtlMs,
        keepMs: times.keyMemoryMs,
        // What can be asked is asked before it runs again.
        abandoned: isRerunnable(effect) || effect === "probe" ? "reclaim" : "doubt",
      },
      {
        data: toJson(data),
        ...effectOptions,
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
        return refused(result.reason === "denied" ? approvalDenied(result.denial) : approvalRefused(result.reason));
      default: {
        const { scope, key } = result.record;
        if (key !== operation.key) return { instead: { scope, key } };
        const settled = settledFromRecord(result.record);
        if (key !== this.#own.key && settled?.kind === "unknown") return equalUnknown(result.record);
        return settled === undefined ? busy() : { settled, committed: false };
      }
    }
    return await dispatch(this.#dependencies, {
      passage: this.#passage,
      claim: result.claim,
      leaseUntil: result.record.leaseUntil,
      data,
      native,
      timeoutMs: timeoutOf(this.#call),
      askFirst: effect === "probe" && (startedBefore || wasTakenOver(result.record)),
    });
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
}

/** What a call gets that asks for what is in doubt under another key. */
function equalUnknown(record: OperationRecord): Ending {
  const from = fromJson(record.data)?.call_id;
  const replayed = from === undefined ? {} : { replayedFrom: from };
  const settled: Settled = { kind: "unknown", fault: equalInDoubt(record.key), usage: noUsage, ...replayed };
  return { settled, committed: false };
}

/** Whether an operation that was given up may go on. */
function isRerunnableStill({ state, data }: OperationRecord): boolean {
  return state !== "in-doubt" && isRerunnable(fromJson(data)?.effect ?? "opaque");
}

/** Whether somebody else had started it: then it was claimed a lease later than started, at least. */
function wasTakenOver({ startedAt, claimedAt }: OperationRecord): boolean {
  return startedAt !== undefined && startedAt < claimedAt;
}
