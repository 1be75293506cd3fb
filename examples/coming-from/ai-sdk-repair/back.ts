// Back: without the middleware, the conversation goes on with native calls. Before that, a repair function stays where it was.
import assert from "node:assert/strict";
import { toolglotMiddleware } from "@toolglot/ai-sdk";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { generateText, type ModelMessage, stepCountIs, wrapLanguageModel } from "ai";
import { model, modelOver, tools } from "../setup/ai-sdk.ts";
import { argumentsOf, scripted } from "../setup/scripted.ts";

const middleware = toolglotMiddleware({
  protocol: toolsxmlProtocol({ prompt: toolsxmlPrompt }),
  specificationVersion: "v3",
});
const call = '<tools>\n<write path="two.js">\n<content>one</content>\n</write>\n</tools>';
const messages: ModelMessage[] = [{ role: "user", content: "Write two.js." }];
const wrapped = wrapLanguageModel({ model: model(call.slice(0, 50), call, "Done."), middleware });
const explanations: string[] = [];
const first = await generateText({
  model: wrapped,
  tools,
  messages,
  stopWhen: stepCountIs(5),
  experimental_repairToolCall: async ({ toolCall }) => {
    explanations.push(toolCall.input);
    return null;
  },
});
assert.equal(explanations.length, 1);
assert.match(explanations[0] ?? "", /nothing of it was run/);
assert.equal(first.text, "Done.");
messages.push(...first.response.messages, { role: "user", content: "Write it again." });

const server = scripted({ tool: "write", arguments: '{"path":"two.js","content":"two"}' }, "Done again.");
const second = await generateText({ model: modelOver(server), tools, messages, stopWhen: stepCountIs(5) });
assert.equal(second.text, "Done again.");
// The first was cut off.
assert.deepEqual(argumentsOf(server.requests[1]), [
  {},
  { path: "two.js", content: "one" },
  { path: "two.js", content: "two" },
]);
