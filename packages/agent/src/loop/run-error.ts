import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import type { RunError } from "../result.ts";

/** Returns an error as the host gets it. `code` is for errors without a code of toolglot. */
export function toRunError(error: unknown, code: string): RunError {
  if (ToolglotError.isInstance(error)) return { code: error.code, message: error.message, data: { ...error.data } };
  return { code, message: errorText(error) };
}
