import type { ToolResult, Usage } from "@toolglot/core";
import { addUsage, errorText, isObject } from "@toolglot/internal";
import { tokensOf } from "./estimate.ts";
import type { Run } from "./run.ts";

/** Adds a step's tokens, and what they cost, to the run's. `written`: characters of the answer. Returns the usage with its cost. */
export function countUsage(run: Run, counted: Usage | undefined, written: number): Usage | undefined {
  const usage = counted && priced(run, counted);
  for (const sum of [run.usage, run.own]) if (sum && usage) addUsage(sum, usage as Record<string, unknown>);
  const { inputTokens, outputTokens } = usage ?? {};
  const { window } = run;
  if (window !== undefined && (inputTokens ?? 0) > window) {
    run.warn(
      "agent/context-exceeded",
      `The model read ${inputTokens} tokens, its context is ${window}: it may have left some out.`,
    );
  }
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  run.tokens += isCounted ? (inputTokens ?? 0) + (outputTokens ?? 0) : tokensOf(run.conversation.askedLength + written);
  return usage;
}

function priced(run: Run, usage: Usage): Usage {
  const { price } = run.settings;
  const { model } = run.step;
  if (price === undefined) return usage;
  try {
    const cost = price(usage, { stepIndex: run.stepIndex, ...(model.info && { model: model.info }) });
    if (Number.isFinite(cost) && cost >= 0) return { ...usage, cost };
    run.warn("agent/price-failed", `price must give a number from 0, not ${String(cost)}; the step has no cost.`);
  } catch (error) {
    run.warn("agent/price-failed", `price threw; the step has no cost: ${errorText(error)}`);
  }
  return usage;
}

/** Usage of a run and its tools. */
export interface UsageSums {
  /** Of the run and its tools. */
  usage: Usage;
  /** Of the run alone, once a tool has used something. */
  own?: Usage | undefined;
  /** Read and written, as the limit counts them. */
  tokens: number;
}

/** Adds what something else than the run's own steps used of models. */
export function addChild(sums: UsageSums, used: Readonly<Record<string, unknown>>): void {
  sums.own ??= { ...sums.usage };
  const child: Usage = {};
  addUsage(child, used);
  addUsage(sums.usage, child as Record<string, unknown>);
  sums.tokens += (child.inputTokens ?? 0) + (child.outputTokens ?? 0);
}

/** Adds what tools report that they used of models: `usage` of the metadata of results. */
export function addChildren(sums: UsageSums, results: readonly ToolResult[]): void {
  for (const { metadata } of results) if (isObject(metadata?.usage)) addChild(sums, metadata.usage);
}
