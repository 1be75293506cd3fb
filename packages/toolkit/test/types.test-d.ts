import type { AnyTool, ToolContext } from "@toolglot/core";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { type DefinedTool, defineTool, Toolkit, type ToolResponse } from "../src/index.ts";

const name = "t";
const description = "d";

const fromZod = defineTool({
  name,
  description,
  input: z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform(Number) }),
  execute: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; at: number }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
  },
});
expectTypeOf(fromZod).toEqualTypeOf<DefinedTool<{ city: string; days: number; at: number }>>();

defineTool({
  name,
  description,
  input: v.object({ city: v.string(), days: v.optional(v.number(), 3), note: v.optional(v.string()) }),
  execute: async function* (input) {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; note?: string | undefined }>();
    yield 1;
  },
});

defineTool({
  name,
  description,
  input: type({ city: "string", "days?": "number", unit: "'c' | 'f' = 'c'" }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number; unit: "c" | "f" }>();
  },
});

defineTool({
  name,
  description,
  args: { city: "string - City name", "days?": "number = 3", "tags?": "string[]", unit: "'c' | 'f'" },
  execute: ({ city, days, tags, unit }) => {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(days).toEqualTypeOf<number>();
    expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(unit).toEqualTypeOf<"c" | "f">();
  },
});

defineTool({
  name,
  description,
  input: { type: "object", properties: { city: { type: "string" } } },
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
  },
});

defineTool({ name, description, execute: () => 1 });

// @ts-expect-error: a date is no schema
defineTool({ name, description, input: new Date(), execute: () => 1 });
// @ts-expect-error: a description is needed
defineTool({ name, execute: () => 1 });
// @ts-expect-error: days is a number
defineTool({ name, description, args: { days: "number" }, execute: ({ days }) => days.toUpperCase() });

const kit = new Toolkit();
kit.registerToolFunction(fromZod, { presetKwargs: { city: "Paris" } });
kit.registerToolFunction(({ a }: { a: string }) => a, { name: "f", description, args: { a: "string" } });
// @ts-expect-error: a tool has its schema already
kit.registerToolFunction(fromZod, { args: { a: "string" } });
expectTypeOf(kit.tools()).toEqualTypeOf<AnyTool[]>();
expectTypeOf(kit.callToolFunction({ name })).toEqualTypeOf<AsyncGenerator<ToolResponse, void, undefined>>();
