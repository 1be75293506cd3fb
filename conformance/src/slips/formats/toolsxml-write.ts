import { escapeXml } from "../random.ts";
import type { Value, Written } from "../slip.ts";

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
  return { before: "\n", text: encoding === "raw" ? text : escapeXml(text), after: "\n" };
}

const ownTag =
  /<\/?(?:tools|command|edit|file|find|replace|read|search|get_value|input|ctrl|mcp|write_file)\b|<!\[CDATA\[|\]\]>/i;
const entity = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/i;
const bare = /<|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;

/** Whether a raw body means itself: it has no entity, or something that shows that it was not escaped. */
export const isLiteral = (text: string): boolean => !entity.test(text) || bare.test(text);

/** The right way to write a body. */
export const rightEncoding = (call: ToolsXmlCall): Encoding =>
  !ownTag.test(bodyText(call)) && isLiteral(bodyText(call)) ? "raw" : "cdata";

/** Calls in one block. The changes are those of the last call. */
export function written(calls: readonly ToolsXmlCall[], changed: Partial<Style> = {}): Written {
  const { start = "<tools>\n", end = "</tools>\n" } = changed;
  let text = start;
  const seams: number[] = [];
  const values: [number, number][] = [];
  let valueEnd = 0;
  let complete = 0;
  for (const [index, call] of calls.entries()) {
    const style = index === calls.length - 1 ? changed : {};
    const { before, open, close, after } = frame(call);
    const encoded = encode(bodyText(call), style.encoding ?? rightEncoding(call));
    const lines = (style.before?.(before) ?? before) + (style.open ?? open) + encoded.before;
    seams.push(text.length);
    for (const match of lines.matchAll(/"[^"]*"|(?<=<find>)[^<]*/g))
      values.push([text.length + match.index, text.length + match.index + match[0].length]);
    values.push([text.length + lines.length, text.length + lines.length + encoded.text.length]);
    valueEnd = text.length + lines.length + encoded.text.trimEnd().length;
    // A body's element ends a line further in than it begins; its own closing tag ends the value.
    const closing = `${encoded.after}${encoded.after === "\n" ? before.slice(before.lastIndexOf("\n") + 1) : ""}`;
    text += lines + encoded.text + closing + (style.close ?? close);
    complete = text.length + after.trimEnd().length;
    text += style.after?.(after) ?? after;
  }
  return { text: text + end, begun: start.length, valueEnd, complete, values, seams };
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

/** The text of a call, whatever the changes do to it. */
export const raw = (call: ToolsXmlCall, changed?: Partial<Style>): string => written([call], changed).text;
