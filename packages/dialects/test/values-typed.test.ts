import type { JsonSchema, JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readsAsText, type TypedValue, typeJson, typeText } from "../src/values/typed.ts";

const short = ({ value, slips }: TypedValue): [JsonValue, string[]] => [
  value,
  slips.map(({ code, affects }) => `${code} ${affects}`),
];
const text = (value: string, schema?: JsonSchema, mark?: "raw" | "json") =>
  short(typeText(value, schema, schema, mark));
const json = (value: JsonValue, schema?: JsonSchema) => short(typeJson(value, schema, schema));

const integer = { type: "integer" } as const;
const string = { type: "string" } as const;
const either = (...type: ("string" | "integer" | "number" | "boolean" | "null" | "array" | "object")[]) => ({ type });

describe("text by a schema", () => {
  it.each<[string, JsonSchema]>([
    ["null", string],
    ["7", string],
    [" 1.50\n", string],
    ['{"a":1}', string],
    ['"quoted"', string],
    ["", string],
    ["1", { enum: ["1", "2"] }],
    ["x", { enum: ["1", "2"] }],
    ["7", { anyOf: [string, { const: "a" }] }],
    ["7", { $ref: "#/$defs/s", $defs: { s: string } }],
    ["7", { allOf: [string, { minLength: 1 }] }],
    // What fits no other member.
    ["x", either("string", "integer", "null")],
    ["7.5", either("string", "integer")],
    ["yes", either("string", "boolean")],
    ["007", either("string", "integer")],
    ["+4915112345", either("string", "integer")],
    ["1_000", either("string", "number")],
    ["12345678901234567890", either("string", "integer")],
    ['"7"', either("string", "integer")],
    ["7", { enum: ["auto", 2] }],
    ["[1", either("string", "array")],
    ["null", either("string", "integer")],
    ["TRUE", either("string", "boolean")],
  ])("%s stays text for %j", (value, schema) => {
    expect(text(value, schema)).toEqual([value, []]);
  });

  it.each<[string, JsonSchema, JsonValue, ...string[]]>([
    ["3", integer, 3],
    [" 3\n", integer, 3],
    ["-0.5", either("number"), -0.5],
    ["1.50", either("number"), 1.5],
    ["100.0", either("number"), 100],
    ["100.0", integer, 100, "coerced none"],
    ["1e3", integer, 1000, "coerced none"],
    ["007", integer, 7, "coerced none"],
    ["-007.5", either("number"), -7.5, "coerced none"],
    ["+3", integer, 3, "python-literal none"],
    ["1_000", integer, 1000, "python-literal none"],
    ["0x1f", integer, 31, "python-literal none"],
    ["true", either("boolean"), true],
    ["False", either("boolean"), false, "python-literal none"],
    ["TRUE", either("boolean"), true, "coerced none"],
    ["null", either("null"), null],
    ["NULL", either("integer", "null"), null, "coerced none"],
    ["None", either("integer", "null"), null, "python-literal none"],
    ["null", either("string", "null"), null],
    ["Null", either("string", "null"), null, "coerced none"],
    ["null", integer, null],
    ["null", { type: "integer", nullable: true }, null],
    ["7", either("string", "integer"), 7],
    ["7", { anyOf: [string, integer] }, 7],
    ["7", { oneOf: [{ const: "auto" }, integer] }, 7],
    ["2", { enum: ["auto", 2] }, 2],
    ["5", { const: 5 }, 5],
    ["7", { allOf: [either("string", "integer"), either("integer", "null")] }, 7],
    ["7", { $ref: "#/$defs/n", $defs: { n: integer } }, 7],
    ["true", either("string", "boolean"), true],
    ["[1, 2]", either("array"), [1, 2]],
    ["[1, 2]", { items: integer }, [1, 2]],
    ["(1, 'a')", either("array"), [1, "a"], "python-literal none"],
    ["['a', True]", either("array"), ["a", true], "python-literal none"],
    ["{'a': 0x1f}", either("object"), { a: 31 }, "python-literal none"],
    ['{"a": "x\ny",}', either("object"), { a: "x\ny" }, "json-repaired none", "json-repaired structure"],
    ['{"a": 1}', { properties: { a: {} } }, { a: 1 }],
    ['{"a": 1}', either("string", "object"), { a: 1 }],
    ['["1", "x"]', { type: "array", items: integer }, [1, "x"], "coerced value"],
    ['"7"', integer, 7, "coerced value"],
    ["'7'", integer, 7, "coerced value"],
    ["12345678901234567890", integer, "12345678901234567890", "inexact-number value"],
    [" 0.12345678901234567890 ", either("number"), "0.12345678901234567890", "inexact-number value"],
    ["NaN", either("number"), "NaN", "inexact-number value"],
    ["0012345678901234567890", integer, "0012345678901234567890", "inexact-number value"],
    ["[1e999]", either("array"), ["1e999"], "inexact-number value"],
    // What does not fit.
    ["yes", either("boolean"), "yes", "type-mismatch value"],
    [" abc ", integer, " abc ", "type-mismatch value"],
    ["7.5", integer, "7.5", "type-mismatch value"],
    ["", integer, "", "type-mismatch value"],
    ["[1", either("array"), "[1", "type-mismatch value"],
    ["1", either("boolean"), "1", "type-mismatch value"],
    ["NaN", either("boolean"), "NaN", "type-mismatch value"],
    ["3", { enum: [1, 2] }, "3", "type-mismatch value"],
    ["os.getcwd()", either("object"), "os.getcwd()", "type-mismatch value"],
    ["7", false, "7", "type-mismatch value"],
  ])("%s for %j", (value, schema, expected, ...slips) => {
    expect(text(value, schema)).toEqual([expected, slips]);
  });

  it.each([undefined, true, {}, { description: "anything" }, { $ref: "#/nowhere" }, { $ref: "#" }])(
    "has the type of its form without a schema: %j",
    (schema) => {
      expect(text("7", schema)).toEqual([7, []]);
      expect(text(' {"a": [null]} ', schema)).toEqual([{ a: [null] }, []]);
      expect(text('"x"', schema)).toEqual(["x", []]);
      expect(text("'x'", schema)).toEqual(["x", ["python-literal none"]]);
      expect(text("(1, None)", schema)).toEqual([[1, null], ["python-literal none"]]);
      expect(text("[1,]", schema)).toEqual([[1], ["python-literal none"]]);
      expect(text("NaN", schema)).toEqual(["NaN", ["inexact-number value"]]);
      for (const value of [
        "x",
        " x ",
        "{a: 1}",
        "[1 2]",
        "007",
        "TRUE",
        "1 2",
        "f(x)",
        "",
        "'it's'",
        '{"a": "x\ny"}x',
      ]) {
        expect(text(value, schema)).toEqual([value, []]);
      }
    },
  );

  it("obeys the dialect's mark", () => {
    expect(text("7", undefined, "raw")).toEqual(["7", []]);
    expect(text(" null", string, "raw")).toEqual([" null", []]);
    expect(text("7", integer, "raw")).toEqual([7, ["coerced value"]]);
    expect(text("x", integer, "raw")).toEqual(["x", []]);
    expect(text("7", undefined, "json")).toEqual([7, []]);
    expect(text("7", string, "json")).toEqual([7, []]);
    expect(text('"7"', string, "json")).toEqual(["7", []]);
    expect(text('["7"]', { items: integer }, "json")).toEqual([[7], ["coerced value"]]);
    expect(text("[1,]", undefined, "json")).toEqual([[1], ["json-repaired structure"]]);
    expect(text("(1,)", undefined, "json")).toEqual([[1], ["python-literal none"]]);
    expect(text("SF", undefined, "json")).toEqual(["SF", ["type-mismatch value"]]);
  });
});

describe("JSON by a schema", () => {
  it.each<[JsonValue, JsonSchema]>([
    ["7", string],
    ["7", either("string", "integer")],
    ["7", true],
    ["7", {}],
    ["7", false],
    ["null", either("null")],
    ["x", integer],
    [7, string],
    [7.5, integer],
    [null, integer],
    [["7"], { items: string }],
    [{ a: "7" }, { properties: { b: integer } }],
    [{ a: "7" }, { additionalProperties: false }],
    [{ a: "7" }, { anyOf: [{ properties: { a: integer } }, { properties: { a: string } }] }],
    ["12345678901234567890", integer],
  ])("%j stays for %j", (value, schema) => {
    expect(json(value, schema)).toEqual([value, []]);
  });

  it.each<[JsonValue, JsonSchema, JsonValue, ...string[]]>([
    ["7", integer, 7],
    [" 7 ", integer, 7],
    ["7", either("integer", "null"), 7],
    ["true", either("boolean"), true],
    ["[1]", either("array"), [1]],
    ['{"a": "2"}', { type: "object", properties: { a: integer } }, { a: 2 }],
    [{ a: "7", b: "7" }, { properties: { a: integer } }, { a: 7, b: "7" }],
    [{ a: "7" }, { additionalProperties: integer }, { a: 7 }],
    [
      { a: { b: ["7", "x"] } },
      { properties: { a: { properties: { b: { items: integer } } } } },
      { a: { b: [7, "x"] } },
    ],
    [["7", "7", "7"], { prefixItems: [string, integer], items: { type: "boolean" } }, ["7", 7, "7"]],
    [{ a: "7" }, { anyOf: [{ type: "null" }, { properties: { a: integer } }] }, { a: 7 }],
    [{ a: "7" }, { allOf: [{ properties: { a: integer } }] }, { a: 7 }],
    [
      { n: { n: { v: "1" } } },
      { $ref: "#/$defs/t", $defs: { t: { properties: { v: integer, n: { $ref: "#/$defs/t" } } } } },
      { n: { n: { v: 1 } } },
    ],
    ["007", integer, 7, "coerced none"],
    ["True", either("boolean"), true, "python-literal none"],
  ])("%j for %j", (value, schema, expected, ...slips) => {
    expect(json(value, schema)).toEqual([expected, [...slips, "coerced value"]]);
  });

  it("keeps keys that objects are born with, and leaves the value given as it is", () => {
    const value = JSON.parse('{"__proto__": "7", "b": "7"}') as JsonValue;
    const typed = typeJson(value, { additionalProperties: integer }, undefined).value;
    expect(JSON.stringify(typed)).toBe('{"__proto__":7,"b":7}');
    expect(JSON.stringify(value)).toBe('{"__proto__":"7","b":"7"}');
  });

  it("reads back any JSON as the same where the schema says nothing or says what it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const written = JSON.stringify(value);
        const same = JSON.parse(written) as JsonValue;
        expect(JSON.stringify(typeText(written, undefined, undefined).value)).toBe(written);
        expect(JSON.stringify(typeJson(same, {}, undefined).value)).toBe(written);
        const kind = same === null ? "null" : Array.isArray(same) ? "array" : typeof same;
        if (kind === "string") return;
        const typed = typeText(written, { type: kind as "object" }, undefined);
        expect([JSON.stringify(typed.value), typed.slips]).toEqual([written, []]);
      }),
    );
  });
});

it("knows which schemas take any text as a string", () => {
  const root = { $defs: { s: string } };
  for (const schema of [
    string,
    { enum: ["a", "b"] },
    { const: "a" },
    { $ref: "#/$defs/s" },
    { anyOf: [string, string] },
  ]) {
    expect(readsAsText(schema, root)).toBe(true);
  }
  for (const schema of [
    undefined,
    true,
    false,
    {},
    integer,
    either("string", "null"),
    { ...string, nullable: true },
    { enum: ["a", 1] },
  ]) {
    expect(readsAsText(schema, root)).toBe(false);
  }
});

it("ends with schemas that go round, and with values of a megabyte", () => {
  const round: JsonSchema = { anyOf: [{ $ref: "#" }, { $ref: "#" }], items: { $ref: "#" } };
  expect(text("[[7]]", round)).toEqual([[[7]], []]);
  const list = JSON.stringify(Array.from({ length: 200_000 }, () => "1"));
  expect((typeText(list, { items: integer }, undefined).value as JsonValue[])[0]).toBe(1);
  typeText("[".repeat(1_000_000), either("array"), undefined);
  typeText('"\\'.repeat(500_000), integer, undefined);
  typeText(`${"'".repeat(1_000_000)}`, integer, undefined);
});
