import type { Transport } from "@modelcontextprotocol/server";
import type { FaceName } from "../faces/face.ts";
import type { GateCaller } from "./options.ts";

/** A connection that is served. */
export interface GateConnection {
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves tools to MCP clients. Made by {@link serveMcp}. */
export interface McpGate {
  /** Sessions of the revisions before 2026-07-28 that are open over HTTP. */
  readonly sessions: number;
  /** How tools are shown: of `auto`, as it was decided with the first list. */
  readonly face: Exclude<FaceName, "auto">;
  /**
   * Answers a request of Streamable HTTP, in every revision. Host, Origin and token have been looked at; `body` is what was parsed of the
   * body, when it has been read. Never rejects.
   */
  fetch(request: Request, caller: GateCaller, body?: unknown): Promise<Response>;
  /** Serves one client over a transport that is not started yet, as a pipe is, in every revision. */
  connect(transport: Transport, caller: GateCaller): GateConnection;
  /** Tells all clients that a list may have changed. What servers report of their lists is passed on without it. */
  notifyChanged(what?: "tools" | "resources" | "prompts"): void;
  /** Ends the sessions and streams of such callers: those whose token was revoked. */
  end(matches: (caller: GateCaller) => boolean): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}
