import { type Outcome, parseJson } from "../outcome.ts";
import type { PlannedCall } from "../task.ts";
import { type BodyWriter, isBuiltIn, writeBuiltIn } from "./built-in-tags.ts";

/** A value as it is, in CDATA where it has marks of XML. */
export const body: BodyWriter = (value) =>
  /[<&]/.test(value) ? `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>` : value;

/** Calls as one ToolsXML block: an element for each call, a child element for each argument; built-in tags as they are specified. */
export function writeToolsBlock(calls: readonly PlannedCall[], write: BodyWriter = body, raw?: BodyWriter): string {
  const elements = calls.map(({ name, input }) => {
    if (isBuiltIn(name)) return writeBuiltIn(name, input, raw);
    const children = Object.entries(input).map(
      ([key, value]) => `    <${key}>${write(typeof value === "string" ? value : JSON.stringify(value))}</${key}>\n`,
    );
    return children.length === 0 ? `  <${name}/>\n` : `  <${name}>\n${children.join("")}  </${name}>\n`;
  });
  return `<tools>\n${elements.join("")}</tools>\n`;
}

/** Reads the `<result>` elements of a message, in their order. */
export function readToolsResults(text: string): Outcome[] {
  const list = /^<results>\n([\s\S]*?)^<\/results>/m.exec(text)?.[1] ?? "";
  return [...list.matchAll(/<result((?: \w+="[^"]*")*)(?:\/>|>((?:<!\[CDATA\[[\s\S]*?\]\]>|[^<])*)<\/result>)/g)].map(
    ([, attributes = "", content = ""]) => {
      const text = content.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1");
      const attribute = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
      const exit = attribute("exit");
      const facts = { text, ...(exit !== undefined && { exit: Number(exit) }) };
      if (attribute("status") === "running") return { status: "ok", running: true, value: parseJson(text), ...facts };
      if (attribute("status") !== "error") return { status: "ok", value: parseJson(text), ...facts };
      const errorType = attribute("type") ?? "Error";
      return { status: errorType === "Denied" ? "denied" : "error", errorType, message: text, ...facts };
    },
  );
}
