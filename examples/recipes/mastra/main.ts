import assert from "node:assert/strict";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { textModel } from "./text-model.ts";

const answers = [
  'I look.\n<tools>\n<weather city="Rome"',
  'I look.\n<tools>\n<weather city="Rome"/>\n</tools>',
  '<tools>\n<weather city="Oslo"/>\n<weather city="Bari"/>\n</tools>',
  "All sunny.",
];
const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
/** A model without function calls that follows a script, and makes a mistake first. Any provider's model goes in its place. */
const provider = new MockLanguageModelV3({
  async doStream() {
    const pieces = answers.shift()?.match(/[\s\S]{1,7}/g) ?? [];
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start" as const, id: "t" },
          ...pieces.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
          { type: "text-end" as const, id: "t" },
          {
            type: "finish" as const,
            finishReason: { unified: "stop" as const, raw: "stop" },
            usage: { inputTokens: tokens, outputTokens: tokens },
          },
        ],
      }),
    };
  },
});

const weather = createTool({
  id: "weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: sunny & <warm>`,
});
const agent = new Agent({
  id: "weather",
  name: "weather",
  instructions: "Be brief.",
  model: textModel(provider, toolsxmlProtocol({ prompt: toolsxmlPrompt })),
  tools: { weather },
});
const stream = await agent.stream("Weather in Rome, Oslo and Bari?", { maxSteps: 6 });
for await (const part of stream.fullStream) {
  if (part.type === "text-delta") process.stdout.write(part.payload.text);
  if (part.type === "tool-result" && typeof part.payload.result === "string") console.log("\n→", part.payload.result);
}
console.log();

const prompts = provider.doStreamCalls.map(({ prompt, tools }) => JSON.stringify({ prompt, tools }));
assert.equal(prompts.length, 4);
assert.match(prompts[0] ?? "", /Be brief\.[\s\S]*<tools>/);
assert.match(prompts[1] ?? "", /nothing of it was run/i);
assert.match(prompts[2] ?? "", /<results>[\s\S]*Rome: sunny/);
