import { type Action, type ToolCall, type ToolDefinition, toJsonText } from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { type ActionWriter, actionCalls, withText } from "@toolglot/core/text";
import { builtIns } from "./scan/grammar.ts";
import { serialize } from "./serialize.ts";
import type { ToolsXmlCall } from "./types.ts";

/** What `serialize` writes around calls. */
const opening = "<tools>\n";
const closing = "</tools>\n";

/** One block for each action. */
export const writeActions: ActionWriter = (actions, { tools, text, nearest }) =>
  withText(text, actions.map((action) => writeAction(action, tools, nearest)).join("\n"));

/** A plan's steps are calls, where the nearest form will do; other actions are shown as text. */
function writeAction(action: Action, tools: readonly ToolDefinition[], nearest: boolean): string {
  const calls = actionCalls(action, nearest);
  if (typeof calls === "string") return calls;
  return opening + calls.map((call) => writeCall(call, tools, nearest)).join("") + closing;
}

/** One call; what is no call of this protocol becomes a tag with its input as JSON. */
function writeCall(call: Pick<ToolCall, "name" | "input">, tools: readonly ToolDefinition[], nearest: boolean): string {
  const { name } = call;
  const input = inputObject(call);
  const known = (builtIns as readonly string[]).includes(name);
  const reads = name === "read" && (input.files ?? input.searches) !== undefined;
  const parsed = known
    ? { ...(reads && { files: [], searches: [] }), ...input, tool: name, span: { start: 0, end: 0 } }
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
