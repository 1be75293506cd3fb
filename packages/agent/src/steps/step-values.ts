import type {
  ApprovalRequest,
  Decision,
  Message,
  ModelInfo,
  ModelPart,
  ModelRequest,
  ToolResult,
  Usage,
} from "@toolglot/core";
import type { CompactionInput } from "../context/compaction.ts";
import type { ModelFault, Runnable } from "../loop/types.ts";

/** Inputs of steps, besides the run and the number of its step. */
export interface StepInputs {
  model: { request: ModelRequest; model?: ModelInfo | undefined };
  compact: Omit<CompactionInput, "signal" | "report">;
  /** `known`: results of calls that are over. `decisions`: by {@link askedKey}. */
  call: { action: Runnable; known: readonly ToolResult[]; decisions: Readonly<Record<string, Decision>> };
  wait: { request: ApprovalRequest };
}

/** Values of steps, besides what every value has. */
export interface StepValues {
  /** The whole answer, or as much of it as came before the fault. */
  model: { parts: ModelPart[]; fault?: ModelFault };
  /** `flaw`: why there are none. */
  compact: { messages: readonly Message[]; used: Usage[]; flaw?: string };
  /** `over`: ids of calls that have ended. `asked`: what waits for decisions. */
  call: { results: ToolResult[]; over: string[]; asked: ApprovalRequest[] };
  wait: { decision: Decision };
}

/** What is done in a step: the kinds of steps, but that a compaction is a request to a model. */
export type StepTask = keyof StepInputs;

/** What every value has: whose it is, and how long it took. */
export interface StepValue {
  runId: string;
  name: string;
  ms: number;
}
