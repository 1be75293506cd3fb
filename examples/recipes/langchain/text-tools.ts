import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import { type JSONSchema, toJsonSchema } from "@langchain/core/utils/json_schema";
import type { JsonSchemaObject, ToolProtocol } from "@toolglot/core";
import { type BridgeEvent, type BridgeMessage, createBridge } from "@toolglot/core/bridge";
import { createMiddleware } from "langchain";

/** Returns a message of LangChain as toolglot has it. */
function fromLangChain(message: BaseMessage): BridgeMessage {
  const text = { type: "text" as const, text: message.text };
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: callId, name = "", status } = message;
    const result = { callId, name, status: status === "error" ? status : ("ok" as const), content: [text] };
    return { role: "tool", trust: "untrusted", parts: [{ type: "result", result }] };
  }
  if (!AIMessage.isInstance(message)) return { role: "user", trust: "user", parts: [text] };
  const calls = (message.tool_calls ?? []).map(({ id = "", name, args: input }) => {
    return { type: "call" as const, call: { id, name, input, protocol: "langchain" } };
  });
  return { role: "assistant", trust: "user", parts: [text, ...calls] };
}

/** Tells a function, which is called in text, from a tool that the provider runs, which stays in the request. */
const isFunction = (tool: ClientTool | ServerTool): tool is ClientTool => "schema" in tool;

/** Returns a middleware that lets the model call tools in text, in any protocol. */
export const textTools = (protocol: ToolProtocol) =>
  createMiddleware({
    name: "toolglot",
    async wrapModelCall(request, handler) {
      const definitions = request.tools.filter(isFunction).map(({ name, description = "", schema }) => {
        return { name, description, inputSchema: toJsonSchema(schema as JSONSchema) as JsonSchemaObject };
      });
      const tools = request.tools.filter((tool) => !isFunction(tool));
      const bridge = createBridge(protocol, { tools: definitions });
      const messages = bridge.encode(request.messages.map(fromLangChain)).map(({ role, parts }) => {
        const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
        return role === "assistant" ? new AIMessage(text) : new HumanMessage(text);
      });
      const systemMessage = new SystemMessage([request.systemMessage.text, bridge.system].filter(Boolean).join("\n\n"));
      const ask = async (...more: BaseMessage[]) => {
        const said = await handler({ ...request, tools, systemMessage, messages: [...messages, ...more] });
        const { text: answer, response_metadata: metadata } = said as AIMessage;
        const events: BridgeEvent[] = [];
        const reader = bridge.createReader({ onEvent: (event) => events.push(event) });
        reader.feed(answer);
        reader.end({ finish: metadata.finish_reason === "length" ? "length" : "stop" });
        const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
        const refusals = events.filter((event) => event.type === "refusal");
        return { answer, text, refusals, calls: events.filter((event) => event.type === "call") };
      };
      let asked = await ask();
      // LangChain's loop ends at an answer without a call: a block that could not be read is explained here, once.
      if (asked.calls.length === 0 && asked.refusals[0])
        asked = await ask(new AIMessage(asked.answer), new HumanMessage(asked.refusals[0].message));
      return new AIMessage({
        content: asked.text,
        tool_calls: asked.calls.map(({ id, tool: name, input: args }) => ({ type: "tool_call", id, name, args })),
        invalid_tool_calls: asked.refusals.map(({ id, tool, text, message }) => {
          return { id, name: tool, args: text, error: message };
        }),
      });
    },
  });
