import fc from "fast-check";
import { expect, it } from "vitest";
import { coerceText, type JsonSchema } from "../src/index.ts";

const refused = Symbol("refused");
const read = (text: string, schema?: JsonSchema): unknown => {
  const result = coerceText(text, schema);
  return result.success ? result.value : refused;
};

it.each<[string, JsonSchema | undefined, unknown]>([
  ["3", { type: "integer" }, 3],
  ["3", { type: "number" }, 3],
  ["-0.5", { type: "number" }, -0.5],
  ["1e3", { type: "integer" }, 1000],
  ["3.0", { type: "integer" }, 3],
  ["-0", { type: "integer" }, 0],
  [" 3 ", { type: "integer" }, 3],
  ["\n3\n", { type: "number" }, 3],
  ["9007199254740991", { type: "integer" }, 9007199254740991],
  ["true", { type: "boolean" }, true],
  ["False", { type: "boolean" }, false],
  ["null", { type: "null" }, null],
  ["None", { type: ["integer", "null"] }, null],
  ["[1]", { type: "array" }, [1]],
  ['{"a":[true,"1"]}', { type: "object" }, { a: [true, "1"] }],
  [' [1, "2"] ', { type: "array", items: { type: "integer" } }, [1, "2"]],
  ["[1]", { items: {} }, [1]],
  ['{"a":1}', { properties: { a: {} } }, { a: 1 }],
  // Text stays text where the schema takes it.
  [" 3 ", { type: "string" }, " 3 "],
  ["3", { type: ["string", "integer"] }, "3"],
  ["null", { type: ["string", "null"] }, "null"],
  ["3", { anyOf: [{ type: "integer" }, { type: "string" }] }, "3"],
  ["true", undefined, "true"],
  ["true", true, "true"],
  ["true", {}, "true"],
  ["true", { description: "anything" }, "true"],
  // Unions, literals, references.
  ["3", { anyOf: [{ const: "auto" }, { type: "integer" }] }, 3],
  ["auto", { anyOf: [{ const: "auto" }, { type: "integer" }] }, "auto"],
  ["2", { enum: [1, 2] }, 2],
  ["2", { enum: ["1", "2", 2] }, "2"],
  ["5", { const: 5 }, 5],
  ["[1,2]", { enum: [[1, 2]] }, [1, 2]],
  ["7", { oneOf: [{ type: "boolean" }, { type: "number" }] }, 7],
  ["7", { type: "integer", anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 7],
  ["7", { allOf: [{ type: ["string", "integer"] }, { type: ["integer", "null"] }] }, 7],
  ["null", { type: "integer", nullable: true }, null],
  ["7", { $ref: "#/$defs/n", $defs: { n: { type: "integer" } } }, 7],
])("should read %j by %j as %j", (text, schema, value) => {
  expect(read(text, schema)).toEqual(value);
});

it.each<[string, JsonSchema]>([
  ["007", { type: "integer" }],
  ["0x10", { type: "number" }],
  ["+1", { type: "number" }],
  [".5", { type: "number" }],
  ["5.", { type: "number" }],
  ["1_000", { type: "integer" }],
  ["1,000", { type: "integer" }],
  ["NaN", { type: "number" }],
  ["Infinity", { type: "number" }],
  ["1e400", { type: "number" }],
  ["1e-400", { type: "number" }],
  ["9007199254740993", { type: "integer" }],
  ["9007199254740993", { type: "number" }],
  ["9007199254740993.0", { type: "integer" }],
  ["1e300", { type: "integer" }],
  ["3.5", { type: "integer" }],
  ["", { type: "integer" }],
  ["", { type: ["integer", "null"] }],
  ["3 4", { type: "integer" }],
  ["１２", { type: "integer" }],
  ["yes", { type: "boolean" }],
  ["1", { type: "boolean" }],
  ["TRUE", { type: "boolean" }],
  ["[1", { type: "array" }],
  ["1,2", { type: "array" }],
  ["[9007199254740993]", { type: "array" }],
  ['{"a":1e999}', { type: "object" }],
  ["[1]", { type: "object" }],
  ["{}", { type: "array" }],
  ["c", { enum: ["a", "b"] }],
  ["c", { type: "string", enum: ["a", "b"] }],
  ["x", false],
])("should refuse %j for %j", (text, schema) => {
  expect(read(text, schema)).toBe(refused);
});

it("should not take numbers inside strings for numbers", () => {
  expect(read('["9007199254740993", "a\\"9007199254740993"]', { type: "array" })).toEqual([
    "9007199254740993",
    'a"9007199254740993',
  ]);
});

it("should keep __proto__ a plain key", () => {
  const value = read('{"__proto__":{"polluted":true}}', { type: "object" }) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(value.polluted).toBeUndefined();
});

it("should say what was expected and what came", () => {
  expect(coerceText("abc", { type: ["integer", "null"] })).toEqual({
    success: false,
    issue: {
      path: "",
      expected: "integer or null",
      got: '"abc"',
      message: 'expected integer or null, got "abc"',
    },
  });
  const message = (text: string, schema: JsonSchema): string => {
    const result = coerceText(text, schema);
    return result.success ? "" : result.issue.message;
  };
  expect(message("c", { enum: ["a", 1] })).toBe('expected one of "a", 1, got "c"');
  expect(message("9007199254740993", { type: "integer" })).toContain("(a number that can't be kept exactly)");
  expect(message("[1e-400]", { type: "array" })).toContain("(1e-400: a number that can't be kept exactly)");
  expect(message("[1", { type: "array" })).toContain("(not valid JSON)");
  expect(message("x", { $ref: "#/$defs/n", $defs: { n: { type: "integer" } } })).toContain("expected integer");
  expect(message("x".repeat(500), { type: "integer" }).length).toBeLessThan(120);
});

it("should resolve references in the schema around", () => {
  const root = { $defs: { "a/b": { type: "integer" as const } } };
  expect(coerceText("3", { $ref: "#/$defs/a~1b" }, { root })).toEqual({ success: true, value: 3 });
  expect(coerceText("3", { $ref: "#/$defs/missing" }, { root })).toEqual({ success: true, value: "3" });
  expect(coerceText("3", { $ref: "https://example.org/schema" }, { root })).toEqual({ success: true, value: "3" });
  expect(coerceText("3", { $ref: "#/%zz" }, { root })).toEqual({ success: true, value: "3" });
});

it("should end on schemas that refer to themselves", () => {
  expect(read("3", { $ref: "#" })).toBe(refused);
  const tree: JsonSchema = { anyOf: [{ type: "integer" }, { $ref: "#" }] };
  expect(read("3", { allOf: [tree, { type: "integer" }] })).toBe(3);
  const hostile = { anyOf: Array.from({ length: 9 }, () => ({ allOf: [{ $ref: "#" }, { type: "null" as const }] })) };
  expect(read("3", hostile)).toBe(refused);
});

it("should need little stack for them, wherever it is called", () => {
  const atDepth = (depth: number): unknown => (depth === 0 ? read("3", { $ref: "#" }) : atDepth(depth - 1));
  expect(atDepth(4_000)).toBe(refused);
});

it("should read what JSON wrote, for every value and its type", () => {
  const typed = fc.oneof(
    fc.record({ value: fc.maxSafeInteger() as fc.Arbitrary<unknown>, type: fc.constant("integer" as const) }),
    fc.record({ value: fc.boolean() as fc.Arbitrary<unknown>, type: fc.constant("boolean" as const) }),
    fc.record({
      value: fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((n) => Math.abs(n) < 2 ** 53) as fc.Arbitrary<unknown>,
      type: fc.constant("number" as const),
    }),
    fc.record({ value: fc.array(fc.maxSafeInteger()) as fc.Arbitrary<unknown>, type: fc.constant("array" as const) }),
    fc.record({
      value: fc.dictionary(fc.string(), fc.string()) as fc.Arbitrary<unknown>,
      type: fc.constant("object" as const),
    }),
  );
  fc.assert(
    fc.property(typed, ({ value, type }) => {
      const text = JSON.stringify(value);
      expect(read(text, { type })).toEqual(JSON.parse(text));
      expect(read(text, { type: "string" })).toBe(text);
    }),
  );
});

it("should never throw on text", () => {
  const schema = fc.constantFrom<JsonSchema>({ type: "object" }, { type: "array" }, { type: "number" }, { enum: [1] });
  fc.assert(fc.property(fc.string(), schema, (text, wanted) => void coerceText(text, wanted)));
  expect(read("[".repeat(200_000), { type: "array" })).toBe(refused);
});
