import { isObject, parseJson } from "@toolglot/internal";
import { contentItems, nameOf, objectsOf, textOf, timeOf, toolsOf } from "./fields.ts";
import type { LogEntry, LogItem, LogReader } from "./log-reader.ts";

/**
 * The AI SDK: steps of its devtools (`.devtools/generations.json`), of which each holds the whole conversation before it as JSON text, and
 * messages of its user interface, whose parts hold a call with its result.
 */
export const aiSdk: LogReader = {
  name: "AI SDK",
  read(record) {
    if (typeof record.run_id === "string" && "input" in record && "output" in record) return stepEntry(record);
    if (typeof record.started_at === "string" && "parent_run_id" in record) return { items: [] };
    const { role, parts } = record;
    if (typeof role !== "string" || !Array.isArray(parts) || "trust" in record || "info" in record) return undefined;
    // Gemini's parts have no type, and OpenTelemetry's a content.
    const isOwn = (part: unknown): boolean =>
      isObject(part) && typeof part.type === "string" && !("content" in part) && !/^tool_call/.test(part.type);
    if (!parts.every(isOwn)) return undefined;
    if (role !== "assistant") return { items: [{ type: "turn" }] };
    return { items: objectsOf(parts).flatMap(([part, index]) => uiItems(part, `/parts/${index}`)) };
  },
};

function stepEntry(record: Record<string, unknown>): LogEntry {
  const input = dataOf(record.input);
  const output = dataOf(record.output);
  const items: LogItem[] = [];
  const tools = toolsOf(input.tools);
  if (tools) items.push({ type: "tools", tools });
  // The results alone: what the model said before is the output of steps before.
  for (const [message] of objectsOf(input.prompt))
    items.push(...contentItems(message.content, "", false).filter(({ type }) => type === "result"));
  items.push({ type: "turn" });
  items.push(...contentItems(output.content, "/output/content", true));
  for (const [part, index] of objectsOf(output.textParts)) {
    const text = textOf(part.text);
    if (text !== undefined) items.push({ type: "text", text, path: `/output/textParts/${index}/text` });
  }
  items.push(...contentItems(output.toolCalls, "/output/toolCalls", true));
  const entry = { items, time: timeOf(record.started_at), conversation: textOf(record.run_id) };
  const model = textOf(record.model_id);
  return model === undefined ? entry : { ...entry, model };
}

/** Its database keeps data as JSON text. */
function dataOf(value: unknown): Record<string, unknown> {
  const data = typeof value === "string" ? parseJson(value) : value;
  return isObject(data) ? data : {};
}

function uiItems(part: Record<string, unknown>, path: string): LogItem[] {
  const type = nameOf(part.type);
  if (type === "text" && typeof part.text === "string")
    return [{ type: "text", text: part.text, path: `${path}/text` }];
  const name = type === "dynamic-tool" ? nameOf(part.toolName) : /^tool-(.+)$/.exec(type)?.[1];
  const id = textOf(part.toolCallId);
  if (name === undefined || id === undefined) return [];
  const key = "rawInput" in part ? "rawInput" : "input";
  const call: LogItem = { type: "call", id, name, input: part[key], path: `${path}/${key}` };
  return /^output-/.test(nameOf(part.state)) ? [call, { type: "result", id }] : [call];
}
