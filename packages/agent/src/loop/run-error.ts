import { ToolglotError } from "@toolglot/core";
import type { RunError } from "../types.ts";

/** What the host is told of an error. `code` is for errors that have none of ours. */
export function toRunError(error: unknown, code: string): RunError {
  if (ToolglotError.isInstance(error)) return { code: error.code, message: error.message, data: { ...error.data } };
  return { code, message: error instanceof Error ? error.message : String(error) };
}
