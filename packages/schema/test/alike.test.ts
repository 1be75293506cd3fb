import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type InputSource, toInputSchema } from "../src/index.ts";
import { type Feature, features } from "./alike.sources.ts";
import { engines, on } from "./support.ts";

const libraries = ["zod", "valibot", "arktype", "JSON Schema", "shorthand"] as const;

const written = features.flatMap(({ says, sources, cases }) =>
  libraries.flatMap((library) => {
    const source = sources[library];
    return "cannot" in source && Object.keys(source).length === 1
      ? []
      : [{ says, library, source: source as InputSource, cases: cases as Feature["cases"] }];
  }),
);

describe.each(engines)("on %s", (_engine, validator) => {
  const { check, valid, issues, input } = on(validator);

  it.each(written)("$says, in $library", ({ source, cases }) => {
    const schema = input(source);
    for (const [given, outcome] of cases) {
      const before = structuredClone(given);
      const result = check(schema, given);
      const where = JSON.stringify(given);
      if ("issues" in outcome) {
        expect(
          result.success ? result : result.issues.map(({ path, expected, got }) => [path, expected, got]),
          where,
        ).toEqual(outcome.issues);
      } else {
        const { value, conversions } = outcome;
        const changes = result.success && result.conversions?.map(({ path, from, to }) => `${path}: ${from} to ${to}`);
        expect(result, where).toMatchObject({ success: true });
        expect(result.success && result.value, where).toEqual(value);
        expect(changes, where).toEqual(conversions);
      }
      expect(given).toEqual(before);
    }
  });

  // What follows is in the README: differences that lie in the libraries.
  describe("differences that stay", () => {
    it("should pass on undeclared parameters, or drop them, as the library does; the shorthand refuses them", () => {
      const given = { a: "x", b: 1 };
      expect(valid(z.object({ a: z.string() }), given)).toEqual({ a: "x" });
      expect(valid(v.object({ a: v.string() }), given)).toEqual({ a: "x" });
      expect(valid(type({ a: "string" }), given)).toEqual(given);
      expect(valid({ type: "object", properties: { a: { type: "string" } } }, given)).toEqual(given);
      expect(issues({ a: "string" }, given)[0]?.path).toBe("b");
    });

    it("should name choices and types of a union in the order the library gives", () => {
      expect(issues(z.object({ a: z.union([z.number(), z.boolean()]) }), { a: "x" })[0]?.expected).toBe(
        "number or boolean",
      );
      expect(issues(type({ a: "number | boolean" }), { a: "x" })[0]?.expected).toBe("number or boolean");
    });

    it("should give a failed check of the library in the library's words", () => {
      const even = (n: number): boolean => n % 2 === 0;
      expect(issues(z.object({ a: z.number().refine(even) }), { a: 3 })[0]?.expected).toBe("Invalid input");
      expect(issues(v.object({ a: v.pipe(v.number(), v.check(even)) }), { a: 3 })[0]?.expected).toMatch(
        /^Invalid input/,
      );
      expect(issues(type({ a: type("number").narrow(even) }), { a: 3 })[0]?.path).toBe("a");
      // None of them is told to the model beforehand.
      for (const source of [
        z.object({ a: z.number().refine(even) }),
        v.object({ a: v.pipe(v.number(), v.check(even)) }),
        type({ a: type("number").narrow(even) }),
      ]) {
        expect(toInputSchema(source).jsonSchema.properties).toEqual({ a: { type: "number" } });
      }
    });

    it("should give a value of the library's own making, where JSON Schema gives what it got", () => {
      const given = { a: "x" };
      expect(valid({ type: "object", properties: { a: { type: "string" } } }, given)).toBe(given);
      expect(valid({ a: "string" }, given)).toBe(given);
      expect(valid(type({ a: "string" }), given)).toBe(given);
      expect(valid(z.object({ a: z.string() }), given)).not.toBe(given);
      expect(valid(v.object({ a: v.string() }), given)).not.toBe(given);
    });
  });
});

it("should show the same schema to a model, whoever wrote it", () => {
  for (const { says, library, source } of written) {
    const { jsonSchema } = toInputSchema(source);
    expect(jsonSchema.type, `${says} ${library}`).toBe("object");
    expect(jsonSchema, `${says} ${library}`).not.toHaveProperty("$schema");
    expect(JSON.stringify(jsonSchema), `${says} ${library}`).not.toContain('"title"');
    const same = toInputSchema(
      features.find((feature) => feature.says === says)?.sources["JSON Schema"] as InputSource,
    ).jsonSchema;
    expect(Object.keys(jsonSchema.properties ?? {}), `${says} ${library}`).toEqual(Object.keys(same.properties ?? {}));
    expect(jsonSchema.required, `${says} ${library}`).toEqual(same.required);
  }
});

it("should show the defaults of each library", () => {
  const wanted = { n: { type: "integer", default: 3 }, unit: { default: "c", enum: ["c", "f"] } };
  const { sources } = features.find(({ says }) => says === "a default") as Feature;
  for (const library of libraries) {
    expect(toInputSchema(sources[library] as InputSource).jsonSchema.properties, library).toMatchObject(wanted);
  }
});

it("should refuse what arktype and the others have no JSON for, rather than show {}", () => {
  for (const source of [
    type({ "at?": "Date" }),
    type({ at: "string | Date" }),
    type({ at: type.instanceOf(Map) }),
    z.object({ at: z.date() }),
    z.object({ at: z.bigint() }),
    v.object({ at: v.date() }),
    v.object({ at: v.bigint() }),
    v.object({ at: v.custom<string>((value) => typeof value === "string") }),
  ]) {
    expect(() => toInputSchema(source, { name: "t" })).toThrow(/Tool "t": .* at at: /);
  }
});
