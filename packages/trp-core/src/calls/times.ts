import type { RegisteredCapability } from "../catalog/types.ts";
import type { IncomingCall } from "./types.ts";

const defaultMaxTimeoutMs = 60_000;

/** Returns how long a call may take: its own time, at most that of its capability. */
export function timeoutOf({ item, capability }: IncomingCall): number {
  return timeLimit(capability, item.timeout_ms);
}

/** Milliseconds, cut to what the capability allows. */
export function timeLimit({ definition }: RegisteredCapability, ms: number): number {
  return Math.min(ms, definition.maxTimeoutMs ?? defaultMaxTimeoutMs);
}

/** Returns the milliseconds since a time of `performance.now()`; 0 when there is none. */
export function sinceMs(began: number | undefined): number {
  return began === undefined ? 0 : Math.round(performance.now() - began);
}
