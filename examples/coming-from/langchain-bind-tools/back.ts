// Back: the agent without the middleware goes on with the same messages, and native calls.
import assert from "node:assert/strict";
import { HumanMessage } from "@langchain/core/messages";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { createAgent } from "langchain";
import { textTools } from "../../recipes/langchain/text-tools.ts";
import { model, modelOver, write } from "../setup/langchain.ts";
import { argumentsOf, scripted } from "../setup/scripted.ts";

const middleware = [textTools(toolsxmlProtocol({ prompt: toolsxmlPrompt }))];
const call = '<tools>\n<write path="two.js">\n<content>one</content>\n</write>\n</tools>';
const inText = scripted(call.slice(0, 50), call, "Done.");
const agent = createAgent({ model: modelOver(inText), tools: [write], middleware });
const { messages } = await agent.invoke({ messages: [new HumanMessage("Write two.js.")] });
assert.ok(inText.requests.every(({ tools }) => tools === undefined));

const server = scripted({ tool: "write", arguments: '{"path":"two.js","content":"two"}' }, "Done again.");
const native = createAgent({ model: modelOver(server), tools: [write] });
const later = await native.invoke({ messages: [...messages, new HumanMessage("Write it again.")] });
assert.equal(later.messages.at(-1)?.text, "Done again.");
assert.deepEqual(argumentsOf(server.requests[1]), [
  { path: "two.js", content: "one" },
  { path: "two.js", content: "two" },
]);

// `createAgent` ends as the loop of before.ts does.
const damaged = model({ tool: "write", arguments: '{"path":"two.js","content":"const a = "x", b = "y";"}' }, "Done.");
const silent = await createAgent({ model: damaged, tools: [write] }).invoke({ messages: [new HumanMessage("Write.")] });
assert.equal(silent.messages.at(-1)?.text, "");
