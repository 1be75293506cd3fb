import type { JsonSchemaObject } from "@toolglot/core";
import { toInputSchema } from "@toolglot/schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaToTemplate, templateToSchema } from "../src/catalog/arg-template.ts";

const closed = { type: "object", additionalProperties: false } as const;

function typeOf(schema: unknown): string | undefined {
  return schemaToTemplate({ ...closed, properties: { a: schema as JsonSchemaObject }, required: ["a"] }).a;
}

describe("templateToSchema", () => {
  it("reads the templates of the TRP v0.1 draft (6.1.2)", () => {
    expect(templateToSchema({ query: "string", top_k: "int?" })).toEqual({
      ...closed,
      properties: { query: { type: "string" }, top_k: { type: "integer" } },
      required: ["query"],
    });
    expect(templateToSchema({ to: "email", subject: "string", body: "string" }).properties).toEqual({
      to: { type: "string", format: "email" },
      subject: { type: "string" },
      body: { type: "string" },
    });
  });

  it.each<[string, unknown]>([
    ["any", {}],
    ["string[]", { type: "array", items: { type: "string" } }],
    ["int[][]", { type: "array", items: { type: "array", items: { type: "integer" } } }],
    ['"a" | "b"', { enum: ["a", "b"] }],
    ['"a|b?" | -1.5e3 | true', { enum: ["a|b?", -1500, true] }],
    ["int | null", { anyOf: [{ type: "integer" }, { type: "null" }] }],
    ["(int | string)[]", { type: "array", items: { anyOf: [{ type: "integer" }, { type: "string" }] } }],
    ["{}", { ...closed, properties: {} }],
    [
      '{ id: int, "odd name"?: bool }',
      { ...closed, properties: { id: { type: "integer" }, "odd name": { type: "boolean" } }, required: ["id"] },
    ],
  ])("reads %s", (text, schema) => {
    expect(templateToSchema({ a: text }).properties?.a).toEqual(schema);
  });

  it.each([
    ["", /expected a type/],
    ["strin", /expected a type: string, int/],
    ["int??", /expected "\|"/],
    ["int |", /expected a type/],
    ["(int", /expected "\)"/],
    ["{id int}", /expected ":"/],
    ["{id: int, id: int}", /given twice/],
    ["{id: int", /expected "," or "}"/],
    ['"open', /no JSON text/],
    ["-x", /expected a type/],
    ["int]", /expected "\|"/],
    [`${"(".repeat(50)}int${")".repeat(50)}`, /nested too deeply/],
  ])("refuses %j, naming the argument and showing where", (text, message) => {
    expect(() => templateToSchema({ a: text })).toThrow(message);
    expect(() => templateToSchema({ a: text })).toThrow(/^argument a: /);
    expect(() => templateToSchema({ a: text })).toThrow(TypeError);
  });

  it("refuses what is no template", () => {
    expect(() => templateToSchema(null as never)).toThrow(TypeError);
    expect(() => templateToSchema({ a: 5 } as never)).toThrow(TypeError);
  });

  it("takes any name as plain data", () => {
    const template = JSON.parse('{"__proto__": "int", "constructor": "string?"}');
    expect(JSON.stringify(schemaToTemplate(templateToSchema(template)))).toBe(JSON.stringify(template));
  });
});

describe("schemaToTemplate", () => {
  it.each<[unknown, string]>([
    [{ type: "string", maxLength: 5, pattern: "a" }, "string"],
    [{ type: "string", format: "date-time" }, "datetime"],
    [{ type: "string", format: "uri" }, "url"],
    [{ type: "string", format: "made-up" }, "string"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "integer", minimum: 1 }, "int"],
    [{ const: 5 }, "5"],
    [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
    [{ enum: [{ a: 1 }, [1]] }, "object | any[]"],
    [{ type: "array" }, "any[]"],
    [{ type: "array", prefixItems: [{ type: "string" }], items: false }, "any[]"],
    [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
    [{ type: "object" }, "object"],
    [{ type: "object", properties: { a: { type: "string" } } }, "object"],
    [{ ...closed, properties: { a: { type: "string" } } }, "{a?: string}"],
    [{ oneOf: [{ type: "string" }, { type: "integer" }] }, "string | int"],
    [{ anyOf: [{ type: "string" }, {}] }, "any"],
    [{ allOf: [{ type: "string" }] }, "string"],
    [{ allOf: [{ minLength: 1 }, { maxLength: 5 }] }, "any"],
    [{ $ref: "#/$defs/nowhere" }, "any"],
    [true, "any"],
    [{}, "any"],
  ])("tells %j as %s", (schema, text) => {
    expect(typeOf(schema)).toBe(text);
  });

  it("follows references, also those that go in circles", () => {
    const schema: JsonSchemaObject = {
      ...closed,
      properties: { tree: { $ref: "#/$defs/node" }, loop: { $ref: "#/$defs/loop" } },
      $defs: {
        node: { ...closed, properties: { next: { $ref: "#/$defs/node" } } },
        loop: { $ref: "#/$defs/loop" },
      },
    };
    const template = schemaToTemplate(schema);
    expect(template.tree).toMatch(/^\{next\?: \{next\?: /);
    expect(template.loop).toBe("any?");
  });

  it("doesn't lose itself in schemas that refer to each other", () => {
    const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
    const node = { ...closed, properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/node" }])) };
    expect(schemaToTemplate({ ...closed, properties: { a: { $ref: "#/$defs/node" } }, $defs: { node } })).toEqual({
      a: "object?",
    });
  });

  it("tells in a word what is too long for a row", () => {
    expect(typeOf({ enum: Array.from({ length: 100 }, (_, at) => `choice ${at}`) })).toBe("string");
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field_${at}`, { type: "string" }]));
    expect(typeOf({ ...closed, properties })).toBe("object");
  });

  it("puts the branches of a union together: required is what all of them require", () => {
    const branch = (kind: string, name: string): JsonSchemaObject => ({
      type: "object",
      properties: { kind: { const: kind }, [name]: { type: "string" } },
      required: ["kind", name],
    });
    expect(schemaToTemplate({ type: "object", anyOf: [branch("x", "a"), branch("y", "b")] })).toEqual({
      kind: '"x" | "y"',
      a: "string?",
      b: "string?",
    });
  });
});

describe("both", () => {
  const name = fc.oneof(fc.constantFrom("a", "b", "odd name", "__proto__"), fc.string({ minLength: 1, maxLength: 5 }));
  const label = (text: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : JSON.stringify(text));
  const word = fc.constantFrom(
    ...["string", "int", "number", "bool", "email", "url", "uuid", "date", "datetime", "time", "object", "null"],
  );
  const literal = fc
    .oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .filter((value) => !Object.is(value, -0))
    .map((value) => JSON.stringify(value));
  const { type } = fc.letrec<{ one: string; item: string; type: string }>((tie) => ({
    one: fc.oneof(
      { maxDepth: 3 },
      word,
      literal,
      fc
        .uniqueArray(fc.tuple(name, fc.boolean(), tie("type")), { maxLength: 2, selector: ([field]) => field })
        // Objects keep numbers before all other names.
        .filter((fields) => fields.every(([field]) => !/^\d+$/.test(field)))
        .map(
          (fields) =>
            `{${fields.map(([field, optional, text]) => `${label(field)}${optional ? "?" : ""}: ${text}`).join(", ")}}`,
        ),
    ),
    item: fc.tuple(tie("one"), fc.nat({ max: 1 })).map(([text, times]) => text + "[]".repeat(times)),
    type: fc.uniqueArray(tie("item"), { minLength: 1, maxLength: 3 }).map((texts) => texts.join(" | ")),
  }));

  it("a template is what its schema is told as", () => {
    fc.assert(
      fc.property(type, fc.boolean(), (text, optional) => {
        // What is nested more deeply or longer is told in a word.
        fc.pre(text.length <= 200 && (text.match(/[{[]/g) ?? []).length <= 4);
        const template = { a: `${text}${optional ? "?" : ""}` };
        expect({ ...schemaToTemplate(templateToSchema(template)) }).toEqual(template);
      }),
    );
  });

  it("everything that fits a schema fits its template", () => {
    const leaf = fc.constantFrom<JsonSchemaObject>(
      { type: "string", maxLength: 3 },
      { type: "integer", minimum: 0 },
      { type: ["boolean", "null"] },
      { enum: ["x", 1, null, [1]] },
      { const: { a: 1 } },
      { type: "array", items: { type: "number" } },
      { type: "object", additionalProperties: { type: "string" } },
      {},
    );
    const { schema } = fc.letrec<{ schema: JsonSchemaObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.tuple(tie("schema"), tie("schema")).map((anyOf) => ({ anyOf })),
        tie("schema").map((items) => ({ type: "array" as const, items })),
        fc.tuple(tie("schema"), fc.boolean()).map(([inner, open]) => ({
          type: "object" as const,
          properties: { p: inner },
          ...(open ? {} : { additionalProperties: false }),
        })),
      ),
    }));
    const values: unknown[] = [
      ...["x", "toolong", 1, -1, 1.5, true, null, [], [1], ["x"], [[1]], {}, { p: "x" }, { p: 1 }, { p: { p: 1 } }],
      ...[{ a: 1 }, { q: "x" }, [{ p: "x" }]],
    ];
    fc.assert(
      fc.property(schema, (inner) => {
        const whole: JsonSchemaObject = { ...closed, properties: { a: inner } };
        const wide = toInputSchema(templateToSchema(schemaToTemplate(whole)));
        const narrow = toInputSchema(whole);
        for (const a of values) {
          const fits = narrow.validate({ a }) as { success: boolean; conversions?: unknown };
          if (!fits.success || fits.conversions !== undefined) continue;
          expect(wide.validate({ a })).toMatchObject({ success: true });
        }
      }),
    );
  });
});
