import { join } from "node:path";
import type { CodeAction } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { memoryStorage } from "@toolglot/core/storage";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";
import { addTool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

const sandbox = sharedSandbox("javascript");
const source = "__result__ = await add({ a: 19, b: 23 });";
const span = { start: 0, end: source.length };
const action: CodeAction = { kind: "code", id: "action-1", language: "javascript", source, span };
const context = executorContext({
  approve: async () => ({ approved: false }),
  runId: "run-1",
});
const outcomes: Record<string, unknown> = {
  createSandbox: 42,
  sandboxExecutor: 42,
  codeTools: expect.objectContaining({ value: 42 }),
};

testDocExamples(
  [join(import.meta.dirname, "doc-examples.ts")],
  [join(import.meta.dirname, "../src")],
  Object.keys(examples).length,
);

it.each(Object.entries(examples))("should do what it shows: %s", async (name, example) => {
  const done = example({ sandbox, tools: [addTool], action, context, storage: memoryStorage() });
  if (name === "settleCall") await expect(done).rejects.toMatchObject({ code: "sandbox/call-unknown" });
  else expect(await done).toEqual(outcomes[name]);
});
