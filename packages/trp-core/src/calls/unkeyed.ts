import type { MaybePromise } from "@toolglot/schema";
import { isFault } from "../errors/fault.ts";
import { isThenable } from "../execution/thenable.ts";
import type { ShapedResult } from "../frames/types.ts";
import { adaptCall, type Checked, decideCall, keyForApproval, timeoutOf } from "./check-call.ts";
import type { CallDependencies } from "./dependencies.ts";
import { type Ending, factsOf, type Passage, refused, usageOf } from "./ending.ts";
import { executorError, executorFailed, notApplied, timedOut } from "./faults.ts";
import type { Execution, Settled } from "./types.ts";

/** Runs a call without a key. Such a call may always run again, so no operation stands for it. */
export async function runUnkeyed(
  dependencies: CallDependencies,
  passage: Passage,
  { args, fingerprint }: Checked,
): Promise<Ending> {
  const { executor, places, failpoint, emitter, store } = dependencies;
  const { capability, item, traceId, principal, signal } = passage.call;
  const adapted = adaptCall(dependencies, passage, args);
  if (isFault(adapted)) return refused(adapted);
  const timeoutMs = timeoutOf(passage.call);
  const taken = places.take(capability, { timeoutMs, signal });
  const waited = taken instanceof Promise;
  const place = waited ? await taken : taken;
  if (isFault(place)) return refused(place);
  try {
    if (waited) {
      // Time has passed: what was allowed then may not be now.
      const again = await decideCall(dependencies, passage, { args, fingerprint, phase: "start" });
      if (isFault(again)) return refused(again);
      if (again.decision === "approve") return refused(keyForApproval(capability.capId));
    }
    const before = performance.now();
    const context = { signal, callId: item.call_id, traceId, principal, attempt: 1 };
    const running = executor.run(capability, adapted.native, context, timeoutMs);
    const execution = isThenable(running) ? await running : running;
    passage.executorMs = performance.now() - before;
    if (failpoint !== undefined) await failpoint("after-effect", item.call_id);
    if (emitter.active) {
      const executorMs = Math.round(passage.executorMs);
      emitter.emit({ type: "call.executed", at: store.now(), executorMs, ...factsOf(passage) });
    }
    const settled = endOf(dependencies, passage, execution, timeoutMs);
    return { settled: isThenable(settled) ? await settled : settled, committed: false };
  } catch {
    const failure = executorError("The router failed while it ran.");
    return {
      settled: { kind: "failed", fault: failure, usage: usageOf(passage), ...proofOf(passage) },
      committed: false,
    };
  } finally {
    place();
  }
}

function endOf(
  { shaper }: CallDependencies,
  passage: Passage,
  execution: Execution,
  timeoutMs: number,
): MaybePromise<Settled> {
  if (execution.kind === "done") {
    const { capability, principal } = passage.call;
    const succeed = (result: ShapedResult): Settled => {
      const settled: Settled = { kind: "success", result, usage: usageOf(passage) };
      if (passage.proof !== undefined) settled.proof = passage.proof;
      return settled;
    };
    const shaped = shaper.shape(capability, execution.value, principal);
    return isThenable(shaped) ? shaped.then(succeed) : succeed(shaped);
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
  return { kind: "failed", fault: failure, usage: usageOf(passage), ...proofOf(passage) };
}

function proofOf({ proof }: Passage): Pick<Passage, "proof"> {
  return proof === undefined ? {} : { proof };
}
