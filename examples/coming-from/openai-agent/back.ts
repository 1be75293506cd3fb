// Back: a native model goes on with the same items.
import assert from "node:assert/strict";
import { Agent, type AgentInputItem, OpenAIChatCompletionsModel, Runner, user } from "@openai/agents";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { textToolsModel } from "../../recipes/openai-agents/text-tools-model.ts";
import { client, clientOver, write } from "../setup/openai-agents.ts";
import { argumentsOf, scripted } from "../setup/scripted.ts";
import { chatOver } from "./chat.ts";

const call = "<|[REQUEST_TOOL]|>\ncommand:»»»write«««\npath:»»»two.js«««\ncontent:»»»one«««\n<|[END_TOOL]|>";
const runner = new Runner({ tracingDisabled: true });
const model = textToolsModel(tamProtocol({ prompt: tamPrompt }), chatOver(client(call.slice(0, 70), call, "Done.")));
const { history } = await runner.run(new Agent({ name: "Writer", model, tools: [write] }), "Write two.js.");

// A refused call has no JSON that a server could read.
const isRefused = (item: AgentInputItem) => item.type === "function_call" && item.providerData?.toolglot !== undefined;
const refused = history.filter(isRefused).map((item) => "callId" in item && item.callId);
const kept = history.filter((item) => !("callId" in item && refused.includes(item.callId)));

const server = scripted({ tool: "write", arguments: '{"path":"two.js","content":"two"}' }, "Done again.");
const native = new OpenAIChatCompletionsModel(clientOver(server), "any");
const later = await runner.run(new Agent({ name: "Writer", model: native, tools: [write] }), [...kept, user("Again.")]);
assert.equal(later.finalOutput, "Done again.");
assert.deepEqual(argumentsOf(server.requests[1]), [
  { path: "two.js", content: "one" },
  { path: "two.js", content: "two" },
]);

// With this option, a wrong name does not end the run of before.ts.
const wrong = client({ tool: "save", arguments: "{}" }, "Done.");
const forgiving = new Runner({ tracingDisabled: true, toolNotFoundBehavior: "return_error_to_model" });
const unnamed = new Agent({ name: "Writer", model: new OpenAIChatCompletionsModel(wrong, "any"), tools: [write] });
assert.equal((await forgiving.run(unnamed, "Write two.js.")).finalOutput, "Done.");
