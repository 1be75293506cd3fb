/** Tool registry and runtime: define, register, validate and call tools, one final response per call. */
export { type DefinedTool, defineTool, type ToolSpec } from "./define-tool.ts";
export { ToolkitError, type ToolkitErrorCode } from "./errors.ts";
export { type ToolkitExecutorOptions, toolkitExecutor } from "./executor.ts";
export type { Prepared } from "./prepare.ts";
export { RegisteredToolFunction } from "./registered.ts";
export { type ResponseStatus, ToolResponse, type ToolResponseFields } from "./response.ts";
export { Toolkit } from "./toolkit.ts";
export type {
  AnyToolFunction,
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
  ToolkitOptions,
} from "./types.ts";
