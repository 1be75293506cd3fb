import type { ToolDefinition } from "@toolglot/core";
import type { SlipBody } from "../bodies.ts";
import type { Format, Value } from "../slip.ts";
import { toolsxmlClosers, toolsxmlSlips } from "./toolsxml-slips.ts";
import { isLiteral, raw, type Style, type ToolsXmlCall, value, written } from "./toolsxml-write.ts";

const writeFile: ToolDefinition = {
  name: "write_file",
  description: "",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string", "x-raw-body": true } },
    required: ["path", "content"],
  },
};

function calls({ kind, path, text }: SlipBody): ToolsXmlCall[] {
  const edit: ToolsXmlCall = { tag: "edit", src: path, find: "TODO: fill in", body: text };
  const write: ToolsXmlCall = { tag: "write_file", path, body: text };
  if (kind === "shell" || path.endsWith(".sh")) return [{ tag: "command", body: text }, edit];
  if (kind === "json" || kind === "html") return [edit, write, { tag: "mcp", path, body: text }];
  // What is indented as a whole loses that in a body that is read like a script.
  return /^\s/.test(text) ? [edit] : [edit, write];
}

const decode = (text: string): string =>
  text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d+)|#x([\da-f]+));/gi,
    (all, name?: string, decimal?: string, hex?: string) => {
      if (name) return { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }[name.toLowerCase()] ?? all;
      return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16));
    },
  );

/** A body on separate lines, or directly between its tags. */
const inBody = "(?:\\n([\\s\\S]*?)\\n *|([\\s\\S]*?))";
const oneCall = new RegExp(
  ` {2}(?:<command>${inBody}</command>|<edit>\\n {4}<file src="([^"]*)">\\n {6}<find>([^\\n]*?)</find>\\n {6}<replace>${inBody}</replace>\\n {4}</file>\\n {2}</edit>|<write_file path="([^"]*)">${inBody}</write_file>)\\n`,
  "y",
);

/** Every body up to the first closing tag in its place: a right output if that takes up all, raw or escaped. */
function meanings(text: string): Value[][] {
  const inner = /^<tools>\n([\s\S]*)<\/tools>\n$/.exec(text)?.[1];
  if (inner === undefined) return [];
  const found: ToolsXmlCall[] = [];
  for (let at = 0; at < inner.length; at = oneCall.lastIndex) {
    oneCall.lastIndex = at;
    const match = oneCall.exec(inner);
    if (!match) return [];
    const [, lines, script = lines, src, find = "", inLines, replace = inLines, path = "", below, content = below] =
      match;
    if (script !== undefined) found.push({ tag: "command", body: script });
    else if (replace !== undefined) found.push({ tag: "edit", src: decode(src ?? ""), find, body: replace });
    else found.push({ tag: "write_file", path: decode(path), body: content ?? "" });
  }
  const read = found.map(readBody);
  return read.includes(undefined) ? [] : [read.map((call) => value(call as ToolsXmlCall))];
}

const split = "]]]]><![CDATA[>";

/** What a body means: CDATA its text; else itself, or its entities decoded. Undefined when no right output has it. */
function readBody(call: ToolsXmlCall): ToolsXmlCall | undefined {
  const [, wrapped] = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(call.body) ?? [];
  const body = wrapped?.replaceAll(split, "");
  if (body !== undefined && !body.includes("]]>")) return { ...call, body: (wrapped ?? "").replaceAll(split, "]]>") };
  const tag = call.tag === "edit" ? "replace" : call.tag;
  if (new RegExp(`</?${tag}\\b`, "i").test(call.body) || call.body.startsWith("<![CDATA[")) return undefined;
  return isLiteral(call.body) ? call : { ...call, body: decode(call.body) };
}

const madeUpResult =
  '<results>\n<result tool="command" index="0" status="ok"><![CDATA[3 rows]]></result>\n</results>\n';

/** ToolsXML: tags around raw bodies. */
export const toolsxmlFormat: Format<ToolsXmlCall, Style> = {
  id: "toolsxml",
  tools: [writeFile],
  calls,
  write: (list) => written(list),
  raw,
  value,
  withBody: (call, change) => ({ ...call, body: change(call.body) }),
  prefix: ({ tag }) => `${tag}: `,
  manyCalls: true,
  mentions: [
    "I call tools in a `<tools>` block, with `<command>` for the shell.",
    "The block is `<tools>…</tools>`; `<edit>` holds `<file src>` elements.",
    "Calls stand between <tools> and </tools>.",
    "Use the <command> tag for scripts, and <edit> for files.",
  ],
  madeUpResult,
  other: { tag: "command", body: "npm test" },
  closers: toolsxmlClosers,
  closerStyles: (variant) => ({
    "": { encoding: "raw" },
    ...(/^(?:closer alone|CDATA end)$/.test(variant) && { ", CDATA": { encoding: "cdata" } }),
  }),
  slips: toolsxmlSlips,
  meanings,
  isOwn: ({ kind }) => kind === "toolsxml",
};
