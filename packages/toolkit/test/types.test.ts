// What must not compile. The compiler runs over this file with all tests.
import { defineTool, makeSubagentTool, Toolkit } from "@toolglot/toolkit";
import { expect, it } from "vitest";
import { z } from "zod";

const about = { name: "f", description: "d" };
const input = z.object({ a: z.number() });

it("should compare a function with the schema that it is registered with", () => {
  const kit = new Toolkit();
  const fits = (): void => {
    kit.registerToolFunction(({ a }: { a: number }) => a, { ...about, args: { a: "number" } });
    kit.registerToolFunction(({ a }) => a.toFixed(), { ...about, args: { a: "number - How many", "b?": "string[]" } });
    kit.registerToolFunction(({ a }) => a.toFixed(), { ...about, input });
    kit.registerToolFunction(() => 1, { ...about, args: { a: "number" } });
    kit.registerToolFunction(() => 1, about);
    kit.registerToolFunction(({ a, s }: { a: number; s: Map<string, string> }) => s.get(String(a)), {
      ...about,
      args: { a: "number" },
      presets: { s: new Map<string, string>() },
    });
    kit.registerToolFunction((given: { a: number; b?: unknown }) => given, {
      ...about,
      args: { a: "number" },
      includeRest: true,
    });
    // @ts-expect-error text is no number
    kit.registerToolFunction(({ a }: { a: string }) => a.trim(), { ...about, args: { a: "number" } });
    // @ts-expect-error an optional one may be missing
    kit.registerToolFunction(({ a }: { a: string }) => a.trim(), { ...about, args: { "a?": "string" } });
    // @ts-expect-error there is no such parameter
    kit.registerToolFunction(({ b }: { b: number }) => b, { ...about, args: { a: "number" } });
    // @ts-expect-error text is no number
    kit.registerToolFunction(({ a }: { a: string }) => a.trim(), { ...about, input });
    // @ts-expect-error a function needs a description
    kit.registerToolFunction(() => 1);
    // @ts-expect-error a preset of another type
    kit.registerToolFunction(({ s }: { s: string }) => s, { ...about, args: {}, presets: { s: 5 } });
  };
  expect(fits).toBeTypeOf("function");
});

it("should refuse a shorthand that is no type", () => {
  const wrong = (): void => {
    // @ts-expect-error no type is written so: numbr
    defineTool({ ...about, args: { n: "numbr" }, execute: () => 1 });
    // @ts-expect-error no type is written so: stringy
    defineTool({ ...about, args: { n: "stringy" }, execute: () => 1 });
    // @ts-expect-error a description comes after a hyphen
    defineTool({ ...about, args: { n: "string City" }, execute: () => 1 });
    // @ts-expect-error no type is written so: numbr
    new Toolkit().registerToolFunction(() => 1, { ...about, args: { n: "numbr" } });
    // @ts-expect-error no type is written so: numbr
    new Toolkit().registerToolFunction(() => 1, { ...about, input: { n: "numbr" } });
    // @ts-expect-error no type is written so: numbr
    defineTool({ ...about, args: { n: "numbr" }, external: true });
    // @ts-expect-error no type is written so: numbr
    makeSubagentTool({ ...about, args: { n: "numbr" }, run: () => 1 });
    // @ts-expect-error the function takes another input
    defineTool({ ...about, args: { a: "number" }, execute: ({ a }: { a: string }) => a });
  };
  expect(wrong).toBeTypeOf("function");
  const kit = new Toolkit();
  const unknownArgs: Record<string, string> = { n: "number" };
  kit.registerToolFunction((given: Record<string, unknown>) => given, { ...about, args: unknownArgs });
  kit.registerToolFunction(() => 1, { ...about, name: "g", input: { n: "number", "m?": "string = x" } });
  defineTool({ ...about, args: unknownArgs, execute: (given) => given });
  defineTool({ ...about, args: { n: "number - How many" }, external: true });
  defineTool({ ...about, input: { type: "object", title: "t" }, execute: (given) => given });
  defineTool({
    ...about,
    args: { a: '"c" | "f" = "c" - Unit', "b?": "(string | number)[]", c: "any" },
    execute: () => 1,
  });
});
