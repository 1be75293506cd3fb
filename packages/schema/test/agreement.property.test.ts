import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ajvValidator } from "../src/ajv/index.ts";
import { toInputSchema } from "../src/index.ts";
import { interpretingValidator } from "../src/validator.ts";

/** Names that trip up code generators, JSON pointers and URI fragments. */
const name = fc.constantFrom(
  "a",
  "b",
  "constructor",
  "toString",
  "__proto__",
  "length",
  "x/y",
  "~",
  "~1",
  "%",
  "%41",
  "é",
  "#",
  "a b",
  '"',
  "'",
  "",
  "\\",
  "\n",
  "😀",
  "$ref",
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.3, 1.5, 1e21, "", "a", "1", "null", "true", "[1]", '{"a":1}'),
  fc.constantFrom<unknown>("2020-01-01", "2020-13-01", "aa", "😀", "constructor", 1e308, 5e-324),
);

function objectOf<T>(value: fc.Arbitrary<T>, maxKeys: number): fc.Arbitrary<Record<string, T>> {
  return fc
    .array(fc.tuple(name, value), { maxLength: maxKeys })
    .map((entries) =>
      JSON.parse(`{${entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`)}}`),
    );
}

const value: fc.Memo<unknown> = fc.memo((depth) =>
  depth <= 1
    ? leaf
    : fc.oneof(
        { weight: 2, arbitrary: leaf },
        { weight: 1, arbitrary: fc.array(value(depth - 1), { maxLength: 4 }) },
        { weight: 3, arbitrary: objectOf(value(depth - 1), 4) },
      ),
);

const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const count = fc.nat({ max: 3 });

const schema: fc.Memo<JsonSchema> = fc.memo((depth) => {
  if (depth <= 1)
    return fc.oneof(
      fc.boolean(),
      type.map((one) => ({ type: one }) as JsonSchema),
    );
  const sub = schema(depth - 1);
  const parts: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value(2), { maxLength: 3 }),
    const: value(2),
    minimum: fc.constantFrom(0, 0.5, -1),
    exclusiveMaximum: fc.constantFrom(1, 1e21, true),
    maximum: fc.constantFrom(1, 100),
    multipleOf: fc.constantFrom(0.1, 0.5, 2, 1e-7),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "\\d", "^[\\w-.]+$", "\\_|.", "😀"),
    format: fc.constantFrom("date", "email", "date-time", "int32", "toString", "uuid"),
    properties: objectOf(sub, 3),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: sub,
    patternProperties: fc.oneof(
      sub.map((one) => ({ "^a": one })),
      sub.map((one) => ({ "[/~]": one })),
    ),
    propertyNames: fc.constantFrom({ maxLength: 5 }, { pattern: "^[a-z_]" }),
    minProperties: count,
    maxProperties: count,
    dependentRequired: objectOf(fc.uniqueArray(name, { maxLength: 2 }), 2),
    dependentSchemas: objectOf(sub, 1),
    items: fc.oneof(sub, fc.array(sub, { maxLength: 2 })),
    additionalItems: sub,
    prefixItems: fc.array(sub, { maxLength: 2 }),
    contains: sub,
    minContains: count,
    maxContains: count,
    uniqueItems: fc.boolean(),
    minItems: count,
    maxItems: count,
    allOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
    oneOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword
    then: sub,
    else: sub,
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
    $ref: fc.constantFrom("#/$defs/one", "#/$defs/x~1y", "#/$defs/a%20b", "#/$defs/%C3%A9"),
    nullable: fc.boolean(),
    id: fc.constant("urn:x"),
    default: value(2),
  };
  // A few keywords at a time: with more, nearly everything is refused.
  return fc
    .uniqueArray(fc.constantFrom(...Object.keys(parts)), { minLength: 1, maxLength: 4 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, parts[key] as fc.Arbitrary<unknown>]))))
    .map((found) => found as JsonSchema);
});

const root: fc.Arbitrary<JsonSchemaObject> = fc
  .record({
    $schema: fc.constantFrom(
      undefined,
      "http://json-schema.org/draft-04/schema#",
      "http://json-schema.org/draft-07/schema#",
      "https://json-schema.org/draft/2019-09/schema",
    ),
    properties: objectOf(schema(3), 3),
    more: schema(3),
    defs: fc.tuple(schema(2), schema(2)),
  })
  .map(({ $schema, properties, more, defs: [one, other] }) => ({
    ...($schema === undefined ? {} : { $schema }),
    ...(typeof more === "boolean" ? {} : more),
    type: "object",
    properties,
    $defs: { one, "x/y": other, "a b": { type: "string" }, é: { type: "integer" } },
  }));

function defined(
  source: JsonSchemaObject,
  validator: typeof interpretingValidator,
): ReturnType<typeof toInputSchema> | string {
  try {
    return toInputSchema(source, { validator });
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
}

it("should give the same answer on both engines: refusals, values, conversions and issues", () => {
  const tally = { refused: 0, accepted: 0, rejected: 0 };
  fc.assert(
    fc.property(root, fc.array(objectOf(value(3), 4), { minLength: 4, maxLength: 8 }), (source, inputs) => {
      const mine = defined(source, interpretingValidator);
      const theirs = defined(source, ajvValidator());
      if (typeof mine === "string" || typeof theirs === "string") {
        tally.refused++;
        expect(theirs).toBe(mine);
        return;
      }
      for (const input of inputs) {
        const before = structuredClone(input);
        const result = mine.validate(input);
        expect(theirs.validate(input)).toEqual(result);
        expect(input).toEqual(before);
        if (result instanceof Promise) throw new Error("validated asynchronously");
        if (!result.success) tally.rejected++;
        else tally.accepted++;
      }
    }),
    { numRuns: Number(process.env.TOOLGLOT_FUZZ_RUNS ?? 300) },
  );
  // Not one kind of answer alone.
  for (const kind of ["refused", "accepted", "rejected"] as const) expect(tally[kind]).toBeGreaterThan(0);
});
