import { ignoreRejection } from "@toolglot/internal";
import { outcomeEntry } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import type { CallUsage, PolicyProof } from "../frames/results.ts";
import type { SameTransaction } from "../store/frame-types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { emitNow, outcomeEvents, pendingEvents } from "./events.ts";
import { notRecorded } from "./faults.ts";
import type { PendingAdmission } from "./keyed/pending-admission.ts";
import { callReply, outcomeAlone } from "./replies.ts";
import { sinceMs } from "./times.ts";
import type { CallContext, EndingCall, PipelineResult, Settled } from "./types.ts";

type EndingDependencies = Pick<CallDependencies, "store" | "emitter" | "outbox" | "ended">;

export function usageOf({ began, adapterMs, executorMs, route }: CallContext): CallUsage {
  return {
    router_ms: sinceMs(began),
    adapter_ms: Math.round(adapterMs),
    executor_ms: Math.round(executorMs),
    ...route?.names,
  };
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
  const events = dependencies.outbox && pendingEvents(dependencies, context, ...outcomeEvents(context, settled));
  const together = { audit: [entry], ...events };
  if (frame === undefined) return isReleased ? { ...together, answer: outcomeAlone(call, settled) } : together;
  context.reply = callReply(call, frame, settled, dependencies.store.now());
  const { answer } = context.reply;
  return answer === undefined ? together : { ...together, answer };
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
async function write(
  dependencies: EndingDependencies,
  context: EndingCall,
  settled: Settled,
  admission: PendingAdmission | undefined,
  isProvisional: boolean,
): Promise<void> {
  const { audit: log, sessions } = dependencies.store;
  const { answer, audit, ...events } = sameTransaction(dependencies, context, settled);
  if (answer !== undefined && admission !== undefined) {
    const found = await sessions.answer(answer, { audit, ...events, ifAdmitted: admission.token });
    if (found !== "not-admitted") return;
  }
  // A store may have forgotten the token of a frame that is admitted.
  await admission?.confirm();
  if (answer === undefined || isProvisional) await log.append(audit, events);
  else await sessions.answer(answer, { audit, ...events });
}

/**
 * Ends a call: records its outcome, unless the transaction of its operation has done so, and emits the events. When a
 * call without an operation succeeded but its outcome can't be recorded, the call is reported as failed; it may run
 * again. `isProvisional`: this router could not find out how the call stands. Its answer is not kept, because another router
 * may have run the call. Rejects only as `PendingAdmission.confirm` does.
 */
export async function conclude(
  dependencies: EndingDependencies,
  context: EndingCall,
  outcome: Settled,
  isProvisional: boolean = false,
): Promise<PipelineResult> {
  let settled = outcome;
  const { store, ended } = dependencies;
  const { admission } = context.call;
  // While the admission is pending, the answer is committed with it, or not at all.
  const along = admission?.isMet === false && admission.mayAnswer && !isProvisional ? admission : undefined;
  if (along === undefined) await admission?.confirm();
  const written = context.committed === true ? undefined : write(dependencies, context, settled, along, isProvisional);
  if (along !== undefined) {
    if (written !== undefined) ignoreRejection(written);
    await along.confirm();
  }
  // The number of audit rows: one for the decision and one for the outcome, or only one for a call without an operation.
  ended?.(context.committed === true ? 2 : 1);
  if (written !== undefined) {
    try {
      await written;
    } catch {
      // The outcome that a replay repeats is in the store already.
      if (settled.kind === "success" && settled.replayedFrom === undefined) {
        const { usage, proof } = settled;
        settled = { kind: "failed", fault: notRecorded(), usage, ...proofOf({ proof }) };
      }
    }
  }
  if (dependencies.emitter.active) {
    for (const event of outcomeEvents(context, settled)) emitNow(dependencies, context, event);
  }
  const { call, frame, reply } = context;
  if (frame === undefined) return { settled };
  const made = reply?.settled === settled ? reply : callReply(call, frame, settled, store.now());
  return { settled, reply: made.reply };
}
