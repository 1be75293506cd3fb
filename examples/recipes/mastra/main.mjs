// Mastra: an agent whose model calls tools in text. The recipe is docs/recipes/mastra.md. Mastra asks for Node 22.13.
import assert from "node:assert/strict";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { toolglotMiddleware } from "@toolglot/ai-sdk";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

// A model without function calls, which makes a mistake first.
const answers = [
  'I look.\n<tools>\n<weather city="Rome"',
  'I look.\n<tools>\n<weather city="Rome"/>\n</tools>',
  '<tools>\n<weather city="Oslo"/>\n<weather city="Bari"/>\n</tools>',
  "All sunny.",
];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: "stop" };
const prompts = [];
const provider = new MockLanguageModelV3({
  async doStream({ prompt, tools }) {
    assert.equal(tools, undefined);
    prompts.push(prompt);
    const text = answers.shift();
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "t" },
      ...text.match(/[\s\S]{1,7}/g).map((delta) => ({ type: "text-delta", id: "t", delta })),
      { type: "text-end", id: "t" },
      { type: "finish", finishReason, usage },
    ];
    return { stream: ReadableStream.from(parts) };
  },
});

// ── the recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** An agent of Mastra whose model calls tools in text; `version` is that of the provider's specification: `v3` for ai 6, `v4` for ai 7. */
const textAgent = ({ model, protocol, version, ...options }) =>
  new Agent({
    ...options,
    model: wrapLanguageModel({
      model,
      middleware: toolglotMiddleware({ protocol, specificationVersion: version }),
    }),
  });
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const weather = createTool({
  id: "weather",
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ said: `${city}: sunny & <warm>` }),
});
const agent = textAgent({
  id: "weather",
  name: "weather",
  instructions: "Be brief.",
  model: provider,
  protocol: toolsxmlProtocol({ prompt: toolsxmlPrompt }),
  version: "v3",
  tools: { weather },
});

const stream = await agent.stream("Weather in Rome, Oslo and Bari?", { maxSteps: 6 });
const seen = [];
for await (const { type, payload } of stream.fullStream) {
  if (type === "text-delta") seen.push(payload.text);
  if (type === "tool-call") seen.push(`${payload.toolName} ${payload.args?.city ?? "?"}`);
  if (type === "tool-result") seen.push(payload.result.said ?? "not run");
}
for (const line of seen) console.log(line);

const text = (at) => JSON.stringify(prompts[at].at(-1).content);
assert.deepEqual(seen, [
  ...["I look.", "weather ?", "not run", "I look.", "weather Rome", "Rome: sunny & <warm>"],
  ...["weather Oslo", "weather Bari", "Oslo: sunny & <warm>", "Bari: sunny & <warm>"],
  ...["All sun", "ny."],
]);
assert.equal(await stream.text, "All sunny.");
assert.match(JSON.stringify(prompts[0][0].content), /Be brief\.[\s\S]*<tools>/);
assert.match(text(1), /nothing of it was run|was not run/i);
assert.match(text(2), /<results>[\s\S]*sunny/);
assert.equal(prompts.length, 4);
