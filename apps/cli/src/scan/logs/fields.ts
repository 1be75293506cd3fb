import { isObject } from "@toolglot/internal";
import { toolOf } from "../../check/tool-shapes.ts";
import type { LogItem, LogTool } from "./log-reader.ts";

/** Returns a text; undefined for anything else, and for an empty one. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a time in milliseconds since the epoch, from an ISO time or a number of milliseconds. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}

/** Returns the objects of a list with their places in it; none for what is no list. */
export function objectsOf(list: unknown): [Record<string, unknown>, number][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => (isObject(item) ? [[item, index] as [Record<string, unknown>, number]] : []));
}

/** Returns tools from a list in any provider's shape; undefined when none is one. */
export function toolsOf(list: unknown): LogTool[] | undefined {
  const tools = objectsOf(list).flatMap(([tool]) => toolOf(tool) ?? []);
  return tools.length > 0 ? tools : undefined;
}

/**
 * Returns what is in a message's content: a text, or parts in the shape of Anthropic, OpenAI, the AI SDK, Bedrock or Gemini. Texts count
 * where the model says them.
 */
export function contentItems(content: unknown, path: string, isModel: boolean): LogItem[] {
  if (typeof content === "string") return isModel && content !== "" ? [{ type: "text", text: content, path }] : [];
  return objectsOf(content).flatMap(([part, index]) => partItems(part, `${path}/${index}`, isModel));
}

/** Whether a message's content has something like a call that nobody reads. */
export const hasUnreadCall = (content: unknown): boolean =>
  objectsOf(content).some(
    ([part]) =>
      /call|tool_?use/i.test(nameOf(part.type) || Object.keys(part).join()) && partItems(part, "", true).length === 0,
  );

function partItems(part: Record<string, unknown>, path: string, isModel: boolean): LogItem[] {
  const { type } = part;
  if (type === undefined && part.text === undefined) return untypedItems(part, path);
  if (type === undefined || type === "text" || type === "output_text") {
    const key = "text" in part ? "text" : "content";
    const text = textOf(part[key]);
    return isModel && text !== undefined ? [{ type: "text", text, path: `${path}/${key}` }] : [];
  }
  if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use")
    return [{ type: "call", id: textOf(part.id), name: nameOf(part.name), input: part.input, path: `${path}/input` }];
  if (type === "tool_call" && "arguments" in part)
    return [
      { type: "call", id: textOf(part.id), name: nameOf(part.name), input: part.arguments, path: `${path}/arguments` },
    ];
  if (type === "tool-call") {
    const key = "args" in part ? "args" : "input";
    return [
      {
        type: "call",
        id: textOf(part.toolCallId),
        name: nameOf(part.toolName),
        input: part[key],
        path: `${path}/${key}`,
      },
    ];
  }
  const id =
    textOf(part.tool_use_id) ??
    (type === "tool_call_response" ? textOf(part.id) : undefined) ??
    (type === "tool-result" || type === "tool-error" ? textOf(part.toolCallId) : undefined);
  return id === undefined ? [] : [{ type: "result", id }];
}

/** What the one member of a part is, where no type says it: Bedrock's `toolUse`, Gemini's `functionCall`, and their results. */
function untypedItems(part: Record<string, unknown>, path: string): LogItem[] {
  for (const [key, own] of [
    ["toolUse", "input"],
    ["functionCall", "args"],
  ] as const) {
    const call = part[key];
    if (!isObject(call)) continue;
    const id = textOf(call.toolUseId ?? call.id);
    return [{ type: "call", id, name: nameOf(call.name), input: call[own], path: `${path}/${key}/${own}` }];
  }
  const result = part.toolResult ?? part.functionResponse;
  const id = isObject(result) ? textOf(result.toolUseId ?? result.id) : undefined;
  return id === undefined ? [] : [{ type: "result", id }];
}

/** A call's name as it was written; none is an empty one. */
export const nameOf = (name: unknown): string => (typeof name === "string" ? name : "");
