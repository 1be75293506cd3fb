import { type Outcome, parseJson } from "../outcome.ts";
import type { PlannedCall } from "../task.ts";

/** How a value stands in its element; slips write it in other ways. */
export type BodyWriter = (value: string) => string;

/** A value as it is, in CDATA where it has marks of XML. */
export const body: BodyWriter = (value) =>
  /[<&]/.test(value) ? `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>` : value;

/** Calls as one ToolsXML block: an element for each call, a child element for each argument. */
export function writeToolsBlock(calls: readonly PlannedCall[], write: BodyWriter = body): string {
  const elements = calls.map(({ name, input }) => {
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
      const value = content.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1");
      const attribute = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
      if (attribute("status") !== "error") return { status: "ok", value: parseJson(value) };
      const errorType = attribute("type") ?? "Error";
      return { status: errorType === "Denied" ? "denied" : "error", errorType, message: value };
    },
  );
}
