import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type InputSource, outputJsonSchema } from "../src/index.ts";
import { engines, on } from "./support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { input, valid } = on(validator);

  const options = { name: "book" };

  function refusal(source: unknown): string {
    try {
      input(source as InputSource, options);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return error.message;
    }
    throw new Error("accepted");
  }

  describe("what can't be a tool's input", () => {
    it.each<[string, unknown, string]>([
      ["a zod date", z.object({ trip: z.object({ from: z.date() }).optional() }), "trip.from"],
      ["a zod date in a list", z.object({ days: z.array(z.object({ at: z.date() })) }), "days[].at"],
      ["a valibot date", v.object({ trip: v.optional(v.object({ from: v.date() })) }), "trip.from"],
      ["a valibot date in a list", v.object({ days: v.array(v.object({ at: v.date() })) }), "days[].at"],
      ["an arktype date", type({ trip: { from: "Date" } }), "trip.from"],
    ])("should name tool and field for %s", (_what, source, field) => {
      const message = refusal(source);
      expect(message).toContain('Tool "book"');
      expect(message).toContain(`at ${field}:`);
    });

    it.each<[string, unknown, string]>([
      ["a zod string", z.string(), 'type "string" is not'],
      ["a list", { type: "array" }, 'type "array" is not'],
      ["a union with a non-object", { anyOf: [{ type: "object" }, { type: "string" }] }, "the schema of an object"],
      ["no schema", 5, "must be a Standard Schema"],
      ["null", null, "must be a Standard Schema"],
      ["an array", [], "must be a Standard Schema"],
      ["a schema that is text", { type: "object", properties: { a: "string" } }, "properties.a must be a schema"],
      ["properties that are a list", { type: "object", properties: [] }, "properties must be an object"],
      ["an unknown type", { type: "object", properties: { a: { type: "text" } } }, '"text" is no JSON Schema type'],
      ["a wrong pattern", { type: "object", properties: { a: { pattern: "(" } } }, "no regular expression"],
      ["a $ref to nothing", { type: "object", properties: { a: { $ref: "#/$defs/x" } } }, "leads nowhere"],
      ["a root $ref to nothing", { $ref: "#/$defs/x" }, "leads nowhere"],
      ["required that is no list", { type: "object", required: "a" }, "required must be an array"],
      ["an enum that is no list", { type: "object", properties: { a: { enum: "x" } } }, "enum must be an array"],
      ["a default that doesn't fit", { type: "object", properties: { n: { type: "integer", default: "3" } } }, "of n"],
      ["a default that is no JSON", { type: "object", properties: { n: { default: () => 1 } } }, "no form in JSON"],
      ["an old zod", { "~standard": { vendor: "zod", version: 1, validate: () => ({ value: 1 }) } }, "4.2 or newer"],
      [
        "another library",
        { "~standard": { vendor: "x", version: 1, validate: () => ({ value: 1 }) } },
        "pass a JSON Schema",
      ],
    ])("should refuse %s", (_what, source, part) => {
      expect(refusal(source)).toContain(part);
      expect(refusal(source)).toContain('Tool "book"');
    });

    it("should refuse a schema in a circle", () => {
      const circle: Record<string, unknown> = { type: "object" };
      circle.properties = { a: circle };
      expect(refusal(circle)).toContain("in a circle");
    });
  });

  describe("titles", () => {
    const source = {
      type: "object" as const,
      title: "Input",
      properties: {
        title: { type: "string" as const, title: "Title" },
        book: { $ref: "#/$defs/book" },
        any: {
          anyOf: [
            { title: "A", type: "string" as const },
            { title: "B", type: "null" as const },
          ],
        },
        data: { type: "object" as const, default: { title: "kept" }, examples: [{ title: "kept" }] },
        tuple: { type: "array" as const, prefixItems: [{ title: "First" }], items: { title: "Rest" } },
      },
      patternProperties: { "^title": { title: "Pattern" } },
      required: ["title"],
      $defs: {
        title: { title: "Def", type: "string" as const },
        book: {
          title: "Book",
          type: "object" as const,
          properties: { title: { title: "Deep", type: "string" as const } },
        },
      },
    };

    it("should be removed at every depth, and in $defs, but not as names of properties or in data", () => {
      expect(input(source).jsonSchema).toEqual({
        type: "object",
        properties: {
          title: { type: "string" },
          book: { $ref: "#/$defs/book" },
          any: { anyOf: [{ type: "string" }, { type: "null" }] },
          data: { type: "object", default: { title: "kept" }, examples: [{ title: "kept" }] },
          tuple: { type: "array", prefixItems: [{}], items: {} },
        },
        patternProperties: { "^title": {} },
        required: ["title"],
        $defs: {
          title: { type: "string" },
          book: { type: "object", properties: { title: { type: "string" } } },
        },
      });
    });

    it("should be removed from zod's metadata", () => {
      const schema = z.object({ a: z.string().meta({ title: "A", description: "the a" }) }).meta({ title: "T" });
      expect(input(schema).jsonSchema).toEqual({
        type: "object",
        properties: { a: { type: "string", description: "the a" } },
        required: ["a"],
      });
    });

    it("should not change the caller's schema, nor follow its later changes", () => {
      const before = structuredClone(source);
      const frozen = deepFreeze(structuredClone(source));
      const schema = input(frozen);
      valid(schema, { title: "x" });
      expect(frozen).toEqual(before);
      const loose = structuredClone(source);
      const other = input(loose);
      loose.required.length = 0;
      expect(other.jsonSchema.required).toEqual(["title"]);
    });
  });

  function deepFreeze<Value>(value: Value): Value {
    if (typeof value === "object" && value !== null) for (const item of Object.values(value)) deepFreeze(item);
    return Object.freeze(value);
  }

  describe("the root", () => {
    it("should be an object with properties, even when nothing is declared", () => {
      expect(input({}).jsonSchema).toEqual({ type: "object", properties: {} });
      expect(input({ type: "object" }).jsonSchema).toEqual({ type: "object", properties: {} });
    });

    it("should keep a union of objects, with the type said", () => {
      const union = z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), x: z.number() }),
        z.object({ kind: z.literal("b"), y: z.string() }),
      ]);
      const schema = input(union);
      expect(schema.jsonSchema).toMatchObject({ type: "object", properties: {}, oneOf: [{}, {}] });
      expect(valid(schema, { kind: "a", x: "2" })).toEqual({ kind: "a", x: 2 });
    });

    it("should keep keywords it does not know", () => {
      const source = { type: "object" as const, "x-order": ["b", "a"], $comment: "mine" };
      expect(input(source).jsonSchema).toEqual({ ...source, properties: {} });
    });

    it("should keep a $schema written by hand, and read the schema in that draft", () => {
      const schema = input({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { pair: { type: "array", items: [{ type: "string" }, { type: "integer" }] as never } },
        definitions: { unused: { type: "string" } },
      });
      expect(schema.jsonSchema.$schema).toContain("draft-07");
      expect(valid(schema, { pair: ["a", "1"] })).toEqual({ pair: ["a", 1] });
    });
  });

  it("should give an input schema back as it is", () => {
    const schema = input({ type: "object" });
    expect(input(schema)).toBe(schema);
  });

  it("should be a Standard Schema itself", async () => {
    const { "~standard": standard } = input({ list: "integer[]" });
    expect(standard.vendor).toBe("toolglot");
    expect(standard.jsonSchema.input({ target: "draft-2020-12" })).toMatchObject({ required: ["list"] });
    expect(await standard.validate({ list: ["1", 2] })).toEqual({ value: { list: [1, 2] } });
    const refused = await standard.validate({ list: [1, "x"] });
    expect(refused.issues).toEqual([expect.objectContaining({ path: ["list", 1] })]);
  });

  it("should describe results by what transforms put out", () => {
    expect(outputJsonSchema(z.object({ n: z.number().default(1) }))).toMatchObject({ required: ["n"] });
    expect(outputJsonSchema({ type: "string", title: "T" })).toEqual({ type: "string" });
    expect(outputJsonSchema(true)).toBe(true);
    expect(() => outputJsonSchema(z.date(), options)).toThrow('Tool "book": the output schema');
  });
});
