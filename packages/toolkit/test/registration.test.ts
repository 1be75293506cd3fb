import { ToolglotError } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, Toolkit } from "../src/index.ts";
import { final } from "./support.ts";

const weather = defineTool({
  name: "weather",
  description: "Weather of a city.\n\nLooks three days ahead.\nNever further.",
  input: z.object({ city: z.string(), key: z.string(), days: z.int().default(1) }).meta({ title: "Weather" }),
  output: z.object({ sky: z.string() }),
  annotations: { readOnlyHint: true },
  examples: [{ input: { city: "Paris", key: "k" }, output: { sky: "blue" } }],
  raises: [{ type: "ToolError", description: "no such city" }],
  execute: ({ city, key, days }) => `${city} ${key} ${days}`,
});

describe("defineTool", () => {
  it("should keep what a model is shown", () => {
    expect(weather).toMatchObject({
      name: "weather",
      inputSchema: { type: "object", required: ["city", "key"] },
      outputSchema: { type: "object", required: ["sky"] },
      annotations: { readOnlyHint: true },
      raises: [{ type: "ToolError" }],
    });
    expect(weather.inputSchema).not.toHaveProperty("title");
  });

  it("should take a tool without parameters", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(defineTool({ name: "now", description: "The time.", execute: () => 12 }));
    expect(kit.getJsonSchemas()[0]?.function.parameters).toEqual({ type: "object", properties: {} });
    for (const input of [undefined, null, "", {}, "{}"]) {
      expect((await final(kit, { name: "now", input })).data).toBe(12);
    }
  });

  it("should refuse what it can't use, naming the tool", () => {
    const execute = () => 1;
    const make = (definition: object) => () =>
      defineTool({ name: "t", description: "d", execute, ...definition } as never);
    expect(make({ name: "" })).toThrow(TypeError);
    expect(make({ description: undefined })).toThrow("defineTool: description must be text");
    expect(make({ execute: undefined })).toThrow('Tool "t" needs an execute function');
    expect(make({ input: {}, args: {} })).toThrow("both input and args");
    expect(make({ input: z.object({ at: z.date() }) })).toThrow(
      'Tool "t": the input schema can\'t be turned into JSON Schema at at',
    );
    expect(make({ output: z.date() })).toThrow('Tool "t": the output schema');
    expect(make({ args: { a: "strung" } })).toThrow('Tool "t": args.a');
  });
});

describe("registration", () => {
  it("should list tools in OpenAI's function shape, in order", () => {
    const kit = new Toolkit();
    expect(kit.registerToolFunction(weather)).toEqual([]);
    kit.registerToolFunction(({ a }: { a: number }) => a, { name: "id", description: "Same.", args: { a: "number" } });
    expect(kit.getJsonSchemas()).toEqual([
      {
        type: "function",
        function: {
          name: "weather",
          description: weather.description,
          parameters: {
            type: "object",
            properties: { city: { type: "string" }, key: { type: "string" }, days: { type: "integer", default: 1 } },
            required: ["city", "key"],
          },
        },
      },
      {
        type: "function",
        function: {
          name: "id",
          description: "Same.",
          parameters: {
            type: "object",
            properties: { a: { type: "number" } },
            required: ["a"],
            additionalProperties: false,
          },
        },
      },
    ]);
    expect(kit.getJsonSchemas(["basic"])).toHaveLength(2);
    expect(kit.getJsonSchemas([])).toEqual([]);
    expect(() => kit.getJsonSchemas(["nope"])).toThrow('There is no group "nope"');
  });

  it("should list copies", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(weather);
    const [schema] = kit.getJsonSchemas();
    if (schema) schema.function.parameters.properties = {};
    expect(kit.getJsonSchemas()[0]?.function.parameters.properties).toHaveProperty("city");
  });

  it("should take name, description and the short description from the options", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(weather, { includeLongDescription: false });
    kit.registerToolFunction(weather, { name: "sky", description: "The sky.\n\nBlue." });
    expect(kit.definitions().map(({ name, description }) => [name, description])).toEqual([
      ["weather", "Weather of a city."],
      ["sky", "The sky.\n\nBlue."],
    ]);
    expect(kit.registered.get("sky")).toMatchObject({ originalName: "weather", groupName: "basic" });
    expect(kit.definitions()[0]).toMatchObject({ outputSchema: {}, annotations: { readOnlyHint: true }, raises: [{}] });
  });

  it("should take a plain function by its own name", async () => {
    const kit = new Toolkit();
    function add({ a, b }: { a: number; b: number }) {
      return a + b;
    }
    kit.registerToolFunction(add, { description: "Adds.", input: z.object({ a: z.number(), b: z.number() }) });
    expect((await final(kit, { name: "add", input: { a: 1, b: "2" } })).data).toBe(3);
  });

  it("should take a core tool without a compiled schema", async () => {
    const kit = new Toolkit();
    const inputSchema = { type: "object" as const, properties: { n: { type: "integer" as const } }, required: ["n"] };
    kit.registerToolFunction({ name: "t", description: "d", inputSchema, execute: ({ n }: { n: number }) => n + 1 });
    expect((await final(kit, { input: { n: "1" } })).data).toBe(2);
  });

  it("should refuse mistakes at once", () => {
    const kit = new Toolkit();
    expect(() => kit.registerToolFunction({} as never)).toThrow(TypeError);
    expect(() => kit.registerToolFunction(null as never)).toThrow(TypeError);
    expect(() => kit.registerToolFunction(() => 1, { description: "d" })).toThrow("pass { name }");
    expect(() => kit.registerToolFunction(() => 1, { name: "f" })).toThrow('Tool "f" needs a description');
    expect(() => kit.registerToolFunction(weather, { groupName: "nope" })).toThrow('There is no group "nope"');
    expect(() => kit.registerToolFunction(weather, { timeoutMs: 0 })).toThrow("timeoutMs");
    expect(() => kit.registerToolFunction(weather, { retries: -1 })).toThrow("retries");
    expect(() => kit.registerToolFunction(weather, { chunks: "some" as never })).toThrow("chunks");
    expect(() => kit.registerToolFunction(weather, { postprocess: 5 as never })).toThrow("postprocess");
    expect(kit.registered.size).toBe(0);
  });

  it("should refuse a name that no provider takes", () => {
    const kit = new Toolkit();
    for (const name of ["wetter für alle", "x y", "a".repeat(100), "天气"])
      expect(() => kit.registerToolFunction(weather, { name })).toThrow(/not taken by providers: 1 to 64 of/);
  });

  it("should remove tools", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(weather);
    expect(kit.removeToolFunction("weather")).toBe(true);
    expect(kit.removeToolFunction("weather")).toBe(false);
    expect(() => kit.removeToolFunction("weather", { mustExist: true })).toThrow(ToolglotError);
    expect(kit.getJsonSchemas()).toEqual([]);
  });
});

describe("a schema by hand", () => {
  const parameters = {
    type: "object",
    properties: { city: { type: "string" }, key: { type: "string" } },
    required: ["city", "key"],
  };
  const byHand = { type: "function", function: { name: "hand", description: "By hand.", parameters } };
  const echo = (input: unknown) => input;

  it("should be shown, and validated with", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(echo, { jsonSchema: byHand });
    expect(kit.getJsonSchemas()).toEqual([byHand]);
    expect((await final(kit, { name: "hand", input: { city: "x" } })).error?.issues?.[0]?.path).toBe("key");
  });

  it("should work with presets and stay as it was", async () => {
    const before = structuredClone(byHand);
    const kit = new Toolkit();
    kit.registerToolFunction(echo, { jsonSchema: byHand, presets: { key: "k" } });
    expect(kit.getJsonSchemas()[0]?.function.parameters).toEqual({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    expect(byHand).toEqual(before);
    expect((await final(kit, { name: "hand", input: { city: "x" } })).data).toEqual({ city: "x", key: "k" });
  });

  it("should work with presets and without parameters", async () => {
    const kit = new Toolkit();
    const noParameters = { type: "function", function: { name: "f", description: "d" } };
    kit.registerToolFunction(echo, { jsonSchema: noParameters, presets: { key: 1 } });
    expect((await final(kit, { name: "f", input: {} })).data).toEqual({ key: 1 });
  });

  it.each([
    [5],
    [[]],
    [{}],
    [{ type: "string" }],
    [{ type: "function" }],
    [{ type: "function", function: "f" }],
    [{ type: "function", function: { name: 5, description: "d", parameters } }],
    [{ type: "function", function: { name: "f", description: 5, parameters } }],
    [{ type: "function", function: { name: "f", description: "d", parameters: [] } }],
    [{ type: "function", function: { name: "f", description: "d", parameters: { type: "array" } } }],
  ])("should refuse %j", (jsonSchema) => {
    const kit = new Toolkit();
    const register = () =>
      kit.registerToolFunction(echo, { name: "f", description: "d", jsonSchema: jsonSchema as never });
    expect(register).toThrow(TypeError);
  });
});

describe("presets", () => {
  it("should vanish from the schema and from examples", () => {
    const kit = new Toolkit();
    kit.registerToolFunction(weather, { presets: { key: "secret" } });
    expect(kit.definitions()[0]).toMatchObject({
      inputSchema: { properties: { city: {}, days: {} }, required: ["city"] },
      examples: [{ input: { city: "Paris" }, output: { sky: "blue" } }],
    });
    expect(JSON.stringify(kit.definitions())).not.toContain("secret");
    expect(kit.getJsonSchemas()[0]?.function.parameters.properties).not.toHaveProperty("key");
  });

  it("should always win, and report what the model set", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(weather, { presets: { key: "secret" } });
    const input = Object.freeze({ city: "Paris", key: "mine" });
    const response = await final(kit, { name: "weather", input });
    expect(response.data).toBe("Paris secret 1");
    expect(response.metadata).toEqual({
      warnings: ["The input set key, which the host has preset: the preset stands."],
    });
    const text = await final(kit, { name: "weather", input: JSON.stringify(input) });
    expect(text.data).toBe("Paris secret 1");
    expect(text.metadata?.warnings).toHaveLength(1);
    expect((await final(kit, { name: "weather", input: { city: "Paris" } })).metadata).toBeUndefined();
  });

  it("should take a service the schema knows nothing of, and say so", async () => {
    const service = { forecast: () => "sun" };
    const kit = new Toolkit();
    const warnings = kit.registerToolFunction(({ service: given }: { service: typeof service }) => given.forecast(), {
      name: "s",
      description: "d",
      args: {},
      presets: { service },
    });
    expect(warnings).toEqual(['Tool "s": the presets service are no parameters of the schema.']);
    expect((await final(kit, { name: "s" })).data).toBe("sun");
  });

  it("should refuse a preset that is undefined", () => {
    expect(() => new Toolkit().registerToolFunction(weather, { presets: { key: process.env.NO_SUCH_KEY } })).toThrow(
      "the preset key is undefined",
    );
  });

  it("should refuse a preset of a wrong type", () => {
    expect(() => new Toolkit().registerToolFunction(weather, { presets: { key: 5 } })).toThrow(
      'Tool "weather": the input schema: the preset key must be string, not integer 5',
    );
  });
});

describe("name clashes", () => {
  const second = defineTool({ name: "weather", description: "Second.", execute: () => "second" });

  function clash(namesakeStrategy?: "raise" | "override" | "skip" | "rename") {
    const kit = new Toolkit();
    kit.registerToolFunction(weather);
    const warnings = kit.registerToolFunction(second, namesakeStrategy === undefined ? {} : { namesakeStrategy });
    return { warnings, names: kit.definitions().map(({ name, description }) => `${name}: ${description.slice(0, 7)}`) };
  }

  it("should raise by default", () => {
    expect(() => clash()).toThrow(expect.objectContaining({ code: "toolkit/name-clash", data: { name: "weather" } }));
    expect(() => clash("raise")).toThrow(ToolglotError);
  });

  it("should override, skip or rename, and report it", () => {
    expect(clash("override").names).toEqual(["weather: Second."]);
    expect(clash("skip").names).toEqual(["weather: Weather"]);
    expect(clash("rename").names).toEqual(["weather: Weather", "weather_1: Second."]);
    for (const strategy of ["override", "skip", "rename"] as const) expect(clash(strategy).warnings).toHaveLength(1);
  });

  it("should count up, and stay within 64 characters", () => {
    const kit = new Toolkit();
    const name = "n".repeat(64);
    for (let i = 0; i < 12; i++) kit.registerToolFunction(second, { name, namesakeStrategy: "rename" });
    const names = kit.definitions().map((tool) => tool.name);
    expect(new Set(names).size).toBe(12);
    expect(names.every((one) => one.length <= 64)).toBe(true);
    expect(kit.registered.get(names[1] as string)?.originalName).toBe("weather");
  });

  it("should refuse an unknown strategy", () => {
    expect(() => clash("replace" as never)).toThrow(TypeError);
  });
});
