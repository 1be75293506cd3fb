import type { AgentStep, StepEngine } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";

/** The journal of a durable engine: what it was asked to do, in order, with the values as JSON. */
export interface Journal extends StepEngine {
  /** What was kept. Values that are there already are played. */
  kept: { name: string; value: JsonValue }[];
  /** Names in the order in which they were asked for, played ones included. */
  names: string[];
  steps: AgentStep[];
  /** Names of steps that were carried out. */
  made: string[];
}

/** A small durable engine: it keeps values in order, and plays those that it has. `events` are decisions that come from elsewhere. */
export function journal(
  kept: Journal["kept"] = [],
  events?: (name: string) => JsonValue | undefined | Promise<JsonValue | undefined>,
): Journal {
  const names: string[] = [];
  const made: string[] = [];
  const steps: AgentStep[] = [];
  const own = [...kept];
  async function play(name: string, make: () => Promise<JsonValue | undefined>): Promise<JsonValue | undefined> {
    const at = names.push(name) - 1;
    const known = own[at];
    if (known) return known.value;
    made.push(name);
    const value = await make();
    const text = JSON.stringify(value);
    own[at] = { name, value: text === undefined ? (undefined as never) : (JSON.parse(text) as JsonValue) };
    return own[at].value;
  }
  return {
    kept: own,
    names,
    made,
    steps,
    run: (step, work) => {
      steps.push(step);
      return play(step.name, work) as Promise<JsonValue>;
    },
    ...(events && { wait: (name) => play(name, async () => events(name)) }),
  };
}
