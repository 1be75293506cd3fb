import { metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { type AgentOptions, type AgentTracing, createAgent, nativeProtocol, recordRun } from "@toolglot/agent";
import { type OtelTracingOptions, otelTracing } from "@toolglot/agent/otel";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart } from "@toolglot/core";
import { ended, forget, idOf, only, parentOf, startSdk, stopSdk, traceOf } from "@toolglot/internal/testing/otel";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

let exporter: InMemoryMetricExporter;
let meters: MeterProvider;

beforeAll(() => startSdk());
beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  metrics.setGlobalMeterProvider(meters);
});
afterEach(async () => {
  forget();
  metrics.disable();
  await meters.shutdown();
});
afterAll(() => stopSdk());

const info = { provider: "acme", modelId: "acme-1" };
const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };
const call = (name: string, input: unknown = {}): ModelPart => ({
  type: "call",
  call: { id: "", name, input, protocol: "native" },
});
const calls = (...names: string[]): ModelPart[] => [
  ...names.map((name) => call(name)),
  { type: "finish", reason: "calls", usage },
];

function optionsFor(
  turns: readonly ScriptedTurn[],
  tracing: OtelTracingOptions = {},
  more: Partial<AgentOptions> = {},
): AgentOptions {
  return {
    model: Object.assign(scriptedModel(turns), { info }),
    protocol: nativeProtocol(),
    executor: recordingExecutor(),
    tools: definitions,
    tracing: otelTracing(tracing),
    ...more,
  };
}

/** What was measured: points by the instrument's name. */
async function measured() {
  await meters.forceFlush();
  const all = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
  return new Map(
    all.flatMap(({ scope, metrics: found }) =>
      found.map(({ descriptor, dataPoints }) => [descriptor.name, { scope, descriptor, dataPoints }] as const),
    ),
  );
}

describe("spans", () => {
  it("should be one trace for each run: the agent, its requests and its tools", async () => {
    const toolkit = new Toolkit({ tracing: true });
    const inner = defineTool({
      name: "look",
      description: "Looks.",
      execute: () => trace.getTracer("mine").startActiveSpan("inside", (span) => span.end()),
    });
    toolkit.registerToolFunction(inner);
    const turns = [calls("look"), ["Done.", { type: "finish", reason: "stop", usage }] satisfies ModelPart[]];
    const more = { executor: toolkitExecutor(toolkit), tools: toolkit, maxTokens: 100 };
    const options = optionsFor(turns, { agentName: "scout", agentId: "a1", conversationId: "c1" }, more);
    await trace.getTracer("host").startActiveSpan("host", async (span) => {
      await createAgent(options).run("Go", { runId: "r1" }).result;
      span.end();
    });
    const agent = only("invoke_agent scout");
    const chats = ended("chat acme-1");
    const tool = only("execute_tool look");
    expect(new Set([agent, ...chats, tool, only("inside"), only("host")].map(traceOf)).size).toBe(1);
    expect(parentOf(agent)).toBe(idOf(only("host")));
    expect([...chats, tool].map(parentOf)).toEqual([idOf(agent), idOf(agent), idOf(agent)]);
    expect(parentOf(only("inside"))).toBe(idOf(tool));
    expect([agent.kind, ...chats.map(({ kind }) => kind)]).toEqual([
      SpanKind.INTERNAL,
      SpanKind.CLIENT,
      SpanKind.CLIENT,
    ]);
    const common = {
      "gen_ai.provider.name": "acme",
      "gen_ai.agent.name": "scout",
      "gen_ai.agent.id": "a1",
      "gen_ai.conversation.id": "c1",
      "gen_ai.request.model": "acme-1",
      "gen_ai.request.max_tokens": 100,
    };
    expect(agent.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.response.finish_reasons": ["tool_call", "stop"],
      "gen_ai.usage.input_tokens": 20,
      "gen_ai.usage.output_tokens": 8,
      "gen_ai.usage.cache_read.input_tokens": 6,
      "gen_ai.usage.cache_creation.input_tokens": 4,
      "gen_ai.usage.reasoning.output_tokens": 2,
      "toolglot.status": "answered",
    });
    expect(chats[0]?.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "chat",
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 4,
      "gen_ai.usage.cache_read.input_tokens": 3,
      "gen_ai.usage.cache_creation.input_tokens": 2,
      "gen_ai.usage.reasoning.output_tokens": 1,
      "toolglot.step_index": 0,
    });
    const { instrumentationScope } = agent;
    expect(instrumentationScope).toMatchObject({ name: manifest.name, version: manifest.version });
    expect(instrumentationScope.schemaUrl).toMatch(/^https:\/\/opentelemetry\.io\/schemas\/gen-ai/);
  });

  it("should have no names that nobody gave, and the run's id as the conversation", async () => {
    const options = optionsFor(
      ["Done."],
      {},
      { model: scriptedModel(["Done."]), protocol: { ...bracketProtocol(), stop: ["END"] } },
    );
    await createAgent(options).run("Go", { runId: "r1" }).result;
    expect(ended().map(({ name }) => name)).toEqual(["chat", "invoke_agent"]);
    for (const { attributes } of ended()) {
      expect(attributes).toMatchObject({
        "gen_ai.provider.name": "_OTHER",
        "gen_ai.conversation.id": "r1",
        "gen_ai.request.stop_sequences": ["END"],
      });
      expect(Object.keys(attributes).filter((key) => /agent|request\.model/.test(key))).toEqual([]);
    }
  });

  it("should be the parents of what a model's client and a program's tools do", async () => {
    const mark = (name: string): void => trace.getTracer("mine").startSpan(name).end();
    const model = async function* (): AsyncGenerator<ModelPart> {
      mark("asked");
      yield ended("ran").length > 0 ? "Done." : "[[python __result__ = await f({})]]";
      await new Promise((resolve) => setTimeout(resolve, 1));
      mark("streamed");
    };
    await using sandbox = createSandbox({ language: "javascript" });
    const tool = { name: "f", description: "", inputSchema: { type: "object" as const }, execute: () => mark("ran") };
    const inJavaScript = sandboxExecutor(sandbox, { tools: [tool] });
    const executor: AgentOptions["executor"] = {
      handles: () => true,
      execute: (action, context) =>
        inJavaScript.execute({ ...action, language: "javascript" } as typeof action, context),
    };
    await createAgent(optionsFor([], {}, { model, executor, protocol: bracketProtocol(), tools: [tool] })).run("Go")
      .result;
    const chats = ended("chat").map(idOf);
    expect(ended("asked").map(parentOf)).toEqual(chats);
    expect(ended("streamed").map(parentOf)).toEqual(chats);
    expect(parentOf(only("ran"))).toBe(idOf(only("invoke_agent")));
  });

  const failing = (error: Error) => (): AsyncIterable<ModelPart> => {
    throw error;
  };
  it.each<
    [
      string,
      Partial<AgentOptions>,
      (run: ReturnType<ReturnType<typeof createAgent>["run"]>) => void,
      (string | undefined)[],
    ]
  >([
    [
      "a model that fails",
      { model: failing(new Error("down")) },
      () => {},
      ["agent/model-failed", "agent/model-failed"],
    ],
    [
      "a model's context that is too small",
      { model: failing(Object.assign(new Error("No."), { status: 413 })) },
      () => {},
      ["agent/context-overflow", "agent/context-overflow"],
    ],
    [
      "a filter",
      { model: scriptedModel([[{ type: "finish", reason: "filter" }]]) },
      () => {},
      [undefined, "agent/filtered"],
    ],
    [
      "a limit, which is no error",
      { limits: { turns: 1 }, model: scriptedModel([calls("add")]) },
      () => {},
      [undefined, undefined],
    ],
  ])("should say how it ended: %s", async (_, more, act, [chat, agent]) => {
    const run = createAgent(optionsFor([], {}, more)).run("Go");
    act(run);
    await run.result;
    const typeOf = (span?: ReturnType<typeof ended>[number]): unknown => span?.attributes["error.type"];
    expect([typeOf(ended("chat")[0]), typeOf(only("invoke_agent"))]).toEqual([chat, agent]);
    const expected = agent === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR;
    expect(only("invoke_agent").status).toEqual({ code: expected });
  });

  it("should end when a run is aborted, and when an answer is interrupted", async () => {
    const hanging = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) });
    const controller = new AbortController();
    const run = createAgent(optionsFor([], {}, { model: hanging })).run("Go", { signal: controller.signal });
    setTimeout(() => controller.abort(), 1);
    await run.result;
    expect(ended().map(({ attributes }) => attributes["error.type"])).toEqual(["aborted", "aborted"]);
    forget();
    let asked = 0;
    const model = (...args: Parameters<typeof hanging>) =>
      asked++ === 0 ? hanging(...args) : scriptedModel(["Done."])({ messages: [] }, new AbortController().signal);
    const steered = createAgent(optionsFor([], {}, { model })).run("Go");
    setTimeout(() => steered.steer("Stop that.", { interrupt: true }), 1);
    await steered.result;
    expect(ended("chat").map(({ attributes }) => attributes["error.type"])).toEqual([undefined, undefined]);
  });

  it("should take in a second attempt, and have one for each request", async () => {
    let asked = 0;
    const model = async function* (): AsyncGenerator<ModelPart> {
      asked += 1;
      if (asked === 1) throw new Error("reset");
      yield "Done.";
    };
    await createAgent(optionsFor([], {}, { model })).run("Go").result;
    expect([asked, ended("chat").length]).toEqual([2, 1]);
    expect(ended("chat")[0]?.attributes["error.type"]).toBeUndefined();
  });

  it("should link to the run that is gone on with", async () => {
    const traced = otelTracing().startRun({ runId: "r1", messages: [] });
    const { traceparent } = traced;
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    otelTracing()
      .startRun({ runId: "r1", messages: [], resumedFrom: traceparent as string })
      .end({ status: "answered", steps: [], usage: {} } as never);
    expect(only("invoke_agent").links[0]?.context).toMatchObject({ traceId: traceparent?.split("-")[1] });
  });
});

describe("what was said", () => {
  const turns: ScriptedTurn[] = [
    [
      { type: "reasoning", text: "Secret thought." },
      call("add", { a: "secret input" }),
      { type: "finish", reason: "calls" },
    ],
    "Secret answer.",
  ];
  const all = (): string =>
    JSON.stringify(ended().map(({ attributes, events, status }) => [attributes, events, status]));

  it("should not be recorded unless it is asked for", async () => {
    await createAgent(optionsFor(turns, {}, { system: "Secret system." })).run("Secret question.").result;
    expect(all()).not.toMatch(/secret/i);
    expect(all()).not.toContain("Adds.");
  });

  it("should be recorded in the conventions' form", async () => {
    await createAgent(optionsFor(turns, { recordInputs: true, recordOutputs: true }, { system: "S." })).run("Q?")
      .result;
    const [first, second] = ended("chat").map(({ attributes }) => attributes);
    const json = (value: unknown): unknown => JSON.parse(String(value));
    expect(json(first?.["gen_ai.input.messages"])).toEqual([
      { role: "user", parts: [{ type: "text", content: "Q?" }] },
    ]);
    expect(json(first?.["gen_ai.system_instructions"])).toEqual([{ type: "text", content: "S." }]);
    expect(json(first?.["gen_ai.tool.definitions"])).toMatchObject([{ type: "function", name: "add" }, {}, {}]);
    expect(json(first?.["gen_ai.output.messages"])).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "Secret thought." },
          { type: "tool_call", id: expect.any(String), name: "add", arguments: { a: "secret input" } },
        ],
        finish_reason: "tool_call",
      },
    ]);
    expect(json(second?.["gen_ai.input.messages"])).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", parts: [{ type: "tool_call_response", response: { a: "secret input" } }] },
    ]);
    expect(json(only("invoke_agent").attributes["gen_ai.output.messages"])).toMatchObject([
      { parts: [{ content: "Secret answer." }] },
    ]);
  });

  it("should stay JSON when it is too long: the newest messages, and the beginnings of their texts", async () => {
    const long = "x".repeat(5000);
    const more = { executor: recordingExecutor(() => long), system: long };
    await createAgent(
      optionsFor([...turns, "y".repeat(5000)], { recordInputs: true, recordOutputs: true, maxLength: 300 }, more),
    ).run(long).result;
    for (const { attributes } of ended()) {
      for (const [key, value] of Object.entries(attributes)) {
        if (!/messages|instructions|definitions/.test(key)) continue;
        expect(String(value).length).toBeLessThan(700);
        expect((JSON.parse(String(value)) as unknown[]).length).toBeGreaterThan(0);
      }
    }
  });
});

describe("metrics", () => {
  const boundaries = (first: number, count: number): number[] =>
    Array.from({ length: count }, (_, at) => Number((first * 2 ** at).toFixed(2)));

  it("should have the conventions' names, units and boundaries, of this package's scope", async () => {
    await createAgent(
      optionsFor([calls("add", "unheard_of"), ["Done.", { type: "finish", reason: "stop", usage }]], {
        agentName: "scout",
      }),
    ).run("Go").result;
    const found = await measured();
    const operations = boundaries(0.01, 14);
    const expected: [string, string, number[], number][] = [
      ["gen_ai.client.token.usage", "{token}", Array.from({ length: 14 }, (_, power) => 4 ** power), 4],
      ["gen_ai.client.operation.duration", "s", operations, 2],
      ["gen_ai.client.operation.time_to_first_chunk", "s", operations, 2],
      ["gen_ai.invoke_agent.duration", "s", boundaries(0.1, 13), 1],
      ["gen_ai.execute_tool.duration", "s", operations, 2],
    ];
    expect([...found.keys()].sort()).toEqual(expected.map(([name]) => name).sort());
    for (const [name, unit, bounds, count] of expected) {
      const { scope, descriptor, dataPoints } = found.get(name) ?? expect.fail(name);
      expect(scope).toMatchObject({
        name: manifest.name,
        version: manifest.version,
        schemaUrl: expect.stringContaining("gen-ai"),
      });
      expect(descriptor.unit).toBe(unit);
      const points = dataPoints as { value: { buckets: { boundaries: number[] }; count: number } }[];
      expect(points[0]?.value.buckets.boundaries).toEqual(bounds);
      expect(points.reduce((sum, { value }) => sum + value.count, 0)).toBe(count);
    }
    const tokens = found
      .get("gen_ai.client.token.usage")
      ?.dataPoints.map(({ attributes, value }) => [attributes["gen_ai.token.type"], (value as { sum: number }).sum]);
    expect(tokens).toEqual([
      ["input", 20],
      ["output", 8],
    ]);
    const tools = found
      .get("gen_ai.execute_tool.duration")
      ?.dataPoints.map(({ attributes }) => attributes["gen_ai.tool.name"]);
    expect(tools?.sort()).toEqual(["_OTHER", "add"]);
    expect(found.get("gen_ai.invoke_agent.duration")?.dataPoints[0]?.attributes).toEqual({
      "gen_ai.agent.name": "scout",
      "gen_ai.request.model": "acme-1",
    });
  });

  it("should measure what failed, too", async () => {
    const model = Object.assign(
      () => {
        throw new Error("down");
      },
      { info },
    );
    await createAgent(optionsFor([], {}, { model })).run("Go").result;
    const toolFails = Object.assign(scriptedModel([calls("remove"), "Done."]), { info });
    const executor = toolkitExecutor(new Toolkit());
    await createAgent(optionsFor([], {}, { model: toolFails, executor })).run("Go").result;
    const found = await measured();
    const errors = (name: string) =>
      found.get(name)?.dataPoints.flatMap(({ attributes }) => attributes["error.type"] ?? []);
    expect(errors("gen_ai.client.operation.duration")).toEqual(["agent/model-failed"]);
    expect(errors("gen_ai.invoke_agent.duration")).toEqual(["agent/model-failed"]);
    expect(errors("gen_ai.execute_tool.duration")).toEqual(["UnknownTool"]);
  });
});

describe("telemetry that throws", () => {
  const broken = (): never => {
    throw new Error("telemetry");
  };
  const request = { within: broken, firstPart: broken, end: broken };
  const traces: [string, AgentTracing][] = [
    ["at the start", { startRun: broken }],
    ["everywhere", { startRun: () => ({ within: broken, startRequest: broken, toolCall: broken, end: broken }) }],
    [
      "in requests",
      {
        startRun: () => ({ within: (work) => work(), startRequest: () => request, toolCall: () => {}, end: () => {} }),
      },
    ],
    [
      "after the work",
      {
        startRun: () => ({
          within: (work) => {
            work();
            work();
            broken();
          },
          startRequest: () => request,
          toolCall: broken,
          end: broken,
        }),
      },
    ],
    [
      "never doing the work",
      {
        startRun: () => ({
          within: () => {},
          startRequest: () => ({ ...request, within: () => {} }),
          toolCall: broken,
          end: broken,
        }),
      },
    ],
  ];

  it.each(traces)("%s should never touch the run", async (_, tracing) => {
    const turns = [calls("add"), "Done."];
    const plain = recordRun(
      {
        ...optionsFor(turns),
        tracing: {
          startRun: () => ({
            within: (work) => work(),
            startRequest: () => ({ within: (work) => work(), firstPart() {}, end() {} }),
            toolCall() {},
            end() {},
          }),
        },
      },
      "Go",
      { runId: "r" },
    );
    const traced = recordRun({ ...optionsFor(turns), tracing }, "Go", { runId: "r" });
    const clean = (events: object[]) =>
      JSON.parse(JSON.stringify(events, (key, value) => (key === "at" || key === "ms" ? 0 : value)));
    expect(clean(await collect(traced))).toEqual(clean(await collect(plain)));
  });

  it("from the SDK should never touch the run", async () => {
    vi.spyOn(trace, "getTracerProvider").mockImplementation(broken);
    vi.spyOn(metrics, "getMeter").mockImplementation(broken);
    const result = await createAgent(optionsFor([calls("add"), "Done."])).run("Go").result;
    vi.restoreAllMocks();
    expect(result).toMatchObject({ status: "answered", turns: 2 });
  });

  it("should be refused where it can't work", () => {
    expect(() => createAgent({ ...optionsFor([]), tracing: {} as never })).toThrow(/otelTracing/);
    for (const options of [{ recordInput: true }, { recordInputs: 1 }, { maxLength: -1 }, { agentName: 3 }]) {
      expect(() => otelTracing(options as never)).toThrow(TypeError);
    }
  });
});
