/** The agent loop: model → parse → act → report → again. */

export { isContextOverflow } from "@toolglot/core";
export { combineExecutors } from "./combine-executors.ts";
export { type Compaction, type CompactionInput, dropOldResults } from "./context/compaction.ts";
export { createAgent } from "./create-agent.ts";
export type { AgentEvent, RepairReason, RunEvent, StepEvent } from "./events.ts";
export { type ExpandedRequest, expandRequests } from "./expand-requests.ts";
export { type NativeProtocolOptions, nativeProtocol } from "./native.ts";
export { parseRecording, stringifyRecording } from "./recording/format.ts";
export type { Divergence } from "./recording/player.ts";
export { type RecordedRun, type RecordOptions, recordRun } from "./recording/record.ts";
export { type Replay, type ReplayedRun, replay, replayRun } from "./recording/replay.ts";
export type { Crossing, RecordedOptions, Recording, RecordingEntry, RecordingHead } from "./recording/types.ts";
export { stopOnCost, stopOnTool } from "./stop-conditions.ts";
export type {
  Agent,
  AgentLimits,
  AgentOptions,
  AgentRun,
  AgentRuntime,
  ApproveCallback,
  ContextOptions,
  LimitKind,
  Price,
  RunError,
  RunOptions,
  RunResult,
  RunStatus,
  RunStep,
  Steering,
  StopCondition,
  StopState,
} from "./types.ts";
