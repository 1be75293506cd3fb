import { scope, type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { InputSource } from "../src/index.ts";

/** What a case expects: the value a tool gets, or path, expected and got of each issue. */
export type Outcome =
  | { value: unknown; conversions?: string[] }
  | { issues: [path: string, expected: string, got: string][] };

/** One thing a schema says, in each of five ways, or why one can't say it. */
export interface Feature {
  says: string;
  sources: Record<"zod" | "valibot" | "arktype" | "JSON Schema" | "shorthand", InputSource | { cannot: string }>;
  cases: [input: unknown, outcome: Outcome][];
}

const noNesting = { cannot: "the shorthand names types of parameters, not of what is inside objects" };
const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

interface Tree {
  name: string;
  kids?: Tree[];
}
const zodTree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get kids() {
    return z.array(zodTree).optional();
  },
}) as z.ZodType<Tree>;
const valibotTree: v.GenericSchema<Tree> = v.object({
  name: v.string(),
  kids: v.optional(v.array(v.lazy(() => valibotTree))),
}) as v.GenericSchema<Tree>;
const arktypeScope = scope({
  tree: { name: "string", "kids?": "tree[]" },
  forest: { root: "tree" },
  item: { sku: "string", "count?": "number.integer" },
  pair: { first: "item", second: "item" },
}).export();
const zodItem = z.object({ sku: z.string(), count: z.int().optional() }).meta({ id: "alike-item" });
const valibotItem = v.object({ sku: v.string(), count: v.optional(v.pipe(v.number(), v.integer())) });

export const features: Feature[] = [
  {
    says: "a required text",
    sources: {
      zod: z.object({ a: z.string() }),
      valibot: v.object({ a: v.string() }),
      arktype: type({ a: "string" }),
      "JSON Schema": { type: "object", properties: { a: text }, required: ["a"] },
      shorthand: { a: "string" },
    },
    cases: [
      [{ a: "x" }, { value: { a: "x" } }],
      [{ a: "5" }, { value: { a: "5" } }],
      [{ a: "null" }, { value: { a: "null" } }],
      [{}, { issues: [["a", "string", "missing"]] }],
      [{ a: null }, { issues: [["a", "string", "null"]] }],
      [{ a: 5 }, { issues: [["a", "string", "integer 5"]] }],
      ['{"a": "x"}', { value: { a: "x" }, conversions: [": string to object"] }],
      ["x", { issues: [["", "object", 'string "x"']] }],
      [null, { issues: [["", "object", "null"]] }],
      [[], { issues: [["", "object", "array of 0 items"]] }],
    ],
  },
  {
    says: "an optional integer",
    sources: {
      zod: z.object({ n: z.int().optional() }),
      valibot: v.object({ n: v.optional(v.pipe(v.number(), v.integer())) }),
      arktype: type({ "n?": "number.integer" }),
      "JSON Schema": { type: "object", properties: { n: integer } },
      shorthand: { "n?": "integer" },
    },
    cases: [
      [{}, { value: {} }],
      [{ n: 3 }, { value: { n: 3 } }],
      [{ n: "3" }, { value: { n: 3 }, conversions: ["n: string to integer"] }],
      [{ n: "3.0" }, { value: { n: 3 }, conversions: ["n: string to integer"] }],
      [{ n: undefined }, { value: {} }],
      [{ n: null }, { value: {}, conversions: ["n: null to missing"] }],
      [{ n: "null" }, { value: {}, conversions: ["n: string to missing"] }],
      [{ n: "None" }, { value: {}, conversions: ["n: string to missing"] }],
      [{ n: 1.5 }, { issues: [["n", "integer", "number 1.5"]] }],
      [{ n: "1.5" }, { issues: [["n", "integer", 'string "1.5"']] }],
      [{ n: "007" }, { issues: [["n", "integer", 'string "007"']] }],
      [{ n: "" }, { issues: [["n", "integer", 'string ""']] }],
      [{ n: true }, { issues: [["n", "integer", "boolean true"]] }],
      [{ n: [] }, { issues: [["n", "integer", "array of 0 items"]] }],
    ],
  },
  {
    says: "a default",
    sources: {
      zod: z.object({ n: z.int().default(3), unit: z.enum(["c", "f"]).default("c") }),
      valibot: v.object({
        n: v.optional(v.pipe(v.number(), v.integer()), 3),
        unit: v.optional(v.picklist(["c", "f"]), "c"),
      }),
      arktype: type({ n: "number.integer = 3", unit: "'c' | 'f' = 'c'" }),
      "JSON Schema": {
        type: "object",
        properties: { n: { type: "integer", default: 3 }, unit: { enum: ["c", "f"], default: "c" } },
      },
      shorthand: { n: "integer = 3", unit: "'c' | 'f' = 'c'" },
    },
    cases: [
      [{}, { value: { n: 3, unit: "c" } }],
      [{ n: 0, unit: "f" }, { value: { n: 0, unit: "f" } }],
      [{ n: "5" }, { value: { n: 5, unit: "c" }, conversions: ["n: string to integer"] }],
      [
        { n: null, unit: null },
        { value: { n: 3, unit: "c" }, conversions: ["n: null to missing", "unit: null to missing"] },
      ],
      [{ unit: "k" }, { issues: [["unit", 'one of "c", "f"', 'string "k"']] }],
      [
        { n: "x", unit: 1 },
        {
          issues: [
            ["n", "integer", 'string "x"'],
            ["unit", 'one of "c", "f"', "integer 1"],
          ],
        },
      ],
    ],
  },
  {
    says: "a list",
    sources: {
      zod: z.object({ list: z.array(z.number()) }),
      valibot: v.object({ list: v.array(v.number()) }),
      arktype: type({ list: "number[]" }),
      "JSON Schema": {
        type: "object",
        properties: { list: { type: "array", items: { type: "number" } } },
        required: ["list"],
      },
      shorthand: { list: "number[]" },
    },
    cases: [
      [{ list: [] }, { value: { list: [] } }],
      [{ list: "[1, 2.5]" }, { value: { list: [1, 2.5] }, conversions: ["list: string to array"] }],
      [{ list: [1, "2"] }, { value: { list: [1, 2] }, conversions: ["list[1]: string to integer"] }],
      [
        { list: [1, "x", null] },
        {
          issues: [
            ["list[1]", "number", 'string "x"'],
            ["list[2]", "number", "null"],
          ],
        },
      ],
      [{ list: 1 }, { issues: [["list", "array of number", "integer 1"]] }],
      [{ list: null }, { issues: [["list", "array of number", "null"]] }],
    ],
  },
  {
    says: "a union",
    sources: {
      zod: z.object({ limit: z.union([z.number(), z.boolean()]) }),
      valibot: v.object({ limit: v.union([v.number(), v.boolean()]) }),
      arktype: type({ limit: "number | boolean" }),
      "JSON Schema": {
        type: "object",
        properties: { limit: { anyOf: [{ type: "number" }, { type: "boolean" }] } },
        required: ["limit"],
      },
      shorthand: { limit: "number | boolean" },
    },
    cases: [
      [{ limit: 2 }, { value: { limit: 2 } }],
      [{ limit: false }, { value: { limit: false } }],
      [{ limit: "True" }, { value: { limit: true }, conversions: ["limit: string to boolean"] }],
      [{ limit: "2" }, { value: { limit: 2 }, conversions: ["limit: string to integer"] }],
    ],
  },
  {
    says: "a text or null",
    sources: {
      zod: z.object({ a: z.string().nullable() }),
      valibot: v.object({ a: v.nullable(v.string()) }),
      arktype: type({ a: "string | null" }),
      "JSON Schema": { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] },
      shorthand: { a: "string | null" },
    },
    cases: [
      [{ a: null }, { value: { a: null } }],
      [{ a: "null" }, { value: { a: "null" } }],
      [{}, { issues: [["a", "string or null", "missing"]] }],
      [{ a: 1 }, { issues: [["a", "string or null", "integer 1"]] }],
    ],
  },
  {
    says: "objects in objects, with a default inside",
    sources: {
      zod: z.object({ box: z.object({ size: z.object({ w: z.int(), h: z.int().default(1) }) }).optional() }),
      valibot: v.object({
        box: v.optional(
          v.object({
            size: v.object({
              w: v.pipe(v.number(), v.integer()),
              h: v.optional(v.pipe(v.number(), v.integer()), 1),
            }),
          }),
        ),
      }),
      arktype: type({ "box?": { size: { w: "number.integer", h: "number.integer = 1" } } }),
      "JSON Schema": {
        type: "object",
        properties: {
          box: {
            type: "object",
            properties: {
              size: {
                type: "object",
                properties: { w: integer, h: { type: "integer", default: 1 } },
                required: ["w"],
              },
            },
            required: ["size"],
          },
        },
      },
      shorthand: noNesting,
    },
    cases: [
      [{}, { value: {} }],
      [{ box: null }, { value: {}, conversions: ["box: null to missing"] }],
      [{ box: { size: { w: 2 } } }, { value: { box: { size: { w: 2, h: 1 } } } }],
      [
        { box: { size: '{"w": "2", "h": null}' } },
        {
          value: { box: { size: { w: 2, h: 1 } } },
          conversions: ["box.size: string to object", "box.size.w: string to integer", "box.size.h: null to missing"],
        },
      ],
      [
        { box: { size: { w: "2" } } },
        { value: { box: { size: { w: 2, h: 1 } } }, conversions: ["box.size.w: string to integer"] },
      ],
      [{ box: {} }, { issues: [["box.size", "object", "missing"]] }],
      [{ box: { size: { w: null } } }, { issues: [["box.size.w", "integer", "null"]] }],
      [{ box: { size: { w: 1, h: "tall" } } }, { issues: [["box.size.h", "integer", 'string "tall"']] }],
      [{ box: 3 }, { issues: [["box", "object", "integer 3"]] }],
    ],
  },
  {
    says: "a union told apart by a constant",
    sources: {
      zod: z.object({
        act: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("open"), path: z.string() }),
          z.object({ kind: z.literal("wait"), ms: z.int() }),
        ]),
      }),
      valibot: v.object({
        act: v.variant("kind", [
          v.object({ kind: v.literal("open"), path: v.string() }),
          v.object({ kind: v.literal("wait"), ms: v.pipe(v.number(), v.integer()) }),
        ]),
      }),
      arktype: type({
        act: type({ kind: "'open'", path: "string" }).or({ kind: "'wait'", ms: "number.integer" }),
      }),
      "JSON Schema": {
        type: "object",
        properties: {
          act: {
            oneOf: [
              { type: "object", properties: { kind: { const: "open" }, path: text }, required: ["kind", "path"] },
              { type: "object", properties: { kind: { const: "wait" }, ms: integer }, required: ["kind", "ms"] },
            ],
          },
        },
        required: ["act"],
      },
      shorthand: noNesting,
    },
    cases: [
      [{ act: { kind: "open", path: "5" } }, { value: { act: { kind: "open", path: "5" } } }],
      [
        { act: { kind: "wait", ms: "5" } },
        { value: { act: { kind: "wait", ms: 5 } }, conversions: ["act.ms: string to integer"] },
      ],
      [{ act: { kind: "wait", ms: "soon" } }, { issues: [["act.ms", "integer", 'string "soon"']] }],
      [{ act: { kind: "wait" } }, { issues: [["act.ms", "integer", "missing"]] }],
      [{ act: { kind: "close" } }, { issues: [["act.kind", 'one of "open", "wait"', 'string "close"']] }],
      [{}, { issues: [["act", "object", "missing"]] }],
    ],
  },
  {
    says: "a schema used twice",
    sources: {
      zod: z.object({ first: zodItem, second: zodItem }),
      valibot: v.object({ first: valibotItem, second: valibotItem }),
      arktype: arktypeScope.pair,
      "JSON Schema": {
        type: "object",
        properties: { first: { $ref: "#/$defs/item" }, second: { $ref: "#/$defs/item" } },
        required: ["first", "second"],
        $defs: { item: { type: "object", properties: { sku: text, count: integer }, required: ["sku"] } },
      },
      shorthand: noNesting,
    },
    cases: [
      [
        { first: { sku: "a" }, second: { sku: "b", count: 2 } },
        { value: { first: { sku: "a" }, second: { sku: "b", count: 2 } } },
      ],
      [
        { first: { sku: "a", count: null }, second: '{"sku": "b", "count": "2"}' },
        {
          value: { first: { sku: "a" }, second: { sku: "b", count: 2 } },
          conversions: ["first.count: null to missing", "second: string to object", "second.count: string to integer"],
        },
      ],
      [
        { first: { sku: 1 }, second: {} },
        {
          issues: [
            ["first.sku", "string", "integer 1"],
            ["second.sku", "string", "missing"],
          ],
        },
      ],
    ],
  },
  {
    says: "a schema of itself",
    sources: {
      zod: z.object({ root: zodTree }),
      valibot: v.object({ root: valibotTree }),
      arktype: arktypeScope.forest,
      "JSON Schema": {
        type: "object",
        properties: { root: { $ref: "#/$defs/tree" } },
        required: ["root"],
        $defs: {
          tree: {
            type: "object",
            properties: { name: text, kids: { type: "array", items: { $ref: "#/$defs/tree" } } },
            required: ["name"],
          },
        },
      },
      shorthand: noNesting,
    },
    cases: [
      [{ root: { name: "a", kids: [{ name: "b" }] } }, { value: { root: { name: "a", kids: [{ name: "b" }] } } }],
      [
        { root: { name: "a", kids: '[{"name": "b", "kids": null}]' } },
        {
          value: { root: { name: "a", kids: [{ name: "b" }] } },
          conversions: ["root.kids: string to array", "root.kids[0].kids: null to missing"],
        },
      ],
      [
        { root: { name: "a", kids: [{ name: "b", kids: [{ name: 1 }, {}] }] } },
        {
          issues: [
            ["root.kids[0].kids[0].name", "string", "integer 1"],
            ["root.kids[0].kids[1].name", "string", "missing"],
          ],
        },
      ],
    ],
  },
  {
    says: "an object of any names",
    sources: {
      zod: z.object({ map: z.record(z.string(), z.number()) }),
      valibot: v.object({ map: v.record(v.string(), v.number()) }),
      arktype: type({ map: "Record<string, number>" }),
      "JSON Schema": {
        type: "object",
        properties: { map: { type: "object", additionalProperties: { type: "number" } } },
        required: ["map"],
      },
      shorthand: noNesting,
    },
    cases: [
      [{ map: { a: 1, "b c": 2 } }, { value: { map: { a: 1, "b c": 2 } } }],
      [{ map: { a: "1" } }, { value: { map: { a: 1 } }, conversions: ["map.a: string to integer"] }],
      [{ map: { "b c": "x" } }, { issues: [['map["b c"]', "number", 'string "x"']] }],
      // Not a declared parameter: nothing says that it may be left out.
      [{ map: { a: null } }, { issues: [["map.a", "number", "null"]] }],
    ],
  },
  {
    says: "bounds",
    sources: {
      zod: z.object({ n: z.number().min(1).lt(10), a: z.string().min(2).optional() }),
      valibot: v.object({
        n: v.pipe(v.number(), v.minValue(1), v.ltValue(10)),
        a: v.optional(v.pipe(v.string(), v.minLength(2))),
      }),
      arktype: type({ n: "1 <= number < 10", "a?": "string >= 2" }),
      "JSON Schema": {
        type: "object",
        properties: { n: { type: "number", minimum: 1, exclusiveMaximum: 10 }, a: { type: "string", minLength: 2 } },
        required: ["n"],
      },
      shorthand: { cannot: "the shorthand has no bounds" },
    },
    cases: [
      [
        { n: "9.5", a: "ab" },
        { value: { n: 9.5, a: "ab" }, conversions: ["n: string to number"] },
      ],
      [{ n: 0 }, { issues: [["n", "at least 1", "integer 0"]] }],
      [{ n: "10" }, { issues: [["n", "less than 10", "integer 10"]] }],
      [{ n: 1, a: "x" }, { issues: [["a", "at least 2 characters", "1"]] }],
    ],
  },
  {
    says: "no other parameters",
    sources: {
      zod: z.strictObject({ city: z.string() }),
      valibot: v.strictObject({ city: v.string() }),
      arktype: type({ "+": "reject", city: "string" }),
      "JSON Schema": { type: "object", properties: { city: text }, required: ["city"], additionalProperties: false },
      shorthand: { city: "string" },
    },
    cases: [
      [{ city: "x" }, { value: { city: "x" } }],
      [{ city: "x", day: 1 }, { issues: [["day", "one of city", "unknown property"]] }],
      // Undeclared: a null there is no parameter left out.
      [{ city: "x", day: null }, { issues: [["day", "one of city", "unknown property"]] }],
    ],
  },
];
