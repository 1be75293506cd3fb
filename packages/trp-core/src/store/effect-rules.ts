import type { OperationRecord } from "@toolglot/core";

/**
 * Whether the outcome of an operation is unknown: it is in doubt, or it was begun and its holder has given it up. As
 * long as that is so, another operation with the same effect must not begin.
 */
export function isUnsettled({ state, startedAt, leaseUntil }: OperationRecord, now: number): boolean {
  if (state === "in-doubt") return true;
  return startedAt !== undefined && state !== "done" && state !== "failed" && leaseUntil <= now;
}

/** Whether the key's operation is no longer the one that the caller has read (`StartOptions.ifFence`). */
export function isChanged(record: OperationRecord | undefined, ifFence: number | undefined): boolean {
  return ifFence !== undefined && (record?.fence ?? 0) !== ifFence;
}
