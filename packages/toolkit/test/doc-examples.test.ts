import { join } from "node:path";
import type { CallsAction } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { memoryStorage } from "@toolglot/core/storage";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { Toolkit } from "@toolglot/toolkit";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";
import { fixture } from "./mcp/support.ts";

const outcomes: Record<string, unknown> = {
  Toolkit: [42],
  registerToolFunction: { city: { type: "string", description: "City name" } },
  defineTool: ["add"],
  toolkitExecutor: [{ status: "ok", data: 42 }],
  makeSubagentTool: ["Because."],
  createMcpClient: true,
  onceHandler: false,
  taskTools: [true, "add", "view_task", "wait_task", "cancel_task"],
  toOpenAiTools: { tools: 1, names: "object" },
};

testDocExamples(
  [join(import.meta.dirname, "doc-examples.ts")],
  [join(import.meta.dirname, "../src")],
  Object.keys(examples).length,
);

it.each(Object.entries(examples))("should do what it shows: %s", async (name, example) => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(({ a, b }) => a + b, {
    name: "add",
    description: "Adds two numbers.",
    args: { a: "number", b: "number" },
  });
  const call = { id: "1", name: "add", input: { a: 19, b: 23 }, protocol: "native" };
  const action: CallsAction = { kind: "calls", calls: [call], span: { start: 0, end: 0 } };
  const context = executorContext({
    approve: async () => ({ approved: false }),
    runId: "run-1",
  });
  const given = {
    toolkit,
    action,
    context,
    researcher: { run: async () => "Because." },
    server: fixture("unruly-stdio.mjs"),
    storage: memoryStorage(),
  };
  expect(await example(given)).toEqual(outcomes[name]);
});
