// LangChain.js: a middleware that lets any chat model call tools in text. The recipe is docs/recipes/langchain.md.
import assert from "node:assert/strict";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { createBridge } from "@toolglot/core/bridge";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { createAgent, createMiddleware, tool } from "langchain";
import { z } from "zod";

// ── the recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────
/** A message of LangChain as toolglot has it. */
function fromLangChain(message) {
  const text = { type: "text", text: message.text };
  if (message.type === "tool") {
    const { tool_call_id: callId, name, status } = message;
    const result = { callId, name, status: status === "error" ? "error" : "ok", content: [text] };
    return { role: "tool", trust: "untrusted", parts: [{ type: "result", result }] };
  }
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    type: "call",
    call: { id, name, input: args, protocol: "langchain" },
  }));
  const parts = [...(message.text === "" ? [] : [text]), ...calls];
  return { role: message.type === "ai" ? "assistant" : "user", trust: "user", parts };
}

/** A message of toolglot as LangChain has it; calls and results are text by now. */
function toLangChain({ role, parts }) {
  const content = parts.map(({ text }) => text).join("");
  return role === "assistant" ? new AIMessage(content) : new HumanMessage(content);
}

/** Calls in text for a model of LangChain, in any protocol. */
export const textTools = (protocol) =>
  createMiddleware({
    name: "toolglot",
    async wrapModelCall(request, handler) {
      const tools = request.tools.map(({ name, description, schema }) => ({
        name,
        description,
        inputSchema: toJsonSchema(schema),
      }));
      const bridge = createBridge(protocol, { tools });
      const messages = bridge.encode(request.messages.map(fromLangChain)).map(toLangChain);
      const systemMessage = new SystemMessage([request.systemMessage.text, bridge.system].filter(Boolean).join("\n\n"));
      const ask = async (more) => {
        const answer = await handler({ ...request, tools: [], systemMessage, messages: [...messages, ...more] });
        const found = { text: "", call: [], refusal: [] };
        const reader = bridge.createReader({
          onEvent(event) {
            if (event.type === "text") found.text += event.text;
            else found[event.type]?.push(event);
          },
        });
        reader.feed(answer.text);
        reader.end({ finish: answer.response_metadata?.finish_reason === "length" ? "length" : "stop" });
        return { answer, ...found };
      };
      let asked = await ask([]);
      // LangChain's loop ends at an answer without a call: a block that could not be read is explained here, once.
      if (asked.call.length === 0 && asked.refusal.length > 0)
        asked = await ask([new AIMessage(asked.answer.text), new HumanMessage(asked.refusal[0].message)]);
      return new AIMessage({
        content: asked.text,
        tool_calls: asked.call.map(({ id, tool: name, input: args }) => ({ type: "tool_call", id, name, args })),
        invalid_tool_calls: asked.refusal.map(({ id, tool: name, text: args, message: error }) => ({
          id,
          name,
          args,
          error,
        })),
      });
    },
  });
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const weather = tool(async ({ city }) => `${city}: sunny & <warm>`, {
  name: "weather",
  description: "Tells the weather.",
  schema: z.object({ city: z.string() }),
});
// A model without function calls, which makes a mistake first.
const answers = [
  'I look.\n<tools>\n<weather city="Rome"',
  'I look.\n<tools>\n<weather city="Rome"/>\n</tools>',
  '<tools>\n<weather city="Oslo"/>\n<weather city="Bari"/>\n</tools>',
  "All sunny.",
];
class ScriptedModel extends SimpleChatModel {
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _call() {
    return answers.shift();
  }
}
const prompts = [];
const log = createMiddleware({
  name: "log",
  wrapModelCall: (request, handler) => {
    prompts.push([request.systemMessage.text, ...request.messages.map(({ text }) => text)]);
    return handler(request);
  },
});

const agent = createAgent({
  model: new ScriptedModel({}),
  tools: [weather],
  systemPrompt: "Be brief.",
  middleware: [textTools(toolsxmlProtocol({ prompt: toolsxmlPrompt })), log],
});
const { messages } = await agent.invoke({ messages: [new HumanMessage("Weather in Rome, Oslo and Bari?")] });
for (const message of messages)
  console.log(
    message.type,
    JSON.stringify(message.text),
    message.tool_calls?.map(({ args }) => args.city).join() ?? "",
  );

assert.deepEqual(
  messages.map(({ type }) => type),
  ["human", "ai", "tool", "ai", "tool", "tool", "ai"],
);
assert.equal(messages[1].text, "I look.");
assert.equal(messages.at(-1).text, "All sunny.");
assert.match(prompts[0][0], /^Be brief\.[\s\S]*<tools>/);
assert.match(prompts[1].at(-1), /nothing of it was run/);
assert.match(prompts[2].at(-2), /<tools>\s*<weather/);
assert.match(prompts[2].at(-1), /<results>[\s\S]*sunny/);
assert.equal(prompts.length, 4);
