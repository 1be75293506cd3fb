import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { createDurableAgent } from "@mastra/core/agent/durable";
import { createTool } from "@mastra/core/tools";
import { folderStorage } from "@toolglot/storage";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { onceStep } from "./once-step.ts";

const sent: string[] = [];
const { operations } = folderStorage(mkdtempSync(join(tmpdir(), "orders-")));
const execute = onceStep(operations, "shop/refund", async ({ order }: { order: string }) => {
  sent.push(order);
  return `Refunded ${order}.`;
});
const refund = createTool({
  id: "refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.string() }),
  execute,
});

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const turns = [{ order: "7" }, "Order 7 is refunded."];
/** A model that follows a script. Any provider's model goes in its place. */
const model = new MockLanguageModelV3({
  async doStream() {
    const turn = turns.shift() ?? "";
    const isText = typeof turn === "string";
    const call = { toolCallId: "call_1", toolName: "refund", input: JSON.stringify(turn) };
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
const agent = new Agent({ id: "shop", name: "shop", instructions: "Be brief.", model, tools: { refund } });
const { output, cleanup } = await createDurableAgent({ agent }).stream("Refund order 7.");
console.log(await output.text);
cleanup();

// What an engine does whose process died after the effect: it runs the step of the call again.
console.log(await execute({ order: "7" }, { agent: { toolCallId: "call_1" } }), `${sent.length} refund`);

assert.deepEqual(sent, ["7"]);
