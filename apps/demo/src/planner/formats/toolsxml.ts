import { serialize, type ToolsXmlCall } from "@toolglot/toolsxml";
import type { Outcome, PlannedCall } from "../task.ts";
import { parseJson } from "../text.ts";

/** How a value stands in its element; slips write it in other ways. */
export type BodyWriter = (value: string) => string;

/** A value as it is, in CDATA where it has marks of XML. */
const plainBody: BodyWriter = (value) =>
  /[<&]/.test(value) ? `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>` : value;

const builtIns = ["command", "edit", "read", "get_value", "input", "ctrl"];

/** Calls as one ToolsXML block: an element for each call, a child for each argument; built-in tags as they are specified. */
export function writeToolsBlock(calls: readonly PlannedCall[], body?: BodyWriter): string {
  const elements = calls.map(({ name, input }) => {
    if (builtIns.includes(name)) return writeBuiltIn(name, input, body);
    const children = Object.entries(input).map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `    <${key}>${(body ?? plainBody)(text)}</${key}>\n`;
    });
    return children.length === 0 ? `  <${name}/>\n` : `  <${name}>\n${children.join("")}  </${name}>\n`;
  });
  return `<tools>\n${elements.join("")}</tools>\n`;
}

function writeBuiltIn(tool: string, input: Record<string, unknown>, body?: BodyWriter): string {
  const lists = tool === "read" ? { files: [], searches: [] } : {};
  const call = { tool, ...lists, ...input, span: { start: 0, end: 0 } } as ToolsXmlCall;
  const block = serialize({ calls: [call], comments: [] });
  // Bodies are what stands between tags of which the second closes the first.
  const bodies = /(?<=<(command|find|replace|input)[^>]*>)(?!<!\[CDATA)[\s\S]*?(?=<\/\1>)/g;
  return block.slice("<tools>\n".length, -"</tools>\n".length).replace(bodies, (text) => body?.(text) ?? text);
}

/** Reads the `<result>` elements of a message, in their order. */
export function readToolsResults(message: string): Outcome[] {
  const list = /^<results>\n([\s\S]*?)^<\/results>/m.exec(message)?.[1] ?? "";
  const result = /<result((?: \w+="[^"]*")*)(?:\/>|>((?:<!\[CDATA\[[\s\S]*?\]\]>|[^<])*)<\/result>)/g;
  return [...list.matchAll(result)].map(([, head = "", content = ""]) => {
    const text = content.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1");
    const found = Object.fromEntries([...head.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const facts = { text, ...(found.exit !== undefined && { exit: Number(found.exit) }) };
    if (found.status === "running") return { status: "ok", running: true, value: parseJson(text), ...facts };
    if (found.status !== "error") return { status: "ok", value: parseJson(text), ...facts };
    const errorType = found.type ?? "Error";
    return { status: errorType === "Denied" ? "denied" : "error", errorType, message: text, ...facts };
  });
}
