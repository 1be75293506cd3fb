/** The agent loop: model → parse → act → report → again. */
export { combineExecutors } from "./combine-executors.ts";
export { createAgent } from "./create-agent.ts";
export type {
  ActionEndEvent,
  ActionStartEvent,
  AgentEvent,
  ApprovalRequestEvent,
  ApprovalResponseEvent,
  BlockDeltaEvent,
  BlockEndEvent,
  BlockStartEvent,
  CallEvent,
  DiagnosticEvent,
  EventTime,
  RepairReason,
  RepairTurnEvent,
  RequestEvent,
  RunAbortEvent,
  RunEndEvent,
  RunStartEvent,
  StepEndEvent,
  StepEvent,
  StepStartEvent,
  TextEvent,
  WarningEvent,
} from "./events.ts";
export { nativeProtocol } from "./native.ts";
export type {
  Agent,
  AgentLimits,
  AgentOptions,
  AgentRun,
  AgentRuntime,
  ApproveCallback,
  LimitKind,
  RunError,
  RunOptions,
  RunResult,
  RunStatus,
} from "./types.ts";
