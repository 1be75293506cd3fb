import { sanitizeErrorMessage, ToolError, type ToolErrorInfo, ToolglotError } from "@toolglot/core";

/** Codes of {@link ToolkitError}. */
export type ToolkitErrorCode =
  /** `data: { name }`. The name is taken and the strategy is `raise`. */
  | "toolkit/name-clash"
  /** `data: { name }`. */
  | "toolkit/unknown-tool"
  /** `data: { name }`. */
  | "toolkit/unknown-group"
  /** `data: { name, timeoutMs }`. Only thrown with `onError: "throw"`. */
  | "toolkit/timeout";

/** A fault in using the registry. Recognise it by `code`. */
export class ToolkitError extends ToolglotError {
  declare readonly code: ToolkitErrorCode;

  constructor(code: ToolkitErrorCode, message: string, data: Record<string, unknown>) {
    super(code, message, { data });
    this.name = "ToolkitError";
  }
}

/** Types of the errors the runtime itself gives a model, beside the class names of what tools throw. */
export const errorTypes = {
  invalidInput: "InvalidInput",
  unknownTool: "UnknownTool",
  inactiveTool: "InactiveTool",
  timeout: "Timeout",
  interrupted: "Interrupted",
  denied: "Denied",
  invalidOutput: "InvalidOutput",
} as const;

/** What a model is told of something thrown: a `ToolError` word for word, anything else without paths and secrets. */
export function errorInfo(error: unknown): ToolErrorInfo {
  if (ToolError.isInstance(error)) {
    const { type, hint, issues } = error.data;
    const info: ToolErrorInfo = { type: typeof type === "string" ? type : nameOf(error), message: error.message };
    if (typeof hint === "string") info.hint = hint;
    if (Array.isArray(issues)) info.issues = issues as NonNullable<ToolErrorInfo["issues"]>;
    return info;
  }
  return { type: nameOf(error), message: sanitizeErrorMessage(messageOf(error)) };
}

function nameOf(error: unknown): string {
  try {
    if (error instanceof Error && typeof error.name === "string" && /^\w{1,64}$/.test(error.name)) return error.name;
  } catch {
    // A hostile getter: it is an error all the same.
  }
  return "Error";
}

function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || "no message";
    return String(error);
  } catch {
    return "no message";
  }
}
