import { type AgentInputItem, type protocol as agents, type Model, Usage } from "@openai/agents-core";
import type { ToolDefinition, ToolProtocol } from "@toolglot/core";
import { type BridgeMessage, createBridge } from "@toolglot/core/bridge";

/** Asks a model for text that streams, from any provider. */
export type Chat = (messages: { role: string; content: string }[], signal?: AbortSignal) => AsyncIterable<string>;

/** Returns the text of content: of a string, a part or parts. */
function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map(textOf).join("");
  return typeof content === "string" ? content : ((content as { text?: string }).text ?? "");
}

/** Returns an item of a conversation as a message of toolglot, if it is a message, a call or a result. */
function toMessage(item: AgentInputItem): BridgeMessage[] {
  if (item.type === "function_call") {
    const { callId: id, name, arguments: input, providerData } = item;
    const call = () => ({ type: "call", call: { id, name, input: JSON.parse(input), protocol: "openai-agents" } });
    return [{ role: "assistant", trust: "user", parts: [providerData?.toolglot ?? call()] }];
  }
  if (!("role" in item) && item.type !== "function_call_result") return [];
  const text = { type: "text" as const, text: textOf("role" in item ? item.content : item.output) };
  if ("role" in item) return [{ role: item.role, trust: "user", parts: [text] }];
  const result = { callId: item.callId, name: item.name, status: "ok" as const, content: [text] };
  return [{ role: "tool", trust: "untrusted", parts: [{ type: "result", result }] }];
}

/** Returns a model for agents that calls tools in text, in any protocol. */
export const textToolsModel = (protocol: ToolProtocol, chat: Chat): Model => ({
  async *getStreamedResponse({ systemInstructions, input, tools, signal }) {
    const functions = tools.filter((tool) => tool.type === "function");
    const definitions = functions.map((tool) => ({ ...tool, inputSchema: tool.parameters }) as ToolDefinition);
    const bridge = createBridge(protocol, { tools: definitions });
    const system = { role: "system", content: [systemInstructions, bridge.system].filter(Boolean).join("\n\n") };
    const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
    const history = bridge.encode(items.flatMap(toMessage));
    const messages = [system, ...history.map(({ role, parts }) => ({ role, content: textOf(parts) }))];
    const [texts, output]: [string[], agents.OutputModelItem[]] = [[], []];
    const reader = bridge.createReader({
      onEvent(event) {
        if (event.type === "text") texts.push(event.text);
        if (event.type !== "call" && event.type !== "refusal") return;
        // The runner ends a run at a name that no tool has.
        const { name } = functions.find((tool) => tool.name === event.tool) ?? functions[0] ?? { name: event.tool };
        const call = { type: "function_call" as const, callId: event.id, name };
        if (event.type === "call") output.push({ ...call, arguments: JSON.stringify(event.input) });
        // No JSON: the runner tells the model that the call failed, and its loop goes on.
        else output.push({ ...call, arguments: event.message, providerData: { toolglot: event } });
      },
    });
    yield { type: "response_started" };
    let sent = 0;
    for await (const chunk of chat(messages, signal)) {
      reader.feed(chunk);
      for (; sent < texts.length; sent += 1) yield { type: "output_text_delta", delta: texts[sent] ?? "" };
    }
    reader.end();
    for (; sent < texts.length; sent += 1) yield { type: "output_text_delta", delta: texts[sent] ?? "" };
    const content = [{ type: "output_text" as const, text: texts.join("") }];
    if (sent > 0) output.unshift({ type: "message", role: "assistant", status: "completed", content });
    yield { type: "response_done", response: { id: crypto.randomUUID(), usage: new Usage(), output } };
  },
  async getResponse(request) {
    let output: agents.OutputModelItem[] = [];
    for await (const event of this.getStreamedResponse(request))
      if (event.type === "response_done") output = event.response.output;
    return { usage: new Usage(), output };
  },
});
