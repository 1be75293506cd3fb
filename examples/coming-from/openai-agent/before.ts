import { Agent, OpenAIChatCompletionsModel, Runner } from "@openai/agents";
import { client, write } from "../setup/openai-agents.ts";

const runner = new Runner({ tracingDisabled: true });
for (const damaged of [
  { tool: "write", arguments: '{"path":"two.js","content":"const a = ', isCutOff: true },
  { tool: "save", arguments: '{"path":"two.js","content":"const a = 1;"}' },
]) {
  const model = new OpenAIChatCompletionsModel(client(damaged, "Done."), "any");
  const agent = new Agent({ name: "Writer", model, tools: [write] });
  try {
    const { finalOutput, history } = await runner.run(agent, "Write two.js.");
    for (const item of history) if (item.type === "function_call_result") console.log(item.output);
    console.log(finalOutput);
  } catch (error) {
    console.log(String(error));
  }
}
