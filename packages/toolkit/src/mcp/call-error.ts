import { sanitizeErrorMessage, ToolError } from "@toolglot/core";
import { errorTypes, ToolkitError } from "../errors.ts";
import { withScope } from "./authorization.ts";
import type { Fate } from "./delivery.ts";
import { messageOf } from "./fault-text.ts";

/** Description of a request, for the errors, and whether it may be sent twice. */
export interface Asked {
  /** As `the call of the tool "x"`. */
  what: string;
  repeatable: boolean;
  readOnly: boolean;
}

/** Returns the error for the model, of a request to the server of that name. */
export function callError(name: string, request: Asked, fate: Fate, cause: unknown): ToolError {
  const server = `The MCP server ${JSON.stringify(name)}`;
  const call = request.what;
  // This message names the server in its own words, so it takes the cause of a connection's error.
  const detail = sanitizeErrorMessage(messageOf(ToolkitError.isInstance(cause) ? (cause.cause ?? cause) : cause));
  const { code } = Object(cause) as { code?: unknown };
  const fail = (type: string, message: string): ToolError =>
    new ToolError(message, { cause, data: { type, ...(typeof code === "number" && { code }) } });
  switch (fate) {
    case "aborted":
      return fail(errorTypes.interrupted, `${server}: ${call} was interrupted.`);
    case "refused":
      return fail(errorTypes.mcpError, `${server} refused ${call}: ${detail}`);
    case "unauthorised":
      return fail(
        errorTypes.mcpError,
        `${server} refused ${call}: it wants an authorisation${withScope(cause)}, which the host has to get.`,
      );
    case "unsent":
      return fail(errorTypes.serverUnavailable, `${server} is not available, so ${call} did not run: ${detail}`);
    default: {
      const what =
        fate === "lost"
          ? "was lost before it answered"
          : fate === "silent"
            ? "did not answer"
            : "gave no answer that can be read to";
      if (request.readOnly) {
        const type = fate === "too-large" ? errorTypes.mcpError : errorTypes.serverUnavailable;
        return fail(type, `${server} ${what} ${call}: ${detail}`);
      }
      const cure = request.repeatable ? "Calling it again does no harm." : "Find out before you call it again.";
      const doubt = `It is not known whether the call took effect. ${cure}`;
      return fail(errorTypes.inDoubt, `${server} ${what} ${call}: ${ended(detail)} ${doubt}`);
    }
  }
}

/** Returns a text as a sentence. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
