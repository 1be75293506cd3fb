import type { JsonSchemaObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { toInputSchema } from "../src/index.ts";

const hostile = [
  "^(a+)+$",
  "(a|a)*$",
  "(.*)*x",
  "([a-z]+)*\\1",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?=(a+))\\1*b",
  "^(\\w+\\s?)*$",
  "(a?){60}a{60}$",
];
const text = `${"a".repeat(60)}!`;

const stranger = (schema: unknown) => toInputSchema(schema as JsonSchemaObject, { untrusted: true });
const property = (schema: unknown): unknown => ({ type: "object", properties: { a: schema } });

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
const thenElse = { then: { maxLength: 1 }, else: { maxLength: 99 } };

/** Each place where a pattern can stand. */
const places: [string, (pattern: string) => unknown, unknown][] = [
  ["a property", (pattern) => property({ type: "string", pattern }), { a: text }],
  ["items", (pattern) => property({ items: { pattern } }), { a: [text, text] }],
  ["anyOf", (pattern) => property({ anyOf: [{ type: "string", pattern }, { type: "integer" }] }), { a: text }],
  ["oneOf", (pattern) => property({ oneOf: [{ pattern }, { pattern: "^b" }] }), { a: text }],
  ["not", (pattern) => property({ not: { pattern } }), { a: text }],
  ["if", (pattern) => property({ if: { pattern }, ...thenElse }), { a: text }],
  [
    "$ref",
    (pattern) => ({ type: "object", properties: { a: { $ref: "#/$defs/t" } }, $defs: { t: { pattern } } }),
    { a: text },
  ],
  ["names", (pattern) => ({ type: "object", propertyNames: { pattern } }), { [text]: 1 }],
  [
    "patternProperties",
    (pattern) => ({
      type: "object",
      patternProperties: { [pattern]: { type: "integer" } },
      additionalProperties: false,
    }),
    { [text]: "x" },
  ],
  ["a text to be coerced", (pattern) => property({ type: "array", items: { pattern } }), { a: JSON.stringify([text]) }],
  ["a default", (pattern) => property({ type: "string", pattern, default: "aaaa" }), { a: text }],
  ["beside a format", (pattern) => property({ type: "string", pattern, format: "email" }), { a: text }],
];

describe("a stranger's schema", () => {
  it.each(places)("holds up nothing, with its pattern in %s", async (_where, schema, value) => {
    for (const pattern of hostile) {
      const before = process.cpuUsage();
      let made: ReturnType<typeof stranger> | undefined;
      try {
        made = stranger(schema(pattern));
      } catch (error) {
        // A default that doesn't fit is refused at definition; that, too, must come at once.
        expect(String(error)).toMatch(/default/);
      }
      await made?.validate(value);
      const { user, system } = process.cpuUsage(before);
      // Some ms, where RegExp takes longer than anybody waits.
      expect({ pattern, isQuick: user + system < 5_000_000 }).toEqual({ pattern, isQuick: true });
    }
  });

  it("is still enforced: patterns, in their places, say what they always said", async () => {
    const same = (schema: unknown, value: unknown): void => {
      const own = toInputSchema(schema as JsonSchemaObject).validate(value);
      expect([schema, value, stranger(schema).validate(value)]).toEqual([schema, value, own]);
    };
    for (const [where, schema] of places.filter(([name]) => name !== "a default")) {
      // Names are tested by RegExp: of their patterns, only those that can't hold it up.
      for (const pattern of ["^[a-z]+$", ...(where === "patternProperties" ? [] : ["^\\d{4}-\\d{2}$", "^(ab)+c?$"])]) {
        for (const given of ["abc", "2026-11", "ababc", "A", "", 5]) same(schema(pattern), { a: given });
        same(schema(pattern), { abc: 1 });
        same(schema(pattern), { "2026-11": "x", abab: 2 });
      }
    }
    expect(stranger(property({ type: "string", pattern: "^[a-z]+$" })).validate({ a: "A" })).toEqual({
      success: false,
      issues: [
        {
          path: "a",
          expected: "text that matches /^[a-z]+$/",
          got: 'string "A"',
          message: 'a: expected text that matches /^[a-z]+$/, got string "A"',
        },
      ],
    });
  });

  it("has patterns that can't be run in bounded time left out, and named, and everything beside them counts", () => {
    for (const pattern of ["(?=a)b", "(?<!a)b", "([a-z]+)\\1"]) {
      const input = stranger(property({ type: "string", pattern, maxLength: 3 }));
      expect(input.unchecked).toEqual([pattern]);
      expect(input.jsonSchema.properties?.a).toMatchObject({ pattern });
      expect(input.validate({ a: "zzz" })).toMatchObject({ success: true });
      expect(input.validate({ a: "zzzz" })).toMatchObject({ success: false });
    }
    expect(stranger(property({ pattern: "^a$" })).unchecked).toEqual([]);
    expect(toInputSchema(property({ pattern: "(?=a)b" }) as JsonSchemaObject).validate({ a: "zzz" })).toMatchObject({
      success: false,
    });
  });

  it("refuses nothing that it takes as a whole, where a pattern was left out", () => {
    const pattern = "(?!b)";
    const taken: [unknown, unknown][] = [
      [property({ not: { pattern } }), { a: "b" }],
      [property({ oneOf: [{ pattern }, { pattern: "^b" }] }), { a: "b" }],
      [property({ if: { pattern: "^(?!b)" }, ...thenElse }), { a: "bbb" }],
      [property({ contains: { pattern: "^(?!b)" }, maxContains: 1 }), { a: ["b", "b", "a"] }],
      [{ type: "object", patternProperties: { "^(?!b)": true }, additionalProperties: false }, { a: 1 }],
      [property({ not: { $ref: "#/$defs/t" }, $comment: "" }), { a: "b" }],
    ];
    (taken[5]?.[0] as JsonSchemaObject).$defs = { t: { pattern: "^(?!b)" } };
    for (const [schema, value] of taken)
      expect([schema, stranger(schema).validate(value)]).toEqual([schema, { success: true, value }]);
  });

  it("skips a pattern for a text of more than 100,000 characters, and only that", () => {
    const input = stranger({
      type: "object",
      properties: { a: { type: "string", pattern: "^b" }, n: { type: "integer" } },
    });
    const long = "a".repeat(100_001);
    expect(input.validate({ a: long, n: 1 })).toMatchObject({ success: true });
    expect(input.validate({ a: long, n: "x" })).toMatchObject({ success: false, issues: [{ path: "n" }] });
    expect(input.validate({ a: long.slice(1), n: 1 })).toMatchObject({ success: false });
  });

  it("that recurs in branches which nothing tells apart holds up nothing", async () => {
    const branch = { type: "object", properties: { c: { $ref: "#/$defs/n" } }, required: ["c"] };
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/n" } },
      $defs: { n: { anyOf: [branch, { ...branch }, { ...branch, minProperties: 1 }] } },
    };
    let value: unknown = { d: 1 };
    for (let depth = 0; depth < 50; depth++) value = { c: value };
    const before = process.cpuUsage();
    await stranger(schema).validate({ a: value });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(10_000);
  });

  it("stays one on another engine, and with presets", () => {
    const input = stranger({ type: "object", properties: { a: { pattern: "^(a+)+$" }, b: { type: "integer" } } });
    expect(input.withValidator(() => ({ accepts: () => false }))).toBe(input);
    expect(input.withPresets({ b: 1 })).toMatchObject({ untrusted: true });
  });
});

describe("a pattern is run once for a text and call", () => {
  it.each([false, true])("in check, coercion and errors, untrusted: %s", async (untrusted) => {
    const slow = "^(a+)+$";
    const value = { a: `${"a".repeat(20)}!` };
    const schema = {
      type: "object",
      properties: { a: { anyOf: [{ type: "string", pattern: slow }, { type: "integer" }] } },
    };
    const input = toInputSchema(schema as JsonSchemaObject, { untrusted });
    let runs = 0;
    const { test } = RegExp.prototype;
    RegExp.prototype.test = function (text) {
      if (this.source === slow) runs += 1;
      return test.call(this, text);
    };
    try {
      await input.validate(value);
      expect(runs).toBe(untrusted ? 0 : 1);
      await input.validate(value);
      expect(runs).toBe(untrusted ? 0 : 2);
    } finally {
      RegExp.prototype.test = test;
    }
  });
});
