import { serialize, type ToolsXmlCall } from "@toolglot/toolsxml";
import type { PlannedCall } from "../plan.ts";
import { type Outcome, outcomeOf } from "../task.ts";
import { parseJson, plainText } from "../text.ts";

/** A value as it is, in CDATA where it has marks of XML. */
const body = (value: string): string =>
  /[<&]/.test(value) ? `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>` : value;

const builtIns = ["command", "edit", "read", "get_value", "input", "ctrl"];

/** Calls as one ToolsXML block: an element for each call, a child for each argument; built-in tags as they are specified. */
export function writeToolsBlock(calls: readonly PlannedCall[]): string {
  const elements = calls.map(({ name, input }) => {
    if (builtIns.includes(name)) {
      const lists = name === "read" ? { files: [], searches: [] } : {};
      const call = { tool: name, ...lists, ...input, span: { start: 0, end: 0 } } as ToolsXmlCall;
      return serialize({ calls: [call], comments: [] }).slice("<tools>\n".length, -"</tools>\n".length);
    }
    const children = Object.entries(input).map(([key, value]) => `    <${key}>${body(plainText(value))}</${key}>\n`);
    return `  <${name}>\n${children.join("")}  </${name}>\n`;
  });
  return `<tools>\n${elements.join("")}</tools>\n`;
}

/** Reads the `<result>` elements of a message, in their order. */
export function readToolsResults(message: string): Outcome[] {
  const list = /^<results>\n([\s\S]*?)^<\/results>/m.exec(message)?.[1] ?? "";
  const result = /<result((?: \w+="[^"]*")*)(?:\/>|>((?:<!\[CDATA\[[\s\S]*?\]\]>|[^<])*)<\/result>)/g;
  return [...list.matchAll(result)].map(([, head = "", content = ""]) => {
    const text = content.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1");
    const found = Object.fromEntries([...head.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const exit = found.exit === undefined ? {} : { exit: Number(found.exit) };
    const facts = { ...exit, ...(found.status === "running" && { running: true as const }), text, message: text };
    return outcomeOf(found.status, { ...facts, value: parseJson(text), errorType: found.type });
  });
}
