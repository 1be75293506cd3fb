import {
  type AgentOptions,
  createAgent,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { type ModelPart, messageText, type ToolProtocol } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toInputSchema } from "@toolglot/schema";
import { tamProtocol } from "@toolglot/tam";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const place = z.object({ city: z.string(), days: z.number().int().default(3) });
const call = (name: string, input: unknown, id = name): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});
const answer = (input: unknown): ModelPart[] => [call("final_answer", input), { type: "finish", reason: "calls" }];

function optionsFor<Value>(
  turns: readonly ScriptedTurn[],
  schema: NonNullable<AgentOptions<Value>["output"]>["schema"],
  more: Partial<AgentOptions<Value>> = {},
) {
  const executor = recordingExecutor();
  const model = scriptedModel(turns);
  const base = { model, protocol: nativeProtocol(), executor, tools: definitions, output: { schema }, ...more };
  return base as AgentOptions<Value> & { model: typeof model; executor: typeof executor };
}

describe("a call of final_answer", () => {
  it("should end the run with the value that the schema gives, and its JSON as the text", async () => {
    const options = optionsFor([answer({ city: "Oslo" })], place);
    const result = await createAgent(options).run("Where to?").result;
    expectTypeOf(result.value).toEqualTypeOf<{ city: string; days: number } | undefined>();
    expect(result).toMatchObject({ status: "answered", text: '{"city":"Oslo","days":3}', turns: 1 });
    expect(result.value).toEqual({ city: "Oslo", days: 3 });
    expect(options.model.requests[0]?.tools?.at(-1)).toMatchObject({
      name: "final_answer",
      inputSchema: { type: "object", required: ["city"] },
    });
    expect(options.executor.ran).toEqual([]);
    // A conversation can go on: the call has its result.
    expect(result.transcript.messages.at(-1)?.parts).toMatchObject([{ type: "result", result: { status: "ok" } }]);
  });

  it("should give the value as it is, and its JSON in the event", async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
    const run = createAgent(optionsFor([answer({ at: "2026-01-02T00:00:00Z" })], schema)).run("When?");
    const { value } = await run.result;
    expect(value?.at).toEqual(new Date("2026-01-02T00:00:00Z"));
    const [end] = only(await collect(run), "run-end");
    expect(end?.result.value).toEqual({ at: "2026-01-02T00:00:00.000Z" });
  });

  it("should come after all other calls of its answer", async () => {
    const turn = [call("final_answer", { city: "Oslo" }), call("add", { a: 1 }), call("store", { a: 2 })];
    const options = optionsFor([turn], place);
    const run = createAgent(options).run("Go");
    const ends = only(await collect(run), "tool-call-end").map(({ name }) => name);
    expect(ends).toEqual(["add", "store", "final_answer"]);
    expect((await run.result).results.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "final_answer ok",
      "add ok",
      "store ok",
    ]);
  });

  it("should not be taken when another call failed", async () => {
    const turns = [[call("remove", {}), call("final_answer", { city: "Oslo" })], answer({ city: "Bergen" })];
    const result = await createAgent(optionsFor(turns, place)).run("Go").result;
    expect(result).toMatchObject({ status: "answered", turns: 2, value: { city: "Bergen" } });
    expect(result.results.map(({ status }) => status)).toEqual(["denied", "error", "ok"]);
    expect(result.results[1]?.error?.message).toContain("remove");
  });

  it("should count once", async () => {
    const turn = [call("final_answer", { city: "Oslo" }, "1"), call("final_answer", { city: "Bergen" }, "2")];
    const result = await createAgent(optionsFor([turn], place)).run("Go").result;
    expect(result.value).toEqual({ city: "Oslo", days: 3 });
    expect(result.results.map(({ status }) => status)).toEqual(["ok", "error"]);
  });

  it.each([
    ["an input that does not fit", { city: 5, days: "x" }, ["city", "days"]],
    ["no JSON", '{"city": ', [""]],
  ])("should go back with the issues for %s, and end the run after the repair turns", async (_, input, paths) => {
    const fixed = createAgent(optionsFor([answer(input), answer({ city: "Oslo" })], place)).run("Go");
    const [turn] = only(await collect(fixed), "repair-turn");
    expect(turn?.reason).toBe("invalid-output");
    const fine = await fixed.result;
    expect(fine.status).toBe("answered");
    for (const path of paths) expect(fine.results[0]?.error?.message).toContain(path);
    const options = optionsFor([answer(input), answer(input), answer(input)], place);
    const result = await createAgent(options).run("Go").result;
    expect(result).toMatchObject({ status: "error", turns: 3, error: { code: "agent/bad-output" } });
    const issues = (result.error?.data?.issues ?? []) as { path: string }[];
    expect(issues.map(({ path }) => path)).toEqual(paths);
    expect(result.value).toBeUndefined();
  });

  it("should be wrapped where the answer is no object, references included", async () => {
    const tree = {
      jsonSchema: {
        anyOf: [{ type: "string" as const }, { type: "array" as const, items: { $ref: "#" } }],
        $defs: { leaf: { type: "string" as const } },
      },
      validate: (value: unknown) => ({ success: true as const, value }),
    };
    const options = optionsFor([answer({ value: ["a", ["b"]] })], tree);
    const { value, text } = await createAgent(options).run("Go").result;
    expect([value, text]).toEqual([["a", ["b"]], '["a",["b"]]']);
    expect(options.model.requests[0]?.tools?.at(-1)?.inputSchema).toMatchObject({
      type: "object",
      required: ["value"],
      properties: { value: { anyOf: [{}, { items: { $ref: "#/properties/value" } }] } },
    });
  });
});

describe("a text", () => {
  it.each([
    ["alone", '{"city": "Oslo"}'],
    ["in a fence", '```json\n{"city": "Oslo"}\n```'],
    ["with space around it", '\n  {"city": "Oslo", "days": 3}\n'],
  ])("that is one JSON value %s should be the answer", async (_, text) => {
    const { value, status } = await createAgent(optionsFor([text], place)).run("Go").result;
    expect({ status, value }).toEqual({ status: "answered", value: { city: "Oslo", days: 3 } });
  });

  it("that fits should be the answer though it looks like a call in another format", async () => {
    const schema = z.object({ name: z.string(), arguments: z.object({}) });
    const result = await createAgent(optionsFor(['{"name": "add", "arguments": {}}'], schema)).run("Go").result;
    expect(result).toMatchObject({ status: "answered", value: { name: "add", arguments: {} } });
  });

  it.each([
    ["prose", "Oslo is fine."],
    ["two values", '{"city": "Oslo"} {"city": "Bergen"}'],
    ["JSON that does not fit", '{"town": "Oslo"}'],
    ["a call in another format, whatever is said", '{"name": "add", "arguments": {}}'],
    ["nothing", ""],
  ])("that is %s should go back, and never be the answer", async (_, text) => {
    const run = createAgent(optionsFor([text, text, text], place)).run("Go");
    expect(only(await collect(run), "repair-turn")).toHaveLength(2);
    const { status, error, value } = await run.result;
    expect([status, error?.code, value]).toEqual(["error", "agent/bad-output", undefined]);
    expect(error?.data?.issues).toMatchObject([{ path: expect.any(String), expected: expect.any(String) }]);
  });

  it("that was cut should be asked for again", async () => {
    const cut: ModelPart[] = ['{"city": "Os', { type: "finish", reason: "length" }];
    const run = createAgent(optionsFor([cut, answer({ city: "Oslo" })], place)).run("Go");
    expect(only(await collect(run), "repair-turn")).toMatchObject([{ reason: "truncated" }]);
  });
});

describe("every protocol", () => {
  const tam = `<|[REQUEST_TOOL]|>\ncommand:»»»final_answer«««\ncity:»»»Oslo«««\ndays:»»»4«««\n<|[END_TOOL]|>`;
  it.each<[string, ToolProtocol, string]>([
    ["calls as text", bracketProtocol(), '[[call final_answer {"city":"Oslo","days":4}]]'],
    ["plans", tamProtocol({ prompt: tamPrompt }) as ToolProtocol, tam],
    [
      "tags",
      toolsxmlProtocol({ prompt: toolsxmlPrompt }) as ToolProtocol,
      '<tools><final_answer city="Oslo" days="4"/></tools>',
    ],
  ])("of %s should offer the tool, and end by it", async (_, protocol, text) => {
    const options = optionsFor(["[[call add {}]]", text], place, { protocol });
    if (protocol.id !== "bracket") options.model = scriptedModel([text]) as typeof options.model;
    const result = await createAgent(options).run("Go").result;
    expect(result).toMatchObject({ status: "answered", value: { city: "Oslo", days: 4 } });
    expect(messageText(options.model.requests[0]?.messages[0] as never)).toContain("final_answer");
  });

  it("of programs should ask for one JSON value, with its schema", async () => {
    const protocol = attpProtocol({ prompt: attpPrompt }) as ToolProtocol;
    const options = optionsFor(["I think Oslo.", '```json\n{"city": "Oslo"}\n```'], place, {
      protocol,
      system: "Be kind.",
    });
    const run = createAgent(options).run("Go");
    const [turn] = only(await collect(run), "repair-turn");
    expect(turn?.text).toContain("JSON");
    expect(await run.result).toMatchObject({ status: "answered", value: { city: "Oslo", days: 3 } });
    const system = messageText(options.model.requests[0]?.messages[0] as never);
    expect(system).toContain('"city"');
    expect(system).not.toContain("final_answer");
    expect(system.indexOf('"city"')).toBeLessThan(system.indexOf("Be kind."));
  });
});

describe("the schema", () => {
  const json = { type: "object" as const, properties: { n: { type: "integer" as const } }, required: ["n"] };

  it("may be what toInputSchema gives, of any library, and of arktype as it is", async () => {
    for (const schema of [
      toInputSchema(json),
      toInputSchema({ n: "integer" }),
      toInputSchema(v.object({ n: v.number() })),
    ]) {
      expect((await createAgent(optionsFor([answer({ n: "4" })], schema)).run("Go").result).value).toEqual({ n: 4 });
    }
    const { value } = await createAgent(optionsFor([answer({ n: 4 })], type({ n: "number" }))).run("Go").result;
    expectTypeOf(value).toEqualTypeOf<{ n: number } | undefined>();
    expect(value).toEqual({ n: 4 });
  });

  it("may validate in its own time", async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n > 3, "must be above 3") });
    const result = await createAgent(optionsFor([answer({ n: 3 }), answer({ n: 4 })], schema)).run("Go").result;
    expect(result).toMatchObject({ value: { n: 4 }, turns: 2 });
    expect(result.results[0]?.error?.message).toContain("n: expected must be above 3");
  });

  it("should be refused with a cure when it can't validate, or not be shown", () => {
    for (const schema of [json, v.object({ n: v.number() }), { "~standard": {} }, undefined, 3, {}]) {
      expect(() => createAgent(optionsFor([], schema as never))).toThrow(TypeError);
      expect(() => createAgent(optionsFor([], schema as never))).toThrow(/toInputSchema/);
    }
    expect(() => createAgent(optionsFor([], z.object({ at: z.date() })))).toThrow(/toInputSchema/);
  });

  it("should end the run when it throws", async () => {
    const schema = {
      jsonSchema: json,
      validate: () => {
        throw new Error("broken");
      },
    };
    const result = await createAgent(optionsFor([answer({ n: 4 })], schema)).run("Go").result;
    expect(result).toMatchObject({ status: "error", error: { code: "agent/hook-failed" } });
  });

  it("should not be shown under a name that a tool has", async () => {
    const named = (name: string, more = {}) => ({ ...optionsFor([], place), output: { schema: place, name }, ...more });
    expect(() => createAgent(named("add"))).toThrow(/output another name/);
    expect(() => createAgent(named("two words"))).toThrow(TypeError);
    expect(() => createAgent({ ...named("x"), output: { schema: place, nmae: "x" } as never })).toThrow(/name/);
    expect(() => createAgent({ ...named("x"), mode: "single" })).toThrow(/single/);
    const model = scriptedModel([[call("add", { city: "Oslo" })]]);
    const run = createAgent(named("add", { model, tools: () => definitions })).run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/tool-name-twice" }]);
    expect(await run.result).toMatchObject({ status: "answered", value: { city: "Oslo", days: 3 } });
  });
});

it("should wait for what the host has still to say", async () => {
  const turns: ScriptedTurn[] = [
    () => {
      run.steer("Rather Bergen.");
      return answer({ city: "Oslo" });
    },
    answer({ city: "Bergen" }),
  ];
  const run = createAgent(optionsFor(turns, place)).run("Where to?");
  expect(await run.result).toMatchObject({ turns: 2, value: { city: "Bergen" } });
});

it("should hold whatever a model writes: a value only with an answer that fits, and the same when it is played again", async () => {
  const json = fc.oneof(
    fc.record({ city: fc.oneof(fc.string(), fc.integer()), days: fc.oneof(fc.integer(), fc.constant("x")) }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const part = fc.oneof(
    json.map((value) => call("final_answer", value, "")),
    json.map((value) => call("final_answer", JSON.stringify(value), "")),
    fc.constantFrom("add", "remove", "nothing").map((name) => call(name, {}, "")),
    json.map((value) => JSON.stringify(value)),
    fc.string({ maxLength: 9 }),
  );
  const turns = fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turns, async (script) => {
      const run = recordRun(optionsFor(script, place), "Go");
      const events = await collect(run);
      const { status, value, error, text } = await run.result;
      expect(status === "answered").toBe(place.safeParse(value).success);
      if (status === "answered") expect(JSON.parse(text)).toEqual(value);
      else expect([status, error?.code]).toEqual(["error", expect.stringMatching(/bad-output|model-failed/)]);
      const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
      expect(await collect(played)).toEqual(events);
    }),
    { numRuns: 40 },
  );
});

it("should be played again, without the schema's library", async () => {
  const turns = [answer({ city: 1 }), "Oslo", [call("add", {}), ...answer({ city: "Oslo" })]];
  const run = recordRun(optionsFor(turns, place), "Go");
  const events = await collect(run);
  const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
  expect(await collect(played)).toEqual(events);
  expect(await played.result).toEqual(await run.result);
  expect(played.divergence).toBeUndefined();
});
