import { contentText, type Message, type MessagePart, type ToolResult } from "@toolglot/core";
import type { AssistantContent, JSONValue, ModelMessage, ToolResultPart } from "ai";

/** Core messages as the AI SDK takes them: calls and results as parts, reasoning left out, since no provider takes another's. */
export function toModelMessages(messages: readonly Message[]): ModelMessage[] {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "call") names.set(part.call.id, part.call.name);
  }
  return messages.flatMap((message) => toModelMessage(message, names));
}

function toModelMessage({ role, parts }: Message, names: ReadonlyMap<string, string>): ModelMessage[] {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  switch (role) {
    case "system":
      return [{ role: "system", content: text }];
    case "user":
      return text === "" ? [] : [{ role: "user", content: text }];
    case "assistant": {
      const content = parts.flatMap(toAssistantPart);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool": {
      const results = parts.flatMap((part) => (part.type === "result" ? [toResultPart(part.result, names)] : []));
      // A protocol that is text has turned its results into text already.
      if (results.length > 0) return [{ role: "tool", content: results }];
      return text === "" ? [] : [{ role: "user", content: text }];
    }
  }
}

function toAssistantPart(part: MessagePart): Exclude<AssistantContent, string> {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type !== "call") return [];
  const { id, name, input } = part.call;
  // Providers require an object; other input that the model wrote goes back to it under one key.
  const object = typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input };
  return [{ type: "tool-call", toolCallId: id, toolName: name, input: object }];
}

function toResultPart(result: ToolResult, names: ReadonlyMap<string, string>): ToolResultPart {
  const text = contentText(result.content);
  const toolName = result.name ?? names.get(result.callId) ?? "unknown";
  if (result.status === "ok" || result.status === "pending") {
    const output: ToolResultPart["output"] =
      text === "" && result.data !== undefined
        ? { type: "json", value: result.data as JSONValue }
        : { type: "text", value: text };
    return { type: "tool-result", toolCallId: result.callId, toolName, output };
  }
  const value = text || result.error?.message || result.status;
  return { type: "tool-result", toolCallId: result.callId, toolName, output: { type: "error-text", value } };
}
