// The AgentScope description of its tool module, sections 4 and 5, and its notice about dangerous tools.
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { executorContext } from "@toolglot/core/executing";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  Toolkit,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiTools,
  toolkitExecutor,
} from "../../src/index.ts";
import { final, kitWith } from "../support.ts";
import { echo, fakeMcp } from "./fake-mcp.ts";

afterEach(() => {
  trace.disable();
  vi.restoreAllMocks();
});

describe("4 with other modules", () => {
  it("4: agent and toolkit: what a model asks for becomes calls, and their responses become results", async () => {
    const kit = kitWith(({ a }: { a: number }) => a + 1, { args: { a: "number" }, jsonSchema: undefined as never });
    const host = executorContext({
      approve: async () => ({ approved: true }),
      runId: "r",
    });
    const calls = [{ id: "c1", name: "t", input: { a: 1 }, protocol: "native" }];
    const results = await toolkitExecutor(kit).execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, host);
    expect(results).toMatchObject([{ callId: "c1", name: "t", status: "ok", data: 2 }]);
  });

  it("4: formatter and model: the definitions go into any provider's request", () => {
    const definitions = kitWith(() => 1).definitions();
    for (const convert of [toOpenAiTools, toAnthropicTools, toGeminiTools]) {
      expect(JSON.stringify(convert(definitions).tools)).toContain('"name":"t"');
    }
    expect(JSON.stringify(toMcpTools(definitions))).toContain('"name":"t"');
  });

  it("4: tracing: each call is a span with input, output and exception", async () => {
    const spans: { name: string; attributes: Record<string, unknown>; exceptions: unknown[]; status: unknown }[] = [];
    trace.setGlobalTracerProvider({
      getTracer: () =>
        ({
          startSpan: (name: string, options: { attributes?: Record<string, unknown> } = {}) => {
            const span = {
              name,
              attributes: { ...options.attributes },
              exceptions: [] as unknown[],
              status: undefined as unknown,
            };
            spans.push(span);
            const recorder = {
              setAttribute: (key: string, value: unknown) => {
                span.attributes[key] = value;
                return recorder;
              },
              setAttributes: (more: object) => {
                Object.assign(span.attributes, more);
                return recorder;
              },
              recordException: (error: unknown) => void span.exceptions.push(error),
              setStatus: (status: unknown) => {
                span.status = status;
                return recorder;
              },
              addEvent: () => recorder,
              isRecording: () => true,
              spanContext: () => ({ traceId: "1", spanId: "1", traceFlags: 1 }),
              end: () => {},
            };
            return recorder;
          },
        }) as never,
    });
    const kit = new Toolkit({ tracing: { recordInputs: true, recordOutputs: true } });
    kit.registerToolFunction(({ a }: { a: number }) => a, { name: "t", description: "d", args: { a: "number" } });
    kit.registerToolFunction(
      () => {
        throw new Error("boom");
      },
      { name: "bad", description: "d" },
    );
    await final(kit, { input: { a: 1 } });
    await final(kit, { name: "bad" });
    expect(spans[0]).toMatchObject({
      name: "execute_tool t",
      attributes: { "gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": '{"a":1}', "gen_ai.tool.call.result": "1" },
      exceptions: [],
    });
    expect(spans[1]?.exceptions).toMatchObject([{ message: "boom" }]);
    expect(spans[1]?.status).toMatchObject({ code: SpanStatusCode.ERROR });
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it("4: MCP: a server's tools are reached through a client that is passed in", async () => {
    const kit = new Toolkit();
    const client = fakeMcp([echo], () => ({ content: [{ type: "text", text: "far" }] }));
    await kit.registerMcpClient(client);
    await final(kit, { name: "echo", input: { text: "x" } });
    expect(client.calls).toHaveLength(1);
    expect(await kit.removeMcpClients(["server"])).toEqual([]);
    expect([kit.registered.size, client.connected]).toEqual([0, false]);
  });

  it("4: the toolkit knows no business: it passes on what a tool gives, and its errors", async () => {
    const odd = { anything: [1, { nested: null }] };
    expect((await final(kitWith(() => odd))).data).toEqual(odd);
  });

  it("4: retrying and authorising are the tool's own affair, unless the host asks for retries of a harmless tool", async () => {
    let runs = 0;
    const fail = (): never => {
      runs += 1;
      throw new Error("down");
    };
    await final(kitWith(fail));
    expect(runs).toBe(1);
    await final(kitWith(fail, { retries: 1, annotations: { idempotentHint: true } }));
    expect(runs).toBe(3);
  });

  it("4: an exception is a response the agent may show, or is thrown: the agent decides", async () => {
    const kit = kitWith(() => {
      throw new RangeError("too far");
    });
    expect((await final(kit)).error).toMatchObject({ type: "RangeError", message: "too far" });
    const thrown = (async () => {
      for await (const _ of kit.callToolFunction({ name: "t" }, { onError: "throw" }));
    })();
    await expect(thrown).rejects.toThrow(RangeError);
  });
});

describe("5 error paths and their words", () => {
  it("5: unknown tool, inactive group, wrong input and a taken name are told apart, each with a cure", async () => {
    const kit = kitWith(() => 1, { name: "weather", args: { city: "string" }, jsonSchema: undefined as never });
    kit.createToolGroup("g", { description: "d" });
    kit.registerToolFunction(() => 1, { name: "inG", description: "d", groupName: "g" });
    const told = async (name: string, input: unknown = {}): Promise<string> =>
      (await final(kit, { name, input })).error?.message ?? "";
    expect(await told("wether")).toMatch(/no tool "wether".*Did you mean "weather"/);
    expect(await told("inG")).toMatch(/group "g".*reset_equipped_tools/);
    expect(await told("weather", { city: 5, town: 1 })).toMatch(/town: unknown property/);
    expect(() => kit.registerToolFunction(() => 1, { name: "weather", description: "d" })).toThrow(/namesakeStrategy/);
  });
});

describe("Dangerous tools", () => {
  it("notice: raw access to the host's files is registered nowhere by default", () => {
    const kit = new Toolkit();
    kit.createToolGroup("g", { description: "d", active: true });
    expect(kit.getJsonSchemas().map((schema) => schema.function.name)).toEqual(["reset_equipped_tools"]);
  });
});
