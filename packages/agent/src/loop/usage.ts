import type { Usage } from "@toolglot/core";
import { addUsage, errorText } from "@toolglot/internal";
import { tokensOf } from "../context/estimate.ts";
import { windowOf } from "./make-room.ts";
import type { RunState } from "./run-state.ts";

/** Adds a step's tokens, and what they cost, to the run's. `written`: characters of the answer. Returns the usage with its cost. */
export function countUsage(run: RunState, counted: Usage | undefined, written: number): Usage | undefined {
  const usage = counted && priced(run, counted);
  for (const sum of [run.usage, run.own]) if (sum && usage) addUsage(sum, usage as Record<string, unknown>);
  const window = windowOf(run);
  if (window !== undefined && (usage?.inputTokens ?? 0) > window) {
    run.warn(
      "agent/context-exceeded",
      `The model read ${usage?.inputTokens} tokens, its context is ${window}: it may have left some out.`,
    );
  }
  run.tokens += stepTokens(usage, run.conversation.askedLength + written);
  return usage;
}

function priced(run: RunState, usage: Usage): Usage {
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

/** Tokens of one step: the provider's count, or an estimate from the characters. */
function stepTokens(usage: Usage | undefined, characters: number): number {
  if (usage?.inputTokens !== undefined || usage?.outputTokens !== undefined) {
    return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  return tokensOf(characters);
}
