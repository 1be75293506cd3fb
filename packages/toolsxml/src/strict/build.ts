import { type ToolDefinition, toJsonText } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { XMLBuilder, XMLValidator } from "fast-xml-parser";
import { rawProperty } from "../calls/schema.ts";
import type { ToolsXmlBlock, ToolsXmlCall } from "../types.ts";
import { escapeAttribute, escapeXml } from "../xml-text.ts";

/** How {@link build} writes. */
export interface BuildOptions {
  /** The declared tools: those with a raw body get theirs as text, the others' input is written as JSON. */
  tools?: readonly ToolDefinition[];
}

/** A node as fast-xml-parser's builder takes it with `preserveOrder`. */
type BuilderNode = Record<string, unknown>;
type Attributes = Record<string, string | number | boolean | undefined>;

const builder: XMLBuilder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  cdataPropName: "#cdata",
  commentPropName: "#comment",
  suppressBooleanAttributes: false,
  // The library leaves line breaks in attributes, which readers of XML turn into spaces.
  processEntities: false,
  attributeValueProcessor: (_name, value) => escapeAttribute(String(value)),
  tagValueProcessor: (_name, value) => escapeXml(String(value)),
  maxNestedTags: Number.POSITIVE_INFINITY,
});

/**
 * Writes a block as well-formed XML, through fast-xml-parser's builder. `parse`, `parseStrict` and any XML reader get the same
 * calls and comments from it: bodies stand in CDATA unless they are plain words, `]]>` in them is split, and `--` in a
 * comment becomes `- -`.
 *
 * Throws `TypeError` for what XML can't hold (most control characters; lone surrogates) and for names that are no XML names.
 */
export function build(block: Pick<ToolsXmlBlock, "calls" | "comments">, options: BuildOptions = {}): string {
  checkKeys("build", options, "tools:object[]");
  const tools = new Map((options.tools ?? []).map((tool) => [tool.name, tool]));
  const pieces = [
    ...block.calls.map((call) => ({ start: call.span.start, node: callNode(call, tools) })),
    ...block.comments.map(({ text, span }) => ({
      start: span.start,
      node: { "#comment": [{ "#text": ` ${text} ` }] },
    })),
  ];
  pieces.sort((a, b) => a.start - b.start);
  const children = pieces.flatMap(({ node }) => [lineBreak, node]);
  return builder.build([element("tools", {}, [...children, lineBreak])]) as string;
}

const lineBreak: BuilderNode = { "#text": "\n" };

function callNode(call: ToolsXmlCall, tools: ReadonlyMap<string, ToolDefinition>): BuilderNode {
  switch (call.tool) {
    case "command": {
      const timeout = call.timeoutMs === undefined ? undefined : call.timeoutMs / 1000;
      return element("command", { timeout, cwd: call.cwd }, [text(call.script)]);
    }
    case "edit":
      return element(
        "edit",
        {},
        call.files.map(({ src, encoding, edits }) =>
          element(
            "file",
            { src, encoding },
            edits.flatMap(({ find, replace, all }) => [
              element("find", { all }, [text(find)]),
              element("replace", {}, [text(replace)]),
            ]),
          ),
        ),
      );
    case "read":
      return element("read", {}, [
        ...call.files.map((file) => element("file", { ...file }, [])),
        ...call.searches.map((search) => element("search", { ...search }, [])),
      ]);
    case "get_value":
      return element("get_value", { key: call.key, reason: call.reason, note: call.note }, []);
    case "input":
      return element("input", {}, [text(escapeInput(call.data))]);
    case "ctrl":
      return element("ctrl", {}, [text(call.key)]);
    case "mcp":
      return element("mcp", { server: call.server, tool: call.name }, [text(json(call.arguments))]);
    case "custom":
      return customNode(call.name, call.input, tools.get(call.name));
  }
}

/** Builds the node of a custom call: a raw body takes one string; what stands beside it goes into attributes. */
function customNode(name: string, input: Record<string, unknown>, tool: ToolDefinition | undefined): BuilderNode {
  const raw = tool && rawProperty(tool);
  const body = raw === undefined ? undefined : input[raw];
  if (raw === undefined || (body !== undefined && typeof body !== "string"))
    return element(name, {}, [text(json(input))]);
  const rest = Object.entries(input).filter(([key]) => key !== raw);
  const attributes = rest.map(([key, value]) => [key, typeof value === "string" ? value : json(value)]);
  return element(name, Object.fromEntries(attributes), body === undefined ? [] : [text(body)]);
}

function element(name: string, attributes: Attributes, children: BuilderNode[]): BuilderNode {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  for (const checked of [name, ...given.map(([key]) => key)]) {
    if (/[\s<>/="'&!?]/.test(checked) || XMLValidator.validate(`<${checked}/>`) !== true)
      throw new TypeError(`${JSON.stringify(checked)} is no XML name: write this block with serialize().`);
  }
  for (const [, value] of given) checkText(String(value));
  return { [name]: children, ":@": Object.fromEntries(given.map(([key, value]) => [`@${key}`, value])) };
}

/** Writes a text as CDATA, but for one line of plain words: a reader may trim text, not CDATA. */
function text(value: string): BuilderNode {
  checkText(value);
  return /^[\w.,:;/=+-](?:[ \w.,:;/=+"'$()-]*[\w.,:;/=+"'$()-])?$/.test(value)
    ? { "#text": value }
    : { "#cdata": [{ "#text": value }] };
}

const forbidden = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Throws for what XML can't hold. A carriage return could be written only as a reference, and CDATA has none. */
function checkText(value: string): void {
  const found = forbidden.exec(value)?.[0];
  if (found === undefined) return;
  const code = found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  throw new TypeError(`XML can't hold U+${code}: write this block with serialize().`);
}

/** Writes a value as JSON, which has its own escapes for what XML can't hold. Integers that no reader keeps exactly get an exponent. */
function json(value: unknown): string {
  return toJsonText(value)
    .replace(/"(?:[^"\\]|\\.)*"|(?<![.\d])-?\d{16,}(?![\d.eE])/g, (token) =>
      token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : Number(token).toExponential(),
    )
    .replace(/[\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

const inputEscapes: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** Writes data as `<input>` decodes it. */
function escapeInput(data: string): string {
  return data.replace(
    /[\\\p{Cc}]/gu,
    (character) => inputEscapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
