import { ToolError } from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import { CapabilityError } from "@toolglot/trp-core";

/** What is known of a call that has no result. */
export interface CallFault {
  /**
   * - `unsent`: the server never got the request.
   * - `refused`: it read the request, and did nothing.
   * - `unknown`: it may have done it.
   */
  fate: "unsent" | "refused" | "unknown";
  message: string;
  /** Of the error that the server answered with, where JSON-RPC knows it. */
  code?: number;
  /** The server answered, so that another try will meet it again. */
  answered: boolean;
}

/** Errors of JSON-RPC, and of MCP's own, that a server answers before it runs anything. */
const beforeRun: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32020, -32021, -32022]);

/** Reads the error of a call that was made as one that must not run twice. */
export function readFault(error: unknown): CallFault {
  const message = errorText(error);
  const { type, code } = ToolError.isInstance(error) ? (error.data as { type?: unknown; code?: number }) : {};
  switch (type) {
    case "ServerUnavailable":
      return { fate: "unsent", message, answered: false };
    case "McpError":
      // Without a code it is the refusal of HTTP, or of an authorisation.
      return {
        fate: code === undefined || beforeRun.has(code) ? "refused" : "unknown",
        ...{ message, answered: true, ...defined({ code }) },
      };
    default:
      return { fate: "unknown", message, answered: false };
  }
}

/** Returns the error for the router. */
export function capabilityError({ fate, message }: CallFault, cause: unknown): CapabilityError {
  return new CapabilityError(message, { outcome: fate === "unknown" ? "unknown" : "not-applied", cause });
}
