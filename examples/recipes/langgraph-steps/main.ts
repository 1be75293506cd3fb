import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, entrypoint, MemorySaver } from "@langchain/langgraph";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { folderStorage } from "@toolglot/storage";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { langgraphSteps } from "./langgraph-steps.ts";

const refunds: string[] = [];
let isDown = true;
const toolkit = new Toolkit();
toolkit.registerToolFunction(
  defineTool({
    name: "refund",
    description: "Refunds an order.",
    args: { order: "string" },
    annotations: { destructiveHint: true },
    execute: ({ order }) => `Refund ${refunds.push(order)} is made.`,
  }),
);
const executor = toolkitExecutor(toolkit);
const call = { id: "c1", name: "refund", input: { order: "7" }, protocol: "native" };
const agent = createAgent({
  // A script stands for the model.
  model: scriptedModel([[{ type: "call", call }], "Order 7 is refunded."]),
  protocol: nativeProtocol(),
  executor,
  tools: toolkit.definitions(),
  steps: {
    ...langgraphSteps,
    run: (step, work) =>
      langgraphSteps.run(step, async () => {
        const value = await work();
        // As a process that dies after the effect, and before its value is kept.
        if (refunds.length > 0 && isDown) throw new Error("The process died.");
        return value;
      }),
  },
  once: { storage: folderStorage(mkdtempSync(join(tmpdir(), "shop-"))), scope: "shop" },
});

const answer = entrypoint({ name: "answer", checkpointer: new MemorySaver() }, async (question: string) => {
  const { text } = await agent.run(question, { runId: "w1" }).result;
  return text;
});
const config = { configurable: { thread_id: "w1" } };
const asked = await answer.invoke("Refund order 7.", config);
console.log("waits:", JSON.stringify(asked).match(/approval:\w+/)?.[0]);
await answer.invoke(new Command({ resume: true }), config).catch(({ message }) => console.log(message));
isDown = false;
console.log(await answer.invoke(null, config), `${refunds.length} refund`);

assert.deepEqual(refunds, ["7"]);
