import assert from "node:assert/strict";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { textTools } from "./text-tools.ts";

/** A model without function calls that follows a script, and makes a mistake first. Any chat model goes in its place. */
class ScriptedModel extends SimpleChatModel {
  readonly prompts: string[] = [];
  readonly answers = [
    'I look.\n<tools>\n<weather city="Rome"',
    'I look.\n<tools>\n<weather city="Rome"/>\n</tools>',
    '<tools>\n<weather city="Oslo"/>\n<weather city="Bari"/>\n</tools>',
    "All sunny.",
  ];
  _llmType() {
    return "scripted";
  }
  override bindTools() {
    return this;
  }
  async _call(messages: { text: string }[]) {
    this.prompts.push(messages.map(({ text }) => text).join("\n\n"));
    return this.answers.shift() ?? "";
  }
}
const model = new ScriptedModel({});

const weather = tool(async ({ city }) => `${city}: sunny & <warm>`, {
  name: "weather",
  description: "Tells the weather.",
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({
  model,
  tools: [weather],
  systemPrompt: "Be brief.",
  middleware: [textTools(toolsxmlProtocol({ prompt: toolsxmlPrompt }))],
});
const { messages } = await agent.invoke({ messages: [new HumanMessage("Weather in Rome, Oslo and Bari?")] });
for (const { type, text } of messages) console.log(`${type}: ${text}`);

const [first, second, third] = model.prompts;
assert.match(first ?? "", /^Be brief\.[\s\S]*<tools>/);
assert.match(second ?? "", /nothing of it was run/);
assert.match(third ?? "", /<city>Rome<\/city>[\s\S]*<results>[\s\S]*Rome: sunny/);
