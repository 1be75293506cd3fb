import assert from "node:assert/strict";
import type { FunctionTool } from "@toolglot/dialects";
import { rescueCalls } from "./rescue-calls.ts";

const tools: FunctionTool[] = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
    },
  },
];
/** Answers as servers hand them out when they did not see the call. */
const answers = {
  "Qwen3-Coder":
    "I look.\n<tool_call>\n<function=weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>",
  "Mistral, without its special token": 'weather[ARGS]{"city": "Oslo", "days": 3}',
  "cut off": '<tool_call>\n{"name": "weather", "arguments": {"city": "Ba',
  "plain text": "It is sunny in <b>Rome</b>.",
};
for (const [name, content] of Object.entries(answers)) {
  const { message } = rescueCalls({ role: "assistant", content }, tools);
  const [call] = message.tool_calls ?? [];
  console.log(`${name}: ${call ? `${call.function.name} ${call.function.arguments}` : "no call"}`);
  assert.equal(call === undefined, name === "cut off" || name === "plain text");
}
