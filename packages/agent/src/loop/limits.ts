import type { Usage } from "@toolglot/core";
import type { LimitKind } from "../types.ts";
import type { RunState } from "./run-state.ts";

/** Characters that count as one token where the provider gives no count. Low on purpose: Chinese text has fewer. */
const charactersPerToken = 3;

/** The limit that forbids another step, if one does. Time is watched by the run's deadline. */
export function limitReached(run: RunState): LimitKind | undefined {
  const { turns, tokens } = run.settings.limits;
  if (run.turns >= turns) return "turns";
  if (run.tokens >= tokens) return "tokens";
  return undefined;
}

/** Tokens of one step: the provider's count, or an estimate from the characters. */
export function stepTokens(usage: Usage | undefined, characters: number): number {
  if (usage?.inputTokens !== undefined || usage?.outputTokens !== undefined) {
    return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  return Math.ceil(characters / charactersPerToken);
}
