import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { folderStorage } from "@toolglot/storage";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { onceExecute, safeModel } from "./safe-agent.ts";

// One argument has swallowed the next one; then the call as it was meant, and the same call again.
const damaged = { order: '7</parameter>\n<parameter name="reason">late' };
const meant = { order: "7", reason: "late" };
const turns = [damaged, meant, meant, "Order 7 is refunded."];
const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
/** A model that follows a script. Any provider's model goes in its place. */
const provider = new MockLanguageModelV3({
  async doStream() {
    const turn = turns.shift() ?? "";
    const isText = typeof turn === "string";
    const call = { toolCallId: `call_${turns.length}`, toolName: "refund", input: JSON.stringify(turn) };
    const reason = isText ? ("stop" as const) : ("tool-calls" as const);
    return {
      stream: simulateReadableStream({
        chunks: [
          ...(isText
            ? [
                { type: "text-start" as const, id: "t" },
                { type: "text-delta" as const, id: "t", delta: turn },
                { type: "text-end" as const, id: "t" },
              ]
            : [{ type: "tool-call" as const, ...call }]),
          {
            type: "finish" as const,
            finishReason: { unified: reason, raw: reason },
            usage: { inputTokens: tokens, outputTokens: tokens },
          },
        ],
      }),
    };
  },
});

const sent: string[] = [];
const { operations } = folderStorage(mkdtempSync(join(tmpdir(), "orders-")));
const refund = createTool({
  id: "refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string(), reason: z.string().optional() }),
  execute: onceExecute(operations, "shop/refund", async ({ order, reason }: { order: string; reason?: string }) => {
    sent.push(`${order} ${reason}`);
    return `Refunded ${order}.`;
  }),
});
const agent = new Agent({
  id: "shop",
  name: "shop",
  instructions: "Be brief.",
  model: safeModel(provider),
  tools: { refund },
});
const stream = await agent.stream("Refund order 7, it came late.", { maxSteps: 6 });
for await (const part of stream.fullStream) {
  if (part.type === "text-delta") process.stdout.write(part.payload.text);
  if (part.type === "tool-result") console.log("→", String(part.payload.result).split(/[,.]/)[0]);
}
console.log();

assert.deepEqual(sent, ["7 late"]);
const prompts = provider.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt));
assert.match(prompts[1] ?? "", /which the call lacks/);
assert.match(prompts[3] ?? "", /Nothing was done now/);
