import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStorage } from "@toolglot/storage";
import { AIMessage, createAgent, fakeModel, tool } from "langchain";
import { z } from "zod";
import { safeTools } from "./safe-tools.ts";

const sent: string[] = [];
const refund = tool(
  async ({ order, reason }) => {
    sent.push(`${order} ${reason}`);
    return `Refunded ${order}.`;
  },
  {
    name: "refund",
    description: "Refunds an order.",
    schema: z.object({ order: z.string(), reason: z.string().optional() }),
  },
);
// One argument has swallowed the next one; then the call as it was meant, and the same call again.
const damaged = { order: '7</parameter>\n<parameter name="reason">late' };
const meant = { order: "7", reason: "late" };
const model = fakeModel();
for (const args of [damaged, meant, meant]) model.respondWithTools([{ name: "refund", args }]);
model.respond(new AIMessage("Order 7 is refunded."));

const storage = folderStorage(mkdtempSync(join(tmpdir(), "orders-")));
const agent = createAgent({ model, tools: [refund], middleware: [safeTools(storage.operations, "shop")] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Refund order 7, it came late." }] });
for (const { type, text } of messages) if (type === "tool") console.log(`tool: ${text.split(/[,.]/)[0]}`);
console.log(messages.at(-1)?.text);
assert.deepEqual(sent, ["7 late"]);
