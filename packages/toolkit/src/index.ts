/** Tool registry and runtime: define, register, validate and call tools, one final response per call. */
export { type DefinedTool, defineTool, type ToolSpec } from "./define-tool.ts";
export { ToolkitError, type ToolkitErrorCode } from "./errors.ts";
export { type ToolkitExecutor, type ToolkitExecutorOptions, toolkitExecutor } from "./executor.ts";
export type { ProviderNames } from "./formats/provider-names.ts";
export {
  type AnthropicTool,
  fromMcpTool,
  fromOpenAiTool,
  type GeminiFunctionDeclaration,
  type McpTool,
  type OpenAiTool,
  type ProviderTools,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiTools,
} from "./formats/provider-tools.ts";
export type {
  McpCallOptions,
  McpCallRequest,
  McpCallResult,
  McpClient,
  McpContentBlock,
  McpListedTool,
  McpProgress,
  McpToolsChange,
  RegisterMcpOptions,
} from "./mcp/types.ts";
export type { CallInfo, ToolMiddleware } from "./middleware.ts";
export type { Prepared } from "./prepare.ts";
export { RegisteredToolFunction } from "./registered.ts";
export { dataResolver, type Resource, type ResourceResolver, type ResourceSchemes } from "./resources/resource.ts";
export { type ResponseStatus, ToolResponse, type ToolResponseFields } from "./response.ts";
export type { AgentSkill } from "./skills.ts";
export type { LoadStateOptions, ToolkitState, ToolRegistration } from "./state.ts";
export { makeSubagentTool, type SubagentSpec } from "./subagent.ts";
export { type BusEvent, EventBus } from "./tasks/event-bus.ts";
export {
  type TaskEvent,
  type TaskFacts,
  type TaskStart,
  type TaskState,
  Tasks,
  type TasksOptions,
} from "./tasks/tasks.ts";
export { Toolkit } from "./toolkit.ts";
export { countDiagnostics, type TracingOptions, traceToolkit } from "./tracing.ts";
export type {
  AnyToolFunction,
  CallOptions,
  ChunkMode,
  FunctionSchema,
  NamesakeStrategy,
  PostprocessFunction,
  PreparedCallOptions,
  RegisterFunctionOptions,
  RegisterOptions,
  Registrable,
  ToolCallRequest,
  ToolFunction,
  ToolGroup,
  ToolGroupOptions,
  ToolkitOptions,
} from "./types.ts";
