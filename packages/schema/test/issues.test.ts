import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { toInputSchema } from "../src/index.ts";
import { engines, on } from "./support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { issues } = on(validator);

  describe("what is told of a fault", () => {
    it.each<[string, JsonSchema, unknown, [string, string, string]]>([
      ["too small", { minimum: 2 }, 1, ["x", "at least 2", "integer 1"]],
      ["too large", { maximum: 2 }, 2.5, ["x", "at most 2", "number 2.5"]],
      ["not more", { exclusiveMinimum: 2 }, 2, ["x", "more than 2", "integer 2"]],
      ["not less", { exclusiveMaximum: 2 }, 2, ["x", "less than 2", "integer 2"]],
      ["no multiple", { multipleOf: 0.1 }, 0.25, ["x", "a multiple of 0.1", "number 0.25"]],
      ["too short", { minLength: 2 }, "é", ["x", "at least 2 characters", "1"]],
      ["too long", { maxLength: 1 }, "😀😀", ["x", "at most 1 characters", "2"]],
      ["another pattern", { pattern: "^a" }, "b", ["x", "text that matches /^a/", 'string "b"']],
      ["another format", { format: "date" }, "b", ["x", "text in the format date", 'string "b"']],
      ["too few items", { minItems: 1 }, [], ["x", "at least 1 items", "0"]],
      ["too many items", { maxItems: 1 }, [1, 2], ["x", "at most 1 items", "2"]],
      ["equal items", { uniqueItems: true }, [1, 1], ["x", "items that all differ", "equal items"]],
      [
        "unknown property",
        { properties: { a: {} }, additionalProperties: false },
        { b: 1 },
        ["x.b", "one of a", "unknown property"],
      ],
      ["any property at all", { additionalProperties: false }, { b: 1 }, ["x.b", "no properties", "unknown property"]],
      [
        "a property with a name of its own",
        { additionalProperties: { type: "string" } },
        { "a b": 1 },
        ['x["a b"]', "string", "integer 1"],
      ],
      ["too few properties", { minProperties: 1 }, {}, ["x", "at least 1 properties", "0"]],
      ["a constant", { const: 1 }, 2, ["x", "1", "integer 2"]],
      ["a list of types", { type: ["string", "null"] }, 2, ["x", "string or null", "integer 2"]],
      [
        "no branch",
        { anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] },
        2,
        ["x", "string or array of integer", "integer 2"],
      ],
      [
        "the branch that is meant",
        { anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] },
        ["a"],
        ["x[0]", "integer", 'string "a"'],
      ],
      [
        "two branches of oneOf",
        { oneOf: [{ type: "integer" }, { minimum: 1 }] },
        2,
        ["x", "a value that fits exactly one form", "one that fits 2"],
      ],
      [
        "a rule without a name",
        { not: { type: "string" } },
        "a",
        ["x", 'a value that keeps the rule {"not":{"type":"string"}}', 'string "a"'],
      ],
      ["a schema that takes nothing", false, 1, ["x", "nothing here", "integer 1"]],
      ["a reference", { $ref: "#/$defs/n" }, "x", ["x", "integer", 'string "x"']],
      ["both sides of allOf", { allOf: [{ minimum: 1 }, { maximum: 0 }] }, 0.5, ["x", "at least 1", "number 0.5"]],
    ])("%s", (_what, schema, value, [path, expected, got]) => {
      const source = { type: "object" as const, properties: { x: schema }, $defs: { n: { type: "integer" as const } } };
      expect(issues(source, { x: value })[0]).toEqual({
        path,
        expected,
        got,
        message: expect.stringMatching(/^x.*: (expected .*, got |unknown property, expected )/),
      });
    });

    it("should look at patterns beside the property's own schema", () => {
      const source = {
        type: "object" as const,
        properties: { n_a: { type: "number" as const } },
        patternProperties: { "^n_": { minimum: 5 } },
      };
      expect(issues(source, { n_a: 1 })).toEqual([expect.objectContaining({ path: "n_a", expected: "at least 5" })]);
    });

    it("should name a format that fails where the length fits", () => {
      const source = {
        type: "object" as const,
        properties: { x: { type: "string" as const, format: "date", minLength: 1 } },
      };
      expect(issues(source, { x: "soon" })[0]?.expected).toBe("text in the format date");
    });

    it("should name the near choice", () => {
      expect(issues({ unit: "'celsius' | 'fahrenheit'" }, { unit: "Celcius" })[0]?.message).toBe(
        'unit: expected one of "celsius", "fahrenheit", got string "Celcius" (did you mean "celsius"?)',
      );
    });

    it("should choose the branch by its constant", () => {
      const source = {
        type: "object" as const,
        properties: {
          act: {
            oneOf: [
              {
                type: "object" as const,
                properties: { kind: { const: "open" }, path: { type: "string" as const } },
                required: ["kind", "path"],
              },
              {
                type: "object" as const,
                properties: { kind: { const: "wait" }, ms: { type: "integer" as const } },
                required: ["kind", "ms"],
              },
            ],
          },
        },
      };
      expect(issues(source, { act: { kind: "wait", ms: "soon" } })).toEqual([
        expect.objectContaining({ path: "act.ms", expected: "integer" }),
      ]);
      expect(issues(source, { act: { kind: "close" } })).toEqual([
        expect.objectContaining({ path: "act.kind", expected: 'one of "open", "wait"', got: 'string "close"' }),
      ]);
      expect(issues(source, { act: {} })).toEqual([expect.objectContaining({ path: "act.kind", got: "missing" })]);
    });

    it("should name what the nearest branch lacks, when no branch fits", () => {
      const lacking = (name: string): object => ({ properties: { [name]: { type: "integer" } }, required: [name] });
      const said = (schema: object, value: unknown): string[] =>
        issues({ type: "object", ...schema }, value).map(({ message }) => message);
      for (const keyword of ["oneOf", "anyOf"]) {
        const two = { [keyword]: [lacking("alpha"), lacking("beta")] };
        expect(said(two, { gamma: 1 })).toEqual([
          "the input: fits none of its forms: alpha is missing (integer); or beta is missing (integer)",
        ]);
        expect(said(two, { alpha: "x" })).toEqual(['alpha: expected integer, got string "x"']);
        const nested = { properties: { at: { type: "object", ...two } }, required: ["at"] };
        expect(said(nested, { at: {} })).toEqual([
          "at: fits none of its forms: at.alpha is missing (integer); or at.beta is missing (integer)",
        ]);
        expect(said({ properties: { at: { [keyword]: [{ type: "string" }, lacking("beta")] } } }, { at: {} })).toEqual([
          "at.beta: missing, expected integer",
        ]);
      }
      expect(said({ anyOf: [{ required: ["a"] }, { required: ["b", "c"] }] }, { c: 1 })).toEqual([
        "the input: fits none of its forms: a is missing (a value); or b is missing (a value)",
      ]);
      const formats = {
        properties: {
          x: {
            anyOf: [
              { type: "string", format: "date" },
              { type: "string", format: "email" },
            ],
          },
        },
      };
      expect(said(formats, { x: "y" })).toEqual([
        'x: fits none of its forms: x: expected text in the format date, got string "y"; or x: expected text in the format email, got string "y"',
      ]);
    });

    it("should never say that a type is expected where that type is", () => {
      const kinds: unknown[] = [
        { anyOf: [{ minProperties: 3 }, { required: ["z"] }] },
        { oneOf: [{ maxProperties: 0 }, { properties: { a: false } }] },
        { not: { required: ["a"] } },
        { allOf: [{ anyOf: [{ const: 1 }, { enum: [[2]] }] }] },
        {
          anyOf: [
            { type: "object", patternProperties: { "^a": { type: "string" } } },
            { type: "array", minItems: 4 },
          ],
        },
        { unevaluatedProperties: false },
        { propertyNames: { maxLength: 0 } },
        { dependentRequired: { a: ["b"] } },
      ];
      for (const schema of kinds) {
        for (const x of [{ a: 1 }, {}, [1], [], "text", 5]) {
          const source = { type: "object" as const, properties: { x: schema as JsonSchemaObject } };
          const result = toInputSchema(source, { validator }).validate({ x }) as {
            success: boolean;
            issues?: { message: string }[];
          };
          for (const { message } of result.issues ?? []) {
            expect(message).not.toMatch(/expected (\w+), got (?:empty )?\1\b/);
            expect(message).not.toContain("any value");
          }
        }
      }
    });

    it("should come to an end in branches of branches", () => {
      const branch = { type: "object", properties: { c: { $ref: "#/$defs/n" } }, required: ["c"] };
      const source = {
        type: "object",
        properties: { x: { $ref: "#/$defs/n" } },
        $defs: { n: { anyOf: [branch, { ...branch, minProperties: 1 }] } },
      };
      expect(issues(source as never, { x: { c: { c: { c: { c: { c: {} } } } } } })).not.toEqual([]);
    });

    it("should name the format rather than its pattern", () => {
      const schema = {
        type: "object" as const,
        properties: { x: { type: "string" as const, format: "email", pattern: "^.+@.+$" } },
      };
      expect(issues(schema, { x: "a" })[0]?.expected).toBe("text in the format email");
    });

    it("should not take any short name for another", () => {
      expect(issues({ a: "string" }, { a: "x", b: 1 })[0]?.message).toBe("b: unknown property, expected one of a");
    });

    it("should not flood: at most 20, and values cut short", () => {
      const many = issues({ list: "integer[]" }, { list: Array.from({ length: 500 }, () => "x".repeat(1000)) });
      expect(many).toHaveLength(20);
      expect(many[0]?.got.length).toBeLessThan(60);
    });
  });
});
