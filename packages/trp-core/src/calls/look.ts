import type { OperationKey } from "@toolglot/core";
import { fromJson } from "../operations/operation-data.ts";
import type { CallDependencies } from "./dependencies.ts";
import { isRerunnable } from "./effects.ts";
import { noUsage, settledFromRecord } from "./outcome.ts";
import type { Settled } from "./types.ts";

/** How an operation stands: see `CallPipeline.look`. */
export async function lookAt(
  { store, routerId, times }: Pick<CallDependencies, "store" | "routerId" | "times">,
  operation: OperationKey,
): Promise<Settled | undefined> {
  const record = await store.operations.read(operation);
  if (record === undefined) return undefined;
  const settled = settledFromRecord(record);
  if (settled !== undefined) return settled;
  if (record.leaseUntil <= store.now()) {
    const data = fromJson(record.data);
    // Its caller was told, and whether it is tried again is the caller's choice.
    if (data?.answered !== undefined) {
      return { kind: "failed", fault: data.answered, usage: noUsage, proof: data.proof, replayedFrom: data.call_id };
    }
    if (data !== undefined && !isRerunnable(data.effect) && data.effect !== "probe") {
      const { fingerprint } = record;
      const request = {
        ...operation,
        fingerprint,
        owner: routerId,
        leaseMs: times.leaseMs,
        abandoned: "doubt" as const,
      };
      const claimed = await store.operations.claim(request);
      if (claimed.status !== "claimed")
        return settledFromRecord(claimed.record) ?? { kind: "in-progress", retryAfterMs: 100 };
      // It was set free meanwhile, and so it is again.
      await store.operations.finish(claimed.claim, { state: "released" });
      return undefined;
    }
  }
  return { kind: "in-progress", retryAfterMs: 100 };
}
