import { join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { Toolkit } from "@toolglot/toolkit";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";
import { scriptedProvider } from "./support/scripted-provider.ts";

// It prints warnings, which are looked at elsewhere.
globalThis.AI_SDK_LOG_WARNINGS = false;

const outcomes: Record<string, unknown> = {
  toolglotMiddleware: "42.",
  guardCalls: "42.",
  rescueToolCalls: "42.",
  repairToolCall: "42.",
  aiSdkModel: "42.",
  toAiSdkTools: ["add"],
  fromAiSdkTools: ["weather"],
  toolkitPrepareStep: "42.",
  onceTools: [false, true],
  inOrder: ["add"],
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
  const asks =
    {
      toolglotMiddleware: ['<tools>\n<add a="19" b="23"/>\n</tools>'],
      rescueToolCalls: ['[TOOL_CALLS]add[ARGS]{"a": 19, "b": 23}'],
    }[name] ?? [];
  const { model } = scriptedProvider([...asks, "42."]);
  expect(
    await example({ provider: model, toolkit, signal: new AbortController().signal, storage: memoryStorage() }),
  ).toEqual(outcomes[name]);
});
