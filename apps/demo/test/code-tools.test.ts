import type { AnyTool } from "@toolglot/core";
import { codeTools, createSandbox } from "@toolglot/sandbox";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, expect, it } from "vitest";

const add: AnyTool = {
  name: "add",
  description: "Adds.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number", default: 2 } },
    required: ["a"],
  },
  execute: ({ a, b }: { a: number; b: number }) => a + b,
};
const python = createSandbox({ language: "python", tools: [add], pool: { size: 0 } });
afterAll(() => python[Symbol.asyncDispose]());

it("should be a tool like any other in a toolkit", async () => {
  const toolkit = new Toolkit();
  for (const one of codeTools(python)) toolkit.registerToolFunction(one);
  const span = { start: 0, end: 0 };
  const call = (id: string, input: unknown) => ({ id, name: "executePythonCode", input, protocol: "native" });
  const results = await toolkitExecutor(toolkit).execute(
    {
      kind: "calls",
      calls: [call("a", { code: "__result__ = add(1)" }), call("b", { code: "1 / 0" }), call("c", {})],
      span,
    },
    {
      signal: new AbortController().signal,
      emit: () => undefined,
      approve: async () => ({ approved: false }),
      runId: "r",
      stepIndex: 0,
    },
  );
  expect(results).toMatchObject([
    { status: "ok", data: { value: 3, logs: [] } },
    { status: "error", error: { message: "ZeroDivisionError: division by zero (line 1: 1 / 0)" } },
    { status: "error", error: { type: "InvalidInput" } },
  ]);
});
