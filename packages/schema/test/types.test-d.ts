import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { argsSchema, type InferArgs, type InferInput, type toInputSchema } from "../src/index.ts";

expectTypeOf<InferArgs<{ city: "string - City name"; "days?": "number = 3"; "note?": "string" }>>().toEqualTypeOf<{
  city: string;
  days: number;
  note?: string;
}>();
expectTypeOf<
  InferArgs<{ a: "string[]"; b: "integer[][] - rows"; c: "boolean"; d: "object"; e: "any" }>
>().toEqualTypeOf<{
  a: string[];
  b: number[][];
  c: boolean;
  d: Record<string, unknown>;
  e: unknown;
}>();
expectTypeOf<InferArgs<{ unit: "'c' | 'f' = 'c' - unit"; "k?": '"a - b" | null' }>>().toEqualTypeOf<{
  unit: "c" | "f";
  k?: "a - b" | null;
}>();
expectTypeOf<InferArgs<{ a: "('x' | 'y')[]"; b: "string | number[] - mixed" }>>().toEqualTypeOf<{
  a: ("x" | "y")[];
  b: string | number[];
}>();
// Text that isn't known at compile time gives unknown values, not an error.
expectTypeOf<InferArgs<{ a: string }>>().toEqualTypeOf<{ a: unknown }>();

expectTypeOf(argsSchema({ n: "integer = 1" }).validate({})).toEqualTypeOf<
  ReturnType<ReturnType<typeof toInputSchema<{ readonly n: "integer = 1" }>>["validate"]>
>();

const zodSchema = z.object({ a: z.string().transform((text) => text.length) });
expectTypeOf<InferInput<typeof zodSchema>>().toEqualTypeOf<{ a: number }>();
const arkSchema = type({ a: "string", "b?": "number" });
expectTypeOf<InferInput<typeof arkSchema>>().toEqualTypeOf<{ a: string; b?: number }>();
const valibotSchema = v.object({ a: v.optional(v.string(), "x") });
expectTypeOf<InferInput<typeof valibotSchema>>().toEqualTypeOf<{ a: string }>();
expectTypeOf<InferInput<{ type: "object"; properties: Record<string, never> }>>().toEqualTypeOf<
  Record<string, unknown>
>();
expectTypeOf<InferInput<{ type: "object" }>>().toEqualTypeOf<Record<string, unknown>>();
