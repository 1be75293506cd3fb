import type { ToolDefinition } from "@toolglot/core";
import type { SlipBody } from "../bodies.ts";
import type { Format, Value, Written } from "../slip.ts";
import { layoutSlips } from "./toolsxml-layouts.ts";
import { toolsxmlSlips } from "./toolsxml-slips.ts";

/** A call by the texts that are written of it. `body` is the one that carries a body. */
export type ToolsXmlCall =
  | { tag: "command"; body: string }
  | { tag: "edit"; src: string; find: string; body: string }
  | { tag: "write_file"; path: string; body: string }
  | { tag: "mcp"; path: string; body: string };

/** How a raw body is written. */
export type Encoding = "raw" | "cdata" | "escaped";

/** What may differ from the template, piece by piece. Tags are written in full. */
export interface Style {
  start: string;
  end: string;
  encoding: Encoding;
  /** The tags directly around the body. */
  open?: string;
  close?: string;
  /** Changes the lines around the body's element: those before it, and those after it. */
  before?: (lines: string) => string;
  after?: (lines: string) => string;
}

const writeFile: ToolDefinition = {
  name: "write_file",
  description: "",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string", "x-raw-body": true } },
    required: ["path", "content"],
  },
};

const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The lines around a call's body, and the tags directly around it. */
function frame(call: ToolsXmlCall): { before: string; open: string; close: string; after: string } {
  switch (call.tag) {
    case "command":
      return { before: "  ", open: "<command>", close: "</command>", after: "\n" };
    case "edit":
      return {
        before: `  <edit>\n    <file src="${attribute(call.src)}">\n      <find>${call.find}</find>\n      `,
        open: "<replace>",
        close: "</replace>",
        after: "\n    </file>\n  </edit>\n",
      };
    case "write_file":
      return { before: "  ", open: `<write_file path="${attribute(call.path)}">`, close: "</write_file>", after: "\n" };
    case "mcp":
      return { before: "  ", open: '<mcp server="files" tool="write">', close: "</mcp>", after: "\n" };
  }
}

const bodyText = (call: ToolsXmlCall): string =>
  call.tag === "mcp" ? JSON.stringify({ path: call.path, content: call.body }) : call.body;

/** As CDATA. */
export const cdata = (text: string): string => `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;

/** Lines end where CDATA begins, so that its text is what was meant. */
function encode(text: string, encoding: Encoding): { before: string; text: string; after: string } {
  if (encoding === "cdata") return { before: "<![CDATA[", text: cdata(text).slice(9, -3), after: "]]>" };
  if (encoding === "raw") return { before: "\n", text, after: "\n" };
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return { before: "\n", text: escaped, after: "\n" };
}

const ownTag =
  /<\/?(?:tools|command|edit|file|find|replace|read|search|get_value|input|ctrl|mcp|write_file)\b|<!\[CDATA\[|\]\]>/i;
const entity = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/i;
const bare = /<|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;

/** Whether a raw body means itself: it has no entity, or something that shows that it was not escaped. */
const isLiteral = (text: string): boolean => !entity.test(text) || bare.test(text);

/** The right way to write a body. */
export const rightEncoding = (call: ToolsXmlCall): Encoding =>
  !ownTag.test(bodyText(call)) && isLiteral(bodyText(call)) ? "raw" : "cdata";

/** Calls in one block. The changes are those of the last call. */
export function raw(calls: readonly ToolsXmlCall[], changed: Partial<Style> = {}): Written {
  const { start = "<tools>\n", end = "</tools>\n" } = changed;
  let written = start;
  const seams: number[] = [];
  const values: [number, number][] = [];
  let valueEnd = 0;
  let complete = 0;
  for (const [index, call] of calls.entries()) {
    const style = index === calls.length - 1 ? changed : {};
    const { before, open, close, after } = frame(call);
    const encoded = encode(bodyText(call), style.encoding ?? rightEncoding(call));
    const lines = (style.before?.(before) ?? before) + (style.open ?? open) + encoded.before;
    seams.push(written.length);
    for (const match of lines.matchAll(/"[^"]*"|(?<=<find>)[^<]*/g))
      values.push([written.length + match.index, written.length + match.index + match[0].length]);
    values.push([written.length + lines.length, written.length + lines.length + encoded.text.length]);
    valueEnd = written.length + lines.length + encoded.text.trimEnd().length;
    // A body's element ends a line further in than it begins; its own closing tag ends the value.
    const closing = `${encoded.after}${encoded.after === "\n" ? before.slice(before.lastIndexOf("\n") + 1) : ""}`;
    written += lines + encoded.text + closing + (style.close ?? close);
    complete = written.length + after.trimEnd().length;
    written += style.after?.(after) ?? after;
  }
  return { text: written + end, begun: start.length, valueEnd, complete, values, seams };
}

export function value(call: ToolsXmlCall): Value {
  switch (call.tag) {
    case "command":
      return { tool: "command", script: call.body.trim() };
    case "edit":
      return { tool: "edit", files: [{ src: call.src, edits: [{ find: call.find, replace: call.body }] }] };
    case "write_file":
      return { tool: "custom", name: "write_file", input: { path: call.path, content: call.body } };
    case "mcp":
      return { tool: "mcp", server: "files", name: "write", arguments: { path: call.path, content: call.body } };
  }
}

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

/** A body that begins and ends with a line of its own, or directly. */
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
export const toolsxmlFormat: Format<ToolsXmlCall> = {
  id: "toolsxml",
  tools: [writeFile],
  calls,
  write: (list) => raw(list),
  value,
  manyCalls: true,
  mentions: [
    "I call tools in a `<tools>` block, with `<command>` for the shell.",
    "The block is `<tools>…</tools>`; `<edit>` holds `<file src>` elements.",
    "Calls stand between <tools> and </tools>.",
    "Use the <command> tag for scripts, and <edit> for files.",
  ],
  madeUpResult,
  other: { tag: "command", body: "npm test" },
  slips: { ...toolsxmlSlips, ...layoutSlips },
  meanings,
  isOwn: ({ kind }) => kind === "toolsxml",
};
