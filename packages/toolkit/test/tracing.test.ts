import { context, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { AlwaysOffSampler, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { Diagnostic, ExecutorContext, ExecutorEvent, Plan, PlanStep } from "@toolglot/core";
import { ToolError } from "@toolglot/core";
import { ended, forget, mark, only as onlySpan, startSdk, stopSdk } from "@toolglot/internal/testing/otel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type CallInfo,
  countDiagnostics,
  defineTool,
  Toolkit,
  ToolResponse,
  type TracingOptions,
  toolkitExecutor,
  traceToolkit,
} from "../src/index.ts";

afterEach(stopSdk);

const spans = (prefix = "execute_tool"): ReadableSpan[] => ended(prefix);

const only = (prefix = "execute_tool"): ReadableSpan => onlySpan(prefix);

const exceptions = (span: ReadableSpan) =>
  span.events.filter(({ name }) => name === "exception").map(({ attributes }) => attributes ?? {});

function kit(tracing: boolean | TracingOptions = true): Toolkit {
  const toolkit = new Toolkit({ tracing });
  toolkit.registerToolFunction(
    defineTool({
      name: "add",
      description: "Adds two numbers.",
      args: { a: "number", b: "number = 1" },
      execute: ({ a, b }) => {
        mark("in add");
        return a + b;
      },
    }),
  );
  toolkit.registerToolFunction(
    async function* () {
      try {
        mark("before");
        yield "one";
        mark("between");
        await Promise.resolve();
        mark("after waiting");
        yield "two";
        mark("after");
      } finally {
        mark("clean-up");
      }
    },
    { name: "stream", description: "d" },
  );
  toolkit.registerToolFunction(
    () => {
      throw new RangeError("it broke at /srv/app/secret.ts:12");
    },
    { name: "broken", description: "d" },
  );
  return toolkit;
}

async function drain(toolkit: Toolkit, name: string, input: unknown = {}, id = "c1"): Promise<ToolResponse> {
  let last: ToolResponse | undefined;
  for await (const response of toolkit.callToolFunction({ id, name, input })) last = response;
  return last as ToolResponse;
}

function executorContext(signal = new AbortController().signal): ExecutorContext & { events: ExecutorEvent[] } {
  const events: ExecutorEvent[] = [];
  return {
    events,
    signal,
    emit: (event) => void events.push(event),
    approve: async () => ({ approved: true }),
    runId: "run",
    stepIndex: 0,
  };
}

const nowhere = { start: 0, end: 0 };

function step(index: number, tool: string, more: Partial<PlanStep> = {}): PlanStep {
  const plain = { params: {}, uris: {}, onError: "stop" as const, retry: 0, errors: [], span: nowhere };
  return { index, callId: `c${index}`, tool, ...plain, ...more };
}

describe("with an SDK", () => {
  beforeEach(() => startSdk());

  it("should make one span of a call, in the words of the GenAI conventions", async () => {
    await drain(kit(), "add", { a: 1 });
    const span = only();
    expect(span.name).toBe("execute_tool add");
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.instrumentationScope.name).toBe("@toolglot/toolkit");
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "Adds two numbers.",
      "gen_ai.tool.call.id": "c1",
      "toolglot.protocol": "toolkit",
      "toolglot.status": "ok",
    });
    expect(span.events).toEqual([]);
  });

  it("should record arguments and results only when asked, and cut long ones between characters", async () => {
    await drain(kit({ recordInputs: true }), "add", { a: 1 });
    await drain(kit({ recordOutputs: true }), "add", { a: 1 });
    const long = kit({ recordInputs: true, recordOutputs: true, maxChars: 10 });
    long.registerToolFunction(() => "123456789😀", { name: "text", description: "d", jsonSchema: { type: "object" } });
    await drain(long, "text", { text: "abcdefgh" });
    const recorded = spans().map(({ attributes }) => [
      attributes["gen_ai.tool.call.arguments"],
      attributes["gen_ai.tool.call.result"],
    ]);
    expect(recorded).toEqual([
      ['{"a":1}', undefined],
      [undefined, "2"],
      ['{"text":"a…', "123456789…"],
    ]);
  });

  it("should keep presets out of recorded arguments", async () => {
    const toolkit = new Toolkit({ tracing: { recordInputs: true } });
    toolkit.registerToolFunction(({ id, token }: { id: string; token: string }) => `${id} ${token.length}`, {
      name: "open",
      description: "d",
      args: { id: "string", token: "string" },
      presets: { token: "s3cret" },
    });
    expect((await drain(toolkit, "open", { id: "x" })).data).toBe("x 6");
    expect(JSON.stringify(only().attributes)).not.toContain("s3cret");
  });

  it("should record what a tool threw, with its stack, though the model is told less", async () => {
    const response = await drain(kit(), "broken");
    expect(JSON.stringify(response)).not.toContain("secret.ts");
    const span = only();
    expect(span.attributes).toMatchObject({ "error.type": "RangeError", "toolglot.status": "error" });
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    expect(exceptions(span)).toEqual([
      {
        "exception.type": "RangeError",
        "exception.message": "it broke at /srv/app/secret.ts:12",
        "exception.stacktrace": expect.stringContaining("tracing.test.ts"),
      },
    ]);
  });

  it.each<[string, unknown, string]>([
    ["text", "no luck", "no luck"],
    ["nothing", undefined, "undefined"],
    ["an object without a prototype", Object.create(null), "unknown error"],
    [
      "an error whose message throws",
      Object.defineProperty(new Error("x"), "message", {
        get() {
          throw new Error("no");
        },
      }),
      "unknown error",
    ],
  ])("should record %s that a tool threw", async (_, thrown, message) => {
    const toolkit = new Toolkit({ tracing: true });
    toolkit.registerToolFunction(
      () => {
        throw thrown;
      },
      { name: "t", description: "d" },
    );
    expect((await drain(toolkit, "t")).status).toBe("error");
    expect(exceptions(only()).map((found) => found["exception.message"])).toEqual([message]);
  });

  it("should record an exception in the middle of a stream, in post-processing and in middleware, each once", async () => {
    const toolkit = new Toolkit({ tracing: true });
    toolkit.registerToolFunction(
      async function* () {
        yield "one";
        throw new Error("in the stream");
      },
      { name: "stream", description: "d" },
    );
    toolkit.registerToolFunction(() => "x", {
      name: "post",
      description: "d",
      postprocess: () => {
        throw new Error("after it");
      },
    });
    await drain(toolkit, "stream");
    await drain(toolkit, "post");
    const pass = toolkit.registerMiddleware((_call, next) => next());
    for await (const _ of throwing(toolkit, "stream"));
    pass();
    toolkit.registerMiddleware(() => {
      throw new Error("around it");
    });
    await drain(toolkit, "post");
    const told = spans().map((span) => exceptions(span).map((found) => found["exception.message"]));
    expect(told).toEqual([["in the stream"], ["after it"], ["in the stream"], ["around it"]]);
  });

  it("should tell a timeout and an interruption", async () => {
    const toolkit = new Toolkit({ tracing: true });
    toolkit.registerToolFunction(() => new Promise(() => {}), { name: "slow", description: "d", timeoutMs: 10 });
    await drain(toolkit, "slow");
    const controller = new AbortController();
    toolkit.registerToolFunction(
      () => {
        controller.abort();
        return new Promise(() => {});
      },
      { name: "stopped", description: "d" },
    );
    for await (const _ of toolkit.callToolFunction({ name: "stopped" }, { signal: controller.signal }));
    const [slow, interrupted] = spans() as [ReadableSpan, ReadableSpan];
    expect(slow.attributes["error.type"]).toBe("Timeout");
    expect(exceptions(slow).map((found) => found["exception.type"])).toEqual(["toolkit/timeout"]);
    expect(interrupted.attributes).toMatchObject({ "error.type": "Interrupted", "toolglot.status": "interrupted" });
    expect(exceptions(interrupted)).toEqual([]);
  });

  it("should name the parameters of a wrong input, but not the values unless inputs are recorded", async () => {
    const wrong = { a: "hunter2", "my invention": 1 };
    await drain(kit(), "add", wrong);
    await drain(kit({ recordInputs: true }), "add", wrong);
    const [without, withInputs] = spans() as [ReadableSpan, ReadableSpan];
    expect(without.attributes["error.type"]).toBe("InvalidInput");
    expect(without.status).toEqual({ code: SpanStatusCode.ERROR, message: "The input does not fit its schema: a." });
    expect(JSON.stringify([without.attributes, without.events])).not.toMatch(/hunter2|invention/);
    expect(withInputs.status.message).toContain("hunter2");
  });

  it("should not name spans by tools that do not exist", async () => {
    await drain(kit(), `no_such_${"x".repeat(1000)}`);
    const span = only();
    expect(span.name).toBe("execute_tool");
    expect(span.attributes["error.type"]).toBe("UnknownTool");
    expect(span.attributes["gen_ai.tool.name"]).toHaveLength(256);
    expect(span.attributes).not.toHaveProperty("gen_ai.tool.description");
  });

  it("should not take a failed tool's output for words about the failure", async () => {
    const toolkit = new Toolkit({ tracing: { recordOutputs: true } });
    toolkit.registerToolFunction(() => new ToolResponse({ content: "private text", status: "error" }), {
      name: "t",
      description: "d",
    });
    await drain(toolkit, "t");
    const span = only();
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.attributes["error.type"]).toBe("error");
    expect(JSON.stringify([span.attributes, span.events])).not.toContain("private text");
  });

  it("should be the parent of what a tool traces, wherever its generator goes on, and never of what its caller does", async () => {
    const toolkit = kit();
    const outer = trace.getTracer("test").startSpan("outer");
    await context.with(trace.setSpan(context.active(), outer), async () => {
      for await (const response of toolkit.callToolFunction({ id: "c1", name: "stream" }))
        mark(`caller ${response.isLast ? "last" : "chunk"}`);
    });
    outer.end();
    const call = only();
    expect(call.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    const parents = Object.fromEntries(
      ended()
        .filter((span) => span !== call && span.name !== "outer")
        .map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId === call.spanContext().spanId]),
    );
    expect(parents).toEqual({
      before: true,
      between: true,
      "after waiting": true,
      after: true,
      "clean-up": true,
      "caller chunk": false,
      "caller last": false,
    });
  });

  it("should end the span when its caller leaves early, after the tool's clean-up", async () => {
    for await (const _ of kit().callToolFunction({ name: "stream" })) break;
    const span = only();
    expect(span.ended).toBe(true);
    expect(span.attributes).not.toHaveProperty("toolglot.status");
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(only("clean-up").parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  });

  it("should make no span of a call that nobody asks for", async () => {
    const responses = kit().callToolFunction({ name: "add", input: { a: 1 } });
    await responses.return();
    expect(ended()).toEqual([]);
  });

  it("should trace calls of programs, and calls within calls as children", async () => {
    const toolkit = kit();
    const context = { signal: new AbortController().signal, callId: "p" };
    const [add] = toolkit.tools().filter(({ name }) => name === "add");
    expect(await add?.execute({ a: 1 }, context)).toBe(2);
    expect(only().attributes["gen_ai.tool.call.id"]).toBe("p");
    forget();
    toolkit.registerToolFunction(async () => add?.execute({ a: 2 }, context), { name: "outer", description: "d" });
    expect((await drain(toolkit, "outer")).data).toBe(3);
    const [inner, outer] = spans() as [ReadableSpan, ReadableSpan];
    expect([inner.name, outer.name]).toEqual(["execute_tool add", "execute_tool outer"]);
    expect(inner.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it("should trace the calls of an executor under the active span", async () => {
    const toolkit = kit();
    const calls = ["1", "2"].map((id) => ({ id, name: "add", input: { a: 1 }, protocol: "native" }));
    const outer = trace.getTracer("test").startSpan("outer");
    await context.with(trace.setSpan(context.active(), outer), () =>
      toolkitExecutor(toolkit).execute({ kind: "calls", calls, span: nowhere }, executorContext()),
    );
    expect(
      spans().map(({ attributes }) => [attributes["gen_ai.tool.call.id"], attributes["toolglot.protocol"]]),
    ).toEqual([
      ["1", "native"],
      ["2", "native"],
    ]);
    for (const span of spans()) expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it("should make one span of a plan's step, retries included, with step, request id and each exception", async () => {
    let attempts = 0;
    const toolkit = kit();
    toolkit.registerToolFunction(
      () => {
        attempts += 1;
        if (attempts < 3) throw new ToolError(`attempt ${attempts}`);
        return "done";
      },
      { name: "flaky", description: "d" },
    );
    const steps = [step(1, "add", { params: { a: 1 } }), step(2, "flaky", { retry: 3 }), step(3, "broken")];
    const plan: Plan = { steps: [...steps, step(4, "add")], common: {}, requestId: "req-1" };
    const results = await toolkitExecutor(toolkit).execute({ kind: "plan", plan, span: nowhere }, executorContext());
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "error", "error"]);
    expect(
      spans().map(({ name, attributes }) => [
        name,
        attributes["toolglot.step"],
        attributes["toolglot.request_id"],
        attributes["toolglot.attempts"],
        attributes["toolglot.status"],
      ]),
    ).toEqual([
      ["execute_tool add", 1, "req-1", undefined, "ok"],
      ["execute_tool flaky", 2, "req-1", 3, "ok"],
      ["execute_tool broken", 3, "req-1", undefined, "error"],
    ]);
    const [, flaky] = spans();
    expect(exceptions(flaky as ReadableSpan).map((found) => found["exception.message"])).toEqual([
      "attempt 1",
      "attempt 2",
    ]);
    expect(flaky?.status.code).toBe(SpanStatusCode.UNSET);
    expect(flaky?.attributes).not.toHaveProperty("error.type");
  });

  it("should hold a tool's own retries in its span too", async () => {
    let attempts = 0;
    const toolkit = new Toolkit({ tracing: true });
    toolkit.registerToolFunction(
      () => {
        attempts += 1;
        if (attempts === 1) throw new Error("once");
        return attempts;
      },
      { name: "t", description: "d", retries: 1, annotations: { readOnlyHint: true } },
    );
    expect((await drain(toolkit, "t")).data).toBe(2);
    expect(only().attributes["toolglot.attempts"]).toBe(2);
    expect(exceptions(only())).toHaveLength(1);
  });

  it("should cover the run of a task in the background, below the span that started it", async () => {
    const toolkit = new Toolkit({ tracing: true });
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    toolkit.registerToolFunction(
      defineTool({
        name: "job",
        description: "d",
        annotations: { async: true },
        execute: async () => {
          await gate;
          mark("in job");
          return "done";
        },
      }),
    );
    const executor = toolkitExecutor(toolkit);
    const outer = trace.getTracer("test").startSpan("outer");
    const plan: Plan = { steps: [step(1, "job")], common: {} };
    const [result] = await context.with(trace.setSpan(context.active(), outer), () =>
      executor.execute({ kind: "plan", plan, span: nowhere }, executorContext()),
    );
    outer.end();
    expect(result?.status).toBe("pending");
    expect(spans()).toEqual([]);
    release?.();
    await executor.tasks.idle();
    const span = only();
    expect(span.attributes).toMatchObject({ "toolglot.status": "ok", "toolglot.step": 1 });
    expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(only("in job").parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  });

  it("should go on after clear(), and stand outside middleware", async () => {
    const toolkit = kit();
    toolkit.clear();
    toolkit.registerToolFunction(() => 1, { name: "t", description: "d" });
    toolkit.registerMiddleware(async function* (_call, next) {
      mark("in middleware");
      for await (const response of next()) yield response.with({ status: "denied" });
    });
    await drain(toolkit, "t");
    expect(only().attributes["toolglot.status"]).toBe("denied");
    expect(only("in middleware").parentSpanContext?.spanId).toBe(only().spanContext().spanId);
  });

  it("should be middleware to register by hand as well", async () => {
    const toolkit = kit(false);
    await drain(toolkit, "add", { a: 1 });
    expect(spans()).toEqual([]);
    const stop = toolkit.registerMiddleware(traceToolkit({ recordInputs: true }));
    await drain(toolkit, "add", { a: 1 });
    stop();
    await drain(toolkit, "add", { a: 1 });
    expect(only().attributes["gen_ai.tool.call.arguments"]).toBe('{"a":1}');
  });
});

it("should record nothing of calls that are not sampled, and still hand the trace on", async () => {
  startSdk(new AlwaysOffSampler());
  const seen: string[] = [];
  const toolkit = new Toolkit({ tracing: { recordInputs: true } });
  toolkit.registerToolFunction(() => void seen.push(trace.getActiveSpan()?.spanContext().traceId ?? "none"), {
    name: "t",
    description: "d",
  });
  await drain(toolkit, "t");
  expect(ended()).toEqual([]);
  expect(seen).toEqual([expect.stringMatching(/^(?!0{32})[0-9a-f]{32}$/)]);
});

describe("without an SDK", () => {
  it("should give the same responses as without tracing", async () => {
    const shapes = await Promise.all(
      [false, true].map(async (tracing) => {
        const toolkit = kit(tracing);
        const told: unknown[] = [];
        for (const name of ["add", "stream", "broken", "nothing"])
          for await (const { id: _, ...response } of toolkit.callToolFunction({ name, input: { a: 1 } }))
            told.push(response);
        return told;
      }),
    );
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[0]).toHaveLength(6);
  });

  it("should begin with the SDK, however late that comes, and end with it", async () => {
    const toolkit = kit();
    await drain(toolkit, "add", { a: 1 }, "before");
    startSdk();
    await drain(toolkit, "add", { a: 1 }, "with");
    trace.disable();
    await drain(toolkit, "add", { a: 1 }, "after");
    expect(only().attributes["gen_ai.tool.call.id"]).toBe("with");
  });

  it("should leave the call to itself: nothing stands between it and the tool", async () => {
    const tracing = traceToolkit();
    async function* responses(): AsyncGenerator<ToolResponse, void, undefined> {
      yield new ToolResponse({ content: "x" });
    }
    const next = responses();
    const about: CallInfo = { tool: undefined, step: undefined, attempts: 0, thrown: [] };
    expect(tracing({ id: "1", name: "t", input: {}, protocol: "toolkit" }, () => next, about)).toBe(next);
  });
});

it("should throw TypeError for options of a wrong type", () => {
  expect(() => new Toolkit({ tracing: { recordInputs: "yes" as never } })).toThrow(TypeError);
  expect(() => traceToolkit({ maxChars: Number.NaN })).toThrow(TypeError);
});

describe("countDiagnostics", () => {
  const finding = (code: string): Diagnostic => ({
    code,
    severity: "warning",
    affects: "value",
    message: "the model's own words",
    span: nowhere,
    source: "tam",
  });

  it("should count findings by code, and tell nothing of the text", async () => {
    const memory = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: memory, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    metrics.setGlobalMeterProvider(provider);
    try {
      countDiagnostics([finding("tam/a"), finding("tam/b"), finding("tam/a")], { model: "m" });
      countDiagnostics(finding("tam/a"));
      countDiagnostics([]);
      await reader.forceFlush();
    } finally {
      metrics.disable();
    }
    // Others of this process may have asked for meters before.
    const found =
      memory
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics: own }) => own) ?? [];
    const metric = found.find(({ descriptor }) => descriptor.name === "toolglot.diagnostics");
    expect(metric?.descriptor).toMatchObject({ unit: "{diagnostic}" });
    const same = { severity: "warning", affects: "value" };
    expect(metric?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ model: "m", code: "tam/a", ...same }, 2],
      [{ model: "m", code: "tam/b", ...same }, 1],
      [{ code: "tam/a", ...same }, 1],
    ]);
    await provider.shutdown();
  });

  it("should do nothing without an SDK", () => {
    expect(() => countDiagnostics(finding("tam/a"))).not.toThrow();
  });
});

/** A call whose error is thrown, which is swallowed here. */
async function* throwing(toolkit: Toolkit, name: string): AsyncGenerator<ToolResponse> {
  try {
    yield* toolkit.callToolFunction({ name }, { onError: "throw" });
  } catch {
    // Told already.
  }
}
