import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsSchema, toInputSchema } from "../src/index.ts";
import { engines, on } from "./support.ts";

function property(spec: string): unknown {
  return argsSchema({ x: spec }).jsonSchema.properties?.x;
}

it("should make an object schema of names, with ? and defaults optional", () => {
  expect(
    argsSchema({ city: "string - City name", "days?": "number = 3", "note?": "string", top: "integer = 5" }).jsonSchema,
  ).toEqual({
    type: "object",
    properties: {
      city: { type: "string", description: "City name" },
      days: { type: "number", default: 3 },
      note: { type: "string" },
      top: { type: "integer", default: 5 },
    },
    required: ["city"],
    additionalProperties: false,
  });
});

describe("one parameter", () => {
  it.each<[string, unknown]>([
    ["string", { type: "string" }],
    ["  integer  ", { type: "integer" }],
    ["boolean - on - or off", { type: "boolean", description: "on - or off" }],
    ["object", { type: "object" }],
    ["any", {}],
    ["string[]", { type: "array", items: { type: "string" } }],
    ["number[][] - rows", { type: "array", items: { type: "array", items: { type: "number" } }, description: "rows" }],
    ['"a" | "b"', { type: "string", enum: ["a", "b"] }],
    [
      "'a - b' | 'c=d' = 'a - b' - choose",
      { type: "string", enum: ["a - b", "c=d"], default: "a - b", description: "choose" },
    ],
    ["string | null", { type: ["string", "null"] }],
    ["string | integer[]", { anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] }],
    ["('a' | 'b')[] = [\"a\"]", { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["a"] }],
    ["'auto' | number = 'auto'", { anyOf: [{ type: "string", enum: ["auto"] }, { type: "number" }], default: "auto" }],
    ["number = -3", { type: "number", default: -3 }],
    ["number = -3 - below zero", { type: "number", default: -3, description: "below zero" }],
    ["string = plain words - said", { type: "string", default: "plain words", description: "said" }],
    ['string = "a - b" - said', { type: "string", default: "a - b", description: "said" }],
    ['object = {"a": " - "} - map', { type: "object", default: { a: " - " }, description: "map" }],
    ["boolean = false", { type: "boolean", default: false }],
    ["string | null = null", { type: ["string", "null"], default: null }],
    ["string -", { type: "string" }],
    ["string - 多个词 — fine", { type: "string", description: "多个词 — fine" }],
  ])("should read %j", (spec, schema) => {
    expect(property(spec)).toEqual(schema);
  });

  it.each<[string, string]>([
    ["str", "expected a type: string, number"],
    ["", "expected a type"],
    ["string city name", 'expected "= default"'],
    ["string-name", 'expected "= default"'],
    ["'a", "no closing quote"],
    ["(string", 'expected ")"'],
    ["string |", "expected a type"],
    ["number = x", "must be JSON"],
    ["number =", "must be JSON"],
    ["integer = 1.5", "does not fit"],
    ["'a' | 'b' = 'c'", "does not fit"],
  ])("should refuse %j", (spec, part) => {
    expect(() => argsSchema({ x: spec }, { name: "t" })).toThrow(TypeError);
    expect(() => argsSchema({ x: spec }, { name: "t" })).toThrow(part);
    expect(() => argsSchema({ x: spec }, { name: "t" })).toThrow('Tool "t"');
  });

  it("should show where it stopped", () => {
    const unchecked: string = "string, name";
    expect(() => argsSchema({ city: unchecked })).toThrow("args.city: ");
    expect(() => argsSchema({ city: unchecked })).toThrow("\n  string, name\n        ^");
  });
});

it("should refuse what is no shorthand", () => {
  expect(() => argsSchema([] as never)).toThrow(TypeError);
  expect(() => argsSchema({ a: 5 as never })).toThrow('must be text like "string - City name"');
  expect(() => argsSchema({ a: "string", "a?": "string" })).toThrow("given twice");
  expect(() => argsSchema({ "?": "string" })).toThrow("needs a name");
});

it("should be told apart from a JSON Schema", () => {
  expect(toInputSchema({ type: "object" }).kind).toBe("json-schema");
  expect(toInputSchema({ type: "object", description: "d" }).kind).toBe("json-schema");
  expect(toInputSchema({ type: "string - a kind" }).kind).toBe("args");
  expect(toInputSchema({ city: "string" }).kind).toBe("args");
});

describe.each(engines)("on %s", (_engine, validator) => {
  const { issues, valid } = on(validator);
  it("should validate, fill in and coerce as any schema", () => {
    const source = { city: "string", "days?": "integer = 3", unit: "'c' | 'f' = 'c'", "tags?": "string[]" };
    expect(valid(source, { city: "Paris" })).toEqual({ city: "Paris", days: 3, unit: "c" });
    expect(valid(source, { city: "Paris", days: "7", tags: '["x"]' })).toEqual({
      city: "Paris",
      days: 7,
      unit: "c",
      tags: ["x"],
    });
    expect(issues(source, { citty: "Paris" })).toEqual([
      expect.objectContaining({ path: "city", got: "missing", message: expect.stringContaining('"citty"') }),
      expect.objectContaining({ path: "citty", message: expect.stringContaining('did you mean "city"?') }),
    ]);
  });

  it("should take parameters of any name", () => {
    const source = JSON.parse('{"__proto__": "integer", "constructor": "string", "a b": "boolean"}') as Record<
      string,
      string
    >;
    const input = JSON.parse('{"__proto__": "1", "constructor": "x", "a b": true}') as unknown;
    const value = valid(source, input) as object;
    expect(Object.keys(value).sort()).toEqual(["__proto__", "a b", "constructor"]);
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe(1);
    expect(({} as Record<string, unknown>)["a b"]).toBeUndefined();
  });
});

it("should read or refuse any text, and give a schema that compiles", () => {
  const piece = fc.constantFrom("string", "number", "'a'", '"b"', "[]", "|", "(", ")", "=", "-", " ", "1", "null", "x");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        expect(argsSchema({ x: pieces.join("") }).jsonSchema.type).toBe("object");
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
    }),
    { numRuns: 2000 },
  );
});
