/** The agent loop: model → parse → act → report → again. */

export { isContextOverflow } from "@toolglot/core";
export { combineExecutors } from "./combine-executors.ts";
export { artifactTools, memoryArtifacts } from "./context/artifacts.ts";
export { type Compaction, type CompactionInput, dropOldResults } from "./context/compaction.ts";
export { type SummariseOptions, summarise } from "./context/summarise.ts";
export { createAgent } from "./create-agent.ts";
export type { AgentEvent, RepairReason, RunEvent, StepEvent } from "./events.ts";
export { type ExpandedRequest, expandRequests } from "./expand-requests.ts";
export { type NativeProtocolOptions, nativeProtocol } from "./native.ts";
export type {
  AgentLimits,
  AgentOptions,
  AgentRuntime,
  ApproveCallback,
  AskCallback,
  ContextOptions,
  Price,
  RetryOptions,
  StepChange,
  StepState,
  StopCondition,
  StopState,
} from "./options.ts";
export type { OutputOptions, OutputSchema, OutputValidation, StandardOutput } from "./output/types.ts";
export { parseRecording, stringifyRecording } from "./recording/format.ts";
export type { Divergence } from "./recording/player.ts";
export { type RecordedRun, type RecordOptions, recordRun } from "./recording/record.ts";
export { type Replay, type ReplayedRun, type ReplayOptions, replay, replayRun } from "./recording/replay.ts";
export type {
  CallHook,
  Crossing,
  HostHook,
  RecordedOptions,
  RecordedStepChange,
  Recording,
  RecordingEntry,
  RecordingHead,
} from "./recording/types.ts";
export type { LimitKind, RunError, RunResult, RunSnapshot, RunStatus, RunStep, Steering } from "./result.ts";
export { forgetRun } from "./session/run-logs.ts";
export type { LaterDecision, ResumeOptions } from "./session/types.ts";
export { performStep } from "./steps/perform.ts";
export type { AgentStep, StepEngine, StepsOnce } from "./steps/types.ts";
export { stopOnCost, stopOnTool } from "./stop-conditions.ts";
export type { AgentTracing, RequestTrace, RunTrace, TracedAnswer, TracedRequest, TracedRun } from "./tracing.ts";
export type { Agent, AgentRun, RunOptions } from "./types.ts";
