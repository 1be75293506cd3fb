import { ToolError } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { ValueErrorType } from "@toolglot/secrets/executing";
import { inMessage } from "./messages.ts";

/** What can be wrong with a call, as the model reads it; the README explains each. */
export type LocalErrorType =
  // paths
  | "InvalidPath"
  | "OutsideRoots"
  | "NotFound"
  | "NotAFile"
  | "NotADirectory"
  | "AccessDenied"
  // reading
  | "BinaryFile"
  | "NotText"
  | "TooLarge"
  | "InvalidRange"
  | "InvalidPattern"
  // editing
  | "FindMissing"
  | "FindAmbiguous"
  | "EmptyFind"
  | "NotEncodable"
  | "FileChanged"
  | "AlreadyExists"
  | "WriteFailed"
  | "NothingToUndo"
  | "UndoConflict"
  // shell
  | "CommandFailed"
  | "ShellBusy"
  | "ShellEnded"
  | "ShellUnavailable"
  | "NoCommand"
  // any
  | "Denied"
  | "NotSupported"
  | ValueErrorType;

/** Facts about a refusal, for programs. `hint`: what the model may do about it. */
export interface LocalErrorData extends Record<string, unknown> {
  hint?: string;
}

/** Returns a refusal whose message the model reads as it is: never an absolute path outside the roots, a stack, or a host's secret. */
export function localError(
  type: LocalErrorType,
  message: string,
  data: LocalErrorData = {},
  cause?: unknown,
): ToolError & { data: Readonly<LocalErrorData & { type: LocalErrorType }> } {
  const options = { data: { ...data, type }, ...defined({ cause }) };
  return new ToolError(message, options) as ReturnType<typeof localError>;
}

/** Creates the error for something else at a path than what was checked. */
export function fileChanged(path: string): Error {
  return localError("FileChanged", `${inMessage(path)} changed while it was looked at.`);
}

export function notAFile(path: string, kind: "directory" | "other" = "other"): Error {
  return localError("NotAFile", `${inMessage(path)} is ${kind === "directory" ? "a directory" : "no regular file"}.`);
}

/** Returns the type of a refusal made by {@link localError}; undefined for anything else. */
export function localErrorType(error: unknown): LocalErrorType | undefined {
  return ToolError.isInstance(error) ? (error.data.type as LocalErrorType | undefined) : undefined;
}
