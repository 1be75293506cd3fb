/** The types of clients of MCP servers, for both entries. */
export type {
  McpCallOptions,
  McpCallRequest,
  McpCallResult,
  McpClient,
  McpContentBlock,
  McpListedTool,
  McpProgress,
  McpPrompt,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpTask,
} from "./types.ts";
