import type {
  ApprovalRequest,
  ArtifactStore,
  CallHooks,
  Decision,
  Executor,
  Locale,
  Message,
  Model,
  ModelInfo,
  ParseOptions,
  ProtocolMode,
  Question,
  QuestionAnswer,
  ToolDefinition,
  ToolProtocol,
  ToolResult,
  ToolSource,
  Usage,
} from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import type { Compaction } from "./context/compaction.ts";
import type { AgentEvent } from "./events.ts";
import type { OutputOptions } from "./output/types.ts";
import type { Steering } from "./result.ts";
import type { StepEngine, StepsOnce } from "./steps/types.ts";
import type { AgentTracing } from "./tracing.ts";

/** Limits of a run. One that is left out keeps its default; `Infinity` switches it off. */
export interface AgentLimits {
  /** Model answers, repair turns included. Default 16. */
  turns?: number;
  /**
   * Input and output tokens of all steps together, as the provider counts them; a step without a count is estimated as one
   * token per three characters. Checked before each step. Default no limit.
   */
  tokens?: number;
  /** Milliseconds from start to end. Waiting for an approval is not counted. Default no limit. */
  timeMs?: number;
  /**
   * How often the same call may have the same result within the last actions (four for each repeat), in whatever order. Then the
   * model is warned; when it asks for nothing but such calls after that, the run ends. Default 3.
   */
  repeats?: number;
  /** Sum of what {@link AgentOptions.price} returned. Checked before each step. Default no limit. */
  cost?: number;
}

/**
 * Asks a person. The signal is aborted when the run ends first. A boolean is a decision without words; an error
 * counts as a denial. `later`: the call waits, the other calls of its action run, and the run ends as `waiting`; where a call
 * can't wait, as in a program without a journal, it is a denial.
 */
export type ApproveCallback = (
  request: ApprovalRequest,
  context: { signal: AbortSignal; runId: string; stepIndex: number },
) => Decision | boolean | "later" | Promise<Decision | boolean | "later">;

/**
 * Answers a question of an MCP server in the middle of a call. The signal is aborted when the run ends first. An error counts
 * as `cancel`. All texts of the question are a stranger's: show them as such, and its `url` before it is opened.
 */
export type AskCallback = (
  question: Question,
  context: { signal: AbortSignal; runId: string; stepIndex: number; callId: string },
) => QuestionAnswer | Promise<QuestionAnswer>;

/** Everything the loop takes from outside besides model and executor. Injectable, so that runs can be replayed. */
export interface AgentRuntime {
  /** The clock, milliseconds since the epoch. Read once per event, and for limits. Default `Date.now`. */
  now(): number;
  /** A new run id. Default `run_` and a random UUID. */
  newRunId(): string;
  /** Names who writes the log of a run from now on. Default: 16 random hexadecimal digits. */
  newOwner(): string;
  /** Calls back once after `ms`, unless cancelled by the returned function. `name`: its purpose. */
  startTimer(name: string, ms: number, callback: () => void): () => void;
  /** Called with each run before anything happens in it, as a replay does to steer as the host did. Default: nothing. */
  onRun?(run: Steering): void;
}

/**
 * The price of one step, in whatever unit of money the host counts in. `usage` is what the provider counted, `model` the
 * model's own information.
 */
export type Price = (usage: Usage, step: { model?: ModelInfo; stepIndex: number }) => number;

/** Input of a {@link StopCondition}: a step whose calls have their results. */
export interface StopState {
  stepIndex: number;
  /** Model answers so far. */
  turns: number;
  /** Sums so far. */
  usage: Usage;
  /** Of this step, one for each call. */
  results: readonly ToolResult[];
  /** Visible text of this step's answer. */
  text: string;
  /** The conversation, system message first. */
  messages: readonly Message[];
}

/** True ends the run, with status `stopped`. One that throws ends it, too, with a warning `agent/hook-failed`. */
export type StopCondition = (state: StopState) => boolean | Promise<boolean>;

/** The step that {@link AgentOptions.prepareStep} is asked about, before its request. */
export interface StepState {
  runId: string;
  stepIndex: number;
  /** The conversation as the request would have it, calls and results as parts, less the loop's system message. */
  messages: readonly Message[];
  /** The tools that the model would see. */
  tools: readonly ToolDefinition[];
  /** Sums so far. */
  usage: Usage;
  /** Model answers so far. */
  turns: number;
  /** Of the step before, one for each call. */
  lastResults: readonly ToolResult[];
}

/** Settings of one step; those that are left out are the run's own. */
export interface StepChange {
  model?: Model;
  /** All earlier messages are written in this protocol for this step's request; text stays as it was written. */
  protocol?: ToolProtocol;
  /** The tools that the model sees; the executor must know how to run them. */
  tools?: readonly ToolDefinition[];
  /** In place of the conversation, in this request; the transcript stays. They are not made shorter. */
  messages?: readonly Message[];
  /** In place of the option `system`. */
  system?: string;
  maxTokens?: number;
  /** In place of the protocol's stop sequences. */
  stop?: readonly string[];
}

/** When a request that failed before its first part is made again. */
export interface RetryOptions {
  /** Requests in all, the first included. 1: none is made again. Default 3. */
  attempts?: number;
  /** Milliseconds before the second request; doubled before each further one. Default 500. */
  baseMs?: number;
  /** Milliseconds to wait at most. A server that wants more (`Retry-After`) is not asked again. Default 30,000. */
  maxMs?: number;
}

/** Limits of the conversation in requests; the transcript, events and results hold all of it. */
export interface ContextOptions {
  /** Tokens that the model can read and write. Default: the model's own information (`info.contextWindow`), else unknown. */
  window?: number;
  /** Tokens of it that are kept free for the answer. Default `maxTokens`, else 8,192, or a quarter of the window if that is less. */
  reserve?: number;
  /**
   * Tokens of a request, as the provider gets it; `tools`: those that are declared. One that throws or returns no number from 0 is not
   * used. Default: a token for three characters of what is sent, 1,000 for an image or a file.
   */
  estimate?: (messages: readonly Message[], tools: readonly ToolDefinition[]) => number;
  /**
   * UTF-16 units of all results of one answer; of what is longer requests have the beginning and the end, shared out evenly. A protocol with
   * `maxResultChars` of its own may have less. Default 50,000; `Infinity`: all.
   */
  maxResultChars?: number;
  /**
   * Where the whole of results is kept that requests show cut or not at all; the model reads on with the tool `read_artifact`. Default:
   * memory, 64 MiB for each run, the oldest out first. `false`: nothing is kept.
   */
  artifacts?: ArtifactStore | false;
  /**
   * Makes the conversation shorter when a request would not fit the window, and when the model refuses it as too long. Then whole turns
   * are left out, the oldest first, where that is not enough. Default {@link dropOldResults}`()`.
   */
  compact?: Compaction;
  /**
   * Whether an error of the model means that the request was too long; undefined, and one that throws: the default decides. Default: the
   * words, codes and statuses of many servers, see `isContextOverflow`.
   */
  isContextOverflow?: (error: unknown) => boolean | undefined;
}

/** Options of `createAgent`. */
export interface AgentOptions<Value = unknown> {
  model: Model;
  protocol: ToolProtocol;
  /** Runs what the model asks for. */
  executor: Executor;
  /**
   * The tools that the model sees; the executor must know how to run them. A list stays as it is at the start. A function, or a source
   * as a `Toolkit` is one, is asked before each request: groups that are opened and servers whose tools change are in the next one.
   */
  tools: readonly ToolDefinition[] | (() => readonly ToolDefinition[]) | ToolSource;
  /** Language of the instructions and of repair texts. Default `en`. */
  locale?: Locale;
  /** `loop`: results go back until the model answers. `single`: the first result is the outcome. Default `loop`. */
  mode?: ProtocolMode;
  /** The host's own system text; it follows the protocol's instructions. */
  system?: string;
  limits?: AgentLimits;
  /** Without it, everything that needs approval is denied, and the model gets that as the result. */
  approve?: ApproveCallback;
  /** Asked before each request what this step is to be made with. One that throws ends the run with `agent/hook-failed`. */
  prepareStep?: (step: StepState) => StepChange | undefined | Promise<StepChange | undefined>;
  /**
   * Asked about each call of each tool before it runs, whatever the protocol: native calls, steps of plans, calls that programs make, routed
   * calls. It can change the input, return the result, or deny the call. One that throws: the call does not run.
   */
  beforeCall?: NonNullable<CallHooks["beforeCall"]>;
  /**
   * What becomes of a call that looks damaged (`checkCall` of `@toolglot/core/check-call`). `refuse`: it does not run, and the model reads
   * why, unless its tool has `readOnlyHint`; a text that does end in a closing mark passes when it is sent a second time. `report`: it
   * runs. Whatever runs has its findings in `metadata.findings`. Default `refuse`.
   */
  checkCalls?: "refuse" | "report" | "off";
  /** Called with each result, also of denials; a result that it returns replaces it. One that throws: the result is not shown. */
  afterCall?: NonNullable<CallHooks["afterCall"]>;
  /**
   * Answers questions of MCP servers whose clients were made with `elicitation: "host"` or `sampling: "host"`. A wish for a model's text
   * (`sampling`) comes here only after `approve` has agreed. Without it, all are declined.
   */
  ask?: AskCallback;
  /** Asked after each step whose calls have results; the first that is true ends the run. Default: none. */
  stopWhen?: StopCondition | readonly StopCondition[];
  /**
   * The form of the answer, which is then `value` of the result. Models that answer in calls get a tool to end with; others are asked
   * for one JSON value. What does not fit goes back, `maxRepairTurns` times in a row. Not in `single` mode. Default: text.
   */
  output?: OutputOptions<Value>;
  /**
   * Where each run is written down as it goes, so that {@link Agent.resume} can continue it, and where what requests leave out of long
   * results is kept: `folderStorage(dir)` of `@toolglot/storage`, for one. {@link forgetRun} removes a run. Default: none.
   */
  storage?: Storage;
  /**
   * Steps of a durable engine: everything that a run takes from outside is done in them, one after another, and everything else depends on
   * their values alone. So the engine can play the run again after its process died. `run()` then needs a `runId`: the workflow's. Events
   * of a model's answer and of calls come once, when they happen; `at` of all events counts the milliseconds of the steps. `result` rejects with what
   * the engine rejects with. Needs a list of `tools`; not with `storage`, `limits.timeMs`, a store in `context.artifacts`, or a clock. Hooks
   * besides `beforeCall` and `afterCall` must depend on their input alone. Default: none.
   */
  steps?: StepEngine;
  /** With `steps`: a call that died between its effect and its return is not made again when the engine runs its step again. Default: it is. */
  once?: StepsOnce;
  /** How requests keep within what the model can read. */
  context?: ContextOptions;
  /**
   * Requests that failed before their first part, for a cause that may pass: too many requests (429), an overloaded server (503, 529, other
   * 5xx), a broken connection. `Retry-After` is honoured. Each is an event `model-retried`; the run's limits and signal end a wait. An error
   * without a known cause is tried again once, at once; a `ToolglotError` of an adapter, which has tried itself, never.
   */
  retry?: RetryOptions;
  /** Returns each step's `usage.cost` where the provider counted its tokens. Default: no costs. */
  price?: Price;
  /** Repair turns in a row before the run ends in an error. Default 2. */
  maxRepairTurns?: number;
  /** Whether blocks are looked for in reasoning; they are reported, never run. Default `skip`. */
  reasoning?: "skip" | "search";
  /** Marks that reasoning is between, as `["<notes>", "</notes>"]`, besides those that are known. Default none. */
  reasoningTags?: ParseOptions["reasoningTags"];
  /** The model's chat template already opened a reasoning block. Default false. */
  startsInReasoning?: boolean;
  /** Tokens one answer may have; passed to the model. */
  maxTokens?: number;
  /** Called with every event as it happens, before any iterator gets it. Must not throw. */
  onEvent?: (event: AgentEvent) => void;
  /** How many of the newest events an {@link AgentRun} keeps for who iterates late. Default `all`. */
  keepEvents?: "all" | number;
  /** Traces and metrics, as `otelTracing()` of `@toolglot/agent/otel` makes them. Default: none. */
  tracing?: AgentTracing;
  /** Clock, ids and timers. For replay and tests. */
  runtime?: Partial<AgentRuntime>;
}
