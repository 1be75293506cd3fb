import type { HttpBindings } from "@hono/node-server";
import type { Identity } from "../identity/types.ts";

/** What the host has found out of a request before it passes it to the MCP side. */
export interface McpRequest {
  identity: Identity;
  /** The body of a POST, parsed; undefined for other methods. The body of the `Request` has been read. */
  body: unknown;
}

/** The MCP side: answers a request to the path of the server, from a caller who is known. */
export type McpGate = (request: Request, context: McpRequest) => Promise<Response>;

/** One thing that a server needs to be ready. */
export interface ReadinessCheck {
  name: string;
  ok: boolean;
  /** What is wrong, or a note. */
  message?: string;
}

/** What Hono's handlers have around them. Bindings are missing where no socket is behind a request. */
export interface HostEnv {
  Bindings: Partial<HttpBindings>;
  Variables: { identity: Identity };
}
