import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { engines, on } from "./support.ts";

describe.each(engines)("on %s", (_engine, validator) => {
  const { issues, valid } = on(validator);

  const counted: JsonSchema = { type: "object", properties: { n: { type: "integer", default: 1 } } };

  function object(properties: Record<string, JsonSchema>, more: JsonSchemaObject = {}): JsonSchemaObject {
    return { type: "object", properties, ...more };
  }

  describe("defaults of a JSON Schema", () => {
    it.each<[string, JsonSchemaObject, unknown, unknown]>([
      ["where the property is missing", object({ a: { default: 1 } }), {}, { a: 1 }],
      ["not where it is given", object({ a: { default: 1 } }), { a: 0 }, { a: 0 }],
      ["not where it is null", object({ a: { default: 1 } }), { a: null }, { a: null }],
      ["none where a null says so", object({ a: { type: "string", default: null } }), {}, {}],
      ["null where it fits", object({ a: { type: ["string", "null"], default: null } }), {}, { a: null }],
      ["in nested objects that are there", object({ a: counted }), { a: {} }, { a: { n: 1 } }],
      ["not in objects that aren't", object({ a: counted }), {}, {}],
      ["in defaults", object({ a: { ...counted, default: {} } }), {}, { a: { n: 1 } }],
      [
        "in items",
        object({ a: { type: "array", items: counted } }),
        { a: [{}, { n: 2 }] },
        { a: [{ n: 1 }, { n: 2 }] },
      ],
      ["in other properties", object({}, { additionalProperties: counted }), { x: {} }, { x: { n: 1 } }],
      ["through $ref", object({ a: { $ref: "#/$defs/c" } }, { $defs: { c: counted } }), { a: {} }, { a: { n: 1 } }],
      ["of what $ref leads to", object({ a: { $ref: "#/$defs/c" } }, { $defs: { c: { default: 5 } } }), {}, { a: 5 }],
      ["beside $ref", object({ a: { $ref: "#/$defs/c", default: 7 } }, { $defs: { c: { default: 5 } } }), {}, { a: 7 }],
      ["in allOf", object({}, { allOf: [counted] }), {}, { n: 1 }],
      [
        "false, 0 and empty text",
        object({ a: { default: false }, b: { default: 0 }, c: { default: "" } }),
        {},
        { a: false, b: 0, c: "" },
      ],
      [
        "in the branch that fits",
        object(
          {},
          {
            anyOf: [
              object({ kind: { const: "a" }, x: { default: "of a" } }, { required: ["kind"] }),
              object({ kind: { const: "b" }, x: { default: "of b" } }, { required: ["kind"] }),
            ],
          },
        ),
        { kind: "b" },
        { kind: "b", x: "of b" },
      ],
      ["where it is required", object({ a: { type: "integer", default: 1 } }, { required: ["a"] }), {}, { a: 1 }],
      ["after coercion", object({ a: counted }), { a: "{}" }, { a: { n: 1 } }],
    ])("%s", (_what, schema, input, wanted) => {
      expect(valid(schema, input)).toEqual(wanted);
    });

    it("should be copies, and leave the input alone", () => {
      const list = { default: [1] };
      const schema = object({ a: list });
      const input = Object.freeze({});
      const first = valid(schema, input) as { a: number[] };
      first.a.push(2);
      expect(valid(schema, input)).toEqual({ a: [1] });
      expect(list).toEqual({ default: [1] });
    });

    it("should not go on without end in a schema of itself", () => {
      const node = object({ next: { $ref: "#/$defs/node", default: {} }, n: { default: 1 } });
      const schema = { ...object({ node: { $ref: "#/$defs/node" } }), $defs: { node } };
      expect(valid(schema, { node: {} })).toMatchObject({ node: { n: 1, next: { n: 1 } } });
    });

    it("should not hide what else is wrong", () => {
      expect(issues(object({ a: { default: 1 }, b: { type: "string" } }), { b: 2 })[0]?.path).toBe("b");
    });
  });
});
