import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { model, write } from "../setup/langchain.ts";

for (const damaged of [
  { tool: "write", arguments: '{"path":"two.js","content":"const a = "x", b = "y";"}' },
  { tool: "write", arguments: '{"path":"two.js","content":"const a = ', isCutOff: true },
]) {
  const bound = model(damaged, "Done.").bindTools([write]);
  const messages: BaseMessage[] = [new HumanMessage("Write two.js.")];
  for (let calls = 1; calls > 0; ) {
    const answer = await bound.invoke(messages);
    messages.push(answer);
    for (const call of answer.tool_calls ?? []) messages.push(await write.invoke(call));
    calls = answer.tool_calls?.length ?? 0;
  }
  console.log(`The answer is "${messages.at(-1)?.text}".`);
}
