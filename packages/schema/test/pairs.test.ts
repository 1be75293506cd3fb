import type { JsonSchemaObject } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type InputSource, toInputSchema } from "../src/index.ts";
import { engines, on } from "./support.ts";

// Both sides of what belongs together: what a library takes and the schema that a model is shown; what is coerced and what is valid.

/** The same input, by each door. */
const doors: Record<string, InputSource> = {
  zod: z.object({ name: z.string(), age: z.int().min(0).max(150), tags: z.array(z.enum(["a", "b"])).optional() }),
  valibot: v.object({
    name: v.string(),
    age: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(150)),
    tags: v.optional(v.array(v.picklist(["a", "b"]))),
  }),
  arktype: type({ name: "string", age: "0 <= number.integer <= 150", "tags?": "('a' | 'b')[]" }),
  "JSON Schema": {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer", minimum: 0, maximum: 150 },
      tags: { type: "array", items: { enum: ["a", "b"] } },
    },
    required: ["name", "age"],
  },
};

const field = fc.oneof(
  fc.string(),
  fc.integer({ min: -5, max: 200 }),
  fc.constantFrom("7", "1e1", " 3", "a", true, null, [], ["a"], ["b", "a"], '["a"]', "[1]", 1.5, {}),
);
const values = fc.oneof(
  fc.record(
    { name: fc.string(), age: fc.integer({ min: 0, max: 150 }), tags: fc.array(fc.constantFrom("a", "b")) },
    { requiredKeys: ["name", "age"] },
  ),
  fc.record({ name: field, age: field, tags: field, more: field }, { requiredKeys: [] }),
);
const numRuns = rounds(150, 3_000);

describe.each(engines)("on %s", (_engine, validator) => {
  const { check } = on(validator);
  const inputs = Object.entries(doors).map(([door, source]) => [door, toInputSchema(source, { validator })] as const);

  it.each(inputs)("what %s takes / what the schema takes that a model is shown", (_door, input) => {
    const shown = toInputSchema(input.jsonSchema as JsonSchemaObject, { validator });
    fc.assert(
      fc.property(values, (value) => {
        const [own, its] = [check(input, value), check(shown, value)];
        expect(its.success, JSON.stringify(its)).toBe(own.success);
        if (own.success && its.success) expect(its.value).toMatchObject(own.value as object);
        // Each is refused where the other one is.
        if (!own.success && !its.success)
          expect(its.issues.map(({ path }) => path).sort()).toEqual(own.issues.map(({ path }) => path).sort());
      }),
      { numRuns },
    );
  });

  it.each(inputs)("what is coerced by %s / the same, which is valid as it is", (_door, input) => {
    fc.assert(
      fc.property(values, (value) => {
        const before = structuredClone(value);
        const first = check(input, value);
        expect(value).toEqual(before);
        if (!first.success) return;
        const again = check(input, first.value);
        expect(again).toMatchObject({ success: true, value: first.value });
        expect((again as { conversions?: unknown[] }).conversions ?? []).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("what one door gives / what each other door gives", () => {
    fc.assert(
      fc.property(values, (value) => {
        const results = inputs.map(([, input]) => check(input, value));
        expect(new Set(results.map(({ success }) => success)).size, JSON.stringify(value)).toBe(1);
      }),
      { numRuns },
    );
  });
});
