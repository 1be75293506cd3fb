import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";

const here = (path: string): string => join(import.meta.dirname, path);
testDocExamples([here("doc-examples.ts")], [here("../src")], 19);

it.each(Object.entries(examples))("should do what it shows: %s", async (name, example) => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "add",
      description: "Adds two numbers.",
      args: { a: "number", b: "number" },
      annotations: { readOnlyHint: true },
      execute: ({ a, b }) => a + b,
    }),
  );
  const executor = toolkitExecutor(toolkit);
  const model = scriptedModel(["19 + 23 is 42.", "19 + 23 is 42."]);
  const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit });
  const folder = mkdtempSync(join(tmpdir(), "examples-"));
  try {
    const shown = example({ agent, model, toolkit, executor, folder });
    if (name === "resume") await expect(shown).rejects.toMatchObject({ code: "agent/session-unknown" });
    else expect(await shown).toEqual(outcomes[name] ?? expect.anything());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const outcomes: Record<string, unknown> = {
  createAgent: { status: "answered", text: "19 + 23 is 42." },
  run: { texts: ["19 + 23 is 42."], status: "answered" },
  performStep: "19 + 23 is 42.",
  steer: "answered",
  combineExecutors: true,
  artifacts: ["read_artifact"],
  recording: { status: "answered", divergence: undefined, again: "answered" },
  expandRequests: 1,
};
