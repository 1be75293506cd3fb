import { ToolError } from "@toolglot/core";
import { defined } from "@toolglot/internal";

/** What can be wrong with the values of a call, as the model reads it; the README explains each. */
export type ValueErrorType =
  | "InvalidInput"
  | "UnknownValue"
  | "ValuePlace"
  | "ValueNotAllowed"
  | "ValueLocked"
  | "ValuePending"
  | "ValueCancelled";

/** Creates a refusal whose message the model reads as it is. `hint`: what the model may do about it. */
export function valueError(type: ValueErrorType, message: string, hint?: string, cause?: unknown): ToolError {
  return new ToolError(message, { data: { ...defined({ hint }), type }, ...defined({ cause }) });
}
