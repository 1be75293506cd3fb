/** Runs model-written Python and JavaScript, with tools as plain functions. */
export { ToolError } from "@toolglot/core";
export type { CodeToolInput, CodeToolsOptions } from "../code-tools.ts";
export { type CallSettlement, settleCall } from "../durable/settle-call.ts";
export type { DurableOptions, SandboxDurableRunOptions, SandboxRunParked } from "../durable/types.ts";
export { type DurableExecutorOptions, type SandboxExecutorOptions, sandboxExecutor } from "../executor.ts";
export type { RetireReason, ReuseOptions } from "../reuse.ts";
export type { Sandbox } from "../sandbox-types.ts";
export type { SessionHead, StoredTurn } from "../session/kept.ts";
export type {
  PendingProgram,
  SandboxSession,
  SessionFile,
  SessionLimits,
  SessionOptions,
  SessionRun,
  SessionVariable,
} from "../session/types.ts";
export type {
  FileInput,
  FileOutput,
  ImportPolicy,
  PoolOptions,
  ProgramStyle,
  SandboxConversion,
  SandboxError,
  SandboxIsolation,
  SandboxLanguage,
  SandboxLimits,
  SandboxOptions,
  SandboxPoolStats,
  SandboxRun,
  SandboxRunError,
  SandboxRunOk,
  SandboxRunOptions,
  SandboxStats,
  SandboxToolCall,
  SandboxWall,
} from "../types.ts";
export { codeTools } from "./code-tools.ts";
export { createSandbox } from "./create-sandbox.ts";
export { listSessions, removeSession } from "./session/holding.ts";
