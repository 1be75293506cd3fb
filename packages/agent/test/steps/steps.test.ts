import { type AgentOptions, createAgent, nativeProtocol, performStep } from "@toolglot/agent";
import type { Executor, JsonValue, Model, ModelPart, ToolProtocol } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { collect, only } from "../support/collect.ts";
import { openDesk } from "../support/desk.ts";
import { type Journal, journal } from "../support/journal.ts";
import { definitions, recordingExecutor } from "../support/tools.ts";

const call = (id: string, name: string, input: object): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});
const stop: ModelPart = { type: "finish", reason: "stop", usage: { inputTokens: 3, outputTokens: 2 } };

/** A model that answers by how often it has answered before, as its request tells: the same for the same request. */
const modelOf = (...turns: (readonly ModelPart[])[]): Model =>
  async function* (request) {
    yield* turns[request.messages.filter(({ role }) => role === "assistant").length] ?? ["Done.", stop];
  };

/** Asks for two calls, of which one waits for a person, then for one more. */
const turns: (readonly ModelPart[])[] = [
  ["I ", "look", call("a", "look", { article: "apple" }), call("b", "order", { article: "apple", amount: 2 }), stop],
  [call("c", "drop", { article: "pear" }), call("d", "order", { article: "pear", amount: 1 }), stop],
];

function deskOf(steps: Journal, more: Partial<AgentOptions> = {}) {
  const { toolkit, done } = openDesk();
  const options: AgentOptions = {
    ...{ model: modelOf(...turns), protocol: nativeProtocol(), executor: toolkitExecutor(toolkit) },
    ...{ tools: toolkit.definitions(), steps, ...more },
  };
  return { agent: createAgent(options), options, done };
}

const play = async (steps: Journal, more: Partial<AgentOptions> = {}) => {
  const { agent, done } = deskOf(steps, more);
  const run = agent.run("Go", { runId: "w1" });
  const events = await collect(run);
  return { result: await run.result, events, done };
};

const names = [
  ...["model:0", "call:0:look", "call:0:order", "model:1", "call:1:drop", "approval:c"],
  ...["call:1:drop:2", "call:1:order", "model:2"],
];

const all = ["look apple 1", "order apple 2", "drop pear 1", "order pear 1"];

describe("a run in steps", () => {
  it("names each, in an order that depends on earlier values alone, and has every effect once", async () => {
    const steps = journal([], () => ({ approved: true, by: "ann" }));
    const { result, done } = await play(steps);
    expect(steps.names).toEqual(names);
    expect(steps.steps.map(({ kind }) => kind)).toEqual([
      "model",
      "call",
      "call",
      "model",
      "call",
      "call",
      "call",
      "model",
    ]);
    expect(result).toMatchObject({
      status: "answered",
      text: "Done.",
      turns: 3,
      usage: { inputTokens: 9, outputTokens: 6 },
    });
    expect(result.results.map(({ callId, status }) => [callId, status])).toEqual(
      ["a", "b", "c", "d"].map((id) => [id, "ok"]),
    );
    expect(done).toEqual(all);
  });

  it("is played again from any prefix of its values: same names, same result, and only the rest is done", async () => {
    const whole = journal([], () => true);
    const first = await play(whole);
    for (let length = 0; length <= whole.kept.length; length += 1) {
      const steps = journal(whole.kept.slice(0, length), () => true);
      const { result } = await play(steps);
      expect(steps.names).toEqual(names);
      expect(steps.made).toEqual(names.slice(length));
      const shown = (value: typeof result) => JSON.parse(JSON.stringify(value).replace(/"ms":[\d.]+/g, '"ms":0'));
      expect(shown(result)).toEqual(shown(first.result));
    }
    const played = await play(journal(whole.kept, () => true));
    // With all values kept nothing at all differs, times included.
    expect(played.result).toEqual(first.result);
    expect(played.done).toEqual([]);
  });

  it("emits what streams once, live, and when it is played again only what the loop does itself", async () => {
    const whole = journal([], () => true);
    const live = await play(whole);
    expect(only(live.events, "text-delta").map(({ text }) => text)).toEqual(["I ", "look", "Done."]);
    expect(only(live.events, "tool-call-end")).toHaveLength(5);
    const { events } = await play(journal(whole.kept, () => true));
    const types = new Set(events.map(({ type }) => type));
    expect([...types].filter((type) => /delta|tool-call|block|diagnostic/.test(type))).toEqual([]);
    const own = (all: typeof events) => all.filter(({ type }) => types.has(type));
    expect(own(events)).toEqual(own(live.events));
  });

  it("can be carried out by performStep elsewhere, which needs nothing but the step", async () => {
    const there = deskOf(journal());
    const texts: string[] = [];
    const elsewhere: AgentOptions = {
      ...there.options,
      onEvent: (event) => void (event.type === "text-delta" && texts.push(event.text)),
    };
    const steps = journal([], () => true);
    const engine = {
      ...steps,
      run: (step: Journal["steps"][0]) =>
        steps.run(step, () => performStep(elsewhere, JSON.parse(JSON.stringify(step)))),
    };
    const away = () => {
      throw new Error("not here");
    };
    const { result, done } = await play(engine as Journal, {
      model: away,
      executor: { honoursHooks: true, handles: () => true, execute: away },
    });
    expect(result).toMatchObject({ status: "answered", text: "Done." });
    expect(texts).toEqual(["I ", "look", "Done."]);
    expect([there.done, done]).toEqual([all, []]);
  });

  it.each<[string, JsonValue | undefined, string]>([
    ["false", false, "denied"],
    ["nothing in time", undefined, "denied"],
    ["no decision at all", { yes: 1 }, "denied"],
    ["a result from elsewhere", { approved: false, result: { callId: "c", status: "ok", content: [] } }, "ok"],
  ])("takes %s for what it is", async (_, decision, status) => {
    const { result, done } = await play(journal([], () => decision));
    expect(result.results.find(({ callId }) => callId === "c")?.status).toBe(status);
    expect(done).toEqual(all.filter((effect) => !effect.startsWith("drop")));
  });

  it("asks approve in a step, and waits for the engine's event when that says later", async () => {
    const steps = journal([], () => true);
    const asked: string[] = [];
    const approve: AgentOptions["approve"] = ({ callId }) => {
      asked.push(callId);
      return "later";
    };
    await play(steps, { approve });
    expect(steps.names.filter((name) => name.startsWith("approval"))).toEqual(["approval:c", "approval:c"]);
    const again = journal(steps.kept, () => true);
    await play(again, { approve });
    expect([again.made, asked]).toEqual([[], ["c"]]);
  });

  it("ends as waiting where nobody can wait, and goes on from its snapshot", async () => {
    const { result } = await play(journal(), { approve: () => "later" });
    expect(result.status).toBe("waiting");
    if (result.status !== "waiting") return;
    const steps = journal();
    const { agent } = deskOf(steps);
    const { callId = "", fingerprint } = result.pending[0] ?? {};
    const run = await agent.resume(result.snapshot, { decisions: { [callId]: { approved: true, fingerprint } } });
    expect(await run.result).toMatchObject({ status: "answered", text: "Done." });
    expect(steps.names).toEqual(["call:1:drop", "call:1:drop:2", "call:1:order", "model:2"]);
  });

  it("asks a person for executors that can't leave a call", async () => {
    const executor = recordingExecutor();
    const steps = journal([], () => true);
    const agent = createAgent({
      ...{
        model: modelOf(['[[call remove {"a":1}]]']),
        protocol: bracketProtocol(),
        executor,
        tools: definitions,
        steps,
      },
    });
    const result = await agent.run("Go", { runId: "w1" }).result;
    expect(result.results).toMatchObject([{ status: "ok", data: { a: 1 } }]);
    expect(steps.names).toEqual(["model:0", "call:0:remove", "approval:call_0", "call:0:remove:2", "model:1"]);
  });

  it("runs a plan as one step, and does not run what is over again when a call of it waits", async () => {
    const { toolkit, done } = openDesk();
    const steps = journal([], () => true);
    const protocol = tamProtocol({ prompt: tamPrompt }) as ToolProtocol;
    const wanted = [
      ["order", { article: "apple", amount: 1 }],
      ["drop", { article: "pear" }],
      ["order", { article: "apple", amount: 1 }],
    ] as const;
    const calls = wanted.map(([name, input], at) => ({ id: `${at}`, name, input, protocol: "tam" }));
    const text = protocol.formatActions([{ kind: "calls", calls, span: { start: 0, end: 0 } }], {
      tools: toolkit.definitions(),
    });
    const agent = createAgent({
      ...{
        model: modelOf([text, stop]),
        protocol,
        executor: toolkitExecutor(toolkit),
        tools: toolkit.definitions(),
        steps,
      },
    });
    const result = await agent.run("Go", { runId: "w1" }).result;
    expect(result.status).toBe("answered");
    expect(steps.names.filter((name) => name.startsWith("call"))).toEqual(["call:0:plan", "call:0:plan:2"]);
    expect(done).toEqual(["order apple 1", "drop pear 1", "order apple 1"]);
  });

  it("makes a compaction of the host's in a step, and counts what it used", async () => {
    const long = "x".repeat(6000);
    const model = modelOf(
      [long, call("a", "look", { article: "apple" }), stop],
      [call("b", "look", { article: "pear" }), stop],
    );
    const more: Partial<AgentOptions> = {
      model,
      context: {
        window: 2000,
        reserve: 100,
        compact({ messages, report }) {
          report?.({ inputTokens: 10 });
          return messages.map((message) =>
            message.role === "assistant"
              ? { ...message, parts: message.parts.filter(({ type }) => type !== "text") }
              : message,
          );
        },
      },
    };
    const steps = journal();
    const { result } = await play(steps, more);
    expect(steps.names.filter((name) => name.startsWith("compact"))).toEqual(["compact:1", "compact:2"]);
    expect(result.usage).toMatchObject({ inputTokens: 29, own: { inputTokens: 9 } });
    expect((await play(journal(steps.kept), more)).result).toEqual(result);
  });

  it("leaves old results out where the host's compaction fails, as without steps", async () => {
    const model = modelOf(["x".repeat(6000), call("a", "look", { article: "apple" }), stop]);
    const compact = () => Promise.reject(new Error("no model"));
    const steps = journal();
    const { result, events } = await play(steps, { model, context: { window: 2000, reserve: 100, compact } });
    expect(steps.names).toContain("compact:1");
    expect(result.status).toBe("answered");
    expect(only(events, "warning").map(({ code, message }) => [code, message.includes("no model")])).toEqual([
      ["agent/compaction-invalid", true],
    ]);
  });

  it("names a second request of a step, and a call of a tool that there is not", async () => {
    let isFirst = true;
    const steps = journal();
    const { result } = await play(steps, {
      async *model(request) {
        if (isFirst) {
          isFirst = false;
          throw Object.assign(new Error("too long"), { status: 413 });
        }
        yield* modelOf([call("a", "x".repeat(1000), {}), stop])(
          request,
          new AbortController().signal,
        ) as AsyncIterable<ModelPart>;
      },
    });
    expect(result.status).toBe("error");
    expect(steps.names).toEqual(["model:0"]);
    const other = journal();
    await play(other, { model: modelOf([call("a", "x".repeat(1000), {}), stop]) });
    expect(other.names).toEqual(["model:0", "call:0:unknown", "model:1"]);
  });

  it("keeps a failure of the model as a value, after the loop's own attempts", async () => {
    let asked = 0;
    const more: Partial<AgentOptions> = {
      retry: { attempts: 2, baseMs: 0 },
      async *model() {
        asked += 1;
        yield* [] as ModelPart[];
        throw Object.assign(new Error("busy"), { status: 503 });
      },
    };
    const steps = journal();
    const { result, events } = await play(steps, more);
    expect(result).toMatchObject({ status: "error", error: { code: "agent/model-failed", message: "busy" } });
    expect(only(events, "model-retried")).toHaveLength(1);
    expect((await play(journal(steps.kept), more)).result).toEqual(result);
    expect(asked).toBe(2);
  });
});

it("tells the model of an executor that failed, as without steps", async () => {
  const steps = journal();
  const executor = {
    honoursHooks: true as const,
    handles: () => true,
    execute: () => Promise.reject(new Error("broken")),
  };
  const { result } = await play(steps, { executor });
  expect(result.results[0]).toMatchObject({ status: "error", error: { type: "ExecutorFault" } });
});

it("calls beforeCall and afterCall within the step", async () => {
  const { toolkit, done } = openDesk();
  const seen: string[] = [];
  const more: Partial<AgentOptions> = {
    executor: toolkitExecutor(toolkit),
    beforeCall: ({ name, input }) => (name === "order" ? { input: { ...(input as object), amount: 10 } } : undefined),
    afterCall: ({ id }) => void seen.push(id),
  };
  const steps = journal([], () => true);
  await play(steps, more);
  expect(done[1]).toBe("order apple 10");
  await play(
    journal(steps.kept, () => true),
    more,
  );
  expect(seen).toEqual(["a", "b", "c", "d"]);
});

it("opens no group of a toolkit in mid-run: tools are a list", () => {
  const toolkit = new Toolkit();
  expect(() => deskOf(journal(), { tools: toolkit })).toThrow("toolkit.definitions()");
});

it("lets a call that only looks damaged run elsewhere, too, when it is meant so", async () => {
  const { toolkit, done } = openDesk();
  const input = { article: "apple</parameter>", amount: 1 };
  const model = modelOf([call("a", "order", input), stop], [call("b", "order", input), stop]);
  const there: AgentOptions = {
    ...{ model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit.definitions() },
  };
  const steps = { run: (step: Journal["steps"][0]) => performStep(there, JSON.parse(JSON.stringify(step))) };
  const result = await createAgent({ ...there, steps }).run("Go", { runId: "w1" }).result;
  expect(result.results.map(({ status }) => status)).toEqual(["error", "ok"]);
  expect(done).toEqual(["order apple</parameter> 1"]);
});

it("runs a program as one step, and asks about its calls within it", async () => {
  const asked: string[] = [];
  const executor: Executor = {
    handles: () => true,
    async execute(action, { approve }) {
      const callId = action.kind === "code" ? action.id : "";
      const request = { kind: "tool-call" as const, callId: `${callId}:1`, tool: "remove", input: {}, reason: "?" };
      const { approved } = await approve(request);
      return [{ callId, status: "ok", content: [], data: approved }];
    },
  };
  const steps = journal();
  const approve: AgentOptions["approve"] = ({ callId }) => asked.push(callId) > 0;
  const agent = createAgent({
    ...{ model: modelOf(["[[python remove()]]"]), protocol: bracketProtocol(), executor, tools: definitions },
    ...{ steps, approve },
  });
  const result = await agent.run("Go", { runId: "w1" }).result;
  expect(result.results).toMatchObject([{ status: "ok", data: true }]);
  expect([steps.names, asked]).toEqual([["model:0", "call:0:python", "model:1"], ["call_0:1"]]);
});

it("ends with the first result in single mode", async () => {
  const steps = journal();
  const { result } = await play(steps, { mode: "single" });
  expect(result.status).toBe("result");
  expect(steps.names).toEqual(["model:0", "call:0:look", "call:0:order"]);
});

it.each([
  undefined,
  null,
  {},
  { name: "model:0", kind: "model", input: {} },
  { name: "model:0", kind: "model", input: null },
])("performStep takes nothing that is no step: %o", async (step) => {
  const { options } = deskOf(journal());
  await expect(performStep(options, step as never)).rejects.toThrow(TypeError);
});

it("performStep asks for the model that a step was meant for", async () => {
  const { options } = deskOf(journal());
  const step = {
    name: "model:0",
    kind: "model" as const,
    input: { runId: "w1", stepIndex: 0, model: { modelId: "other" } },
  };
  await expect(performStep(options, step)).rejects.toThrow('{"modelId":"other"}');
});
