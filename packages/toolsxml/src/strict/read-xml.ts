import type { Span } from "@toolglot/core";
import { LineCounter } from "@toolglot/core/diagnostics";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { Newlines } from "./newlines.ts";

/** One piece of an XML document. Spans are offsets in the source; `raw` has LF line ends and its references as written. */
export type XmlNode =
  | { type: "text" | "cdata" | "comment"; raw: string; span: Span }
  | { type: "instruction"; span: Span }
  | XmlElement;

/** An element with all that is in it. */
export interface XmlElement {
  type: "element";
  /** As written. */
  name: string;
  /** In order, names as written, values decoded. */
  attributes: { name: string; value: string }[];
  /** Their values as written. */
  written: string[];
  children: XmlNode[];
  /** What stands between the tags, as written. */
  inner: string;
  span: Span;
  /** Where `inner` stands. */
  innerSpan: Span;
}

/** Why a text is no well-formed XML document. */
export interface XmlFault {
  message: string;
  span: Span;
}

/** A node from fast-xml-parser with `preserveOrder`: one key with the children, `:@` with the attributes. */
type RawNode = Record<string, unknown> & { ":@"?: Record<string, string> };

/**
 * In front of element names, so that none of them can mean something to the library or to JavaScript; twice where the
 * library applies it twice. No XML name holds it.
 */
const mark = "$";

// Nothing may be guessed, trimmed or decoded: references are checked and decoded here.
const parser: XMLParser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  textNodeName: "#text",
  cdataPropName: "#cdata",
  commentPropName: "#comment",
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  captureMetaData: true,
  jPath: false,
  maxNestedTags: Number.POSITIVE_INFINITY,
  transformTagName: (name) => mark + name,
});
const metadata: symbol = XMLParser.getMetaDataSymbol() as unknown as symbol;

const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,9})|#x([\da-fA-F]{1,8}));/y;
const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

class Fault extends Error {
  readonly start: number;
  readonly end: number;
  constructor(message: string, start: number, end: number = start + 1) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

/** Reads a whole XML document. Stricter than fast-xml-parser, which lets some faults pass. */
export function readXml(source: string): XmlElement | XmlFault {
  const newlines = new Newlines(source);
  try {
    return readDocument(newlines);
  } catch (error) {
    const { start, end } = error instanceof Fault ? error : { start: 0, end: source.length };
    return { message: (error as Error).message, span: newlines.span(start, end) };
  }
}

/** Decodes references; undefined when there is one that XML does not know. */
function decode(raw: string): string | undefined {
  let decoded = "";
  let done = 0;
  for (let at = raw.indexOf("&"); at >= 0; at = raw.indexOf("&", done)) {
    reference.lastIndex = at;
    const match = reference.exec(raw);
    if (!match) return undefined;
    const [text, name, decimal, hexadecimal] = match;
    const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal ?? "0", 16);
    const character = name ? named[name] : code <= 0x10ffff ? String.fromCodePoint(code) : "\0";
    if (character === undefined || forbidden.test(character)) return undefined;
    decoded += raw.slice(done, at) + character;
    done = at + text.length;
  }
  return decoded + raw.slice(done);
}

function readDocument(newlines: Newlines): XmlElement {
  const { text } = newlines;
  const bad = forbidden.exec(text);
  if (bad) throw new Fault("A character that XML does not allow.", bad.index, bad.index + bad[0].length);
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) {
    const { msg, line, col } = verdict.err;
    throw new Fault(msg, (new LineCounter(text).lineStart(line) ?? 0) + Math.max(0, (col ?? 1) - 1));
  }
  const nodes = parser.parse(text) as RawNode[];
  const roots = nodes.filter((node) => nameOf(node).startsWith(mark));
  const [root, second] = roots;
  if (!root) throw new Fault("There is no element.", 0, text.length);
  if (second) throw new Fault("There is more than one root element.", placeOf(second).startIndex);
  const { startIndex, endIndex } = placeOf(root);
  checkOutside(text, 0, startIndex);
  checkOutside(text, endIndex, text.length);
  return readElements(root, newlines);
}

/** Around the root there are comments and instructions only. A document type could define entities: not allowed here. */
function checkOutside(text: string, start: number, end: number): void {
  const outside = text.slice(start, end).replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g, (misc) => " ".repeat(misc.length));
  const at = outside.search(/[^\s]/);
  if (at < 0) return;
  const message = /^<!doctype/i.test(outside.slice(at, at + 9))
    ? "A document type is not allowed."
    : "Text outside the root element.";
  throw new Fault(message, start + at, end);
}

interface Level {
  element: XmlElement;
  nodes: RawNode[];
  next: number;
  /** Where the next node begins. */
  at: number;
}

/** Reads elements without recursion: the depth is the model's. */
function readElements(root: RawNode, newlines: Newlines): XmlElement {
  const { text } = newlines;
  const open: Level[] = [];
  const enter = (node: RawNode): XmlElement => {
    const { startIndex, endIndex } = placeOf(node);
    const innerStart = tagEnd(text, startIndex);
    const selfClosed = text[innerStart - 2] === "/";
    const innerEnd = selfClosed ? innerStart : text.lastIndexOf("</", endIndex - 1);
    const name = nameOf(node);
    const element: XmlElement = {
      type: "element",
      name: name.replace(/^\$+/, ""),
      attributes: Object.entries(node[":@"] ?? {}).map(([key, value]) => ({
        name: key.slice(1),
        value: attributeValue(key.slice(1), value, startIndex, innerStart),
      })),
      written: Object.values(node[":@"] ?? {}),
      children: [],
      inner: newlines.slice(innerStart, innerEnd),
      span: newlines.span(startIndex, endIndex),
      innerSpan: newlines.span(innerStart, innerEnd),
    };
    if (!text.startsWith(`<${element.name}`, startIndex)) throw new Fault("This is no tag.", startIndex);
    open.push({ element, nodes: node[name] as RawNode[], next: 0, at: innerStart });
    return element;
  };
  const first = enter(root);
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.nodes[level.next++];
    if (!node) {
      open.pop();
      continue;
    }
    const name = nameOf(node);
    const start = level.at;
    if (name.startsWith(mark)) {
      level.element.children.push(enter(node));
      level.at = placeOf(node).endIndex;
      continue;
    }
    if (name.startsWith("?")) {
      level.at = placeOf(node).endIndex;
      level.element.children.push({ type: "instruction", span: newlines.span(start, level.at) });
      continue;
    }
    const type = name.slice(1) as "text" | "cdata" | "comment";
    const raw = type === "text" ? (node[name] as string) : ((node[name] as RawNode[])[0]?.["#text"] as string);
    level.at = start + raw.length + { text: 0, cdata: 12, comment: 7 }[type];
    checkPiece(type, raw, text.slice(start, level.at), start);
    level.element.children.push({ type, raw, span: newlines.span(start, level.at) });
  }
  return first;
}

function checkPiece(type: "text" | "cdata" | "comment", raw: string, written: string, start: number): void {
  const [head, tail] = { text: ["", ""], cdata: ["<![CDATA[", "]]>"], comment: ["<!--", "-->"] }[type] as [
    string,
    string,
  ];
  if (written !== head + raw + tail) throw new Fault("This can't be read.", start);
  if (type === "comment" && /--|-$/.test(raw)) {
    const at = start + 4 + raw.search(/--|-$/);
    throw new Fault('A comment must not hold "--".', at, at + 2);
  }
  if (type !== "text") return;
  const end = raw.indexOf("]]>");
  if (end >= 0) throw new Fault('Text must not hold "]]>".', start + end, start + end + 3);
  if (decode(raw) !== undefined) return;
  const at = start + badReference(raw);
  throw new Fault("A reference that XML does not know.", at);
}

function attributeValue(name: string, raw: string, start: number, end: number): string {
  if (raw.includes("<")) throw new Fault(`The attribute ${name} holds a "<".`, start, end);
  const value = decode(raw);
  if (value === undefined)
    throw new Fault(`The attribute ${name} holds a reference that XML does not know.`, start, end);
  return value;
}

/** Returns the index of the first `&` that can't be decoded. */
function badReference(raw: string): number {
  for (let at = raw.indexOf("&"); at >= 0; at = raw.indexOf("&", at + 1)) {
    if (decode(raw.slice(at, raw.indexOf(";", at) + 1 || undefined)) === undefined) return at;
  }
  return 0;
}

/** Returns the offset behind a start tag; `>` inside quotes does not end it. */
function tagEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length && text[at] !== ">"; at++) {
    if (text[at] === '"' || text[at] === "'") at = text.indexOf(text[at] as string, at + 1);
  }
  return at + 1;
}

function nameOf(node: RawNode): string {
  return Object.keys(node).find((key) => key !== ":@") ?? "";
}

function placeOf(node: RawNode): { startIndex: number; endIndex: number } {
  const place = (node as unknown as Record<symbol, { startIndex: number; endIndex?: number }>)[metadata];
  const { startIndex = 0, endIndex } = place ?? {};
  if (endIndex === undefined) throw new Fault("This is not closed.", startIndex);
  return { startIndex, endIndex };
}
