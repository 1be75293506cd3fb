import { type ToolCall, type ToolDefinition, toJsonText } from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { builtIns } from "./scan/grammar.ts";
import { serialize } from "./serialize.ts";
import type { ToolsXmlCall } from "./types.ts";

/** What `serialize` writes around calls. */
const opening = "<tools>\n";
const closing = "</tools>\n";

/** The block that a model would have written to make these calls. Never throws. */
export function writeCalls(calls: readonly ToolCall[], tools: readonly ToolDefinition[]): string {
  return opening + calls.map((call) => writeCall(call, tools)).join("") + closing;
}

/** One call; what is no call of this protocol becomes a tag with its input as JSON. */
function writeCall(call: ToolCall, tools: readonly ToolDefinition[]): string {
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
  } catch {
    const tag = name.replace(/[^\p{L}\p{N}_.-]+/gu, "_");
    return `  <${tag}>${toJsonText(input).replaceAll("<", "\\u003c")}</${tag}>\n`;
  }
}
