import type { Action, Message, Usage } from "@toolglot/core";
import { canonicalJson } from "../plain-json.ts";
import type { LimitKind } from "../types.ts";
import type { RunState } from "./run-state.ts";

/** Characters reckoned as one token where the provider counts none. Low on purpose: Chinese text has fewer. */
const CHARACTERS_PER_TOKEN = 3;

/** The limit that forbids another step, if one does. Time is watched by the run's deadline. */
export function limitReached(run: RunState): LimitKind | undefined {
  const { turns, tokens } = run.settings.limits;
  if (run.turns >= turns) return "turns";
  if (run.tokens >= tokens) return "tokens";
  return undefined;
}

/** Tokens of one step: the provider's count, or what the characters come to. */
export function stepTokens(usage: Usage | undefined, request: readonly Message[], answerLength: number): number {
  if (usage?.inputTokens !== undefined || usage?.outputTokens !== undefined) {
    return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  }
  const asked = request.flatMap((message) => message.parts).reduce((sum, part) => sum + partLength(part), 0);
  return Math.ceil((asked + answerLength) / CHARACTERS_PER_TOKEN);
}

function partLength(part: Message["parts"][number]): number {
  return "text" in part ? part.text.length : canonicalJson(part).length;
}

/** Counts how often in a row the very same action is asked for. */
export class RepeatCounter {
  readonly #limit: number;
  #last: string | undefined;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when running this action would be once too often. */
  exceededBy(action: Action): boolean {
    const key = canonicalJson(essence(action));
    this.#count = key === this.#last ? this.#count + 1 : 1;
    this.#last = key;
    return this.#count > this.#limit;
  }
}

/** What makes two actions the same: all but ids, places and words about it. */
function essence(action: Action): unknown {
  switch (action.kind) {
    case "calls":
      return action.calls.map(({ name, input }) => ({ name, input }));
    case "plan":
      return [action.plan.common, action.plan.steps.map(({ tool, params, uris }) => ({ tool, params, uris }))];
    case "code":
      return [action.language, action.source];
    default:
      return action.message;
  }
}
