import { type Action, bindNames, type ProgramLanguage, type ToolCall, type ToolDefinition } from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { renderJavaScriptCall, renderPythonCall } from "@toolglot/core/stubs";
import { type ActionWriter, actionCalls, withText } from "@toolglot/core/text";
import { serialize } from "./serialize.ts";
import { tomlLine, tomlText } from "./toml-text.ts";

/** A document for each action, the text as the thought of the first. Calls are programs, where the nearest form will do. */
export const writeActions =
  (language: ProgramLanguage): ActionWriter =>
  (actions, { text, nearest }) => {
    const write = (action: Action, thought: string): string => {
      if (action.kind === "decline")
        return serialize({ thought, toolCall: { status: "fail", message: action.message } });
      if (action.kind === "code" && action.language === language) {
        const { source: code, target = "" } = action;
        return serialize({ thought, toolCall: { status: "success", target, code } });
      }
      if (!nearest) throw new Error(`the format has no ${action.kind === "code" ? action.language : action.kind}.`);
      const calls = actionCalls(action, nearest);
      return withText(thought, typeof calls === "string" ? calls : callDocument(calls, language));
    };
    return actions.map((action, at) => write(action, at === 0 ? text : "")).join("\n");
  };

/** Returns the document that a model would have written to make these calls. */
function callDocument(calls: readonly Pick<ToolCall, "name" | "input">[], language: ProgramLanguage): string {
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
