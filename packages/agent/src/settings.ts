import { withDefaults } from "./runtime.ts";
import type { AgentLimits, AgentOptions, AgentRuntime, ApproveCallback } from "./types.ts";

/** Options with every default filled in. */
export interface Settings
  extends Pick<AgentOptions, "model" | "protocol" | "executor" | "tools">,
    Required<Pick<AgentOptions, "locale" | "mode" | "maxRepairTurns" | "reasoning" | "startsInReasoning">> {
  system: string | undefined;
  limits: Required<AgentLimits>;
  approve: ApproveCallback | undefined;
  maxTokens: number | undefined;
  onEvent: AgentOptions["onEvent"] | undefined;
  runtime: AgentRuntime;
}

/** Checks options and fills in defaults. Throws `TypeError` with the cure. */
export function toSettings(options: AgentOptions): Settings {
  check(options);
  const { limits = {} } = options;
  return {
    model: options.model,
    protocol: options.protocol,
    executor: options.executor,
    tools: [...options.tools],
    locale: options.locale ?? "en",
    mode: options.mode ?? "loop",
    system: options.system,
    limits: {
      turns: limits.turns ?? 16,
      tokens: limits.tokens ?? Number.POSITIVE_INFINITY,
      timeMs: limits.timeMs ?? Number.POSITIVE_INFINITY,
      repeats: limits.repeats ?? 3,
    },
    approve: options.approve,
    maxRepairTurns: options.maxRepairTurns ?? 2,
    reasoning: options.reasoning ?? "skip",
    startsInReasoning: options.startsInReasoning ?? false,
    maxTokens: options.maxTokens,
    onEvent: options.onEvent,
    runtime: withDefaults(options.runtime),
  };
}

function check(options: AgentOptions): void {
  const { model, protocol, executor, tools, locale, mode, limits, approve, maxRepairTurns, reasoning } = options;
  if (typeof model !== "function") {
    throw new TypeError("model must be a function (request, signal) => AsyncIterable of model parts.");
  }
  if (typeof protocol?.createParser !== "function") {
    throw new TypeError("protocol must be a ToolProtocol, as attpProtocol({ prompt }) or nativeProtocol() return.");
  }
  if (typeof executor?.execute !== "function" || typeof executor.handles !== "function") {
    throw new TypeError("executor must have handles() and execute(); combineExecutors(...) joins several.");
  }
  if (!Array.isArray(tools)) throw new TypeError("tools must be an array of tool definitions; it may be empty.");
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new TypeError(`Two tools are named ${JSON.stringify(name)}: rename one or leave it out.`);
    names.add(name);
  }
  oneOf("locale", locale, ["zh", "en"]);
  oneOf("mode", mode, ["single", "loop"]);
  oneOf("reasoning", reasoning, ["skip", "search"]);
  if (approve !== undefined && typeof approve !== "function") throw new TypeError("approve must be a function.");
  positive("limits.turns", limits?.turns, 1);
  positive("limits.tokens", limits?.tokens, 1);
  positive("limits.timeMs", limits?.timeMs, 1);
  positive("limits.repeats", limits?.repeats, 1);
  positive("maxRepairTurns", maxRepairTurns, 0);
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
