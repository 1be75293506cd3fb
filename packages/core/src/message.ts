import type { ContentBlock, ToolCall, ToolResult } from "./call.ts";
import type { JsonObject } from "./json.ts";
import { neutralize } from "./text/neutralize.ts";

/**
 * Who stands behind a message. `untrusted`: text that came from tools, pages or files; it can inform, never act.
 */
export type Trust = "host" | "user" | "untrusted";

/** What a provider wants back with its own reasoning, as a signature; no other provider gets it. */
export interface ReasoningMeta {
  provider: { name: string; options: JsonObject };
}

/** One part of a message. */
export type MessagePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string; meta?: ReasoningMeta }
  | { type: "call"; call: ToolCall }
  | { type: "result"; result: ToolResult }
  | { type: "file"; mediaType: string; name?: string; data?: string; url?: string };

/** One message of a conversation. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  parts: MessagePart[];
  trust: Trust;
}

/** A conversation as it is kept. On disk: JSON Lines, the first line the head without messages, then one a message. */
export interface Transcript {
  version: 1;
  messages: Message[];
  meta: Record<string, unknown>;
}

/**
 * Creates a message of one text part.
 *
 * @example
 * ```ts
 * const message = textMessage("user", "Hello"); // { role: "user", parts: [{ type: "text", text: "Hello" }], trust: "user" }
 * ```
 */
export function textMessage(
  role: Message["role"],
  text: string,
  trust: Trust = role === "system" ? "host" : "user",
): Message {
  return { role, parts: [{ type: "text", text }], trust };
}

/** Returns the text parts of a message, joined. */
export function messageText(message: Message): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Returns the text of content blocks, one block a paragraph; blocks without text are named: `[image image/png]`. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join("\n\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return block.text ?? `[resource ${block.uri}]`;
    default:
      return `[${block.type} ${block.url ?? block.mediaType}]`;
  }
}

/** How a protocol writes calls and results as text. */
export interface TextEncoding {
  /** Returns the block that a model would have written to make these calls. */
  calls(calls: readonly ToolCall[]): string;
  results(results: readonly ToolResult[]): string;
}

/**
 * Messages as a provider without function calls gets them: all calls of a message become one text, all results another; a
 * tool's message becomes a user's. Marks of protocols in untrusted text are neutralised, except in what the model itself
 * said.
 */
export function encodeAsText(messages: readonly Message[], encoding: TextEncoding): Message[] {
  return messages.map((message) => {
    const untrusted = message.trust === "untrusted" && message.role !== "assistant";
    const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
    const results = message.parts.flatMap((part) => (part.type === "result" ? [part.result] : []));
    const written = new Set<MessagePart["type"]>();
    const parts = message.parts.flatMap((part): MessagePart[] => {
      if (part.type === "text") return [untrusted ? { type: "text", text: neutralize(part.text) } : part];
      if (part.type !== "call" && part.type !== "result") return [part];
      if (written.has(part.type)) return [];
      written.add(part.type);
      return [{ type: "text", text: part.type === "call" ? encoding.calls(calls) : encoding.results(results) }];
    });
    return { ...message, role: message.role === "tool" ? "user" : message.role, parts };
  });
}

/** Returns a call's input as an object: what is none becomes `{ input }`, nothing at all `{}`. */
export function inputObject({ input }: Pick<ToolCall, "input">): Record<string, unknown> {
  if (input === undefined || input === null) return {};
  return typeof input === "object" && !Array.isArray(input) ? (input as Record<string, unknown>) : { input };
}
