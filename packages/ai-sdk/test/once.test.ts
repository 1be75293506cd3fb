import type { AnyTool } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { defineTool } from "@toolglot/toolkit";
import { jsonSchema, tool } from "ai";
import { describe, expect, it } from "vitest";
import { type AiSdkTool, fromAiSdkTools, onceTools, toAiSdkTools } from "../src/index.ts";

// What is the same in every way to run a model; the rest is in support/once-matrix.ts.

const once = { log: new MemoryOperationLog(), scope: "shop", allowVolatile: true };
const context = { toolCallId: "c", messages: [], abortSignal: new AbortController().signal };

function counted() {
  let runs = 0;
  const inputSchema = jsonSchema<{ n: number }>({ type: "object" });
  const pay = tool({ description: "Pays.", inputSchema, execute: async () => ++runs });
  return { pay, runs: () => runs };
}

describe("onceTools", () => {
  it("should leave alone what is pure, and what has nothing to run", async () => {
    const { pay } = counted();
    const read = defineTool({
      name: "read",
      description: "",
      args: {},
      annotations: { readOnlyHint: true },
      execute: () => 1,
    });
    const { read: ours } = toAiSdkTools([read]);
    const tools = { pay, read: ours as AiSdkTool, shown: { inputSchema: jsonSchema({}) } };
    const watched = onceTools(tools, { ...once, effects: { pay: "pure" } });
    expect(watched.pay).toBe(pay);
    expect([watched.read, watched.shown]).toEqual([tools.read, tools.shown]);
    const told = onceTools(tools, { ...once, effects: { read: "opaque" } });
    expect(told.read).not.toBe(tools.read);
  });

  it("should take a key for an input, and refuse it for another one", async () => {
    const { pay, runs } = counted();
    const watched = onceTools(
      { pay },
      { ...once, log: new MemoryOperationLog(), keys: { pay: ({ n }: { n: number }) => `order ${n % 10}` } },
    );
    expect(await watched.pay.execute?.({ n: 1 }, context)).toBe(1);
    expect(await watched.pay.execute?.({ n: 1 }, context)).toBe(1);
    await expect(watched.pay.execute?.({ n: 11 }, context)).rejects.toThrow(/same key/);
    expect(runs()).toBe(1);
  });

  it("should still be watched when it comes back as a tool of toolglot", async () => {
    let runs = 0;
    const own = defineTool({ name: "pay", description: "", args: {}, execute: () => `paid ${++runs}` });
    const watched = onceTools(toAiSdkTools([own]), { ...once, log: new MemoryOperationLog() });
    const [back] = fromAiSdkTools(watched) as [AnyTool];
    const results: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      for await (const value of back.execute(
        {},
        { callId: "c", signal: context.abortSignal },
      ) as AsyncIterable<unknown>)
        results.push(value);
    }
    expect(runs).toBe(1);
    expect(JSON.stringify(results.at(-1))).toContain("Nothing was done now");
  });

  it.each<[string, object]>([
    ["needs a log and a scope", { scope: "a" }],
    ["no option", { ...once, effect: "opaque" }],
    ['Did you mean "pay"?', { ...once, effects: { pya: "pure" } }],
    ["which is no tool", { ...once, keys: { other: () => "k" } }],
    ['"opaque", "idempotent" or "pure"', { ...once, effects: { pay: "some" } }],
  ])("should refuse a mistake in the options: %s", (text, options) => {
    expect(() => onceTools(counted(), options as never)).toThrow(text);
    expect(() => onceTools(counted(), options as never)).toThrow(TypeError);
  });
});
