import type { Action, ToolResult } from "@toolglot/core";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import { canonicalJson, hash } from "../plain-json.ts";

/** How many actions are remembered, for each time that a call may have the same result. */
const windowPerRepeat = 4;

/** Ends a run that repeats calls without a new result; warns the model once before that. */
export function repeats(run: Run): Part {
  const limit = run.settings.limits.repeats;
  const found = new Repeats(limit);
  return {
    restore: (action, results) => void found.note(action, results),
    beforeAction: (action) =>
      found.exceededBy(action) ? { status: "limit", limit: "repeats", text: run.lastText } : undefined,
    afterAction(action, results) {
      const spent = found.note(action, results);
      return spent.length > 0 ? run.wording.repeated(spent, limit) : undefined;
    },
  };
}

/**
 * Finds calls that bring nothing new: the same call with the same result, again and again within the last actions, in
 * whatever order and whatever is between. A call whose result differs (polling) is none.
 */
class Repeats {
  readonly #limit: number;
  /** Calls of the last actions, with the digests of their results. */
  readonly #actions: Map<string, Outcome>[] = [];
  /** How often each call had each result in these. */
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether every call of the action has had the same result as often as allowed. The model was warned before. */
  exceededBy(action: Action): boolean {
    const calls = keysOf(action);
    const isSpent = (call: string): boolean => Math.max(0, ...(this.#counts.get(call)?.values() ?? [])) >= this.#limit;
    return calls.length > 0 && calls.every(({ call }) => isSpent(call));
  }

  /** Remembers an action that has run. Returns the names of calls that must not be repeated again. */
  note(action: Action, results: readonly ToolResult[]): string[] {
    const byId = new Map(results.map((result) => [result.callId, result]));
    const seen = new Map<string, Outcome>();
    for (const { call, callId, name } of keysOf(action)) {
      const result = byId.get(callId);
      if (!result) continue;
      const outcome = outcomeOf(result);
      seen.set(call + outcome, { call, outcome, name });
    }
    this.#actions.push(seen);
    for (const one of seen.values()) this.#add(one, 1);
    const old = this.#actions.length > this.#limit * windowPerRepeat ? this.#actions.shift() : undefined;
    for (const one of old?.values() ?? []) this.#add(one, -1);
    const spent = [...seen.values()].filter(
      ({ call, outcome }) => this.#counts.get(call)?.get(outcome) === this.#limit,
    );
    return [...new Set(spent.map(({ name }) => name))];
  }

  #add({ call, outcome }: Outcome, change: 1 | -1): void {
    const outcomes = this.#counts.get(call) ?? new Map<string, number>();
    const count = (outcomes.get(outcome) ?? 0) + change;
    if (count > 0) outcomes.set(outcome, count);
    else outcomes.delete(outcome);
    if (outcomes.size > 0) this.#counts.set(call, outcomes);
    else this.#counts.delete(call);
  }
}

interface Outcome {
  call: string;
  outcome: string;
  name: string;
}

/** Returns what makes two calls the same: all but ids, places and words about them. */
function keysOf(action: Action): { call: string; callId: string; name: string }[] {
  switch (action.kind) {
    case "calls":
      return action.calls.map(({ id, name, input }) => ({ call: keyOf([name, input]), callId: id, name }));
    case "plan": {
      const { common, steps } = action.plan;
      return steps.map(({ tool, params, uris, callId }) => ({
        call: keyOf([common, tool, params, uris]),
        callId,
        name: tool,
      }));
    }
    case "code":
      return [{ call: keyOf([action.language, action.source]), callId: action.id, name: action.language }];
    default:
      return [];
  }
}

function outcomeOf({ status, content, data, error, logs }: ToolResult): string {
  return keyOf([status, data ?? content, error?.type, error?.message, logs]);
}

function keyOf(value: unknown): string {
  return hash(canonicalJson(value));
}
