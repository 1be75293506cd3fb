import { Agent, Runner } from "@openai/agents";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { textToolsModel } from "../../recipes/openai-agents/text-tools-model.ts";
import { client, write } from "../setup/openai-agents.ts";
import { chatOver } from "./chat.ts";

const protocol = tamProtocol({ prompt: tamPrompt });
const call = (command: string) =>
  `<|[REQUEST_TOOL]|>\ncommand:»»»${command}«««\npath:»»»two.js«««\ncontent:»»»const a = "x";«««\n<|[END_TOOL]|>`;
const runner = new Runner({ tracingDisabled: true });
for (const damaged of [{ text: call("write").slice(0, 75), isCutOff: true }, call("save")]) {
  const model = textToolsModel(protocol, chatOver(client(damaged, call("write"), "Done.")));
  const agent = new Agent({ name: "Writer", model, tools: [write] });
  const { finalOutput, history } = await runner.run(agent, "Write two.js.");
  for (const item of history)
    if (item.type === "function_call")
      for (const [told] of item.arguments.matchAll(/tam\/[\w-]+|There is no tool.*?\./g)) console.log(told);
  console.log(finalOutput);
}
