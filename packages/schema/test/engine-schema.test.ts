import type { JsonSchemaObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { toInputSchema } from "../src/index.ts";
import { unicodePattern } from "../src/pattern.ts";
import { engines, on } from "./support.ts";

const draft4 = "http://json-schema.org/draft-04/schema#";
const draft7 = "http://json-schema.org/draft-07/schema#";

describe.each(engines)("on %s", (_engine, validator) => {
  const { check, input, issues, valid } = on(validator);

  describe("older spellings mean what they meant", () => {
    it.each<[string, JsonSchemaObject, unknown[], unknown[]]>([
      ["exclusiveMinimum of draft 4", { minimum: 1, exclusiveMinimum: true }, [2], [1, 0]],
      ["exclusiveMaximum: false", { maximum: 1, exclusiveMaximum: false }, [1], [2]],
      ["exclusiveMinimum without a minimum", { exclusiveMinimum: true }, [-1, 1], []],
      ["nullable of OpenAPI", { type: "integer", nullable: true }, [1, null], ["x"]],
      ["nullable with an enum", { type: "string", enum: ["a"], nullable: true }, ["a", null], ["b"]],
      ["nullable: false", { type: "integer", nullable: false }, [1], ["x"]],
      ["nullable without a type", { nullable: true }, [1, null, "x"], []],
      [
        "a list of items",
        { type: "array", items: [{ type: "string" }, { type: "integer" }] as never },
        [["a", 1, {}], ["a"]],
        [[1]],
      ],
      [
        "a list of items with additionalItems",
        { type: "array", items: [{ type: "string" }] as never, additionalItems: { type: "boolean" } },
        [["a", true]],
        [["a", 1]],
      ],
      ["an unknown format", { type: "string", format: "int32" }, ["x"], [1]],
      ["a format called like a method", { type: "string", format: "toString" }, ["x"], [1]],
      ["an id that is only a name", { type: "string", id: "#x", $async: true }, ["x"], [1]],
      ["a choice of nothing", { enum: [] }, [], [1, null, "x"]],
      ["a multiple of a fraction", { multipleOf: 0.1 }, [0.3, 1.1], [0.35]],
    ])("%s", (_what, x, good, bad) => {
      const source = { type: "object" as const, properties: { x }, required: ["x"] };
      const shown = input(source).jsonSchema.properties?.x;
      expect(shown).toEqual(x);
      for (const value of good) expect(valid(source, { x: value })).toEqual({ x: value });
      for (const value of bad) expect(check(source, { x: value }).success).toBe(false);
    });

    it("beside a $ref, which ended a schema until draft 7", () => {
      const source = (schema: string): JsonSchemaObject => ({
        $schema: schema,
        type: "object",
        properties: { x: { $ref: "#/definitions/n", minimum: 5, default: 1 } },
        definitions: { n: { type: "integer" } },
      });
      expect(valid(source(draft7), { x: 2 })).toEqual({ x: 2 });
      expect(valid(source(draft7), {})).toEqual({ x: 1 });
      const now = source("https://json-schema.org/draft/2020-12/schema");
      (now.properties?.x as JsonSchemaObject).default = 6;
      expect(issues(now, { x: 2 })[0]).toMatchObject({ path: "x", expected: "at least 5" });
    });

    it("references into what is spelled anew", () => {
      const source: JsonSchemaObject = {
        type: "object",
        properties: { pair: { items: [{ type: "integer" }, { $ref: "#/properties/pair/items/0" }] as never } },
      };
      expect(valid(source, { pair: [1, "2"] })).toEqual({ pair: [1, 2] });
      expect(issues(source, { pair: [1, "x"] })[0]).toMatchObject({ path: "pair[1]", expected: "integer" });
    });

    it("an id of draft 4 that references name", () => {
      const source: JsonSchemaObject = {
        $schema: draft4,
        id: "http://x.test/order",
        type: "object",
        properties: { n: { $ref: "http://x.test/order#/definitions/n" } },
        definitions: { n: { type: "integer" } },
      };
      expect(valid(source, { n: 1 })).toEqual({ n: 1 });
      expect(check(source, { n: "x" }).success).toBe(false);
    });

    it.each([
      ["[\\w-.]+", "[\\w\\-.]+", "a-.b", "!"],
      ["^[a-z\\d-]{2}$", "^[a-z\\d-]{2}$", "-a", "A-"],
      ["^\\_\\:\\@$", "^_:@$", "_:@", "_"],
      ["^a{,2}$", "^a\\{,2\\}$", "a{,2}", "aa"],
      ["^{x}]$", "^\\{x\\}\\]$", "{x}]", "x"],
      ["^[[\\_a]$", "^[\\[_a]$", "[", "\\"],
      ["^\\/\\.\\d{2,}$", "^\\/\\.\\d{2,}$", "/.12", "/.1"],
      ["[\\d-\\w]", "[\\d\\-\\w]", "-", "!"],
    ])("the pattern %s, in unicode mode %s", (pattern, spelled, fits, other) => {
      expect(unicodePattern(pattern)).toBe(spelled);
      for (const text of [fits, other])
        expect(new RegExp(spelled, "u").test(text)).toBe(new RegExp(pattern).test(text));
      const source: JsonSchemaObject = { type: "object", properties: { x: { type: "string", pattern } } };
      expect(valid(source, { x: fits })).toEqual({ x: fits });
      expect(issues(source, { x: other })[0]).toMatchObject({ path: "x", expected: `text that matches /${spelled}/` });
      const named: JsonSchemaObject = { type: "object", patternProperties: { [pattern]: { type: "integer" } } };
      expect(valid(named, { [fits]: "1", [other]: "1" })).toEqual({ [fits]: 1, [other]: "1" });
    });
  });

  describe("schemas that no engine would return from, or could follow, are refused", () => {
    it.each<[string, JsonSchemaObject, string]>([
      ["a circle", { properties: { x: { $ref: "#/properties/x" } } }, "goes round in a circle"],
      [
        "a wider circle",
        {
          properties: { x: { $ref: "#/$defs/a" } },
          $defs: { a: { anyOf: [{ type: "string" }, { $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } },
        },
        "goes round in a circle",
      ],
      ["another document", { properties: { x: { $ref: "https://x.test/schema" } } }, "leads nowhere in this schema"],
      ["an unknown anchor", { properties: { x: { $ref: "#name" } } }, "leads nowhere in this schema"],
      ["$dynamicRef", { properties: { x: { $dynamicRef: "#node" } } }, "$dynamicRef is not supported"],
      ["a bound that is text", { properties: { x: { minimum: "1" } } }, "minimum must be a number"],
      ["a length below 0", { properties: { x: { minLength: -1 } } }, "minLength must be a count"],
      ["a multiple of 0", { properties: { x: { multipleOf: 0 } } }, "multipleOf must be a number above 0"],
      ["a pattern that is none", { properties: { x: { pattern: 5 } } }, "pattern must be text"],
      ["a pattern of Python's", { properties: { x: { pattern: "(?i)a" } } }, "is no regular expression"],
      ["no type at all", { properties: { x: { type: [] } } }, "at least one type"],
      ["a union of nothing", { properties: { x: { anyOf: [] } } }, "at least one schema"],
      ["a union that is no list", { properties: { x: { oneOf: {} as never } } }, "at least one schema"],
      ["required names that are no texts", { required: [1 as never] }, "property names"],
      ["a bound that is infinite", { properties: { x: { maximum: Number.POSITIVE_INFINITY } } }, "has no form in JSON"],
    ])("%s", (_what, schema, message) => {
      expect(() => input({ type: "object", ...schema }, { name: "t" })).toThrow(message);
      expect(() => input({ type: "object", ...schema }, { name: "t" })).toThrow('Tool "t"');
    });

    it("but not a schema of itself that goes a step into the value", () => {
      const source: JsonSchemaObject = { type: "object", properties: { next: { $ref: "#" }, n: { type: "integer" } } };
      expect(valid(source, { next: { next: { n: "1" } } })).toEqual({ next: { next: { n: 1 } } });
    });
  });

  describe("the root", () => {
    const branch = (kind: string, name: string): JsonSchemaObject => ({
      type: "object",
      properties: { kind: { const: kind }, [name]: { type: "integer" } },
      required: ["kind", name],
    });

    it.each(["anyOf", "oneOf"] as const)("may be %s of objects, as MCP servers send", (keyword) => {
      const source = {
        [keyword]: [branch("a", "x"), { $ref: "#/$defs/b" }],
        $defs: { b: branch("b", "y") },
      } as JsonSchemaObject;
      expect(input(source).jsonSchema).toMatchObject({
        type: "object",
        properties: {},
        [keyword]: [{}, { $ref: "#/$defs/b" }],
      });
      expect(valid(source, { kind: "b", y: "2" })).toEqual({ kind: "b", y: 2 });
      expect(issues(source, { kind: "b", y: "two" })[0]).toMatchObject({ path: "y", expected: "integer" });
      expect(issues(source, { kind: "c" })[0]).toMatchObject({ path: "kind", expected: 'one of "a", "b"' });
    });

    it("may ask for one of two parameters", () => {
      const source: JsonSchemaObject = {
        properties: { id: { type: "integer" }, name: { type: "string" } },
        anyOf: [{ required: ["id"] }, { required: ["name"] }],
      };
      expect(valid(source, { id: "1" })).toEqual({ id: 1 });
      expect(check(source, {}).success).toBe(false);
      expect(valid({ anyOf: source.anyOf as [] }, { id: 1 })).toEqual({ id: 1 });
      // A parameter that one branch requires is no parameter left out.
      expect(check(source, { id: null }).success).toBe(false);
      expect(valid(source, { id: null, name: "x" })).toEqual({ name: "x" });
    });

    it("may be allOf, and if", () => {
      const source: JsonSchemaObject = {
        allOf: [branch("a", "x"), { properties: { z: { type: "boolean" } }, required: ["z"] }],
        if: { properties: { x: { minimum: 5 } } },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword
        then: { required: ["why"] },
      };
      expect(valid(source, { kind: "a", x: "1", z: "true" })).toEqual({ kind: "a", x: 1, z: true });
      expect(check(source, { kind: "a", x: 6, z: true }).success).toBe(false);
      // Another part requires it: a null is not dropped.
      expect(issues(source, { kind: "a", x: 1, z: null })[0]).toMatchObject({ path: "z", got: "null" });
    });

    it("may be a reference, with more beside it", () => {
      const source: JsonSchemaObject = {
        $ref: "#/$defs/base",
        properties: { more: { type: "integer" } },
        required: ["more"],
        $defs: { base: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
      };
      expect(Object.keys(input(source).jsonSchema.properties ?? {})).toEqual(["id", "more"]);
      expect(valid(source, { id: "1", more: "2" })).toEqual({ id: 1, more: 2 });
      expect(issues(source, { id: 1 })[0]?.path).toBe("more");
      expect(issues(source, { more: 1 })[0]?.path).toBe("id");
    });

    it("should lose a preset in the branches that references lead to, too", () => {
      const source: JsonSchemaObject = {
        oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }],
        $defs: { a: branch("a", "key"), b: branch("b", "y") },
      };
      const schema = input(source).withPresets({ key: 7 });
      expect(schema.jsonSchema.oneOf).toEqual([
        { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
        { $ref: "#/$defs/b" },
      ]);
      expect(valid(schema, { kind: "a" })).toEqual({ kind: "a", key: 7 });
    });
  });
});

it("should compile once for presets of the same names, and keep the engine", () => {
  let compiled = 0;
  const counting = (schema: JsonSchemaObject) => {
    compiled++;
    return (engines[0] as (typeof engines)[0])[1](schema);
  };
  const schema = toInputSchema({ a: "string", b: "string" }, { validator: counting });
  for (const b of ["1", "2", "3"]) {
    expect(schema.withPresets({ b }).validate({ a: "x" })).toMatchObject({ value: { a: "x", b } });
  }
  expect(compiled).toBe(2);
  expect(schema.withValidator(counting)).toBe(schema);
  expect(toInputSchema(schema)).toBe(schema);
  expect(toInputSchema(toInputSchema({ a: "string" }), { validator: counting }).validate({ a: "x" })).toMatchObject({
    success: true,
  });
  expect(compiled).toBe(3);
});
