/** Runs model-written Python and JavaScript, with tools as plain functions. */
export * from "../public.ts";
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
export type { SandboxOptions } from "../types.ts";
export { codeTools } from "./code-tools.ts";
export { createSandbox } from "./create-sandbox.ts";
export { listSessions, removeSession } from "./session/holding.ts";
