import { isDeepStrictEqual } from "node:util";
import {
  createParser,
  parse,
  serialize,
  type ToolsXmlBlock,
  type ToolsXmlCall,
  type ToolsXmlEvent,
} from "@toolglot/toolsxml";
import type { Implementation } from "../check.ts";
import type { FinalText } from "../events.ts";

/** ToolsXML: a delta belongs to a text of a call; attributes come whole. */
export const toolsxml: Implementation<ToolsXmlBlock, ToolsXmlEvent> = {
  protocol: "toolsxml",
  parse,
  createParser,
  serialize,
  deltaField: (event) => (event.type === "body-delta" ? { id: `call ${event.call} ${event.field}` } : undefined),
  finalTexts: ({ status, calls }) =>
    new Map(
      // Events count every call element; of a truncated block those that had faults are not among its calls.
      (status === "truncated" ? [] : calls).flatMap((call, index) =>
        bodies(call).map(([field, text]) => [`call ${index} ${field}`, text] as const),
      ),
    ),
  mayBeLeftOut: ({ status, truncatedCall, calls }, name) =>
    status === "truncated" ||
    (truncatedCall !== undefined && name.startsWith(`call ${calls.length} `)) ||
    // Child elements of a custom call are coerced: what their deltas say is compared through the vectors.
    calls.some(({ tool }, index) => tool === "custom" && name.startsWith(`call ${index} `)),
  essence: ({ calls, comments }) => ({
    calls: calls.map(({ span: _, ...call }) => call),
    comments: comments.map(({ text }) => text),
  }),
  parts: ({ calls, comments, truncatedCall }) => [...calls, ...comments, ...(truncatedCall ? [truncatedCall] : [])],
};

/** The texts of a call's bodies, by path. */
function bodies(call: ToolsXmlCall): [string, FinalText][] {
  switch (call.tool) {
    case "command":
      return [["script", call.script]];
    case "edit":
      return call.files.flatMap(({ edits }, file) =>
        edits.flatMap(({ find, replace }, edit): [string, FinalText][] => [
          [`files[${file}].edits[${edit}].find`, find],
          [`files[${file}].edits[${edit}].replace`, replace],
        ]),
      );
    case "input":
      return [["data", call.data]];
    case "ctrl":
      return [["key", (sum) => sum.trim().toLowerCase() === call.key]];
    case "mcp":
      return [["arguments", (sum) => isDeepStrictEqual(JSON.parse(sum.trim() || "{}"), call.arguments)]];
    case "custom":
      // A text in an attribute, or in a JSON body, has no deltas.
      return Object.entries(call.input).flatMap(([key, value]): [string, FinalText][] =>
        typeof value === "string" ? [[`input.${key}`, (sum) => sum === "" || sum === value]] : [],
      );
    default:
      return [];
  }
}
