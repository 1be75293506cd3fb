/** toolglot in the AI SDK. */
export { type FoundCall, type GuardCallsOptions, guardCalls } from "./guard/guard-calls.ts";
export { type ToolglotMiddleware, toolglotMiddleware } from "./middleware.ts";
export { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from "./model/ai-sdk-model.ts";
export type { ToolglotMiddlewareOptions } from "./options.ts";
export type { JsonRepair } from "./repair/lenient-json.ts";
export { type RepairEvent, type RepairToolCallOptions, repairToolCall } from "./repair/repair-tool-call.ts";
export type { SpecificationVersion } from "./spec.ts";
export { type FromAiSdkToolsOptions, fromAiSdkTools } from "./tools/from-ai-sdk-tools.ts";
export { inOrder, type ToAiSdkToolsOptions, toAiSdkTools, toolkitPrepareStep } from "./tools/to-ai-sdk-tools.ts";
export type {
  AiSdkTool,
  AiSdkToolSet,
  PreparedCall,
  ToolkitCall,
  ToolkitLike,
  ToolkitResponse,
  ToolOutput,
} from "./tools/types.ts";
