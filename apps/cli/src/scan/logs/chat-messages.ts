import { isObject } from "@toolglot/internal";
import { contentItems, hasUnreadCall, nameOf, objectsOf, textOf, timeOf, toolsOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/**
 * Messages as providers take and give them: OpenAI's with `tool_calls`, Anthropic's and Bedrock's with blocks, Gemini's with parts, the AI
 * SDK's; and what stands around them.
 */
export const chatMessages: LogReader = {
  name: "messages of OpenAI, Anthropic, Bedrock, Gemini and the AI SDK",
  read(record) {
    const time = timeOf(record.timestamp ?? record.created_at);
    const model = textOf(record.model) ?? textOf(record.modelId);
    const around: LogEntry = model === undefined ? { items: [], time } : { items: [], time, model };
    if (typeof record.role === "string") {
      if (!("content" in record || "tool_calls" in record || Array.isArray(record.parts))) return undefined;
      const items = messageItems(record, "");
      // What may be a call is told as unknown, and not passed over.
      if (items.length === 0 && hasUnreadCall(record.content ?? record.parts)) return undefined;
      return { ...around, items, isAnswer: true };
    }
    if (Array.isArray(record.choices)) {
      const items = objectsOf(record.choices).flatMap(([{ message }, index]) =>
        isObject(message) ? messageItems(message, `/choices/${index}/message`) : [],
      );
      return { ...around, items };
    }
    const tools = toolsOf(record.tools) ?? toolsOf(record.functions);
    if (tools) return { ...around, items: [{ type: "tools", tools }] };
    return model === undefined ? undefined : around;
  },
};

const roles = new Set(["system", "developer", "user", "assistant", "model", "tool", "function", "ipython"]);

function messageItems(message: Record<string, unknown>, path: string): LogItem[] {
  const { role } = message;
  const key = "content" in message ? "content" : "parts";
  const isModel = role === "assistant" || role === "model";
  const items = contentItems(message[key], `${path}/${key}`, isModel);
  if (!isModel) {
    const id = textOf(message.tool_call_id);
    if (id !== undefined) items.push({ type: "result", id });
    return items.length > 0 || !roles.has(nameOf(role)) ? items : [{ type: "turn" }];
  }
  for (const [call, index] of objectsOf(message.tool_calls)) {
    const inner = isObject(call.function) ? call.function : call;
    const at = `${path}/tool_calls/${index}${inner === call ? "" : "/function"}/arguments`;
    items.push({ type: "call", id: textOf(call.id), name: nameOf(inner.name), input: inner.arguments, path: at });
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
