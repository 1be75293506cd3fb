/** Tool registry and runtime: define, register, validate and call tools, one final response per call. */

export type { Prepared } from "./call/prepared.ts";
export { RegisteredToolFunction } from "./call/registered.ts";
export { type ResponseStatus, ToolResponse, type ToolResponseFields } from "./call/response.ts";
export { countDiagnostics, traceToolkit } from "./call/tracing.ts";
export { ToolkitError, type ToolkitErrorCode } from "./errors.ts";
export { type ToolkitExecutor, toolkitExecutor } from "./executor/executor.ts";
export type { ToolkitExecutorOptions } from "./executor/options.ts";
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
export type * from "./mcp/public-types.ts";
export type { McpToolsChange, RegisterMcpOptions } from "./mcp/types.ts";
export { type DefinedTool, defineTool, type ToolSpec } from "./registry/define-tool.ts";
export type { AgentSkill } from "./registry/skills.ts";
export type { LoadStateOptions, ToolkitState, ToolRegistration } from "./registry/state.ts";
export { makeSubagentTool, type SubagentSpec } from "./registry/subagent.ts";
export { dataResolver, type Resource, type ResourceResolver, type ResourceSchemes } from "./resource.ts";
export { type BusEvent, EventBus } from "./tasks/event-bus.ts";
export { type TaskToolsOptions, taskTools } from "./tasks/task-tools.ts";
export {
  type TaskEvent,
  type TaskFacts,
  type TaskStart,
  type TaskState,
  Tasks,
  type TasksOptions,
} from "./tasks/tasks.ts";
export { Toolkit } from "./toolkit.ts";
export type {
  AnyToolFunction,
  CallInfo,
  CallOptions,
  ChunkMode,
  FunctionSchema,
  NamesakeStrategy,
  PostprocessFunction,
  RegisterFunctionOptions,
  RegisterOptions,
  Registrable,
  ToolCallRequest,
  ToolFunction,
  ToolGroup,
  ToolGroupOptions,
  ToolkitOnce,
  ToolkitOptions,
  ToolMiddleware,
  TracingOptions,
} from "./types.ts";
