import { HumanMessage } from "@langchain/core/messages";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { createAgent } from "langchain";
import { textTools } from "../../recipes/langchain/text-tools.ts";
import { model, write } from "../setup/langchain.ts";

const middleware = [textTools(toolsxmlProtocol({ prompt: toolsxmlPrompt }))];
const call = '<tools>\n<write path="two.js">\n<content>const a = "x", b = "y";</content>\n</write>\n</tools>';
for (const script of [[call], [{ text: call.slice(0, 60), isCutOff: true }, call]]) {
  const agent = createAgent({ model: model(...script, "Done."), tools: [write], middleware });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Write two.js.")] });
  console.log(`The answer is "${messages.at(-1)?.text}".`);
}
