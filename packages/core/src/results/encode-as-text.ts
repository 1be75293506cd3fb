import type { Message, MessagePart } from "../message.ts";
import { neutralize } from "../text/neutralize.ts";
import type { ToolCall, ToolResult } from "../tool.ts";

/** How a protocol writes calls and results as text. */
export interface TextEncoding {
  /** The block that a model would have written to make these calls. */
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

/** A call's input as an object: what is none becomes `{ input }`, nothing at all `{}`. */
export function inputObject({ input }: ToolCall): Record<string, unknown> {
  if (input === undefined || input === null) return {};
  return typeof input === "object" && !Array.isArray(input) ? (input as Record<string, unknown>) : { input };
}
