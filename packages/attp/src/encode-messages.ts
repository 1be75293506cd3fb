import { bindNames, type Message, type ToolCall, type ToolDefinition, type ToolResult } from "@toolglot/core";
import { encodeAsText, inputObject } from "@toolglot/core/results";
import { renderPythonCall } from "@toolglot/core/stubs";
import { tomlLine, tomlText } from "./toml-text.ts";

/** Messages as a provider without function calls gets them: calls become a document, results a `[tool_result]`. */
export function encodeMessages(
  messages: readonly Message[],
  formatResults: (results: readonly ToolResult[]) => string,
): Message[] {
  return encodeAsText(messages, { calls: callDocument, results: formatResults });
}

/** The document that a model would have written to make these calls. */
function callDocument(calls: readonly ToolCall[]): string {
  const names = [...new Set(calls.map((call) => call.name))];
  const tools: Pick<ToolDefinition, "name" | "inputSchema">[] = names.map((name) => {
    const keys = calls.flatMap((call) => (call.name === name ? Object.keys(inputObject(call)) : []));
    return { name, inputSchema: { properties: Object.fromEntries(keys.map((key) => [key, true])) } };
  });
  const { byName } = bindNames(tools, "python");
  const lines = calls.map((call) => {
    const bound = byName.get(call.name);
    return bound ? renderPythonCall(bound, inputObject(call)) : "";
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
