import {
  bindNames,
  type Message,
  type MessagePart,
  neutralize,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from "@toolglot/core";
import { renderCall } from "./stubs/python-stubs.ts";
import { tomlLine, tomlText } from "./toml-text.ts";

/**
 * Messages as a provider without function calls gets them. Calls become a document, results a `[tool_result]`; a tool's
 * message becomes a user's. Marks of protocols in untrusted text are neutralised, except in what the model itself said.
 */
export function encodeMessages(
  messages: readonly Message[],
  formatResults: (results: readonly ToolResult[]) => string,
): Message[] {
  return messages.map((message) => {
    const untrusted = message.trust === "untrusted" && message.role !== "assistant";
    const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
    const results = message.parts.flatMap((part) => (part.type === "result" ? [part.result] : []));
    let callsWritten = false;
    let resultsWritten = false;
    const parts = message.parts.flatMap((part): MessagePart[] => {
      switch (part.type) {
        case "call":
          if (callsWritten) return [];
          callsWritten = true;
          return [{ type: "text", text: callDocument(calls) }];
        case "result":
          if (resultsWritten) return [];
          resultsWritten = true;
          return [{ type: "text", text: formatResults(results) }];
        case "text":
          return [untrusted ? { type: "text", text: neutralize(part.text) } : part];
        default:
          return [part];
      }
    });
    return { ...message, role: message.role === "tool" ? "user" : message.role, parts };
  });
}

/** The document that a model would have written to make these calls. */
function callDocument(calls: readonly ToolCall[]): string {
  const names = [...new Set(calls.map((call) => call.name))];
  const tools: Pick<ToolDefinition, "name" | "inputSchema">[] = names.map((name) => {
    const keys = calls.flatMap((call) => (call.name === name ? Object.keys(inputOf(call)) : []));
    return { name, inputSchema: { properties: Object.fromEntries(keys.map((key) => [key, true])) } };
  });
  const { byName } = bindNames(tools, "python");
  const lines = calls.map((call) => {
    const bound = byName.get(call.name);
    return bound ? renderCall(bound, inputOf(call)) : "";
  });
  const code =
    lines.length === 1
      ? `__result__ = ${lines[0]}`
      : [
          ...lines.map((line, index) => `result${index + 1} = ${line}`),
          `__result__ = {${lines.map((_, index) => `"result${index + 1}": result${index + 1}`).join(", ")}}`,
        ].join("\n");
  return [
    "[tool_call]",
    'status = "success"',
    `target = ${tomlLine(names.join(", "))}`,
    `code = ${tomlText(`${code}\n`)}`,
    "",
  ].join("\n");
}

function inputOf(call: ToolCall): Record<string, unknown> {
  const { input } = call;
  if (input === undefined || input === null) return {};
  return typeof input === "object" && !Array.isArray(input) ? (input as Record<string, unknown>) : { input };
}
