import { isObject } from "@toolglot/internal";
import { contentItems, hasUnreadCall, nameOf, objectsOf, textOf, timeOf, toolsOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/**
 * Messages as providers take and give them: OpenAI's with `tool_calls`, Anthropic's and Bedrock's with blocks, Gemini's with parts, the AI
 * SDK's, LangChain's; and answers that are no messages.
 */
export const chatMessages: LogReader = {
  name: "messages of OpenAI, Anthropic, Bedrock, Gemini and the AI SDK",
  read(record) {
    const role = roleOf(record);
    if (role !== undefined) {
      if (!("content" in record || "tool_calls" in record || Array.isArray(record.parts))) return undefined;
      const items = messageItems(record, "", role);
      // What may be a call is told as unknown, and not passed over.
      if (items.length === 0 && hasUnreadCall(record.content ?? record.parts)) return undefined;
      return { ...around(record), items, isAnswer: true };
    }
    const said = saidIn(record);
    if (said) return { ...around(record), items: [said], isAnswer: true };
    if (!Array.isArray(record.choices)) return undefined;
    const items = objectsOf(record.choices).flatMap(([{ message, text }, index]): LogItem[] => {
      if (isObject(message)) return messageItems(message, `/choices/${index}/message`, "assistant");
      const own = textOf(text);
      return own === undefined ? [] : [{ type: "text", text: own, path: `/choices/${index}/text` }];
    });
    return { ...around(record), items };
  },
};

function around(record: Record<string, unknown>): LogEntry {
  const time = timeOf(record.timestamp ?? record.created_at);
  const model = textOf(record.model) ?? textOf(record.modelId);
  return model === undefined ? { items: [], time } : { items: [], time, model };
}

/** Returns what a record tells of the messages in it: the model, and the tools; undefined when neither. */
export function surroundingsOf(record: Record<string, unknown>): LogEntry | undefined {
  const found = around(record);
  const tools = toolsOf(record.tools) ?? toolsOf(record.functions);
  if (tools) return { ...found, items: [{ type: "tools", tools }] };
  return found.model === undefined ? undefined : found;
}

/** Whether a record holds something that a model may have said. */
export const isAnswer = (record: Record<string, unknown>): boolean =>
  ["content", "response", "output", "text", "completion", "generated_text"].some((key) => record[key]);

/** Returns the text of an answer that is no message, as Ollama and llama.cpp have it. */
function saidIn(record: Record<string, unknown>): LogItem | undefined {
  const key = typeof record.done === "boolean" ? "response" : typeof record.stop === "boolean" ? "content" : undefined;
  const text = key && textOf(record[key]);
  return text === undefined ? undefined : { type: "text", text, path: `/${key}` };
}

/** LangChain's names of roles stand in a type. */
const typed: ReadonlyMap<unknown, string> = new Map([
  ["ai", "assistant"],
  ["AIMessageChunk", "assistant"],
  ["human", "user"],
  ["system", "system"],
  ["tool", "tool"],
]);
const roleOf = (record: Record<string, unknown>): string | undefined =>
  typeof record.role === "string" ? record.role : "content" in record ? typed.get(record.type) : undefined;

const roles = new Set(["system", "developer", "user", "assistant", "model", "tool", "function", "ipython"]);

function messageItems(message: Record<string, unknown>, path: string, role: string): LogItem[] {
  const key = "content" in message ? "content" : "parts";
  const isModel = role === "assistant" || role === "model";
  const items = contentItems(message[key], `${path}/${key}`, isModel);
  if (!isModel) {
    const id = textOf(message.tool_call_id);
    if (id !== undefined) items.push({ type: "result", id });
    return items.length > 0 || !roles.has(role) ? items : [{ type: "turn" }];
  }
  for (const [given, index] of objectsOf(message.tool_calls)) {
    // OpenInference has it one step further down.
    const call = isObject(given.tool_call) ? given.tool_call : given;
    const inner = isObject(call.function) ? call.function : call;
    const key = "args" in inner ? "args" : "arguments";
    const at = `${path}/tool_calls/${index}${call === given ? "" : "/tool_call"}${inner === call ? "" : "/function"}/${key}`;
    items.push({ type: "call", id: textOf(call.id), name: nameOf(inner.name), input: inner[key], path: at });
  }
  const { function_call: old } = message;
  if (isObject(old))
    items.push({
      type: "call",
      name: nameOf(old.name),
      input: old.arguments,
      path: `${path}/function_call/arguments`,
    });
  return items;
}
