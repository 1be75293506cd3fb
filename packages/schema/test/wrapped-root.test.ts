import { toInputSchema } from "@toolglot/schema";
import { expect, it } from "vitest";
import { z } from "zod";

const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

it.each([
  { type: "object", function: { name: "test", parameters } },
  { type: "object", parameters },
  { type: "object", name: "test", description: "d", input_schema: parameters },
  { type: "object", inputSchema: parameters, required: ["a"] },
  { type: "object", additionalProperties: false, parameters },
  { type: "object", $defs: {}, function: { name: "test" } },
  { type: "object", schema: z.object({ a: z.string() }) },
])("should refuse a wrapping that says to be an object, and name both shapes: %j", (given) => {
  expect(() => toInputSchema(given as never, { name: "t" })).toThrow(TypeError);
  expect(() => toInputSchema(given as never, { name: "t" })).toThrow(
    /Pass \{ type: "object", properties \}, or .*\{ type: "function", function: \{ name, description, parameters \} \}/,
  );
});

it.each([
  { type: "object" },
  { type: "object", title: "t", "x-own": {} },
  { type: "object", properties: { function: { type: "string" }, parameters: { type: "object" } } },
  { type: "object", properties: {}, parameters: {} },
  { type: "object", allOf: [parameters] },
  { type: "function", function: { name: "test", parameters } },
])("should take what is none: %j", (given) => {
  expect(toInputSchema(given as never, { name: "t" }).jsonSchema.type).toBe("object");
});
