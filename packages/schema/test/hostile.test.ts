import { format } from "@cfworker/json-schema";
import type { JsonSchemaObject } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { engines, on } from "./support.ts";

function object(x: JsonSchemaObject, $defs: Record<string, JsonSchemaObject> = {}): JsonSchemaObject {
  return { type: "object", properties: { x }, $defs };
}

/** `value` inside `wrap` of `wrap`…, so many times. */
function nested(times: number, value: unknown, wrap: (inner: unknown) => unknown): unknown {
  let result = value;
  for (let i = 0; i < times; i++) result = wrap(result);
  return result;
}

const lists = object({ $ref: "#/$defs/x" }, { x: { type: "array", items: { $ref: "#/$defs/x" } } });
// Between one list and the next stand seven subschemas.
const winding = object(
  { $ref: "#/$defs/a" },
  {
    a: { allOf: [{ $ref: "#/$defs/b" }] },
    b: { anyOf: [{ $ref: "#/$defs/c" }, { type: "string" }] },
    c: { oneOf: [{ type: "array", items: { $ref: "#/$defs/a" } }, { type: "integer" }] },
  },
);
/** A fifth of what `.ci/run` takes: of a hundred thousand faults, the engine overflows the stack. */
const many = rounds(10_000, 100_000);
const numbers = Array.from({ length: many }, (_, index) => index);

describe.each(engines)("on %s", (_engine, validator) => {
  const { check, input, issues, valid } = on(validator);

  describe("deep values", () => {
    it("should be walked to a depth of 64, whatever stands between the levels", () => {
      const deep = nested(62, 1, (inner) => [inner]);
      expect(valid(winding, { x: deep })).toEqual({ x: deep });
      expect(valid(winding, { x: nested(62, "1", (inner) => [inner]) })).toBeDefined();
      expect(issues(winding, { x: nested(62, true, (inner) => [inner]) })).toHaveLength(1);
      expect(issues(lists, { x: nested(61, "no list", (inner) => [inner]) })[0]?.path).toBe(`x${"[0]".repeat(61)}`);
    });

    it.each([64, 50_000])("should be refused when nested %i deep, also where the schema takes anything", (depth) => {
      const deep = nested(depth, 1, (inner) => ({ inner }));
      for (const schema of [lists, object({}), { a: "any" }] as const) {
        expect(issues(schema, { x: deep })).toEqual([
          { path: "", expected: "less nesting", got: "a value nested too deeply", message: expect.any(String) },
        ]);
      }
    });

    it("should be refused in a circle", () => {
      const circle: Record<string, unknown> = {};
      circle.self = { list: [circle] };
      expect(issues(object({}), { x: circle })[0]?.got).toBe("a value nested too deeply");
    });

    it("should stay text, when nested in a text", () => {
      const text = "[".repeat(50_000) + "]".repeat(50_000);
      expect(issues(lists, { x: text })[0]).toMatchObject({ path: "x", got: expect.stringContaining("string") });
      expect(issues(lists, text)[0]).toMatchObject({ path: "", expected: "object" });
    });
  });

  describe("large values", () => {
    it("should be coerced and filled in to the last item", () => {
      const list: JsonSchemaObject = { type: "array", items: { anyOf: [{ type: "integer" }, { type: "boolean" }] } };
      expect((valid(object(list), { x: numbers.map(String) }) as { x: number[] }).x.at(-1)).toBe(many - 1);
      const filled: JsonSchemaObject = { type: "array", items: { type: "object", properties: { n: { default: 1 } } } };
      expect((valid(object(filled), { x: numbers.map(() => ({})) }) as { x: object[] }).x.at(-1)).toEqual({ n: 1 });
    });

    it("should give 20 issues of very many", () => {
      expect(issues(object({ type: "array", items: { type: "string" } }), { x: numbers })).toHaveLength(20);
      const named = Object.fromEntries(numbers.map((number) => [`key${number}`, number]));
      const closed: JsonSchemaObject = {
        type: "object",
        properties: { ky: {} },
        required: ["ky"],
        additionalProperties: false,
      };
      expect(issues(object(closed), { x: named })).toHaveLength(20);
    });

    it("should not compare each item with each", () => {
      const unique: JsonSchemaObject = { type: "array", uniqueItems: true };
      expect(valid(object(unique), { x: numbers.map((n) => ({ n })) })).toBeDefined();
      expect(issues(object(unique), { x: [...numbers, 7] })[0]).toMatchObject({ path: "x", got: "equal items" });
      expect(
        issues(object({ $ref: "#/$defs/u" }, { u: { allOf: [unique] } }), {
          x: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        })[0]?.path,
      ).toBe("x");
      expect(
        valid(object({ type: "array", items: unique }), {
          x: [
            [1, 2],
            [1, "1", true, null, "null"],
          ],
        }),
      ).toBeDefined();
      expect(
        issues(object({ type: "array", items: unique }), {
          x: [
            [1, 2],
            [1, 1],
          ],
        })[0]?.path,
      ).toBe("x[1]");
      // In a branch, where it may not hold.
      const either = object({ anyOf: [unique, { type: "array", maxItems: 2 }] });
      expect(valid(either, { x: [1, 1] })).toEqual({ x: [1, 1] });
      expect(issues(either, { x: [1, 1, 1] })).toHaveLength(1);
    });
  });

  describe("what is no JSON", () => {
    it.each<[string, unknown, string, string]>([
      ["a function", { x: { f: () => 1 } }, "x.f", "function"],
      ["a bigint", { x: [1n] }, "x[0]", "bigint 1"],
      ["a symbol", { x: Symbol("s") }, "x", "symbol"],
      ["not a number", { x: Number.NaN }, "x", "number NaN"],
      ["an infinite number", { x: [Number.POSITIVE_INFINITY] }, "x[0]", "number Infinity"],
    ])("should not fit, even where anything does: %s", (_what, given, path, got) => {
      expect(issues(object({}), given)).toEqual([expect.objectContaining({ path, expected: "a JSON value", got })]);
    });

    it("should count undefined as absent, at any depth", () => {
      const schema = object({ type: "object", properties: { a: { type: "string" }, b: { default: 1 } } });
      const value = valid(schema, { x: { a: undefined, b: undefined }, y: undefined }) as object;
      expect(JSON.stringify(value)).toBe('{"x":{"b":1}}');
      expect(Object.keys(value)).toEqual(["x"]);
    });
  });

  it("should check every format in no time, whatever a model sends", () => {
    expect(valid(object({ format: "url" }), { x: "http://localhost:8080/a" })).toBeDefined();
    expect(issues(object({ format: "url" }), { x: "a word" })[0]?.expected).toBe("text in the format uri");
    for (const name of [...Object.keys(format), "url"]) {
      const schema = input(object({ type: "string", format: name }));
      for (const begin of ["", "http://", "a@", "/", "{", '"', "[::"]) {
        for (const part of ["a", "a.", "a-", "1.", ":", "/", "%41", "@", "{a}", "~0", " ", '\\"', "0"]) {
          for (const end of ["", "!", "\n"]) check(schema, { x: begin + part.repeat(500) + end });
        }
      }
    }
  });

  describe("names that objects have by nature", () => {
    const names = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"];
    const all = Object.fromEntries(
      names.filter((name) => name !== "__proto__").map((name) => [name, { type: "integer" }]),
    );
    const schema = JSON.parse(
      `{"type": "object", "properties": {"__proto__": {"type": "integer"}, "list": {"enum": [["a"], {"a": 1}]}}, "additionalProperties": false}`,
    ) as JsonSchemaObject;
    Object.assign(schema.properties as object, all);

    it.each(names)("should be absent where nobody gave them, and plain data where given: %s", (name) => {
      expect(valid(schema, {})).toEqual({});
      const given = JSON.parse(`{${JSON.stringify(name)}: "5"}`) as object;
      const value = valid(schema, given) as object;
      expect(Object.getOwnPropertyDescriptor(value, name)?.value).toBe(5);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(issues(schema, JSON.parse(`{${JSON.stringify(name)}: "x"}`))[0]?.got).toBe('string "x"');
      expect(issues({ ...schema, required: [name] }, {})[0]).toMatchObject({ path: name, got: "missing" });
    });

    it("should not be called by comparisons", () => {
      for (const list of [{ toString: 1, valueOf: 2 }, { constructor: {}, a: 1 }, [{ toString: null }]]) {
        expect(check(schema, { list }).success).toBe(false);
      }
    });

    it("should not reach any prototype from a text", () => {
      valid(object({ type: "object" }), {
        x: '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
      });
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
  });

  it("should change no input, and give back what needs no change", () => {
    const schema = input(
      object({
        type: "object",
        properties: { n: { type: "integer" }, s: { type: "string" }, list: { items: { type: "integer" } } },
      }),
    );
    const kept = Object.freeze({ list: Object.freeze([1]), s: "a" });
    const fitting = Object.freeze({ x: kept });
    expect(valid(schema, fitting)).toBe(fitting);
    const wrong = Object.freeze({ x: Object.freeze({ n: "1", s: null, list: Object.freeze(["2"]) }) });
    expect(valid(schema, wrong)).toEqual({ x: { n: 1, list: [2] } });
    expect(wrong).toEqual({ x: { n: "1", s: null, list: ["2"] } });
    const preset = schema.withPresets({ key: 1 });
    expect(valid(preset, fitting)).toEqual({ x: kept, key: 1 });
    expect(valid(input({ a: "integer = 1", "b?": "object" }), Object.freeze({ b: kept }))).toEqual({ a: 1, b: kept });
  });
});
