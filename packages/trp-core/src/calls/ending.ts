import { andThen, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { outcomeEntry } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import type { CallUsage, PolicyProof } from "../frames/results.ts";
import type { SameTransaction } from "../store/frame-types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { emitNow, outcomeEvents, pendingEvents } from "./events.ts";
import { notRecorded } from "./faults.ts";
import type { PendingAdmission } from "./keyed/pending-admission.ts";
import { callReply, outcomeAlone } from "./outcome.ts";
import { sinceMs } from "./times.ts";
import type { CallContext, EndingCall, PipelineResult, Settled } from "./types.ts";

type EndingDependencies = Pick<CallDependencies, "store" | "emitter" | "outbox" | "ended">;

export function usageOf({ began, adapterMs, executorMs, route }: CallContext): CallUsage {
  const usage: CallUsage = {
    router_ms: sinceMs(began),
    adapter_ms: Math.round(adapterMs),
    executor_ms: Math.round(executorMs),
  };
  const names = route?.names;
  return names === undefined ? usage : Object.assign(usage, names);
}

/** Returns the proof of the decision that allowed the call, as a member of its outcome. */
export function proofOf({ proof }: { proof?: PolicyProof | undefined }): { proof?: PolicyProof } {
  return proof === undefined ? {} : { proof };
}

/**
 * What one transaction commits together with the outcome of a call: the audit row, the events, and the reply to the
 * frame. `isReleased`: the operation leaves no record, so the outcome is written to the call's record even without a
 * frame.
 */
export function sameTransaction(
  dependencies: EndingDependencies,
  context: EndingCall,
  settled: Settled,
  isReleased: boolean = false,
): SameTransaction & { audit: AuditEntry[] } {
  const { call, began, frame } = context;
  const entry = outcomeEntry(call, {
    status: statusOf(settled),
    latencyMs: sinceMs(began),
    fault: "fault" in settled ? settled.fault : undefined,
    proof: ("proof" in settled ? settled.proof : undefined) ?? context.proof,
    names: context.route?.names,
  });
  const together: SameTransaction & { audit: AuditEntry[] } = { audit: [entry] };
  if (dependencies.outbox) {
    Object.assign(together, pendingEvents(dependencies, context, ...outcomeEvents(context, settled)));
  }
  if (frame !== undefined) {
    context.reply = callReply(call, frame, settled, dependencies.store.now());
    const { answer } = context.reply;
    if (answer !== undefined) together.answer = answer;
  } else if (isReleased) together.answer = outcomeAlone(call, settled);
  return together;
}

function statusOf(settled: Settled): AuditEntry["result_status"] {
  switch (settled.kind) {
    case "success":
      return "SUCCESS";
    case "failed":
      return "FAILED";
    case "unknown":
      return "UNKNOWN";
    default:
      return "REFUSED";
  }
}

/** Writes the outcome of a call without an operation; with a pending admission, only if it becomes as expected. */
function write(
  dependencies: EndingDependencies,
  context: EndingCall,
  settled: Settled,
  admission: PendingAdmission | undefined,
  isProvisional: boolean,
): MaybePromise<unknown> {
  const { audit: log, sessions } = dependencies.store;
  const { answer, audit, events } = sameTransaction(dependencies, context, settled);
  const rows = events === undefined ? { audit } : { audit, events };
  const alone = (): MaybePromise<unknown> =>
    answer === undefined || isProvisional
      ? log.append(audit, events === undefined ? {} : { events })
      : sessions.answer(answer, rows);
  if (admission === undefined) return alone();
  // A store may have forgotten the token of a frame that is admitted.
  const afterwards = (): MaybePromise<unknown> => andThen(admission.confirm(), alone);
  if (answer === undefined) return afterwards();
  return andThen(sessions.answer(answer, { ...rows, ifAdmitted: admission.token }), (found) =>
    found === "not-admitted" ? afterwards() : undefined,
  );
}

/**
 * Ends a call: records its outcome, unless the transaction of its operation has done so, and emits the events. When a
 * call without an operation succeeded but its outcome can't be recorded, the call is reported as failed; it may run
 * again. `isProvisional`: this router could not find out how the call stands. Its answer is not kept, because another router
 * may have run the call. Fails only as `PendingAdmission.confirm` does.
 */
export function conclude(
  dependencies: EndingDependencies,
  context: EndingCall,
  outcome: Settled,
  isProvisional: boolean = false,
): MaybePromise<PipelineResult> {
  const { admission } = context.call;
  // While the admission is pending, the answer is committed with it, or not at all.
  const along = admission?.isMet === false && admission.mayAnswer && !isProvisional ? admission : undefined;
  return andThen(along === undefined ? admission?.confirm() : undefined, () => {
    const recorded =
      context.committed === true
        ? outcome
        : whenDone(
            () => write(dependencies, context, outcome, along, isProvisional),
            () => outcome,
            () => unrecorded(outcome),
          );
    return andThen(along?.confirm(), () => {
      // The number of audit rows: one for the decision and one for the outcome, or only one for a call without an operation.
      dependencies.ended?.(context.committed === true ? 2 : 1);
      return andThen(recorded, (settled) => concluded(dependencies, context, settled));
    });
  });
}

/** How a call ends whose outcome could not be written. What a replay repeats is in the store already. */
function unrecorded(settled: Settled): Settled {
  if (settled.kind !== "success" || settled.replayedFrom !== undefined) return settled;
  const { usage, proof } = settled;
  return { kind: "failed", fault: notRecorded(), usage, ...proofOf({ proof }) };
}

function concluded(dependencies: EndingDependencies, context: EndingCall, settled: Settled): PipelineResult {
  if (dependencies.emitter.active) {
    for (const event of outcomeEvents(context, settled)) emitNow(dependencies, context, event);
  }
  const { call, frame, reply } = context;
  if (frame === undefined) return { settled };
  const made = reply?.settled === settled ? reply : callReply(call, frame, settled, dependencies.store.now());
  return { settled, reply: made.reply };
}
