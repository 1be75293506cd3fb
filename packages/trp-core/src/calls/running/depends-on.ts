import { type Fault, fault } from "../../frames/fault.ts";
import type { RouterStore } from "../../store/types.ts";
import { followKey, operationOfCall } from "../keyed/effect-key.ts";
import { afterDoubt } from "../keyed/read-operation.ts";
import { settledFromRecord } from "../outcome.ts";

/** How a call stands that another depends on. */
export type DependencyState = "succeeded" | "failed" | "unfinished" | "unknown";

/** Why a call can't be begun yet (TRP_1005) or at all (TRP_1006): the first of its dependencies that has not succeeded. */
export async function dependencyFault(
  dependsOn: readonly string[],
  look: (callId: string) => Promise<DependencyState>,
): Promise<Fault | undefined> {
  let unready: Fault | undefined;
  for (const callId of dependsOn) {
    const state = await look(callId);
    const name = JSON.stringify(callId);
    if (state === "failed") return fault("TRP_1006", `Call ${name} did not succeed, so this one was not started.`);
    if (state === "unfinished") unready ??= fault("TRP_1005", `Call ${name} has not finished yet.`);
    if (state === "unknown") unready ??= fault("TRP_1005", `No call ${name} is known in this session.`);
  }
  return unready;
}

/**
 * Returns how an earlier call of a session stands. One that was refused for now (it may be sent again, or waits for an approval)
 * is unfinished. Rejects when the store does.
 */
export async function dependencyState(
  store: Pick<RouterStore, "sessions" | "operations">,
  sessionId: string,
  callId: string,
): Promise<DependencyState> {
  const call = await store.sessions.readCall(sessionId, callId);
  if (call === undefined) return "unknown";
  const { outcome } = call;
  if (outcome?.type === "RESULT" && outcome.payload.status === "SUCCESS") return "succeeded";
  if (outcome?.type === "NACK" && !outcome.payload.dispatched) {
    return outcome.payload.retryable || outcome.payload.error_class === "APPROVAL_REQUIRED" ? "unfinished" : "failed";
  }
  const settled = await afterDoubt(store.operations, outcome);
  if (typeof settled === "object") return settled.kind === "success" ? "succeeded" : "failed";
  const record = call.operation && (await followKey(store.operations, call.operation));
  if (record !== undefined) {
    const end = settledFromRecord(record);
    if (end === undefined) return "unfinished";
    if ((await operationOfCall(store.operations, call)) !== undefined)
      return end.kind === "success" ? "succeeded" : "failed";
  }
  if (outcome === undefined) return "unfinished";
  return outcome.type === "NACK" && outcome.payload.retryable ? "unfinished" : "failed";
}
