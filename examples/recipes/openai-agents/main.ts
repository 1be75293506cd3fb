import assert from "node:assert/strict";
import { Agent, Runner, tool } from "@openai/agents-core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { z } from "zod";
import { type Chat, textToolsModel } from "./text-tools-model.ts";

const block = (...lines: string[]) => ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>"].join("\n");
const answers = [
  "I look.\n\n<|[REQUEST_TOOL]|>\ncommand:»»»weather«««\ncity:»»»Ro",
  `I look.\n\n${block("command_1:»»»weather«««", "city_1:»»»Rome«««", "command_2:»»»weather«««", "city_2:»»»Oslo«««")}`,
  "Both sunny.",
];
const asked: string[] = [];
/** A model without function calls that follows a script, and makes a mistake first. Any stream of text goes in its place. */
const chat: Chat = async function* (messages) {
  asked.push(messages.map(({ content }) => content).join("\n\n"));
  yield* answers.shift()?.match(/[\s\S]{1,5}/g) ?? [];
};

const weather = tool({
  name: "weather",
  description: "Tells the weather.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: sunny`,
});
const model = textToolsModel(tamProtocol({ prompt: tamPrompt }), chat);
const agent = new Agent({ name: "Helper", instructions: "Be brief.", model, tools: [weather] });
const runner = new Runner({ tracingDisabled: true });
const result = await runner.run(agent, "Weather in Rome and Oslo?", { stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
await result.completed;
console.log(`\n${result.finalOutput}`);

assert.match(asked[0] ?? "", /^Be brief\.[\s\S]*REQUEST_TOOL/);
assert.match(asked[1] ?? "", /nothing of it was run/);
assert.match(asked[2] ?? "", /Rome: sunny[\s\S]*Oslo: sunny/);
answers.push(block("command:»»»weather«««", "city:»»»Bari«««"), "Bari, too.");
assert.equal((await runner.run(agent, "And in Bari?")).finalOutput, "Bari, too.");
