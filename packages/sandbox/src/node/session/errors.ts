import { ToolglotError } from "@toolglot/core";

/** Faults of a session. */
export type SessionFault =
  | "exists"
  | "unknown"
  | "live"
  | "parked"
  | "mismatch"
  | "tampered"
  | "too-large"
  | "checkpoint"
  | "expired"
  | "closed";

/** Returns an error with the code `sandbox/session-<fault>`. */
export function sessionError(fault: SessionFault, message: string, data: Record<string, unknown> = {}): ToolglotError {
  return new ToolglotError(`sandbox/session-${fault}`, message, { data });
}
