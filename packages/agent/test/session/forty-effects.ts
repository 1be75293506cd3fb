import { type AgentOptions, type AgentRun, createAgent, nativeProtocol } from "@toolglot/agent";
import type { Model, ModelPart, ToolResult } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

// A run of forty effects, each with a key of its own, in ten answers; beside them calls that only read, or may be repeated.

export const keys: readonly string[] = Array.from({ length: 40 }, (_, n) => `key-${n}`);

/** What a run does to the world. `moment` is called wherever a process may die: it does not resolve when it has died. */
export interface World {
  moment(): Promise<void>;
  effect(key: string): void;
}

/** The model answers by what it was asked, so that an answer that was lost is given again. */
function effectsModel(world: World): Model {
  return async function* (request): AsyncGenerator<ModelPart> {
    await world.moment();
    const step = request.messages.filter(({ role }) => role === "assistant").length;
    if (step === 10) yield "Done.";
    else {
      for (const key of keys.slice(step * 4, step * 4 + 4)) {
        yield { type: "call", call: { id: key, name: "effect", input: { key }, protocol: "native" } };
      }
      for (const name of ["look", "mark"]) {
        yield { type: "call", call: { id: `${name}-${step}`, name, input: {}, protocol: "native" } };
      }
    }
    yield { type: "finish", reason: "stop" };
  };
}

function effectsAgent(world: World, storage: Storage, more: Partial<AgentOptions>) {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "effect",
      description: "Has an effect.",
      args: { key: "string" },
      async execute({ key }) {
        await world.moment();
        world.effect(key);
        await world.moment();
        return key;
      },
    }),
  );
  for (const [name, annotations] of [
    ["look", { readOnlyHint: true }],
    ["mark", { idempotentHint: true }],
  ] as const) {
    const execute = async (): Promise<string> => {
      await world.moment();
      return name;
    };
    toolkit.registerToolFunction(defineTool({ name, description: "Does no harm.", args: {}, annotations, execute }));
  }
  return createAgent({
    model: effectsModel(world),
    protocol: nativeProtocol(),
    executor: toolkitExecutor(toolkit),
    tools: toolkit,
    storage: around(storage, world),
    limits: { turns: 20 },
    ...more,
  });
}

/** A storage around whose writes a process may die. */
function around(storage: Storage, { moment }: World): Storage {
  const { logs } = storage;
  return {
    ...storage,
    logs: {
      ...logs,
      async append(...given) {
        await moment();
        const isAdded = await logs.append(...given);
        await moment();
        return isAdded;
      },
    },
  };
}

/** Begins the run, or goes on with it when it was begun before. */
export async function beginOrGoOn(
  world: World,
  storage: Storage,
  runId: string,
  more: Partial<AgentOptions> = {},
): Promise<AgentRun> {
  const agent = effectsAgent(world, storage, more);
  const isBegun = (await storage.logs.read(`agent/runs/${runId}`)) !== undefined;
  return isBegun ? agent.resume(runId) : agent.run("Make forty effects.", { runId });
}

/** The results that the log of a run has. */
export function resultsIn(lines: readonly string[]): ToolResult[] {
  return lines.flatMap((line) => {
    const { type, results = [] } = JSON.parse(line) as { type: string; results?: ToolResult[] };
    return type === "results" ? results : [];
  });
}

/** What is wrong with how a run ended: an effect that came twice, one that was lost, one in doubt that was told of as done. */
export function flaws(effects: readonly string[], results: readonly ToolResult[]): string[] {
  const found: string[] = [];
  const all = results.filter(({ name }) => name === "effect");
  if (all.length !== keys.length || new Set(all.map(({ callId }) => callId)).size !== keys.length) {
    found.push(`${all.length} results`);
  }
  for (const { callId, status } of all) {
    const times = effects.filter((key) => key === callId).length;
    const isRight = status === "ok" ? times === 1 : status === "in-doubt" && times <= 1;
    if (!isRight) found.push(`${callId} is ${status}, and came ${times} times`);
  }
  const others = results.filter(({ name }) => name !== "effect");
  if (others.length !== 20 || others.some(({ status }) => status !== "ok")) found.push("a harmless call is not ok");
  return found;
}
