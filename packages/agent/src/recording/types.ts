import type {
  Action,
  ApprovalRequest,
  ArtifactPiece,
  Decision,
  ExecutorEvent,
  JsonSchemaObject,
  Message,
  ModelInfo,
  ModelPart,
  Question,
  QuestionAnswer,
  ToolDefinition,
  ToolResult,
  Usage,
  WaitOutcome,
  WaitRequest,
} from "@toolglot/core";
import type { AgentEvent } from "../events.ts";
import type { RetryAdvice } from "../loop/retry.ts";
import type { AgentLimits, AgentOptions, ContextOptions, StepChange } from "../options.ts";
import type { OutputValidation } from "../output/types.ts";
import type { RunError } from "../result.ts";

/** Hooks around calls that executors call. */
export type CallHook = "beforeCall" | "startCall" | "afterCall";
/** Hooks of the host. */
export type HostHook = "prepareStep" | "beforeCall" | "afterCall";

/** A change of a step; of code, its name. */
export interface RecordedStepChange extends Omit<StepChange, "model" | "protocol"> {
  /** Information of the model; empty where it had none. */
  model?: ModelInfo;
  /** With its version, as `tam/1`. */
  protocol?: string;
}

/** The options of the run that are data, unchanged. */
export type RecordedOptions = Pick<
  AgentOptions,
  | "locale"
  | "mode"
  | "system"
  | "maxRepairTurns"
  | "reasoning"
  | "reasoningTags"
  | "startsInReasoning"
  | "maxTokens"
  | "retry"
> & {
  limits?: AgentLimits;
  context?: Omit<ContextOptions, "compact" | "artifacts" | "estimate" | "isContextOverflow">;
};

/** The start of a run. */
export interface RecordingHead {
  type: "head";
  version: 6;
  runId: string;
  /** Who writes the log of its session. */
  owner: string;
  /** The protocol with its version, as `attp/1`. The protocol itself is code, and is passed to the replay. */
  protocol: string;
  options: RecordedOptions;
  /** Tools that stayed the same; absent when they were read before each request: then crossings of the type `tools` hold them. */
  tools?: ToolDefinition[];
  input: Message[];
  /** Whether there was an `approve` callback. */
  approves: boolean;
  /** Whether there was an `ask` callback. */
  asks?: true;
  /** Whether steps had a price, and how many conditions could stop the run. */
  priced: boolean;
  conditions: number;
  /** Whether the host had a compaction of its own, and estimated tokens itself. */
  compacts: boolean;
  estimates: boolean;
  /** Where long results were kept. */
  artifacts: "memory" | "host" | "none";
  /** The form that the answer must have. */
  output?: { jsonSchema: JsonSchemaObject; name: string; description?: string };
  /** Whether the run was written down in a session. */
  sessions: boolean;
  /** Whether the executor called the hooks of its context. */
  honoursHooks: boolean;
  /** Which hooks the host had. */
  hooks: HostHook[];
  /** Information of the model. */
  model?: ModelInfo;
}

/** A crossing of a border of the loop; they are in the order in which they happened. */
export type Crossing =
  /** The descriptions of the tools, and their source's text about them, when they differ from the time before. */
  | { type: "tools"; tools?: unknown; instructions?: unknown; error?: RunError }
  | { type: "model-request"; digest: string }
  | { type: "model-part"; part: ModelPart }
  | { type: "model-end" }
  /** `isOverflow`: the request was longer than the model's context. `retry`: whether the request may be made again. */
  | { type: "model-error"; error: RunError; isOverflow?: true; retry: RetryAdvice }
  | { type: "execute"; action: Action }
  | { type: "executor-event"; event: ExecutorEvent }
  | { type: "executor-approval"; request: ApprovalRequest }
  | { type: "executor-question"; question: Question; callId: string; tool?: string }
  /** A wait of the executor begins; `executor-waited` is its end. */
  | { type: "executor-wait"; request: WaitRequest }
  | { type: "executor-waited"; request: WaitRequest; outcome: WaitOutcome }
  /** A hook of the context is called by the executor: with which call, and which result. */
  | { type: "executor-hook"; hook: CallHook; callId: string; name: string; readOnly?: boolean; result?: ToolResult }
  /** The answer of a hook of the host; of `prepareStep` a {@link RecordedStepChange}. */
  | { type: "hook"; hook: HostHook; callId?: string; answer?: unknown; error?: RunError }
  | { type: "executor-results"; results: ToolResult[] }
  | { type: "executor-error"; error: RunError }
  | { type: "decision"; callId: string; decision?: Decision | boolean | "later"; error?: RunError }
  /** The session's store failed to add lines from `at` on. */
  | { type: "session-failed"; at: number; error: RunError }
  | { type: "answer"; callId: string; answer?: QuestionAnswer; error?: RunError }
  | { type: "price"; cost?: number; error?: RunError }
  /** The answer of `context.estimate`. */
  | { type: "estimate"; tokens?: number; error?: RunError }
  /** The host's store of artifacts. */
  | { type: "artifact-put"; id?: string; error?: RunError }
  | { type: "artifact-read"; piece?: ArtifactPiece; error?: RunError }
  /** A condition of `stopWhen`. */
  | { type: "condition"; isTrue?: boolean; error?: RunError }
  /** The schema of the answer. */
  | { type: "validated"; validation?: OutputValidation; error?: RunError }
  /** A compaction of the host's, and the usage that it reported. */
  | { type: "compacted"; messages?: readonly Message[]; error?: RunError; used?: Usage[] }
  /** Messages of the host in mid-run. */
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
