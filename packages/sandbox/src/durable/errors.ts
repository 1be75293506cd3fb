import { sanitizeErrorMessage, ToolglotError } from "@toolglot/core";
import type { SandboxError } from "../types.ts";
import { describeCall, type KeptCall } from "./records.ts";

/** A run can't be gone on with as it was. Nothing of it is lost. */
export function divergedError(what: string, hint: string): SandboxError {
  return { type: "Diverged", message: what, hint };
}

/** The program made another call than the journal has. */
export function otherCall(kept: KeptCall, name: string, args: Record<string, unknown>): SandboxError {
  const was = describeCall(kept.name, kept.args);
  const what = `call ${kept.index + 1} is ${describeCall(name, args)}, and was ${was} when the program ran first`;
  return divergedError(what, "the program depends on something besides its tools, clock and random numbers");
}

/** The program ended, or waits, before it made a call that the journal has. */
export function missingCall(kept: KeptCall): SandboxError {
  const what = `call ${kept.index + 1} was ${describeCall(kept.name, kept.args)} when the program ran first, and is not made now`;
  return divergedError(what, "the program depends on something besides its tools, clock and random numbers");
}

/** Nobody knows whether the call happened. */
export function inDoubtError(callId: string, call: Pick<KeptCall, "name" | "args">): SandboxError {
  return {
    type: "InDoubt",
    message: `the call ${callId}, ${describeCall(call.name, call.args)}, was under way when its process ended: whether it happened is not known`,
    hint: "it is not made again before somebody has found out what happened",
    callId,
  };
}

export const leaseLostError: SandboxError = {
  type: "LeaseLost",
  message: "another process has taken the run over",
  hint: "what it comes to is known there",
};

export function journalError(cause: unknown): SandboxError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { type: "JournalFailure", message: `the run's journal could not be used: ${sanitizeErrorMessage(reason)}` };
}

export function expiredError(id: string): ToolglotError {
  const message = `The run ${JSON.stringify(id)} is older than keepMs: outcomes of its calls may be forgotten. Start another, under another id.`;
  return new ToolglotError("run-expired", message, { data: { id } });
}
