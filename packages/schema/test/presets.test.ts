import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { InputSource } from "../src/index.ts";
import { engines, on } from "./support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { input, issues, valid } = on(validator);

  const sources: [string, InputSource][] = [
    ["zod", z.object({ key: z.string(), city: z.string(), n: z.number().default(1) })],
    ["valibot", v.object({ key: v.string(), city: v.string(), n: v.optional(v.number(), 1) })],
    ["args", { key: "string", city: "string", n: "number = 1" }],
  ];

  describe.each(sources)("presets over %s", (_library, source) => {
    const schema = input(source).withPresets({ key: "secret" });

    it("should vanish from properties and required", () => {
      expect(Object.keys(schema.jsonSchema.properties ?? {})).toEqual(["city", "n"]);
      expect(schema.jsonSchema.required).toEqual(["city"]);
      expect(input(source).jsonSchema.required).toContain("key");
    });

    it("should be there when validated", () => {
      expect(valid(schema, { city: "Paris", n: "2" })).toEqual({ key: "secret", city: "Paris", n: 2 });
      expect(issues(schema, {})).toEqual([expect.objectContaining({ path: "city" })]);
    });

    it("should be refused when one has a wrong type", () => {
      expect(() => input(source, { name: "t" }).withPresets({ key: 5 })).toThrow(
        "the preset key must be string, not integer 5",
      );
    });

    it("should take what the schema doesn't declare, and what is no JSON", () => {
      const service = { run: () => 1 };
      const more = schema.withPresets({ service });
      expect(valid(more, { city: "Paris" })).toEqual({ key: "secret", city: "Paris", n: 1, service });
      expect((valid(more, { city: "Paris" }) as { service: unknown }).service).toBe(service);
    });
  });

  it("should leave out required when nothing is required any more", () => {
    expect(input({ a: "string" }).withPresets({ a: "x" }).jsonSchema).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    });
  });

  it("should vanish from the branches of the root", () => {
    const branch = (name: string) => ({
      type: "object" as const,
      properties: { key: {}, [name]: {} },
      required: ["key", name],
    });
    const schema = input({ anyOf: [branch("a"), branch("b")] }).withPresets({ key: 1 });
    expect(schema.jsonSchema.anyOf).toEqual([
      { type: "object", properties: { a: {} }, required: ["a"] },
      { type: "object", properties: { b: {} }, required: ["b"] },
    ]);
  });
});
