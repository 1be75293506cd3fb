import {
  bindNames,
  type Message,
  type ProgramLanguage,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from "@toolglot/core";
import { encodeAsText, inputObject } from "@toolglot/core/results";
import { renderJavaScriptCall, renderPythonCall } from "@toolglot/core/stubs";
import { tomlLine, tomlText } from "./toml-text.ts";

/** Messages as a provider without function calls gets them: calls become a document, results a `[tool_result]`. */
export function encodeMessages(
  messages: readonly Message[],
  formatResults: (results: readonly ToolResult[]) => string,
  language: ProgramLanguage,
): Message[] {
  return encodeAsText(messages, { calls: (calls) => callDocument(calls, language), results: formatResults });
}

/** The document that a model would have written to make these calls. */
function callDocument(calls: readonly ToolCall[], language: ProgramLanguage): string {
  const names = [...new Set(calls.map((call) => call.name))];
  const tools: Pick<ToolDefinition, "name" | "inputSchema">[] = names.map((name) => {
    const keys = calls.flatMap((call) => (call.name === name ? Object.keys(inputObject(call)) : []));
    return { name, inputSchema: { properties: Object.fromEntries(keys.map((key) => [key, true])) } };
  });
  const { byName } = bindNames(tools, language);
  const render = language === "python" ? renderPythonCall : renderJavaScriptCall;
  const lines = calls.map((call) => {
    const bound = byName.get(call.name);
    return bound ? render(bound, inputObject(call)) : "";
  });
  const code = (language === "python" ? pythonProgram : javascriptProgram)(lines);
  return [
    "[tool_call]",
    'status = "success"',
    `target = ${tomlLine(names.join(", "))}`,
    `code = ${tomlText(`${code}\n`)}`,
    "",
  ].join("\n");
}

function pythonProgram(calls: readonly string[]): string {
  if (calls.length === 1) return `__result__ = ${calls[0]}`;
  return [
    ...calls.map((call, index) => `result${index + 1} = ${call}`),
    `__result__ = {${calls.map((_, index) => `"result${index + 1}": result${index + 1}`).join(", ")}}`,
  ].join("\n");
}

function javascriptProgram(calls: readonly string[]): string {
  if (calls.length === 1) return `__result__ = await ${calls[0]};`;
  const names = calls.map((_, index) => `result${index + 1}`).join(", ");
  return `const [${names}] = await Promise.all([\n${calls.map((call) => `  ${call},\n`).join("")}]);\n__result__ = { ${names} };`;
}
