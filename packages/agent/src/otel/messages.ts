import {
  contentText,
  type FinishReason,
  type Message,
  type MessagePart,
  type ToolDefinition,
  toJsonText,
} from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import type { TracedAnswer } from "../tracing.ts";

// JSON as the conventions' schemas have it: gen-ai-input-messages.json, -output-messages.json, -system-instructions.json.

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  calls: "tool_call",
  filter: "content_filter",
  error: "error",
};

export function finishReasons(finishes: readonly FinishReason[]): string[] {
  return finishes.map((finish) => reasons[finish] ?? finish);
}

/** Returns the messages of a request less its system messages; of a long conversation the newest. */
export function inputMessages(messages: readonly Message[], maxLength: number): string {
  const said = messages.filter(({ role }) => role !== "system");
  return newest(said, maxLength, ({ role, parts }) => ({ role, parts: parts.map((part) => toPart(part, maxLength)) }));
}

/** Returns the system messages; undefined when there are none. */
export function systemInstructions(messages: readonly Message[], maxLength: number): string | undefined {
  const parts = messages.filter(({ role }) => role === "system").flatMap((message) => message.parts);
  return parts.length === 0 ? undefined : newest(parts, maxLength, (part) => toPart(part, maxLength));
}

export function outputMessages({ text, reasoning, calls, finish }: TracedAnswer, maxLength: number): string {
  const all: MessagePart[] = [
    { type: "reasoning", text: reasoning },
    { type: "text", text },
    ...calls.map((call) => ({ type: "call" as const, call })),
  ];
  const parts = all.filter((part) => !("text" in part) || part.text !== "").map((part) => toPart(part, maxLength));
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finish === undefined ? "stop" : reasons[finish] }]);
}

export function toolDefinitions(tools: readonly ToolDefinition[], maxLength: number): string {
  const shown = fitting(tools, maxLength, ({ name, description, inputSchema: parameters }) => ({
    type: "function",
    name,
    description: cutText(description, maxLength),
    parameters,
  }));
  return `[${shown.join()}]`;
}

/** Returns the last items as a JSON list, as many as fit, and the last one at least. */
function newest<Item>(items: readonly Item[], maxLength: number, toJson: (item: Item) => unknown): string {
  return `[${fitting([...items].reverse(), maxLength, toJson)
    .reverse()
    .join()}]`;
}

/** Returns the first items as JSON, as many as fit, and the first one at least. */
function fitting<Item>(items: readonly Item[], maxLength: number, toJson: (item: Item) => unknown): string[] {
  const texts: string[] = [];
  let room = maxLength;
  for (const item of items) {
    const text = toJsonText(toJson(item));
    room -= text.length + 1;
    if (room < 0 && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

function toPart(part: MessagePart, maxLength: number): Record<string, unknown> {
  const cut = (value: unknown): unknown => {
    const text = typeof value === "string" ? value : toJsonText(value);
    return text.length <= maxLength ? value : `${cutText(text, maxLength)}…`;
  };
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: cut(part.text) };
    case "call":
      return { type: "tool_call", id: part.call.id, name: part.call.name, arguments: cut(part.call.input ?? {}) };
    case "result": {
      const { callId, data, content, error } = part.result;
      return { type: "tool_call_response", id: callId, response: cut(data ?? error?.message ?? contentText(content)) };
    }
    default:
      return { type: "file", mime_type: part.mediaType };
  }
}
