import { type AnyTool, ToolError } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit } from "@toolglot/toolkit";
import { asSchema, generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool, wrapLanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { fromAiSdkTools, inOrder, toAiSdkTools, toolglotMiddleware, toolkitPrepareStep } from "../src/index.ts";
import { scriptedProvider } from "./support/scripted-provider.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

const add = defineTool({
  name: "add",
  description: "Adds.",
  args: { a: "integer", b: "integer = 1" },
  annotations: { readOnlyHint: true, title: "Sum" },
  execute: ({ a, b }) => ({ sum: a + b }),
});
const erase = defineTool({
  name: "erase",
  description: "Erases.",
  args: { path: "string" },
  annotations: { destructiveHint: true },
  execute: ({ path }) => {
    if (path === "") throw new ToolError("A path is needed.");
    return `erased ${path}`;
  },
});
const count = defineTool({
  name: "count",
  description: "Counts.",
  args: { to: "integer" },
  async *execute({ to }) {
    for (let at = 1; at <= to; at += 1) yield `${at}`;
  },
});
const shot = defineTool({
  name: "shot",
  description: "Takes a picture.",
  args: {},
  execute: () => [{ type: "image", mediaType: "image/png", data: "AAAA" }],
});

const choose = defineTool({
  ...{ name: "choose", description: "Lets the person choose.", args: { of: "string" }, external: true as const },
});

function kit(): Toolkit {
  const toolkit = new Toolkit();
  for (const one of [add, erase, count, shot]) toolkit.registerToolFunction(one);
  return toolkit;
}

const context = { toolCallId: "c1", messages: [], abortSignal: new AbortController().signal };
// biome-ignore lint/suspicious/noExplicitAny: the tool's own types.
async function run(of: any, input: unknown, options: object = context): Promise<unknown[]> {
  const outputs: unknown[] = [];
  const value = of.execute(input, options);
  if (value?.[Symbol.asyncIterator]) for await (const output of value) outputs.push(output);
  else outputs.push(await value);
  return outputs;
}

/** An answer with native calls of a provider. */
const calls = (...asked: [id: string, name: string, input: object][]) => ({
  text: "",
  finish: "tool-calls",
  parts: asked.map(([toolCallId, toolName, input]) => ({
    type: "tool-call",
    toolCallId,
    toolName,
    input: JSON.stringify(input),
  })),
});

describe("tools for the AI SDK", () => {
  it("are the SDK's own kind: generateText runs them, with our coercion and our errors", async () => {
    const { model, asked } = scriptedProvider([
      calls(["1", "add", { a: "2" }], ["2", "count", { to: 2 }], ["3", "shot", {}]),
      "3.",
    ]);
    const tools: ToolSet = toAiSdkTools(kit());
    const result = await generateText({ model, tools, prompt: "?", stopWhen: stepCountIs(3) });
    expect(result.text).toBe("3.");
    const [, , message] = asked[1].prompt;
    expect(message.content.map(({ output }: { output: unknown }) => output)).toEqual([
      { type: "text", value: '{"sum":3}' },
      { type: "text", value: "2" },
      { type: "content", value: [{ type: "image-data", data: "AAAA", mediaType: "image/png" }] },
    ]);
    expect(asked[0].tools[0]).toMatchObject({ name: "add", description: "Adds.", inputSchema: { required: ["a"] } });
  });

  it("keep schemas as they are, titles and names that providers take", async () => {
    const tools = toAiSdkTools(kit());
    expect(tools.add?.title).toBe("Sum");
    expect(await asSchema(tools.add?.inputSchema).jsonSchema).toEqual(
      kit().registered.get("add")?.definition.inputSchema,
    );
    const named = (name: string): AnyTool => ({ ...add, name });
    expect(() => toAiSdkTools([named("a.b c")])).toThrow(/say to "a_b_c"/);
    expect(() => toAiSdkTools(kit(), { group: "all" } as never)).toThrow(/groups/);
    expect(() => toAiSdkTools(kit(), { groups: "some" as never })).toThrow(TypeError);
  });

  it("throw what the model should read, and no stack", async () => {
    const tools = toAiSdkTools(kit());
    await expect(run(tools.erase, { path: "" })).rejects.toThrow("A path is needed.");
    await expect(run(tools.add, { a: "x" })).rejects.toThrow(/expected an integer|integer/);
    const verdict = await asSchema(tools.add?.inputSchema).validate?.({ a: "x" });
    expect(verdict?.success).toBe(false);
  });

  it("give chunks as preliminary outputs, the last as the final one", async () => {
    const { model } = scriptedProvider([calls(["1", "count", { to: 3 }]), "Done."]);
    const result = streamText({ model, tools: toAiSdkTools(kit()), prompt: "?", stopWhen: stepCountIs(2) });
    const seen: [boolean, unknown][] = [];
    for await (const part of result.fullStream)
      if (part.type === "tool-result")
        seen.push([part.preliminary === true, (part.output as { content: { text: string }[] }).content[0]?.text]);
    expect(seen.filter(([preliminary]) => preliminary).length).toBeGreaterThanOrEqual(3);
    expect(seen.at(-1)).toEqual([false, "3"]);
  });

  it("ask before calls that need it, unless the host approves them itself", async () => {
    const asks = toAiSdkTools(kit());
    expect([asks.erase?.needsApproval, asks.add?.needsApproval]).toEqual([true, undefined]);
    const seen: string[] = [];
    const some = toAiSdkTools(kit(), {
      approve: ({ tool: name, input }, { toolCallId }) => {
        seen.push(`${toolCallId} ${name} ${JSON.stringify(input)}`);
        return (input as { path: string }).path === "tmp";
      },
    });
    const needs = some.erase?.needsApproval as (input: object, options: object) => Promise<boolean>;
    expect([await needs({ path: "tmp" }, context), await needs({ path: "etc" }, context)]).toEqual([false, true]);
    expect(seen[0]).toBe('c1 erase {"path":"tmp"}');
  });

  it("cut long results, and stop with the signal", async () => {
    const long = defineTool({ name: "long", description: "", args: {}, execute: () => "x".repeat(500) });
    const [output] = await run(toAiSdkTools([long]).long, {});
    const shown = toAiSdkTools([long], { maxResultChars: 100 }).long?.toModelOutput?.({ output });
    expect(shown.value).toMatch(/^x{60}\n… \(400 of 500 characters were left out\) …\nx{40}$/);
    const aborted = { ...context, abortSignal: AbortSignal.abort(new Error("enough")) };
    await expect(run(toAiSdkTools(kit()).add, { a: 1 }, aborted)).rejects.toThrow();
  });

  it("of groups that a tool opens are there in the next step", async () => {
    const toolkit = new Toolkit({ metaTool: true });
    toolkit.createToolGroup("files", { description: "Files." });
    toolkit.registerToolFunction(add);
    toolkit.registerToolFunction(erase, { groupName: "files" });
    const tools = toAiSdkTools(toolkit, { groups: "all" });
    expect(Object.keys(tools)).toContain("erase");
    expect(Object.keys(toAiSdkTools(toolkit))).not.toContain("erase");
    const { model, asked } = scriptedProvider([calls(["1", "reset_equipped_tools", { files: true }]), "Open."]);
    await generateText({
      model,
      tools: tools,
      prompt: "?",
      stopWhen: stepCountIs(2),
      prepareStep: toolkitPrepareStep(toolkit),
    });
    const names = asked.map(({ tools: shown }) => shown.map(({ name }: { name: string }) => name));
    expect(names[0]).not.toContain("erase");
    expect(names[1]).toContain("erase");
    const both = await toolkitPrepareStep(toolkit, () => ({ activeTools: ["add", "nothing"], system: "x" }))({});
    expect(both).toEqual({ activeTools: ["add"], system: "x" });
  });
});

describe("tools of the AI SDK", () => {
  const weather = (inputSchema: unknown, more: object = {}): ToolSet => ({
    weather: tool({
      description: "Tells it.",
      inputSchema: inputSchema as never,
      execute: (async (input: unknown) => ({ got: input })) as never,
      ...more,
    } as never),
  });
  const made = (tools: ToolSet): AnyTool => fromAiSdkTools(tools as never)[0] as AnyTool;
  async function call(of: AnyTool, input: unknown): Promise<unknown> {
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(of);
    let last: { data?: unknown; status: string; error?: unknown; content: unknown } | undefined;
    for await (const response of toolkit.callToolFunction({ name: of.name, input })) last = response;
    return last?.status === "ok" ? (last.data ?? last.content) : last?.error;
  }

  it("with schemas of zod 3 and 4, Standard Schema and jsonSchema() are shown and validated", async () => {
    const shape = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const schemas: [string, unknown][] = [
      ["zod 4", z.object({ city: z.string() })],
      ["zod 3", z3.z.object({ city: z3.z.string() })],
      ["jsonSchema()", jsonSchema(shape as never)],
      ["a promise", jsonSchema(Promise.resolve(shape) as never)],
      ["a function", () => jsonSchema(shape as never)],
    ];
    for (const [name, schema] of schemas) {
      const of = made(weather(schema));
      await Promise.resolve();
      expect(of.inputSchema, name).toMatchObject({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      });
      expect(await call(of, { city: "Rome" }), name).toEqual({ got: { city: "Rome" } });
      expect(await call(of, { city: 7 }), name).not.toMatchObject({ got: { city: 7 } });
    }
    const zod3 = z3.z.object({
      a: z3.z.number().int().min(1).optional(),
      b: z3.z.enum(["x", "y"]).nullable(),
      c: z3.z.array(z3.z.union([z3.z.string().describe("s"), z3.z.literal(1)])),
      d: z3.z.record(z3.z.boolean()).default({}),
      e: z3.z.string().transform((text) => text.length),
    });
    expect(made(weather(zod3)).inputSchema).toEqual({
      type: "object",
      properties: {
        a: { type: "integer", minimum: 1 },
        b: { anyOf: [{ type: "string", enum: ["x", "y"] }, { type: "null" }] },
        c: { type: "array", items: { anyOf: [{ type: "string", description: "s" }, { const: 1 }] } },
        d: { type: "object", additionalProperties: { type: "boolean" }, default: {} },
        e: { type: "string" },
      },
      required: ["b", "c", "e"],
      additionalProperties: false,
    });
    expect(() => made(weather({ "~standard": { vendor: "x", version: 1, validate: () => ({ value: 1 }) } }))).toThrow(
      /x gives no JSON Schema/,
    );
  });

  it("that nobody can run here are named all at once, or left out", () => {
    const tools = {
      ...weather(z.object({})),
      browser: { inputSchema: z.object({}) },
      search: { type: "provider", id: "a.b", inputSchema: z.object({}), execute() {} },
    };
    expect(() => fromAiSdkTools(tools as never)).toThrow(/browser, search can't be run here/);
    expect(fromAiSdkTools(tools as never, { onMissing: "skip" }).map(({ name }) => name)).toEqual(["weather"]);
    expect(() => fromAiSdkTools([] as never)).toThrow(TypeError);
  });

  it("ask before each call when they may need to, give chunks, and say it in the model's words", async () => {
    expect(made(weather(z.object({}), { needsApproval: async () => false })).annotations?.requiresApproval).toBe(true);
    const chunks = made(
      weather(z.object({}), {
        async *execute() {
          yield "1";
          yield "12";
        },
      }),
    );
    expect(await call(chunks, {})).toBe("12");
    const told = made(
      weather(z.object({}), { toModelOutput: () => ({ type: "content", value: [{ type: "text", text: "warm" }] }) }),
    );
    expect(await call(told, {})).toEqual([{ type: "text", text: "warm" }]);
    const failed = made(weather(z.object({}), { toModelOutput: () => ({ type: "error-text", value: "no" }) }));
    expect(await call(failed, {})).toMatchObject({ message: "no" });
    let seen: object = {};
    const looks = made(
      weather(z.object({}), {
        execute: async (_: unknown, options: object) => {
          seen = options;
          return 1;
        },
      }),
    );
    await call(looks, {});
    expect(seen).toMatchObject({
      messages: [],
      experimental_context: undefined,
      toolCallId: expect.any(String),
      abortSignal: expect.any(AbortSignal),
    });
  });

  it("that were ours come back as they were", async () => {
    const back = fromAiSdkTools(toAiSdkTools(kit()));
    const toolkit = kit();
    for (const of of back)
      expect({ ...of, execute: 0 }).toEqual({ ...toolkit.registered.get(of.name)?.definition, execute: 0 });
    const again = back.find(({ name }) => name === "add") as AnyTool;
    expect(await call(again, { a: 2 })).toEqual({ sum: 3 });
    expect(await call(back.find(({ name }) => name === "erase") as AnyTool, { path: "" })).toMatchObject({
      message: "A path is needed.",
    });
    expect(fromAiSdkTools(toAiSdkTools([add]))[0]).toBe(add);
  });
});

describe("in order", () => {
  const log: string[] = [];
  const step = (name: string, ms: number, fails = false) =>
    defineTool({
      name,
      description: "",
      args: { n: "integer" },
      async execute() {
        log.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        log.push(`${name} ends`);
        if (fails) throw new ToolError("It failed.");
        return name;
      },
    });
  const protocol = tamProtocol({ prompt: tamPrompt });
  const middleware = toolglotMiddleware({ protocol, specificationVersion: "v3" });
  const plan = (...names: string[]): string =>
    [
      "<|[REQUEST_TOOL]|>",
      ...names.flatMap((name, at) => [`command_${at + 1}:»»»${name}«««`, `n_${at + 1}:»»»1«««`]),
      "<|[END_TOOL]|>",
    ].join("\n");

  it("steps of a plan run one after the other, and none behind one that failed", async () => {
    log.length = 0;
    const { model, asked } = scriptedProvider([plan("one", "two", "three"), "Done."]);
    const tools = toAiSdkTools([step("one", 20), step("two", 1, true), step("three", 1)]);
    await generateText({
      model: wrapLanguageModel({ model, middleware }),
      tools,
      prompt: "?",
      stopWhen: stepCountIs(2),
    });
    expect(log).toEqual(["one begins", "one ends", "two begins", "two ends"]);
    expect(JSON.stringify(asked[1].prompt)).toContain("a step before it in the same plan failed");
  });

  it("calls of any tools run one after the other where that is wished", async () => {
    log.length = 0;
    const slow = (name: string, ms: number) => ({
      [name]: tool({
        inputSchema: z.object({}),
        execute: async () => {
          log.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, ms));
          log.push(`${name} ends`);
          return name;
        },
      }),
    });
    const { model } = scriptedProvider([calls(["1", "a", {}], ["2", "b", {}]), "Done."]);
    const tools = inOrder({ ...slow("a", 20), ...slow("b", 1) });
    const { steps } = await generateText({ model, tools, prompt: "?", stopWhen: stepCountIs(2) });
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(["a", "b"]);
  });
});

it("should leave a tool that is run elsewhere to the page, which gives its output", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(choose);
  for (const source of [toolkit, [choose]]) {
    const tools = toAiSdkTools(source);
    expect(Object.keys(tools.choose)).toEqual(["description", "inputSchema"]);
    expect(fromAiSdkTools(tools)).toMatchObject([{ name: "choose", external: true }]);
    const call = { type: "tool-call", toolCallId: "c1", toolName: "choose", input: '{"of":"colours"}' } as const;
    const result = await generateText({
      model: scriptedProvider([{ text: "", finish: "tool-calls", parts: [call] }]).model,
      prompt: "Go",
      tools,
    });
    expect(result.toolCalls).toMatchObject([{ toolName: "choose", input: { of: "colours" } }]);
    expect(result.toolResults).toEqual([]);
  }
});
