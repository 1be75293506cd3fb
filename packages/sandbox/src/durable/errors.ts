import { sanitizeErrorMessage, ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import type { SandboxError, SandboxRun } from "../run-types.ts";
import { describeCall, type KeptCall } from "./records.ts";
import type { SandboxRunParked } from "./types.ts";

/** A program used up what it may use. That ends it for good, as its own errors do. */
export const limitErrors: readonly unknown[] = ["Timeout", "ToolCallLimit", "MemoryError", "MemoryLimit"];

export const abortedError: SandboxError = { type: "Aborted", message: "the run was aborted" };

/** Returns why there is no guest. */
export function startError(error: unknown): SandboxError {
  if (ToolglotError.isInstance(error) && error.code === "sandbox/disposed") return abortedError;
  const reason = errorText(error);
  return { type: "EngineFailure", message: `no interpreter started: ${sanitizeErrorMessage(reason)}` };
}

/** Returns the error of a run that can't be resumed as it was. Nothing of it is lost. */
export function divergedError(what: string, hint: string): SandboxError {
  return { type: "Diverged", message: what, hint };
}

/** Why a replay comes to another course. */
export const divergedHint = "the program depends on something besides its tools, its clock and its random numbers";

/** Returns the error of a program that made another call than the journal has. */
export function otherCall({ index, name: was, args: wasArgs }: KeptCall, name: string, args: object): SandboxError {
  const before = was === undefined ? "another" : describeCall(was, wasArgs);
  const what = `call ${index + 1} is ${describeCall(name, args)}, and was ${before} when the program ran first`;
  return divergedError(what, divergedHint);
}

/** Returns the error of a program that ended, or waits, before it made a call that the journal has. */
export function missingCall({ index, name, args }: KeptCall): SandboxError {
  const which = name === undefined ? "" : ` (${describeCall(name, args)})`;
  return divergedError(
    `call ${index + 1}${which} was made when the program ran first, and is not made now`,
    divergedHint,
  );
}

/** Returns the error of a program that, run again in another guest, did not come to the same point. */
export function otherCourse(call: number): SandboxError {
  return divergedError(
    `run again after it was parked, the program does not make call ${call} as it did before`,
    divergedHint,
  );
}

/** Returns the error of a call of which nobody knows whether it happened. */
export function inDoubtError(callId: string, call: Pick<KeptCall, "name" | "args">): SandboxError {
  return {
    type: "InDoubt",
    message: `the call ${callId}, ${describeCall(call.name ?? "", call.args)}, was under way when its process ended: whether it happened is not known`,
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
  const reason = sanitizeErrorMessage(errorText(cause));
  return { type: "JournalFailure", message: `the run's journal could not be used: ${reason}` };
}

/** Returns the run with this end. */
export function failedRun({ logs, toolCalls, stats }: SandboxRun | SandboxRunParked, error: SandboxError): SandboxRun {
  return { status: "error", error, logs, toolCalls, stats };
}

/** Returns the error that names why a run can't be had here: `what` continues the sentence behind its name. */
export function runError(code: string, id: string, what: string, data?: Record<string, unknown>): ToolglotError {
  return new ToolglotError(`sandbox/${code}`, `The run ${JSON.stringify(id)} ${what}`, { data: { id, ...data } });
}

export function expiredError(id: string): ToolglotError {
  const what = "is older than keepMs: outcomes of its calls may be forgotten. Start another, under another id.";
  return runError("run-expired", id, what);
}

/** `key` names the entry, as in the log. */
export function unreadableError(id: string, key: string): ToolglotError {
  const what = `has a journal that can't be read: its entry ${key} is not what a run writes. Restore the log, or start another run, under another id.`;
  return runError("journal-unreadable", id, what, { key });
}
