import type { ToolDefinition, ToolSource } from "@toolglot/core";
import { checkKeys, defined, maxTimerMs, randomHex } from "@toolglot/internal";
import { checkStore } from "./context/artifacts.ts";
import { dropOldResults } from "./context/compaction.ts";
import { toDefinitions } from "./loop/live-tools.ts";
import { endsByCall, type Output, toOutput } from "./output/output.ts";
import type { AgentLimits, AgentOptions, AgentRuntime, ContextOptions, RetryOptions, StopCondition } from "./types.ts";

type WithDefault = "locale" | "mode" | "maxRepairTurns" | "reasoning" | "startsInReasoning";

/** What the source of the tools gave. */
export interface GivenTools {
  tools?: unknown;
  instructions?: unknown;
}

/** Options with every default filled in. */
export interface Settings
  extends Omit<
      AgentOptions,
      "tools" | "keepEvents" | "limits" | "runtime" | "stopWhen" | "context" | "output" | "retry" | WithDefault
    >,
    Required<Pick<AgentOptions, WithDefault>> {
  /** Gives the tools of the moment, and what is said of them; asked at the start, then before each further request. */
  readTools: () => GivenTools;
  /** The same tools all the time: what was checked. */
  fixedTools: ToolDefinition[] | undefined;
  keepEvents: number;
  stopWhen: readonly StopCondition[];
  output: Output | undefined;
  context: ContextOptions & Required<Pick<ContextOptions, "maxResultChars" | "compact">>;
  limits: Required<AgentLimits>;
  retry: Required<RetryOptions>;
  runtime: AgentRuntime;
}

/** Checks options and fills in defaults. Throws `TypeError` with the cure. */
export function toSettings(options: AgentOptions): Settings {
  check(options);
  const { tools, limits = {}, keepEvents = "all", runtime, stopWhen = [], context, output, retry, ...given } = options;
  const source = toolsOf(tools);
  return {
    locale: "en",
    mode: "loop",
    maxRepairTurns: 2,
    reasoning: "skip",
    startsInReasoning: false,
    ...defined(given),
    ...source,
    output: outputOf(output, options, source.fixedTools),
    keepEvents: keepEvents === "all" ? Number.POSITIVE_INFINITY : keepEvents,
    stopWhen: typeof stopWhen === "function" ? [stopWhen] : [...stopWhen],
    context: { maxResultChars: 50_000, compact: dropOldResults(), ...defined(context ?? {}) },
    limits: {
      turns: 16,
      tokens: Number.POSITIVE_INFINITY,
      timeMs: Number.POSITIVE_INFINITY,
      repeats: 3,
      cost: Number.POSITIVE_INFINITY,
      ...defined(limits),
    },
    retry: { attempts: 3, baseMs: 500, maxMs: 30_000, ...defined(retry ?? {}) },
    runtime: withDefaults(runtime),
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

/** A list stays as it is now; a function and a source are asked each time. */
function toolsOf(tools: AgentOptions["tools"]): Pick<Settings, "readTools" | "fixedTools"> {
  if (typeof tools === "function") return { readTools: () => ({ tools: tools() }), fixedTools: undefined };
  if (typeof (tools as Partial<ToolSource> | undefined)?.definitions === "function") {
    const source = tools as ToolSource;
    const readTools = () => ({ tools: source.definitions(), instructions: source.instructions?.() });
    return { readTools, fixedTools: undefined };
  }
  if (!Array.isArray(tools)) {
    throw new TypeError("tools must be an array of tool definitions, a function that gives one, or a toolkit.");
  }
  const fixedTools = toDefinitions(tools);
  return { readTools: () => ({ tools: fixedTools }), fixedTools };
}

function check(options: AgentOptions): void {
  if (options === undefined) throw new TypeError("createAgent needs options: { model, protocol, executor, tools }.");
  checkKeys("createAgent", options, [
    "model protocol executor tools locale mode system limits approve ask maxRepairTurns reasoning",
    "reasoningTags startsInReasoning maxTokens onEvent keepEvents runtime stopWhen price context output tracing",
    "beforeCall afterCall sessions prepareStep retry",
  ]);
  checkKeys("createAgent: limits", options.limits, "turns tokens timeMs repeats cost");
  checkKeys("createAgent: retry", options.retry, "attempts baseMs maxMs");
  checkKeys(
    "createAgent: context",
    options.context,
    "window reserve estimate maxResultChars artifacts compact isContextOverflow",
  );
  const { model, protocol, executor, locale, mode, limits, keepEvents, approve, maxRepairTurns, reasoning } = options;
  const { stopWhen = [], price, context, sessions } = options;
  if (typeof model !== "function") {
    throw new TypeError("model must be a function (request, signal) => AsyncIterable of model parts.");
  }
  if (typeof protocol?.createParser !== "function") {
    throw new TypeError("protocol must be a ToolProtocol, as attpProtocol({ prompt }) or nativeProtocol() return.");
  }
  if (typeof executor?.execute !== "function" || typeof executor.handles !== "function") {
    throw new TypeError("executor must have handles() and execute(); combineExecutors(...) joins several.");
  }
  oneOf("locale", locale, ["zh", "en"]);
  oneOf("mode", mode, ["single", "loop"]);
  oneOf("reasoning", reasoning, ["skip", "search"]);
  if (approve !== undefined && typeof approve !== "function") throw new TypeError("approve must be a function.");
  for (const name of ["beforeCall", "afterCall"] as const) {
    if (options[name] === undefined) continue;
    if (typeof options[name] !== "function") throw new TypeError(`${name} must be a function.`);
    if (!executor.honoursHooks) {
      throw new TypeError(
        `${name} needs an executor that honours hooks, as those of toolglot do. Your own one says so with honoursHooks: true, and passes context.hooks on, or carries calls out by guardCall of @toolglot/core/executing.`,
      );
    }
  }
  if (sessions !== undefined && (typeof sessions?.append !== "function" || typeof sessions.read !== "function")) {
    throw new TypeError("sessions must be a store with append() and read(), as fileSessions(folder) is one.");
  }
  if (options.prepareStep !== undefined && typeof options.prepareStep !== "function") {
    throw new TypeError("prepareStep must be a function.");
  }
  if (options.ask !== undefined && typeof options.ask !== "function") throw new TypeError("ask must be a function.");
  if (price !== undefined && typeof price !== "function") throw new TypeError("price must be a function.");
  if (options.tracing !== undefined && typeof options.tracing?.startRun !== "function") {
    throw new TypeError("tracing must have startRun(), as otelTracing() of @toolglot/agent/otel gives it.");
  }
  for (const condition of Array.isArray(stopWhen) ? stopWhen : [stopWhen]) {
    if (typeof condition !== "function") throw new TypeError("stopWhen must be a function, or an array of them.");
  }
  if (limits?.cost !== undefined && price === undefined) {
    throw new TypeError("limits.cost needs price, which says what a step costs.");
  }
  positive("limits.turns", limits?.turns, 1);
  positive("limits.tokens", limits?.tokens, 1);
  positive("limits.timeMs", limits?.timeMs, 1);
  positive("limits.repeats", limits?.repeats, 1);
  positive("limits.cost", limits?.cost, 0);
  positive("retry.attempts", options.retry?.attempts, 1);
  positive("retry.baseMs", options.retry?.baseMs, 0);
  positive("retry.maxMs", options.retry?.maxMs, 0);
  positive("context.window", context?.window, 1);
  positive("context.reserve", context?.reserve, 0);
  positive("context.maxResultChars", context?.maxResultChars, 100);
  if (context?.compact !== undefined && typeof context.compact !== "function") {
    throw new TypeError("context.compact must be a function, as dropOldResults() gives one.");
  }
  if (context?.isContextOverflow !== undefined && typeof context.isContextOverflow !== "function") {
    throw new TypeError("context.isContextOverflow must be a function (error) that gives true, false or undefined.");
  }
  if (context?.estimate !== undefined && typeof context.estimate !== "function") {
    throw new TypeError("context.estimate must be a function (messages, tools) that gives a number of tokens.");
  }
  if (context?.artifacts !== undefined && context.artifacts !== false)
    checkStore("context.artifacts", context.artifacts);
  positive("maxRepairTurns", maxRepairTurns, 0);
  if (keepEvents !== undefined && keepEvents !== "all" && !(Number.isInteger(keepEvents) && keepEvents >= 1)) {
    throw new TypeError(`keepEvents must be "all" or a whole number from 1, not ${String(keepEvents)}.`);
  }
}

function oneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (value !== undefined && !allowed.includes(value as string)) {
    throw new TypeError(`${name} must be ${allowed.map((item) => `"${item}"`).join(" or ")}, not ${String(value)}.`);
  }
}

function positive(name: string, value: number | undefined, least: number): void {
  if (value !== undefined && !(typeof value === "number" && value >= least)) {
    throw new TypeError(`${name} must be a number of at least ${least}, not ${String(value)}.`);
  }
}

/** The real clock, random ids, real timers; `given` replaces single parts. */
function withDefaults(given: Partial<AgentRuntime> = {}): AgentRuntime {
  return {
    now: given.now ?? Date.now,
    newRunId: given.newRunId ?? (() => `run_${randomHex(12)}`),
    newOwner: given.newOwner ?? (() => randomHex(8)),
    startTimer: given.startTimer ?? startTimer,
    ...defined({ onRun: given.onRun }),
  };
}

function startTimer(_name: string, ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, maxTimerMs));
  return () => clearTimeout(timer);
}
