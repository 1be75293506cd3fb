import { generateText, stepCountIs } from "ai";
import { jsonrepair } from "jsonrepair";
import { model, tools } from "../setup/ai-sdk.ts";

for (const damaged of [
  { tool: "write", arguments: '{"path":"two.js","content":"const a = "x", b = "y";"}' },
  { tool: "write", arguments: '{"path":"two.js","content":"const a = ', isCutOff: true },
]) {
  const { text } = await generateText({
    model: model(damaged, "Done."),
    tools,
    prompt: "Write two.js.",
    stopWhen: stepCountIs(5),
    experimental_repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: jsonrepair(toolCall.input) }),
  });
  console.log(`The answer is "${text}".`);
}
