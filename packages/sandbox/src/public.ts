/** What the entries for Node and for browsers have in common. */
export { ToolError } from "@toolglot/core";
export type { CodeToolInput, CodeToolsOptions } from "./code-tools.ts";
export { type CallSettlement, settleCall } from "./durable/settle-call.ts";
export type { DurableOptions, SandboxDurableRunOptions, SandboxRunParked } from "./durable/types.ts";
export { type DurableExecutorOptions, type SandboxExecutorOptions, sandboxExecutor } from "./executor.ts";
export type { RetireReason, ReuseOptions } from "./reuse.ts";
export type {
  SandboxConversion,
  SandboxError,
  SandboxPoolStats,
  SandboxRun,
  SandboxRunError,
  SandboxRunOk,
  SandboxStats,
} from "./run-types.ts";
export type { Sandbox } from "./sandbox-types.ts";
export type {
  FileInput,
  FileOutput,
  ImportPolicy,
  PoolOptions,
  ProgramStyle,
  SandboxIsolation,
  SandboxLanguage,
  SandboxLimits,
  SandboxRunOptions,
  SandboxToolCall,
  SandboxWall,
} from "./types.ts";
