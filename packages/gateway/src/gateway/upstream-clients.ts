import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import { createMcpClient, type McpClient } from "@toolglot/toolkit/mcp";
import type { GatewayConfig, ServerConfig } from "../config/config-types.ts";
import type { LogLine } from "./types.ts";

/** What connections to servers are made with. */
export interface ClientParts {
  config: GatewayConfig;
  /** Whether requests to servers make spans, and send the servers their trace. */
  tracing: boolean;
  log(line: LogLine): void;
}

/** Makes the connection to a server. It is opened by the first use. */
export function makeClient(
  { config, tracing, log: write }: ClientParts,
  { name, transport, settings }: ServerConfig,
  auth: { authProvider?: AuthProvider; fetch?: FetchLike } = {},
): McpClient {
  const log = (level: LogLine["level"], message: string): void => write({ level, message, server: name });
  return createMcpClient({
    name,
    exact: true,
    transport:
      transport.type === "stdio"
        ? { ...transport, onStderr: (text) => log("info", text.trimEnd()) }
        : { ...transport, ...auth },
    connectTimeoutMs: settings.connectMs,
    callTimeoutMs: settings.timeoutMs,
    // More than a result may have, so that a long one is reported and not lost with its connection.
    maxBufferSize: 4 * config.settings.results.maxBytes,
    elicitation: "host",
    sampling: "host",
    roots: "host",
    tasks: true,
    tracing,
    onError: (error) => {
      // The cause has what to do about a login.
      const isLogin = ToolglotError.isInstance(error) && error.code === "toolkit/mcp-unauthorised";
      log("warn", isLogin ? `${error.message} (${errorText(error.cause)})` : errorText(error));
    },
  });
}
