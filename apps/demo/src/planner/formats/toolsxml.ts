import type { Outcome, PlannedCall } from "../task.ts";
import { parseJson } from "../text.ts";

/** How a value stands in its element; slips write it in other ways. */
export type BodyWriter = (value: string) => string;

const cdata: BodyWriter = (value) => `<![CDATA[${value.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
/** A value as it is, in CDATA where it has marks of XML. */
const plainBody: BodyWriter = (value) => (/[<&]/.test(value) ? cdata(value) : value);
/** Bodies of built-in tags need no escaping: only what looks like an entity, CDATA or one of the tags around it. */
const rawMark = /&(?:\w+|#\w+);|<!\[CDATA\[|\]\]>|\r|<\/?(?:command|edit|file|find|replace|input|tools)\b/i;
const rawBody: BodyWriter = (value) => (rawMark.test(value) ? cdata(value) : value);

type Values = Record<string, string | number | boolean | undefined>;

const attributes = (values: Values): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}="${String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")}"`,
    )
    .join("");

/** One line break after the opening and before the closing tag does not count. */
const exact = (text: string, body: BodyWriter): string => (text.includes("\n") ? `\n${body(text)}\n` : body(text));

/** The tags that ToolsXML has of its own. */
const builtIns: Record<string, (input: never, body: BodyWriter) => string> = {
  command({ script, timeoutMs, cwd }: { script: string; timeoutMs?: number; cwd?: string }, body) {
    const timeout = timeoutMs === undefined ? undefined : timeoutMs / 1000;
    const plain = body(script);
    // Nothing is taken off what stands in CDATA.
    const lines = plain.includes("\n") && !plain.startsWith("<![CDATA[");
    return `<command${attributes({ timeout, cwd })}>${lines ? `\n${plain.replaceAll(/^(?=.)/gm, "    ")}\n  ` : plain}</command>`;
  },
  edit({ files }: { files: { src: string; edits: { find: string; replace: string; all?: boolean }[] }[] }, body) {
    const parts = files.map(({ src, edits }) => {
      const pairs = edits.map(
        ({ find, replace, all }) =>
          `      <find${attributes({ all })}>${exact(find, body)}</find>\n      <replace>${exact(replace, body)}</replace>\n`,
      );
      return `    <file${attributes({ src })}>\n${pairs.join("")}    </file>\n`;
    });
    return `<edit>\n${parts.join("")}  </edit>`;
  },
  read({ files = [], searches = [] }: { files?: Values[]; searches?: Values[] }) {
    const parts = [
      ...files.map((one) => `file${attributes(one)}`),
      ...searches.map((one) => `search${attributes(one)}`),
    ];
    return `<read>\n${parts.map((part) => `    <${part}/>\n`).join("")}  </read>`;
  },
  input({ data }: { data: string }, body) {
    const signs: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    return `<input>${body(data.replaceAll(/[\\\n\r\t]/g, (sign) => signs[sign] ?? sign))}</input>`;
  },
  ctrl: ({ key }: { key: string }) => `<ctrl>${key}</ctrl>`,
};

/** Calls as one ToolsXML block: an element for each call, a child for each argument; built-in tags as they are specified. */
export function writeToolsBlock(calls: readonly PlannedCall[], body?: BodyWriter): string {
  const elements = calls.map(({ name, input }) => {
    const builtIn = builtIns[name];
    if (builtIn) return builtIn(input as never, body ?? rawBody);
    const children = Object.entries(input).map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `    <${key}>${(body ?? plainBody)(text)}</${key}>\n`;
    });
    return children.length === 0 ? `<${name}/>` : `<${name}>\n${children.join("")}  </${name}>`;
  });
  return `<tools>\n${elements.map((element) => `  ${element}\n`).join("")}</tools>\n`;
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
