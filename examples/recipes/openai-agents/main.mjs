// OpenAI Agents SDK: a model that calls tools in text, over any chat stream. The recipe is docs/recipes/openai-agents.md.
import assert from "node:assert/strict";
import { Agent, Runner, tool, Usage } from "@openai/agents-core";
import { createBridge } from "@toolglot/core/bridge";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { z } from "zod";

// ── the recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────
const textOf = (content) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));

/** An item of a conversation as a message of toolglot. */
function toMessage({ type, role, callId: id, name, providerData, ...item }) {
  const message = (of, part) => ({ role: of, trust: of === "tool" ? "untrusted" : "user", parts: [part] });
  const kept = providerData?.toolglot;
  if (kept) return message("assistant", { type: "refusal", id, tool: name, ...kept });
  if (type === "function_call")
    return message("assistant", { type: "call", call: { id, name, input: JSON.parse(item.arguments), protocol: "x" } });
  if (type !== "function_call_result") return message(role, { type: "text", text: textOf(item.content) });
  const content = [{ type: "text", text: textOf(item.output.text ?? item.output) }];
  return message("tool", { type: "result", result: { callId: id, name, status: "ok", content } });
}

/** A model for agents whose answers come from `chat(messages)`: text that streams, from any provider. */
export class TextToolsModel {
  constructor(protocol, chat) {
    Object.assign(this, { protocol, chat });
  }
  async *getStreamedResponse({ systemInstructions, input, tools, signal }) {
    const functions = tools.filter(({ type }) => type === "function");
    const bridge = createBridge(this.protocol, {
      tools: functions.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
    });
    const system = [systemInstructions, bridge.system].filter(Boolean).join("\n\n");
    const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const first = { role: "system", parts: [{ type: "text", text: system }] };
    const messages = [first, ...bridge.encode(items.map(toMessage))];
    const found = { text: [], call: [], refusal: [] };
    const reader = bridge.createReader({ onEvent: (event) => found[event.type]?.push(event) });
    let sent = 0;
    yield { type: "response_started" };
    for await (const chunk of this.chat(messages, signal)) {
      reader.feed(chunk);
      for (const { text: delta } of found.text.slice(sent)) yield { type: "output_text_delta", delta };
      sent = found.text.length;
    }
    reader.end();
    for (const { text: delta } of found.text.slice(sent)) yield { type: "output_text_delta", delta };
    const call = ({ id, tool }, more) => ({ type: "function_call", callId: id, name: tool, ...more });
    const content = [{ type: "output_text", text: textOf(found.text) }];
    const output = [
      ...(found.text.length === 0 ? [] : [{ type: "message", role: "assistant", status: "completed", content }]),
      ...found.call.map((event) => call(event, { arguments: JSON.stringify(event.input) })),
      // No JSON: the runner tells the model that the call failed, and its loop goes on.
      ...found.refusal.map(({ message, text, ...event }) =>
        call(event, { arguments: message, providerData: { toolglot: { message, text } } }),
      ),
    ];
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    yield { type: "response_done", response: { id: crypto.randomUUID(), usage, output } };
  }
  async getResponse(request) {
    for await (const event of this.getStreamedResponse(request))
      if (event.type === "response_done")
        return { usage: new Usage(event.response.usage), output: event.response.output };
  }
}
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const block = (...lines) => ["<|[REQUEST_TOOL]|>", ...lines, "<|[END_TOOL]|>"].join("\n");
const script = () => [
  `I look.\n\n${block("command:»»»weather«««", "city:»»»Rome").slice(0, -20)}`,
  `I look.\n\n${block("command_1:»»»weather«««", "city_1:»»»Rome«««", "command_2:»»»weather«««", "city_2:»»»Oslo«««")}`,
  "Both sunny.",
];
function chatOf(answers, asked) {
  return async function* chat(messages) {
    asked.push(messages.map(({ parts }) => parts.map(({ text }) => text).join("")));
    yield* answers.shift().match(/[\s\S]{1,5}/g);
  };
}
const called = [];
const weather = tool({
  name: "weather",
  description: "Tells the weather.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    called.push(city);
    return `${city}: sunny`;
  },
});
const protocol = tamProtocol({ prompt: tamPrompt });
for (const stream of [false, true]) {
  const asked = [];
  called.length = 0;
  const agent = new Agent({
    name: "A",
    instructions: "Be brief.",
    model: new TextToolsModel(protocol, chatOf(script(), asked)),
    tools: [weather],
  });
  const runner = new Runner({ tracingDisabled: true });
  const result = await runner.run(agent, "Weather?", { stream });
  let streamed = "";
  if (stream) {
    for await (const event of result) if (event.data?.type === "output_text_delta") streamed += event.data.delta;
    await result.completed;
    assert.equal(streamed, "I look.I look.Both sunny.");
  }
  console.log(result.finalOutput, called.join());
  assert.equal(result.finalOutput, "Both sunny.");
  assert.deepEqual(called, ["Rome", "Oslo"]);
  assert.match(asked[0][0], /^Be brief\.[\s\S]*REQUEST_TOOL/);
  assert.match(asked[1].at(-1), /nothing of it was run/);
  assert.match(asked[2].at(-1), /Rome: sunny[\s\S]*Oslo: sunny/);
}
