import type { SandboxError } from "../run-types.ts";
import { divergedError, divergedHint } from "./errors.ts";
import { describeCall } from "./records.ts";

// Of programs of sessions alone: they are not in the bundle of the browser.

/** Ends of a run that are the host's, not the program's: it was not brought to its own. */
export const unfinishedErrors: readonly unknown[] = [
  ..."Aborted EngineFailure InDoubt Diverged LeaseLost JournalFailure".split(" "),
];

/** Returns the error of an ended program that makes a call which the journal does not have. */
export function newCall(index: number, name: string, args: object): SandboxError {
  const what = `call ${index + 1} is ${describeCall(name, args)}, and was not made when the program ran first`;
  return divergedError(what, divergedHint);
}

/** A program that has ended comes to another end. */
export const otherOutcome: SandboxError = divergedError(
  "the program came to another end when it ran first",
  divergedHint,
);
