import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { argsSchema, type InputSource } from "../../src/index.ts";
import { engines, on } from "../support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { check, input, issues, valid } = on(validator);

  const item = { sku: "a1", price: 2.5 };

  /** One order, five times: whoever wrote the schema, a model gets the same answers. */
  const sources: Record<string, InputSource> = {
    zod: z.object({
      city: z.string().describe("City name"),
      days: z.int().min(1).default(3),
      unit: z.enum(["c", "f"]).optional(),
      tags: z.array(z.string()).optional(),
      items: z.array(z.object({ sku: z.string(), price: z.number() })).optional(),
      limit: z.union([z.number(), z.boolean()]).optional(),
    }),
    valibot: v.object({
      city: v.pipe(v.string(), v.description("City name")),
      days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 3),
      unit: v.optional(v.picklist(["c", "f"])),
      tags: v.optional(v.array(v.string())),
      items: v.optional(v.array(v.object({ sku: v.string(), price: v.number() }))),
      limit: v.optional(v.union([v.number(), v.boolean()])),
    }),
    arktype: type({
      city: type.string.describe("City name"),
      days: "number.integer >= 1 = 3",
      "unit?": "'c' | 'f'",
      "tags?": "string[]",
      "items?": type({ sku: "string", price: "number" }).array(),
      "limit?": "number | boolean",
    }),
    "JSON Schema": {
      type: "object",
      properties: {
        city: { type: "string", description: "City name" },
        days: { type: "integer", minimum: 1, default: 3 },
        unit: { enum: ["c", "f"] },
        tags: { type: "array", items: { type: "string" } },
        items: { type: "array", items: { $ref: "#/$defs/item" } },
        limit: { anyOf: [{ type: "number" }, { type: "boolean" }] },
      },
      required: ["city"],
      $defs: {
        item: {
          type: "object",
          properties: { sku: { type: "string" }, price: { type: "number" } },
          required: ["sku", "price"],
        },
      },
    },
  };

  describe.each(Object.entries(sources))("%s", (_library, source) => {
    it("should show an object schema with descriptions, and defaulted properties optional", () => {
      const { jsonSchema } = input(source);
      expect(jsonSchema).toMatchObject({
        type: "object",
        properties: { city: { type: "string", description: "City name" }, days: { type: "integer", minimum: 1 } },
        required: ["city"],
      });
      expect(jsonSchema).not.toHaveProperty("$schema");
    });

    it("should accept what fits, and fill in defaults", () => {
      expect(valid(source, { city: "Paris" })).toEqual({ city: "Paris", days: 3 });
      expect(valid(source, { city: "Paris", days: 1, unit: "f", tags: ["a"], items: [item], limit: true })).toEqual({
        city: "Paris",
        days: 1,
        unit: "f",
        tags: ["a"],
        items: [item],
        limit: true,
      });
    });

    it("should coerce texts where the schema wants something else, and report it", () => {
      expect(check(source, { city: "5", days: "2", tags: '["a"]', limit: "true" })).toEqual({
        success: true,
        value: { city: "5", days: 2, tags: ["a"], limit: true },
        conversions: [
          { path: "days", from: "string", to: "integer" },
          { path: "tags", from: "string", to: "array" },
          { path: "limit", from: "string", to: "boolean" },
        ],
      });
      expect(valid(source, { city: "x", items: '[{"sku": "a", "price": "1.5"}]' })).toMatchObject({
        items: [{ sku: "a", price: 1.5 }],
      });
      expect(valid(source, '{"city": "Paris", "days": "4"}')).toEqual({ city: "Paris", days: 4 });
    });

    it.each([
      ["a missing property", { days: 1 }, "city", "string", "missing"],
      ["a wrong type", { city: 5 }, "city", "string", "integer 5"],
      ["a text that says no number", { city: "x", days: "soon" }, "days", "integer", 'string "soon"'],
      ["a fraction for an integer", { city: "x", days: "1.5" }, "days", "integer", 'string "1.5"'],
      ["a bound", { city: "x", days: 0 }, "days", "at least 1", "integer 0"],
      ["a choice", { city: "x", unit: "k" }, "unit", 'one of "c", "f"', 'string "k"'],
      ["an item", { city: "x", tags: ["a", 1] }, "tags[1]", "string", "integer 1"],
      ["a nested property", { city: "x", items: [item, { sku: "b" }] }, "items[1].price", "number", "missing"],
    ])("should tell path, expected and got for %s", (_what, input, path, expected, got) => {
      expect(issues(source, input)).toEqual([
        expect.objectContaining({ path, expected, got, message: expect.stringContaining(path) }),
      ]);
    });

    it.each([[null], [5], ["text"], [[]], [undefined], [true]])("should refuse %j as the whole input", (input) => {
      expect(issues(source, input)[0]).toMatchObject({ path: "", expected: "object" });
    });

    it("should tell all faults at once", () => {
      expect(issues(source, { days: "x", unit: 1 }).map(({ path }) => path)).toEqual(["city", "days", "unit"]);
    });
  });

  it("should give transformed values to the tool", () => {
    const upper = (text: string) => text.toUpperCase();
    expect(valid(z.object({ a: z.string().transform(upper) }), { a: "x" })).toEqual({ a: "X" });
    expect(valid(v.object({ a: v.pipe(v.string(), v.transform(upper)) }), { a: "x" })).toEqual({ a: "X" });
    expect(valid(type({ a: type("string").pipe(upper) }), { a: "x" })).toEqual({ a: "X" });
  });

  it("should run the checks that JSON Schema can't say", () => {
    const even = (n: number) => n % 2 === 0;
    expect(issues(z.object({ a: z.number().refine(even, "must be even") }), { a: 3 })[0]).toMatchObject({
      path: "a",
      got: "integer 3",
      message: "a: must be even",
    });
    expect(issues(v.object({ a: v.pipe(v.number(), v.check(even, "must be even")) }), { a: 3 })[0]).toMatchObject({
      path: "a",
      message: "a: must be even",
    });
    expect(issues(type({ a: type("number").narrow(even) }), { a: 3 })[0]?.path).toBe("a");
  });

  it("should leave it to the library to take what is no JSON", () => {
    const run = (): number => 1;
    expect(valid(z.object({ run: z.any() }), { run })).toEqual({ run });
    expect(valid(v.object({ run: v.any() }), { run })).toEqual({ run });
  });

  it("should leave it to the library to coerce on its own", () => {
    expect(valid(z.object({ a: z.coerce.string() }), { a: 5 })).toEqual({ a: "5" });
  });

  it("should wait for a library that validates asynchronously", async () => {
    const schema = input(z.object({ user: z.string().refine(async (name) => name === "ann", "no such user") }), {
      name: "greet",
    });
    await expect(schema.validate({ user: "ann" })).resolves.toEqual({ success: true, value: { user: "ann" } });
    await expect(schema.validate({ user: "bob" })).resolves.toMatchObject({
      success: false,
      issues: [{ path: "user", message: "user: no such user" }],
    });
  });

  it("should not let a check that throws get out", async () => {
    const fault = (): boolean => {
      throw new RangeError("/srv/secret.ts broke");
    };
    expect(issues(v.object({ a: v.pipe(v.number(), v.check(fault)) }), { a: 1 })).toEqual([
      expect.objectContaining({ message: "the input: the check of the input failed with RangeError" }),
    ]);
  });

  it("should read recursive schemas of each library", () => {
    interface Tree {
      name: string;
      kids?: Tree[];
    }
    const zodTree: z.ZodType<Tree> = z.object({
      name: z.string(),
      get kids() {
        return z.array(zodTree).optional();
      },
    }) as z.ZodType<Tree>;
    const valibotTree: v.GenericSchema<Tree> = v.object({
      name: v.string(),
      kids: v.optional(v.array(v.lazy(() => valibotTree))),
    }) as v.GenericSchema<Tree>;
    const json = {
      $ref: "#/$defs/tree",
      $defs: {
        tree: {
          type: "object" as const,
          properties: {
            name: { type: "string" as const },
            kids: { type: "array" as const, items: { $ref: "#/$defs/tree" } },
          },
          required: ["name"],
        },
      },
    };
    for (const source of [zodTree, valibotTree, json]) {
      const schema = input(source);
      expect(schema.jsonSchema.type).toBe("object");
      expect(schema.jsonSchema.properties).toHaveProperty("name");
      expect(valid(schema, { name: "a", kids: '[{"name": "b", "kids": []}]' })).toEqual({
        name: "a",
        kids: [{ name: "b", kids: [] }],
      });
      expect(issues(schema, { name: "a", kids: [{ name: "b", kids: [{ name: 1 }] }] })[0]).toMatchObject({
        path: "kids[0].kids[0].name",
        expected: "string",
      });
    }
  });
});

it("should say where a schema of a library goes that is given as the shorthand", () => {
  for (const schema of [z.object({}), v.object({})])
    expect(() => argsSchema(schema as never)).toThrow("give the schema of a library as input");
});
