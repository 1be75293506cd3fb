import type { InputIssue, JsonSchemaObject } from "@toolglot/core";
import { scope, type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { ajvValidator } from "../src/ajv/index.ts";
import {
  argsSchema,
  type Conversion,
  type InferArgs,
  type InferInput,
  type InputSchema,
  isInputSchema,
  type MaybePromise,
  toInputSchema,
  type ValidationResult,
  type ValidatorFactory,
} from "../src/index.ts";

// Shorthand: every form of the grammar.
expectTypeOf<InferArgs<{ city: "string - City name"; "days?": "number = 3"; "note?": "string" }>>().toEqualTypeOf<{
  city: string;
  days: number;
  note?: string;
}>();
expectTypeOf<
  InferArgs<{ a: "string[]"; b: "integer[][] - rows"; c: "boolean"; d: "object"; e: "any"; f: "null"; g: "number" }>
>().toEqualTypeOf<{
  a: string[];
  b: number[][];
  c: boolean;
  d: Record<string, unknown>;
  e: unknown;
  f: null;
  g: number;
}>();
expectTypeOf<InferArgs<{ unit: "'c' | 'f' = 'c' - unit"; "k?": '"a - b" | null' }>>().toEqualTypeOf<{
  unit: "c" | "f";
  k?: "a - b" | null;
}>();
expectTypeOf<InferArgs<{ a: "('x' | 'y')[]"; b: "string | number[] - mixed" }>>().toEqualTypeOf<{
  a: ("x" | "y")[];
  b: string | number[];
}>();
expectTypeOf<InferArgs<{ a: "((string | null)[] | boolean)[]"; b: "  integer  " }>>().toEqualTypeOf<{
  a: ((string | null)[] | boolean)[];
  b: number;
}>();
// A default makes a parameter one that is always there, `?` or not, whatever it is written as.
expectTypeOf<
  InferArgs<{
    a: "integer = 5";
    "b?": "string = plain words - said";
    "c?": 'object = {"a": " - "}';
    "d?": "boolean = false";
    "e?": "('a' | 'b')[] = [\"a\"]";
    "f?": "string | null = null";
  }>
>().toEqualTypeOf<{
  a: number;
  b: string;
  c: Record<string, unknown>;
  d: boolean;
  e: ("a" | "b")[];
  f: string | null;
}>();
expectTypeOf<InferArgs<{ "a b": "string"; "x-y?": "number" }>>().toEqualTypeOf<{ "a b": string; "x-y"?: number }>();
// biome-ignore lint/complexity/noBannedTypes: the type of no parameters
expectTypeOf<InferArgs<{}>>().toEqualTypeOf<{}>();
// Text that isn't known at compile time gives unknown values, not an error.
expectTypeOf<InferArgs<{ a: string }>>().toEqualTypeOf<{ a: unknown }>();
expectTypeOf<InferArgs<Record<string, string>>>().toEqualTypeOf<Record<string, unknown>>();
// Neither does a specification that can't be read: it throws when it is defined.
expectTypeOf<InferArgs<{ a: "strin" }>>().toEqualTypeOf<{ a: unknown }>();

// Literals are inferred from plain objects, without `as const`.
const args = argsSchema({ city: "string", n: "integer = 1", "unit?": "'c' | 'f'" });
expectTypeOf(args).toEqualTypeOf<InputSchema<{ city: string; n: number; unit?: "c" | "f" }>>();
expectTypeOf(toInputSchema({ city: "string", n: "integer = 1" })).toEqualTypeOf<
  InputSchema<{ city: string; n: number }>
>();

// zod: what transforms put out, defaults always there.
const zodSchema = z.object({
  a: z.string().transform((text) => text.length),
  b: z.number().default(1),
  c: z.enum(["x", "y"]).optional(),
  d: z.array(z.object({ e: z.string().nullable() })),
});
expectTypeOf<InferInput<typeof zodSchema>>().toEqualTypeOf<{
  a: number;
  b: number;
  c?: "x" | "y" | undefined;
  d: { e: string | null }[];
}>();
expectTypeOf(toInputSchema(zodSchema)).toEqualTypeOf<InputSchema<InferInput<typeof zodSchema>>>();

// arktype.
const arkSchema = type({ a: "string", "b?": "number", c: "'x' | 'y' = 'x'", d: type({ e: "string | null" }).array() });
expectTypeOf<InferInput<typeof arkSchema>>().toEqualTypeOf<{
  a: string;
  b?: number;
  c: "x" | "y";
  d: { e: string | null }[];
}>();
const arkParsed = type({ a: type("string").pipe((text) => text.length) });
expectTypeOf<InferInput<typeof arkParsed>>().toEqualTypeOf<{ a: number }>();
const { tree } = scope({ tree: { name: "string", "kids?": "tree[]" } }).export();
expectTypeOf<InferInput<typeof tree>["name"]>().toEqualTypeOf<string>();
expectTypeOf<NonNullable<InferInput<typeof tree>["kids"]>[number]["name"]>().toEqualTypeOf<string>();

// valibot.
const valibotSchema = v.object({
  a: v.optional(v.string(), "x"),
  b: v.optional(v.pipe(v.number(), v.integer())),
  c: v.pipe(
    v.string(),
    v.transform((text) => text.length),
  ),
  d: v.variant("kind", [v.object({ kind: v.literal("p"), n: v.number() }), v.object({ kind: v.literal("q") })]),
});
expectTypeOf<InferInput<typeof valibotSchema>>().toEqualTypeOf<{
  a: string;
  b?: number | undefined;
  c: number;
  d: { kind: "p"; n: number } | { kind: "q" };
}>();

// A JSON Schema says nothing to the compiler, however it is written.
type Anything = Record<string, unknown>;
expectTypeOf<InferInput<{ type: "object"; properties: Record<string, never> }>>().toEqualTypeOf<Anything>();
expectTypeOf<InferInput<{ type: "object" }>>().toEqualTypeOf<Anything>();
expectTypeOf(toInputSchema({ type: "object", properties: { a: { type: "string" } }, required: ["a"] })).toEqualTypeOf<
  InputSchema<Anything>
>();
expectTypeOf(toInputSchema({ anyOf: [{ type: "object" }] })).toEqualTypeOf<InputSchema<Anything>>();
expectTypeOf(toInputSchema({} as JsonSchemaObject)).toEqualTypeOf<InputSchema<Anything>>();

// An input schema that is ready keeps its type, and so do its variants.
expectTypeOf(toInputSchema(args)).toEqualTypeOf<InputSchema<{ city: string; n: number; unit?: "c" | "f" }>>();
expectTypeOf(args.withPresets({ n: 1 })).toEqualTypeOf(args);
expectTypeOf(args.withValidator(ajvValidator())).toEqualTypeOf(args);

// Results are told apart by `success`.
const result = await args.validate({});
if (result.success) {
  expectTypeOf(result.value).toEqualTypeOf<{ city: string; n: number; unit?: "c" | "f" }>();
  expectTypeOf(result.conversions).toEqualTypeOf<Conversion[] | undefined>();
} else {
  expectTypeOf(result.issues).toEqualTypeOf<InputIssue[]>();
}
expectTypeOf(args.validate).returns.toEqualTypeOf<
  MaybePromise<ValidationResult<{ city: string; n: number; unit?: "c" | "f" }>>
>();

const unknownValue: unknown = args;
if (isInputSchema(unknownValue)) expectTypeOf(unknownValue).toEqualTypeOf<InputSchema>();

expectTypeOf(ajvValidator()).toEqualTypeOf<ValidatorFactory>();
expectTypeOf(ajvValidator).parameters.toEqualTypeOf<[]>();

// What is no source is no error at run time alone.
// @ts-expect-error A list is none.
toInputSchema([]);
// @ts-expect-error Nor is a text.
toInputSchema("string");
// @ts-expect-error The shorthand has texts only.
argsSchema({ a: 5 });
// @ts-expect-error no type is written so: numbr
argsSchema({ a: "string", b: "numbr" });
// @ts-expect-error no type is written so: numbr
toInputSchema({ a: "string", b: "numbr" });
expectTypeOf(toInputSchema({ $ref: "#/$defs/a" })).toEqualTypeOf<InputSchema<Record<string, unknown>>>();
// @ts-expect-error `accepts` is what an engine is.
toInputSchema({ a: "string" }, { validator: () => ({ check: () => true }) });
