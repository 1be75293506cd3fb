/** The contract every toolglot package shares: from a model's text to an effect and back. */
export type {
  Action,
  ApprovalRequest,
  CallsAction,
  CodeAction,
  Decision,
  DeclineAction,
  Executor,
  ExecutorContext,
  ExecutorEvent,
  Plan,
  PlanAction,
  PlanStep,
  Question,
  QuestionAnswer,
  WaitOutcome,
  WaitRequest,
} from "./action.ts";
export type { ArtifactPiece, ArtifactStore } from "./artifacts.ts";
export {
  type BoundParam,
  type BoundTool,
  bindNames,
  type NameBindings,
  type ProgramLanguage,
} from "./bind-names.ts";
export type { ContentBlock, InputIssue, LogEntry, ToolCall, ToolErrorInfo, ToolResult, ToolStatus } from "./call.ts";
export type { BeforeCallAnswer, CallHookContext, CallHooks } from "./call-hooks.ts";
export { checkKeys } from "./check-keys.ts";
export { type CoerceResult, type CoerceTextOptions, coerceText } from "./coerce-text.ts";
export { isContextOverflow } from "./context-overflow.ts";
export type { Affects, Diagnostic, Severity } from "./diagnostic.ts";
export { ToolError, ToolglotError, type ToolglotErrorOptions } from "./errors.ts";
export {
  createRecord,
  type JsonObject,
  type JsonSchema,
  type JsonSchemaObject,
  type JsonSchemaType,
  type JsonValue,
  toJsonText,
} from "./json.ts";
export {
  contentText,
  type Message,
  type MessagePart,
  messageText,
  type ReasoningMeta,
  type Transcript,
  type Trust,
  textMessage,
} from "./message.ts";
export type { FinishReason, Model, ModelInfo, ModelPart, ModelRequest, Usage } from "./model.ts";
export { nearest } from "./nearest.ts";
export type {
  ChangeWait,
  ClaimRequest,
  ClaimResult,
  OperationClaim,
  OperationEnd,
  OperationKey,
  OperationLog,
  OperationRecord,
  OperationState,
  Settlement,
} from "./operation-log.ts";
export {
  type BlockBase,
  type BlockStatus,
  concernsCalls,
  type EncodeOptions,
  type EndOptions,
  isRunnable,
  type Locale,
  type ParseOptions,
  type ParseResult,
  type Parser,
  type PromptBuilder,
  type ProtocolEvent,
  type ProtocolMode,
  type Segment,
  type ToolProtocol,
} from "./protocol.ts";
export { sanitizeErrorMessage } from "./sanitize.ts";
export type { Span } from "./span.ts";
export { neutralize, undoNeutralize } from "./text/neutralize.ts";
export type { AnyTool, Tool, ToolContext } from "./tool.ts";
export {
  requiresApproval,
  type ToolAnnotations,
  type ToolDefinition,
  type ToolExample,
  type ToolRaises,
  type ToolSource,
} from "./tool-definition.ts";
