/** Clients of MCP (Model Context Protocol) servers, for `toolkit.registerMcpClient`. */
export type { McpTool } from "../formats/provider-tools.ts";
export { createMcpClient } from "./client.ts";
export { type OnceHandlerOptions, onceHandler } from "./once-handler.ts";
export type {
  McpClientOptions,
  McpHttpTransport,
  McpLogEntry,
  McpRoot,
  McpStdioTransport,
  McpTransportFactory,
} from "./options.ts";
export type * from "./public-types.ts";
export type { QuestionCallback } from "./types.ts";
