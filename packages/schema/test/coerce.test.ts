import type { JsonSchema } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines, on } from "./support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { check, input, issues, valid } = on(validator);

  function one(schema: JsonSchema, value: unknown, defs: Record<string, JsonSchema> = {}): unknown {
    return (valid({ type: "object", properties: { x: schema }, $defs: defs }, { x: value }) as { x: unknown }).x;
  }

  describe("texts become what the schema wants", () => {
    it.each<[string, JsonSchema, unknown, unknown]>([
      ["a number", { type: "number" }, "3", 3],
      ["a number with blanks", { type: "number" }, " -1.5e3 ", -1500],
      ["an integer", { type: "integer" }, "3.0", 3],
      ["true", { type: "boolean" }, "true", true],
      ["Python's False", { type: "boolean" }, "False", false],
      ["null", { type: "null" }, "null", null],
      ["an array", { type: "array" }, "[1]", [1]],
      ["an array of texts that are numbers", { type: "array", items: { type: "integer" } }, '["1", 2]', [1, 2]],
      ["an object", { type: "object" }, '{"a": 1}', { a: 1 }],
      ["a nested text", { properties: { a: { items: { type: "boolean" } } } }, { a: ["true"] }, { a: [true] }],
      ["a tuple", { prefixItems: [{ type: "string" }, { type: "integer" }] }, ["1", "1"], ["1", 1]],
      ["additional properties", { additionalProperties: { type: "number" } }, { a: "1" }, { a: 1 }],
      [
        "pattern properties",
        { patternProperties: { "^n_": { type: "number" } } },
        { n_a: "1", b: "1" },
        { n_a: 1, b: "1" },
      ],
      ["a number in an enum", { enum: [1, 2] }, "2", 2],
      ["a constant", { const: true }, "true", true],
      ["anyOf", { anyOf: [{ type: "integer" }, { type: "boolean" }] }, "true", true],
      ["oneOf, the branch that fits", { oneOf: [{ type: "integer", minimum: 5 }, { type: "null" }] }, "7", 7],
      ["a list of types", { type: ["integer", "null"] }, "null", null],
      ["allOf", { allOf: [{ type: "integer" }, { minimum: 2 }] }, "2", 2],
      [
        "the branch told by its constant",
        {
          anyOf: [
            { properties: { kind: { const: "a" }, n: { type: "string" } }, required: ["kind", "n"] },
            { properties: { kind: { const: "b" }, n: { type: "integer" } }, required: ["kind", "n"] },
          ],
        },
        { kind: "b", n: "4" },
        { kind: "b", n: 4 },
      ],
    ])("%s", (_what, schema, given, wanted) => {
      expect(one(schema, given)).toEqual(wanted);
    });

    it("should follow references, also through $defs and back", () => {
      const defs: Record<string, JsonSchema> = {
        id: { type: "integer" },
        node: { type: "object", properties: { id: { $ref: "#/$defs/id" }, next: { $ref: "#/$defs/node" } } },
      };
      expect(one({ $ref: "#/$defs/node" }, { id: "1", next: '{"id": "2"}' }, defs)).toEqual({ id: 1, next: { id: 2 } });
    });
  });

  describe("texts stay texts", () => {
    it.each<[string, JsonSchema, unknown]>([
      ["where the schema wants text", { type: "string" }, "3"],
      ["in a union with text", { type: ["number", "string"] }, "3"],
      ["in anyOf with text", { anyOf: [{ type: "number" }, { type: "string" }] }, "3"],
      ["without a schema", true, "[1]"],
      ["in an enum of texts", { enum: ["1", "2"] }, "1"],
    ])("%s", (_what, schema, given) => {
      expect(one(schema, given)).toBe(given);
    });
  });

  describe("nothing is lost or guessed", () => {
    it.each<[string, JsonSchema, unknown]>([
      ["digits beyond what a number holds", { type: "integer" }, "12345678901234567890"],
      ["a fraction for an integer", { type: "integer" }, "3.7"],
      ["a leading zero", { type: "number" }, "007"],
      ["words", { type: "number" }, "three"],
      ["an empty text", { type: "number" }, ""],
      ["yes", { type: "boolean" }, "yes"],
      ["1 for true", { type: "boolean" }, "1"],
      ["broken JSON", { type: "array" }, "[1,"],
      ["a text for a list", { type: "array", items: { type: "string" } }, "a"],
      ["a number for a text", { type: "string" }, 5],
      ["a boolean for a number", { type: "number" }, true],
      ["null for a number", { type: "number" }, null],
      ["big digits inside JSON", { type: "array", items: { type: "integer" } }, "[12345678901234567890]"],
    ])("%s", (_what, schema, given) => {
      const source = { type: "object" as const, properties: { x: schema }, required: ["x"] };
      expect(issues(source, { x: given })[0]?.path).toMatch(/^x/);
    });
  });

  it("should change nothing that fits already, nor the input itself", () => {
    const source = {
      type: "object" as const,
      properties: { n: { type: "integer" as const }, o: { type: "object" as const } },
    };
    const fitting = { n: 1, o: { a: "1" } };
    expect(valid(source, fitting)).toBe(fitting);
    const input = Object.freeze({ n: "1", o: Object.freeze({ a: "1" }) });
    expect(valid(source, input)).toEqual({ n: 1, o: { a: "1" } });
    expect(input.n).toBe("1");
  });

  it("should count undefined as absent", () => {
    expect(valid({ a: "string", "b?": "integer = 2" }, { a: "x", b: undefined })).toEqual({ a: "x", b: 2 });
    expect(issues({ a: "string" }, { a: undefined })[0]).toMatchObject({ path: "a", got: "missing" });
  });

  it("should answer for anything at all, and accept what is in the schema's own words", () => {
    const schema = input({
      type: "object",
      properties: {
        n: { type: "integer" },
        list: { type: "array", items: { anyOf: [{ type: "boolean" }, { $ref: "#" }] } },
        text: { type: "string", minLength: 1 },
      },
    });
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (input) => {
          const result = check(schema, input);
          if (!result.success) expect(result.issues.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1000 },
    );
    const node: fc.Memo<unknown> = fc.memo((depth) =>
      fc.record(
        {
          n: fc.integer(),
          text: fc.string({ minLength: 1 }),
          list: fc.array(depth > 1 ? fc.oneof(fc.boolean(), node(depth - 1)) : fc.boolean(), { maxLength: 3 }),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(node(3), (value) => {
        expect(valid(schema, value)).toEqual(value);
        expect(valid(schema, JSON.stringify(value))).toEqual(value);
        expect(valid(schema, stringifyLeaves(value))).toEqual(value);
      }),
    );
  });

  /** Numbers and booleans as models misquote them. */
  function stringifyLeaves(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(stringifyLeaves);
    if (typeof value !== "object" || value === null) return typeof value === "string" ? value : String(value);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stringifyLeaves(item)]));
  }

  it("should find its way through nested unions whose constants come last", () => {
    const kinds = ["box", "row", "column", "text"];
    const branch = (kind: string): JsonSchema => ({
      type: "object",
      properties: {
        children: { type: "array", items: { $ref: "#/$defs/node" } },
        size: { type: "integer" },
        kind: { const: kind },
      },
      required: ["kind"],
    });
    const schema = input({
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: { node: { anyOf: kinds.map(branch) } },
    });
    const tree = (depth: number, size: unknown): unknown => ({
      kind: kinds[depth % 4],
      size: depth === 0 ? size : 1,
      children: depth === 0 ? [] : [tree(depth - 1, size), tree(depth - 1, size)],
    });
    // Trying every branch at every level would be 4^10 visits.
    expect(valid(schema, { root: tree(5, 1) })).toEqual({ root: tree(5, 1) });
    expect(valid(schema, { root: tree(5, "1") })).toEqual({ root: tree(5, 1) });
    expect(issues(schema, { root: tree(4, "x") })[0]?.path).toBe(
      "root.children[0].children[0].children[0].children[0].size",
    );
  });

  it("should survive nesting without end", () => {
    const schema = input({
      type: "object",
      properties: { x: { $ref: "#/$defs/x" } },
      $defs: { x: { type: "array", items: { $ref: "#/$defs/x" } } },
    });
    let deep: unknown = "no list";
    for (let i = 0; i < 50_000; i++) deep = [deep];
    expect(issues(schema, { x: deep })[0]).toMatchObject({ got: "a value nested too deeply" });
  });
});
