import { sanitizeErrorMessage, ToolError, type ToolErrorInfo, ToolglotError } from "@toolglot/core";

/** Codes of {@link ToolkitError}. */
export type ToolkitErrorCode =
  /** `data: { name }`. The name is taken and the strategy is `raise`. */
  | "toolkit/name-clash"
  /** `data: { name }`. */
  | "toolkit/unknown-tool"
  /** `data: { name }`. */
  | "toolkit/unknown-group"
  /** `data: { name }`. */
  | "toolkit/group-exists"
  /** `data: { name }`. `basic` can neither be updated nor removed. */
  | "toolkit/basic-group"
  /** `data: { name, key }`. The finish function and the extended model have a name in common. */
  | "toolkit/extended-model-clash"
  /** `data: { name, timeoutMs }`. Only thrown with `onError: "throw"`. */
  | "toolkit/timeout"
  /** `data: { name }`. The toolkit was closed: it takes no MCP client any more. */
  | "toolkit/closed"
  /** `data: { name }`. The optional package that MCP needs is not installed. */
  | "toolkit/mcp-missing"
  /**
   * `data: { name, ours?, theirs? }`. The MCP server can't be started or reached, or the client is closed. `ours`, `theirs`: the
   * revisions of both sides, when they have none in common.
   */
  | "toolkit/mcp-connection"
  /**
   * `data: { name, authorizationUrl? }`. The MCP server wants an authorisation. With the address, a person can give it: then
   * `finishAuth` of the client continues.
   */
  | "toolkit/mcp-unauthorised";

/** A fault in using the registry. Recognise it by `code`. */
export class ToolkitError extends ToolglotError {
  declare readonly code: ToolkitErrorCode;

  constructor(code: ToolkitErrorCode, message: string, data: Record<string, unknown>) {
    super(code, message, { data });
    this.name = "ToolkitError";
  }
}

/** Types of the runtime's own errors for a model, beside the class names of what tools throw. */
export const errorTypes = {
  invalidInput: "InvalidInput",
  /** The call arrived damaged: one argument in another, a closing mark at the end of a value. */
  damagedCall: "DamagedCall",
  unknownTool: "UnknownTool",
  inactiveTool: "InactiveTool",
  /** A background task that the run doesn't have. */
  unknownTask: "UnknownTask",
  timeout: "Timeout",
  interrupted: "Interrupted",
  denied: "Denied",
  invalidOutput: "InvalidOutput",
  /** A step of a plan that did not run: because another failed, or because something about it was wrong. */
  notRun: "NotRun",
  requestIdConflict: "RequestIdConflict",
  inDoubt: "InDoubt",
  /** An MCP server is gone; the call did not run, or changes nothing. */
  serverUnavailable: "ServerUnavailable",
  /** An MCP server refused a call. */
  mcpError: "McpError",
} as const;

/** Checks whether a tool threw this for the model to read. False for a value that can't even be inspected. */
export function isToolError(error: unknown): error is ToolError {
  try {
    return ToolError.isInstance(error);
  } catch {
    return false;
  }
}

/** Returns a thrown value as an error for the model: a `ToolError` word for word, anything else without paths and secrets. */
export function errorInfo(error: unknown): ToolErrorInfo {
  if (isToolError(error)) {
    const { type, hint, issues } = error.data;
    const info: ToolErrorInfo = { type: typeof type === "string" ? type : nameOf(error), message: error.message };
    if (typeof hint === "string") info.hint = hint;
    if (Array.isArray(issues)) info.issues = issues as NonNullable<ToolErrorInfo["issues"]>;
    return info;
  }
  try {
    if (!(error instanceof Error)) return { type: "Error", message: sanitizeErrorMessage(String(error)) };
    return { type: nameOf(error), message: sanitizeErrorMessage(String(error.message)) };
  } catch {
    return { type: "Error", message: "unknown error" }; // its own properties throw
  }
}

function nameOf(error: Error): string {
  return typeof error.name === "string" && /^\w{1,64}$/.test(error.name) ? error.name : "Error";
}
