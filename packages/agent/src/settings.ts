import type { ToolDefinition, ToolSource } from "@toolglot/core";
import { checkKeys, defined, maxTimerMs, randomHex } from "@toolglot/internal";
import { storedArtifacts } from "./context/artifacts.ts";
import { dropByDefault } from "./context/compaction.ts";
import { type GivenTools, toDefinitions } from "./loop/tools.ts";
import type {
  AgentLimits,
  AgentOptions,
  AgentRuntime,
  ContextOptions,
  RetryOptions,
  StopCondition,
} from "./options.ts";
import { endsByCall, type Output, toOutput } from "./output/output.ts";
import { type RunLogs, runLogs } from "./session/run-logs.ts";
import { checkSteps } from "./steps/check-steps.ts";

type WithDefault = "checkCalls" | "locale" | "mode" | "maxRepairTurns" | "reasoning" | "startsInReasoning";

/** Options with every default filled in. */
export interface Settings
  extends Omit<
      AgentOptions,
      | "tools"
      | "keepEvents"
      | "limits"
      | "runtime"
      | "stopWhen"
      | "context"
      | "output"
      | "retry"
      | "storage"
      | WithDefault
    >,
    Required<Pick<AgentOptions, WithDefault>> {
  /** Returns the tools of the moment, and their source's text about them; called at the start, then before each further request. */
  readTools: () => GivenTools;
  /** Tools that never change: the checked list. */
  fixedTools: ToolDefinition[] | undefined;
  keepEvents: number;
  /** The logs of runs, when there is a storage. */
  sessions: RunLogs | undefined;
  stopWhen: readonly StopCondition[];
  output: Output | undefined;
  context: ContextOptions & Required<Pick<ContextOptions, "maxResultChars" | "compact">>;
  limits: Required<AgentLimits>;
  retry: Required<RetryOptions>;
  runtime: AgentRuntime;
  /** Milliseconds that the steps of a run took: its clock, which is the same when it is played again. */
  stepClock?: { ms: number };
}

/** Checks options and fills in defaults. Throws `TypeError` with the cure. */
export function toSettings(options: AgentOptions): Settings {
  check(options);
  const {
    tools,
    limits = {},
    keepEvents = "all",
    runtime,
    stopWhen = [],
    context,
    output,
    retry,
    storage,
    ...given
  } = options;
  const source = toolsOf(tools);
  return {
    locale: "en",
    mode: "loop",
    maxRepairTurns: 2,
    checkCalls: "refuse",
    reasoning: "skip",
    startsInReasoning: false,
    ...defined(given),
    ...source,
    output: outputOf(output, options, source.fixedTools),
    keepEvents: keepEvents === "all" ? Number.POSITIVE_INFINITY : keepEvents,
    stopWhen: typeof stopWhen === "function" ? [stopWhen] : [...stopWhen],
    sessions: storage && runLogs(storage),
    context: {
      ...{ maxResultChars: 50_000, compact: dropByDefault, ...(storage && { artifacts: storedArtifacts(storage) }) },
      ...defined(context ?? {}),
    },
    limits: {
      turns: 16,
      tokens: Number.POSITIVE_INFINITY,
      timeMs: Number.POSITIVE_INFINITY,
      repeats: 3,
      cost: Number.POSITIVE_INFINITY,
      ...defined(limits),
    },
    retry: { attempts: 3, baseMs: 500, maxMs: 30_000, ...defined(retry ?? {}) },
    runtime: withDefaults(runtime, options.steps !== undefined),
  };
}

function outputOf(
  given: AgentOptions["output"],
  { mode, protocol }: AgentOptions,
  tools: readonly ToolDefinition[] | undefined,
): Output | undefined {
  const output = toOutput(given);
  if (output && mode === "single")
    throw new TypeError("output needs the mode loop: in single mode a result is the outcome.");
  if (output && endsByCall(protocol) && tools?.some(({ name }) => name === output.name)) {
    throw new TypeError(`A tool is named ${output.name}, as the one that ends a run: give output another name.`);
  }
  return output;
}

/** Returns readers of the tools: a list stays as it is now; a function and a source are called each time. */
function toolsOf(tools: AgentOptions["tools"]): Pick<Settings, "readTools" | "fixedTools"> {
  if (typeof tools === "function") return { readTools: () => ({ tools: tools() }), fixedTools: undefined };
  if (typeof (tools as Partial<ToolSource> | undefined)?.definitions === "function") {
    const source = tools as ToolSource;
    const readTools = () => ({ tools: source.definitions(), instructions: source.instructions?.() });
    return { readTools, fixedTools: undefined };
  }
  if (tools === undefined) throw new TypeError(`tools must be given. ${cures.tools}`);
  const fixedTools = toDefinitions(tools);
  return { readTools: () => ({ tools: fixedTools }), fixedTools };
}

function check(options: AgentOptions): void {
  if (options === undefined) throw new TypeError("createAgent needs options: { model, protocol, executor, tools }.");
  checkKeys(
    "createAgent",
    options,
    [
      "model:function protocol:object executor:{handles,execute} tools:object[]|function|{definitions}",
      'locale:"zh"|"en" mode:"single"|"loop" system:string limits:object approve:function ask:function maxRepairTurns:number',
      'reasoning:"skip"|"search" reasoningTags:list[] startsInReasoning:boolean maxTokens:size onEvent:function keepEvents:size|Infinity|"all"',
      'checkCalls:"refuse"|"report"|"off"',
      "runtime:object stopWhen:function|function[] price:function context:object output:object tracing:{startRun}",
      "beforeCall:function afterCall:function storage:object prepareStep:function retry:object steps:{run} once:object",
    ],
    [],
    cures,
  );
  checkSteps(options);
  const { limits, context } = options;
  checkKeys("createAgent: limits", limits, "turns:number tokens:number timeMs:number repeats:number cost:number");
  checkKeys("createAgent: retry", options.retry, "attempts:number baseMs:number maxMs:number");
  checkKeys(
    "createAgent: context",
    context,
    "window:number reserve:number estimate:function maxResultChars:number artifacts:false|{put,read} compact:function isContextOverflow:function",
    [],
    {
      artifacts: "memoryArtifacts() makes such a store.",
      compact: "dropOldResults() makes one.",
      isContextOverflow: "It is given the error, and gives true, false or undefined.",
    },
  );
  // A runtime may have more than the loop reads.
  const { now, newRunId, newOwner, startTimer, onRun } = options.runtime ?? {};
  checkKeys(
    "createAgent: runtime",
    { now, newRunId, newOwner, startTimer, onRun },
    "now:function newRunId:function newOwner:function startTimer:function onRun:function",
  );
  const { stopWhen = [], price, executor, storage } = options;
  if (storage && (typeof storage.logs?.append !== "function" || typeof storage.blobs?.put !== "function")) {
    throw new TypeError(`storage must have logs and blobs. ${cures.storage}`);
  }
  if (options.model === undefined) throw new TypeError(`model must be a function, and is missing. ${cures.model}`);
  if (typeof options.protocol?.createParser !== "function") {
    throw new TypeError(`protocol must be a ToolProtocol. ${cures.protocol}`);
  }
  if (executor === undefined) throw new TypeError(`executor must have handles() and execute(). ${cures.executor}`);
  for (const name of ["beforeCall", "afterCall"] as const) {
    if (options[name] !== undefined && !executor.honoursHooks) {
      throw new TypeError(
        `${name} needs an executor that honours hooks, as those of toolglot do. Your own one says so with honoursHooks: true, and passes context.hooks on, or carries calls out by guardCall of @toolglot/core/executing.`,
      );
    }
  }
  for (const condition of [stopWhen].flat()) {
    if (typeof condition !== "function") throw new TypeError("stopWhen must be a function, or an array of them.");
  }
  if (limits?.cost !== undefined && price === undefined) {
    throw new TypeError("limits.cost needs price, which says what a step costs.");
  }
  checkNumbers("limits.", limits, { turns: 1, tokens: 1, timeMs: 1, repeats: 1, cost: 0 });
  checkNumbers("retry.", options.retry, { attempts: 1, baseMs: 0, maxMs: 0 });
  checkNumbers("context.", context, { window: 1, reserve: 0, maxResultChars: 100 });
  checkNumbers("", options, { maxRepairTurns: 0 });
  const window = context?.window ?? options.model.info?.contextWindow;
  if (window !== undefined && context?.reserve !== undefined && context.reserve >= window) {
    throw new TypeError(`context.reserve must be less than the window of ${window} tokens, not ${context.reserve}.`);
  }
}

/** Cures for another library's word, or for a value that looks right. */
const cures = {
  model:
    "It is (request, signal) => AsyncIterable of model parts; aiSdkModel({ model }) of @toolglot/ai-sdk makes one of an AI SDK model.",
  protocol: "attpProtocol({ prompt }) or nativeProtocol() make one.",
  executor: "toolkitExecutor(toolkit) makes one of a toolkit, and combineExecutors(...) joins several.",
  tools: "Pass an array of tool definitions, a function that gives one, or a toolkit.",
  storage: "folderStorage(dir) of @toolglot/storage creates one.",
  steps: "It has run(step, work), which resolves to the step's value.",
  tracing: "otelTracing() of @toolglot/agent/otel makes it.",
  signal: "Pass it to run(input, { signal }).",
  instructions: "It is system here.",
  systemPrompt: "It is system here.",
  prompt: "It is system here; what the user says is given to run(input).",
  messages: "Give them to run(messages).",
  maxSteps: "It is limits: { turns } here.",
  maxTurns: "It is limits: { turns } here.",
  maxIterations: "It is limits: { turns } here.",
  maxOutputTokens: "It is maxTokens here.",
  temperature: "It belongs to the model: aiSdkModel({ model, temperature }).",
  toolkit: "Pass tools: toolkit and executor: toolkitExecutor(toolkit).",
  mcpServers: "Register each server at a toolkit: toolkit.registerMcpClient(createMcpClient({ name, transport })).",
  outputSchema: "It is output: { schema } here.",
  onStepFinish: "It is onEvent here, with the event step-end.",
} as const;

/** Throws `TypeError` for a field that is there, and no number from its minimum on. */
function checkNumbers<Name extends string>(
  of: string,
  given: { [Key in NoInfer<Name>]?: unknown } | undefined,
  minimums: Readonly<Record<Name, number>>,
): void {
  for (const [name, min] of Object.entries(minimums) as [Name, number][]) {
    const value = given?.[name];
    if (value === undefined || (typeof value === "number" && value >= min)) continue;
    throw new TypeError(`${of}${name} must be a number of at least ${min}, not ${String(value)}.`);
  }
}

/** Returns the real clock, random ids and real timers; `given` replaces single ones. `isPlayed`: a run is played again, with the same owner. */
function withDefaults(given: Partial<AgentRuntime> = {}, isPlayed = false): AgentRuntime {
  return {
    now: given.now ?? Date.now,
    newRunId: given.newRunId ?? (() => `run_${randomHex(12)}`),
    newOwner: given.newOwner ?? (isPlayed ? () => "steps" : () => randomHex(8)),
    startTimer: given.startTimer ?? startTimer,
    ...defined({ onRun: given.onRun }),
  };
}

function startTimer(_name: string, ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, maxTimerMs));
  return () => clearTimeout(timer);
}
