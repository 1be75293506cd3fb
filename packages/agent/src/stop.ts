import { settleWithin, unsettled } from "@toolglot/internal";
import type { LimitKind } from "./types.ts";

/** Why a run stops before its end. */
export type StopCause = { cause: "signal" } | { cause: "limit"; limit: LimitKind };

/** Thrown inside the loop where it notices that the run was stopped. Never leaves the package. */
class Stopped extends Error {
  constructor() {
    super("The run was stopped.");
    this.name = "Stopped";
  }
}

/** Settles as `work` does, but rejects with {@link Stopped} as soon as the signal is aborted. */
export async function orStopped<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const value = await settleWithin(work, { signal });
  if (value === unsettled) throw new Stopped();
  return value;
}

/** Throws {@link Stopped} when the signal is aborted. */
export function checkStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped();
}
