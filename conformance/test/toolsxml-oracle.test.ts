import { parse, type ToolsXmlCall } from "@toolglot/toolsxml";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { expandText, readVectors, type Vector } from "../src/vector.ts";

/**
 * "Every well-formed block reads alike in an XML parser": blocks of the vectors that are well-formed, with bodies that are
 * only text, are read a second time with `fast-xml-parser`. White space is ignored, because ToolsXML has its own rules for it.
 */

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
  /** It has comments, which are text to a raw body. */
  commented: boolean;
}

const rawTags = new Set(["command", "find", "replace", "input", "ctrl", "mcp"]);
const cases = readVectors("toolsxml")
  .filter(({ topic }) => topic !== "envelope")
  .flatMap(({ vectors }) => vectors)
  .flatMap((vector) => wellFormedBlocks(vector));

describe("well-formed blocks read alike in an XML parser", () => {
  it("has enough of them", () => {
    expect(cases.length).toBeGreaterThan(150);
  });

  it.each(cases)("$name", ({ calls, root }) => {
    const read = root.children.filter(({ name }) => isBuiltIn(name)).map(callOf);
    expect(calls.filter(({ tool }) => tool !== "custom").map(withoutWhiteSpace)).toEqual(read.map(withoutWhiteSpace));
  });
});

function wellFormedBlocks(vector: Vector): { name: string; calls: ToolsXmlCall[]; root: Element }[] {
  const source = expandText(vector.input);
  // That parser refuses names of the object prototype, and lets entities pass that no XML has.
  if (/&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);)/.test(source)) return [];
  if (source.length > 5_000 || /\r|\p{Surrogate}|<[^>]{0,20}(?:__proto__|constructor|toString)/u.test(source))
    return [];
  return parse(source, vector.options).blocks.flatMap(({ status, calls, span }, index) => {
    const text = source.slice(span.start, span.end);
    if (status !== "complete" || XMLValidator.validate(text) !== true) return [];
    const root = readXml(text);
    if (!root || hasElementsInBodies(root)) return [];
    return [{ name: index === 0 ? vector.name : `${vector.name} (${index})`, calls, root }];
  });
}

function readXml(text: string): Element | undefined {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    cdataPropName: "cdata",
    commentPropName: "comment",
    htmlEntities: true,
    processEntities: { enabled: true, maxTotalExpansions: 1_000_000, maxExpandedLength: 1_000_000 },
  });
  return elements(parser.parse(text) as Record<string, unknown>[])[0];
}

function elements(nodes: Record<string, unknown>[]): Element[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ":@");
    if (name === undefined || name === "#text" || name === "cdata" || name === "comment") return [];
    const inner = node[name] as Record<string, unknown>[];
    const given = Object.entries((node[":@"] ?? {}) as Record<string, string>);
    const attributes = Object.fromEntries(given.map(([key, value]) => [key.toLowerCase(), value]));
    const commented = inner.some((child) => "comment" in child);
    return [{ name: name.toLowerCase(), attributes, children: elements(inner), text: textOf(inner), commented }];
  });
}

function textOf(nodes: Record<string, unknown>[]): string {
  return nodes
    .map((node) => {
      if (node["#text"] !== undefined) return String(node["#text"]);
      return node.cdata === undefined ? "" : textOf(node.cdata as Record<string, unknown>[]);
    })
    .join("");
}

function hasElementsInBodies({ name, children, commented }: Element): boolean {
  return rawTags.has(name) ? commented || children.length > 0 : children.some(hasElementsInBodies);
}

const isBuiltIn = (name: string): boolean => rawTags.has(name) || /^(?:edit|read|get_value)$/.test(name);

/** The call that an element is, by the table of calls. */
function callOf({ name, attributes, children, text }: Element): object {
  const { timeout, cwd, server, tool } = attributes;
  switch (name) {
    case "command":
      return {
        tool: name,
        script: text,
        ...(timeout && { timeoutMs: Number(timeout) * 1000 }),
        ...(cwd && { cwd }),
      };
    case "edit":
      return {
        tool: name,
        files: children.map((file) => ({
          src: file.attributes.src,
          ...(file.attributes.encoding && { encoding: file.attributes.encoding }),
          edits: file.children.flatMap((find, at) =>
            at % 2 === 1
              ? []
              : [
                  {
                    find: find.text,
                    replace: file.children[at + 1]?.text ?? "",
                    ...(find.attributes.all === "true" && { all: true }),
                  },
                ],
          ),
        })),
      };
    case "read":
      return {
        tool: name,
        files: children.flatMap(({ name: child, attributes: { src, from, to, encoding } }) =>
          child === "file"
            ? [
                {
                  src,
                  ...(from && { from: Number(from) }),
                  ...(to && { to: Number(to) }),
                  ...(encoding && { encoding }),
                },
              ]
            : [],
        ),
        searches: children.flatMap(({ name: child, attributes: given }) => (child === "search" ? [given] : [])),
      };
    case "get_value":
      return { tool: name, ...attributes };
    case "input":
      return { tool: name, data: text.replace(/\\(?:([nrte\\])|x([\da-f]{2}))/gi, decodeEscape) };
    case "ctrl":
      return { tool: name, key: text.toLowerCase() };
    default:
      return { tool: name, server, name: tool, arguments: JSON.parse(text) as unknown };
  }
}

function decodeEscape(written: string, letter: string | undefined, hex: string | undefined): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return { n: "\n", r: "\r", t: "\t", e: "\u001b", "\\": "\\" }[letter ?? ""] ?? written;
}

/** A call without its span, white space in its bodies left aside. */
function withoutWhiteSpace(call: object): unknown {
  return JSON.parse(
    JSON.stringify(call, (key, value: unknown) => {
      if (key === "span") return undefined;
      return typeof value === "string" && /^(?:script|find|replace)$/.test(key)
        ? value.replace(/\s+/g, " ").trim()
        : value;
    }),
  );
}
