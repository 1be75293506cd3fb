import { type Action, type ToolCall, type ToolDefinition, toJsonText } from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { type ActionWriter, actionCalls, withText } from "@toolglot/core/text";
import type { builtIns } from "./scan/grammar.ts";
import { serialize } from "./serialize.ts";
import type { ToolsXmlCall } from "./types.ts";

/** What `serialize` writes around calls. */
const opening = "<tools>\n";
const closing = "</tools>\n";

/** One block for each action. */
export const writeActions: ActionWriter = (actions, { tools, text, nearest }) =>
  withText(text, actions.map((action) => writeAction(action, tools, nearest)).join("\n"));

/** Writes an action: a plan's steps as calls, where the nearest form will do; other actions as text that is shown. */
function writeAction(action: Action, tools: readonly ToolDefinition[], nearest: boolean): string {
  const calls = actionCalls(action, nearest);
  if (typeof calls === "string") return calls;
  return opening + calls.map((call) => writeCall(call, tools, nearest)).join("") + closing;
}

/** The fields of the built-in calls; those without which there is no call come first, before the bar. */
const fieldsOf: Readonly<Record<(typeof builtIns)[number], string>> = {
  command: "script|timeoutMs cwd",
  edit: "files|",
  read: "|files searches",
  get_value: "key reason|note",
  input: "data|",
  ctrl: "key|",
  mcp: "server name arguments|",
};

/** Whether an input is that of a built-in call, and not of a tool that has its name. */
function isBuiltIn(name: string, input: Readonly<Record<string, unknown>>): boolean {
  const [needed = [], others = []] = (fieldsOf[name as keyof typeof fieldsOf] ?? "")
    .split("|")
    .map((one) => one.split(" "));
  const given = Object.keys(input).filter((key) => input[key] !== undefined && key !== "tool" && key !== "span");
  const fields = [...needed, ...others].filter(Boolean);
  return (
    given.length > 0 && given.every((key) => fields.includes(key)) && needed.every((key) => !key || given.includes(key))
  );
}

/** Writes one call; what is no call of this protocol becomes a tag with its input as JSON. */
function writeCall(call: Pick<ToolCall, "name" | "input">, tools: readonly ToolDefinition[], nearest: boolean): string {
  const { name } = call;
  const input = inputObject(call);
  const parsed = isBuiltIn(name, input)
    ? { ...(name === "read" && { files: [], searches: [] }), ...input, tool: name, span: { start: 0, end: 0 } }
    : { tool: "custom", name, input, span: { start: 0, end: 0 } };
  try {
    return serialize({ calls: [parsed as ToolsXmlCall], comments: [] }, { tools }).slice(
      opening.length,
      -closing.length,
    );
  } catch (error) {
    if (!nearest) throw error;
    const tag = name.replace(/[^\p{L}\p{N}_.-]+/gu, "_");
    return `  <${tag}>${toJsonText(input).replaceAll("<", "\\u003c")}</${tag}>\n`;
  }
}
