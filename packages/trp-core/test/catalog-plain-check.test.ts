import type { JsonSchemaObject } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { toInputSchema } from "@toolglot/schema";
import fc from "fast-check";
import { expect, it } from "vitest";
import { plainCheck } from "../src/catalog/plain-check.ts";

const text = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "😀", "😀😀", "e\u0301", "1"),
  fc.string({ unit: "binary" }),
);
const number = fc.oneof(fc.constantFrom(0, -0, 1, 2.5, -1, 1e21, 3), fc.double({ noNaN: true }));
const name = fc.constantFrom("a", "b", "constructor", "__proto__", "toString");
const small = fc.integer({ min: 0, max: 3 });
const said = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });

/** Without the members that were left out. */
function written(schema: Record<string, unknown>): JsonSchemaObject {
  return JSON.parse(JSON.stringify(schema));
}

const { schema: anySchema } = fc.letrec<{ schema: JsonSchemaObject; object: JsonSchemaObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc
      .record({
        type: fc.constant("string"),
        minLength: said(small),
        maxLength: said(small),
        enum: said(fc.uniqueArray(text, { minLength: 1, maxLength: 3 })),
        description: said(text),
      })
      .map(written),
    fc
      .record({
        type: fc.constantFrom("number", "integer"),
        minimum: said(small),
        maximum: said(small),
        exclusiveMinimum: said(small),
        exclusiveMaximum: said(small),
        enum: said(fc.constant([0, 1, 2.5])),
      })
      .map(written),
    fc.constantFrom<JsonSchemaObject>({ type: "boolean" }, { type: "null" }, { type: "string", const: "a" }),
    fc
      .record({ type: fc.constant("array"), items: tie("schema"), minItems: said(small), maxItems: said(small) })
      .map(written),
    tie("object"),
  ),
  object: fc
    .record({
      members: fc.uniqueArray(fc.tuple(name, tie("schema")), { selector: ([key]) => key, maxLength: 3 }),
      required: fc.subarray(["a", "b", "constructor"]),
      closed: fc.boolean(),
    })
    .map(({ members, required, closed }) => ({
      type: "object",
      properties: Object.fromEntries(members) as Record<string, JsonSchemaObject>,
      required: required.filter((key) => members.some(([own]) => own === key)),
      ...(closed ? { additionalProperties: false } : {}),
    })),
}));
const anyObject = fc.record({
  type: fc.constant("object" as const),
  properties: fc.dictionary(fc.constantFrom("a", "b", "constructor"), anySchema, { noNullPrototype: true }),
  required: fc.subarray(["a", "b"]),
  additionalProperties: fc.constant(false),
});

/** A value that has a good chance to fit. */
function valueFor(schema: JsonSchemaObject): fc.Arbitrary<unknown> {
  const other = fc.jsonValue({ maxDepth: 1 });
  switch (schema.type) {
    case "string":
      return fc.oneof(text, ...(schema.enum ? [fc.constantFrom(...schema.enum)] : []), other);
    case "number":
    case "integer":
      return fc.oneof(number, other);
    case "boolean":
    case "null":
      return fc.constantFrom(true, false, null);
    case "array":
      return fc.array(valueFor(schema.items as JsonSchemaObject), { maxLength: 4 });
    default:
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, valueFor(inner as JsonSchemaObject)]),
        ),
        { requiredKeys: [] },
      );
  }
}

it("takes nothing that the engine refuses, fills in or converts", () => {
  let taken = 0;
  fc.assert(
    fc.property(
      anyObject.chain((schema) =>
        fc.tuple(fc.constant(schema as JsonSchemaObject), valueFor(schema as JsonSchemaObject)),
      ),
      ([schema, value]) => {
        const isPlain = plainCheck(schema);
        if (isPlain === undefined || !isPlain(value)) return;
        taken++;
        const result = toInputSchema(schema).validate(value) as { success: boolean };
        expect(result).toStrictEqual({ success: true, value });
      },
    ),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(rounds(30, 100));
});

it.each<[string, JsonSchemaObject]>([
  ["a default", { type: "object", properties: { a: { type: "string", default: "x" } } }],
  ["a pattern", { type: "object", properties: { a: { type: "string", pattern: "^a" } } }],
  ["a format", { type: "object", properties: { a: { type: "string", format: "date" } } }],
  ["a branch", { type: "object", anyOf: [{ required: ["a"] }], properties: { a: { type: "string" } } }],
  ["several types", { type: "object", properties: { a: { type: ["string", "null"] } } }],
  ["anything at all", { type: "object", properties: { a: {} } }],
  ["a list of anything", { type: "object", properties: { a: { type: "array" } } }],
  ["a member that is required and not declared", { type: "object", required: ["a"] }],
])("leaves %s to the engine", (_, schema) => {
  expect(plainCheck(schema)).toBeUndefined();
});

it("takes no object with members of its own kind: inherited, undeclared, not there", () => {
  const isPlain = plainCheck({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
  expect(isPlain?.({ a: "x" })).toBe(true);
  expect(isPlain?.({ a: "x", b: 1 })).toBe(false);
  expect(isPlain?.({})).toBe(false);
  expect(isPlain?.(Object.create({ a: "x" }))).toBe(false);
  expect(
    isPlain?.(
      new (class {
        a = "x";
      })(),
    ),
  ).toBe(false);
});
