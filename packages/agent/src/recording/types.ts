import type {
  Action,
  ApprovalRequest,
  Decision,
  ExecutorEvent,
  Message,
  ModelInfo,
  ModelPart,
  Question,
  QuestionAnswer,
  ToolDefinition,
  ToolResult,
  WaitOutcome,
  WaitRequest,
} from "@toolglot/core";
import type { AgentEvent } from "../events.ts";
import type { AgentLimits, AgentOptions, ContextOptions, RunError } from "../types.ts";

/** The options of the run that are data, unchanged. */
export type RecordedOptions = Pick<
  AgentOptions,
  "locale" | "mode" | "system" | "maxRepairTurns" | "reasoning" | "startsInReasoning" | "maxTokens"
> & { limits?: AgentLimits; context?: Omit<ContextOptions, "compact"> };

/** What a run was started with. */
export interface RecordingHead {
  type: "head";
  version: 4;
  runId: string;
  /** The protocol with its version, as `attp/1`. The protocol itself is code, and is passed to the replay. */
  protocol: string;
  options: RecordedOptions;
  /**
   * Tools that stayed the same; absent when they were read before each request: then crossings of the type `tools` hold
   * them.
   */
  tools?: ToolDefinition[];
  input: Message[];
  /** Whether there was an `approve` callback. */
  approves: boolean;
  /** Whether there was an `ask` callback. */
  asks?: true;
  /** Whether steps had a price, and how many conditions could stop the run. */
  priced: boolean;
  conditions: number;
  /** Whether the host had a compaction of its own. */
  compacts: boolean;
  /** What the model said of itself. */
  model?: ModelInfo;
}

/** What crossed a border of the loop, in the order in which it did. */
export type Crossing =
  /** The descriptions of the tools, when they differ from the time before. */
  | { type: "tools"; tools?: unknown; error?: RunError }
  | { type: "model-request"; digest: string }
  | { type: "model-part"; part: ModelPart }
  | { type: "model-end" }
  /** `isOverflow`: the request was longer than the model's context. */
  | { type: "model-error"; error: RunError; isOverflow?: true }
  | { type: "execute"; action: Action }
  | { type: "executor-event"; event: ExecutorEvent }
  | { type: "executor-approval"; request: ApprovalRequest }
  | { type: "executor-question"; question: Question; callId: string; tool?: string }
  /** A wait of the executor begins; `executor-waited` is its end. */
  | { type: "executor-wait"; request: WaitRequest }
  | { type: "executor-waited"; request: WaitRequest; outcome: WaitOutcome }
  | { type: "executor-results"; results: ToolResult[] }
  | { type: "executor-error"; error: RunError }
  | { type: "decision"; callId: string; decision?: Decision | boolean; error?: RunError }
  | { type: "answer"; callId: string; answer?: QuestionAnswer; error?: RunError }
  | { type: "price"; cost?: number; error?: RunError }
  /** A condition of `stopWhen`. */
  | { type: "condition"; isTrue?: boolean; error?: RunError }
  | { type: "compacted"; messages?: readonly Message[]; error?: RunError }
  /** The host said something in mid-run. */
  | { type: "steer"; messages: Message[]; interrupt: boolean }
  | { type: "follow-up"; messages: Message[] }
  | { type: "timer"; name: string }
  /** The caller's signal. */
  | { type: "abort" };

/** A crossing or an event; `clock` holds the times that the loop read since the entry before. */
export type RecordingEntry = (Crossing | { type: "event"; event: AgentEvent }) & { clock?: number[] };

/** A recorded run. It is enough to replay the run without the model, the tools and people. */
export interface Recording {
  head: RecordingHead;
  entries: RecordingEntry[];
}
