import type { OperationRecord } from "@toolglot/core";

/**
 * Whether nobody knows what came of an operation: it is in doubt, or it was begun and its holder has given it up. As long
 * as that is so, another operation with the same effect must not begin.
 */
export function isUnsettled({ state, startedAt, leaseUntil }: OperationRecord, now: number): boolean {
  if (state === "in-doubt") return true;
  return startedAt !== undefined && state !== "done" && state !== "failed" && leaseUntil <= now;
}

/** Whether an operation was claimed by others since a start's caller read it (`StartOptions.sinceFence`). */
export function isStartedSince(record: OperationRecord | undefined, sinceFence: number | undefined): boolean {
  return sinceFence !== undefined && record !== undefined && record.fence > sinceFence;
}
