import { describe, expect, it } from "vitest";
import { z } from "zod";
import { outputJsonSchema, toInputSchema } from "../src/index.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
/** What an old zod's schema looks like from outside. */
const oldZod = { _def: { typeName: "ZodObject" }, parse: () => ({}), safeParse: () => ({}) };
class Joi {
  readonly type = "object";
}

describe("a schema that nobody would check is a TypeError with the cure", () => {
  it.each<[string, unknown, RegExp]>([
    ["an old zod's schema", oldZod, /zod needs version 4\.2/],
    ["an object of a class", new Joi(), /an object of the class Joi/],
    ["fields of a library without the object around them", { city: z.string() }, /z\.object/],
    ["fields of an old zod", { city: oldZod }, /z\.object/],
    ["parameters without properties around them", { city: { type: "string" } }, /properties: \{ … \}/],
    [
      "a shorthand with a schema in it",
      { city: "string", days: { type: "integer" } },
      /no keyword|keyword of JSON Schema/,
    ],
    [
      "a library's schema inside a JSON Schema",
      { type: "object", properties: { a: z.string() } },
      /properties\.a is a schema of a library/,
    ],
    ["an old zod's inside", { type: "object", properties: { a: oldZod } }, /properties\.a is a schema of an old zod/],
    ["one deep inside", { anyOf: [{ type: "object", properties: { a: { items: new Joi() } } }] }, /class Joi/],
    ["properties misspelt", { type: "object", propertys: { a: { type: "string" } } }, /did you mean "properties"/],
    [
      "parameters in their place",
      { type: "object", parameters: { a: { type: "string" } } },
      /did you mean "properties"/,
    ],
    [
      "an AI SDK schema with a check of its own",
      { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: schema, validate: () => 1 },
      /pass the schema that it was made from/,
    ],
    ["an option that is none", schema, /no option "validater"/],
  ])("%s", (what, given, cure) => {
    const options = what.startsWith("an option") ? { validater: 1 } : { name: "x" };
    const make = (): unknown => toInputSchema(given as never, options as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(cure);
  });

  it("of a result, too", () => {
    expect(() => outputJsonSchema(oldZod as never)).toThrow(/zod needs/);
    expect(() => outputJsonSchema(schema as never, { nam: "x" } as never)).toThrow(TypeError);
    expect(outputJsonSchema({ items: { type: "string" } } as const)).toEqual({ items: { type: "string" } });
  });
});

describe("a schema in somebody's wrapping", () => {
  it.each<[string, unknown]>([
    [
      "OpenAI's tool",
      { type: "function", function: { name: "x", description: "d", parameters: schema, strict: true } },
    ],
    ["OpenAI's tool of the newer API", { type: "function", name: "x", parameters: schema, strict: false }],
    ["OpenAI's response format", { type: "json_schema", json_schema: { name: "x", schema, strict: true } }],
    ["its inner part", { name: "x", schema, strict: true }],
    ["MCP's tool", { name: "x", title: "X", description: "d", inputSchema: schema, annotations: {} }],
    ["Anthropic's tool", { name: "x", description: "d", input_schema: schema }],
    ["the AI SDK's", { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: schema }],
    ["a library's schema in one", { name: "x", parameters: z.object({ a: z.string() }) }],
  ])("is unwrapped: %s", async (_what, given) => {
    const input = toInputSchema(given as never);
    expect(input.jsonSchema).toMatchObject(schema);
    expect(await input.validate({})).toMatchObject({ success: false, issues: [{ path: "a" }] });
  });

  it("is not mixed up with parameters of such names", () => {
    const { jsonSchema } = toInputSchema({
      type: "object",
      properties: { schema: { type: "string" }, name: { type: "string" } },
    });
    expect(Object.keys(jsonSchema.properties ?? {})).toEqual(["schema", "name"]);
    expect(toInputSchema({ name: "string", schema: "string", parameters: "string" }).kind).toBe("args");
    expect(toInputSchema({}).jsonSchema).toEqual({ type: "object", properties: {} });
    expect(toInputSchema({ description: "Nothing.", "x-vendor": { a: 1 } } as never).jsonSchema).toMatchObject({
      type: "object",
    });
  });
});
