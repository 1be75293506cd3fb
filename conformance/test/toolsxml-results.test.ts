import { readFileSync } from "node:fs";
import { isRunnable, type ToolResult } from "@toolglot/core";
import { formatResults, parse } from "@toolglot/toolsxml";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, it } from "vitest";

interface ExpectedResult {
  tool?: string;
  status: "ok" | "error" | "running";
  exit?: number;
  ms?: number;
  text?: string;
  value?: unknown;
  lines?: string[];
  contains?: string[];
  absent?: string[];
  notEmpty?: true;
}

interface ResultVector {
  name: string;
  spec: string;
  results: ToolResult[];
  options?: { maxChars?: number };
  expect: { results: ExpectedResult[]; maxLength?: number };
  /** Why it is known to fail. It is run all the same, and one that passes fails the suite. */
  knownToFail?: string;
}

const file = new URL("../results/toolsxml.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: ResultVector[] };

it.each(vectors)("writes results for the model: $name", (vector) => {
  if (vector.knownToFail === undefined) check(vector);
  else expect(() => check(vector), "it passes now: take knownToFail away").toThrow();
});

function check({ results, options, expect: wanted }: ResultVector): void {
  const text = formatResults(results, options);
  if (wanted.results.length === 0) {
    expect(text).toBe("");
    return;
  }
  expect(XMLValidator.validate(text)).toBe(true);
  expect(parse(text).blocks.filter(isRunnable)).toEqual([]);
  if (wanted.maxLength !== undefined) expect(text.length).toBeLessThanOrEqual(wanted.maxLength);

  const written = readResults(text);
  expect(written.map(({ attributes }) => attributes.status)).toEqual(wanted.results.map(({ status }) => status));
  const first = Number(written[0]?.attributes.index);
  expect(written.map(({ attributes }) => attributes.index)).toEqual(written.map((_, at) => String(first + at)));
  wanted.results.forEach((result, at) => {
    const { text: body } = written[at] as WrittenResult;
    expect(parse(body).blocks.filter(isRunnable), "a model that repeats it").toEqual([]);
    expectResult(written[at] as WrittenResult, result);
  });
}

function expectResult({ attributes, text }: WrittenResult, wanted: ExpectedResult): void {
  if (wanted.tool !== undefined) expect(attributes.tool).toBe(wanted.tool);
  expect(attributes.exit).toBe(wanted.exit === undefined ? undefined : String(wanted.exit));
  expect(attributes.ms).toBe(wanted.ms === undefined ? undefined : String(wanted.ms));
  if (wanted.text !== undefined) expect(text).toBe(wanted.text);
  if ("value" in wanted) expect(JSON.parse(text)).toEqual(wanted.value);
  if (wanted.lines) expect(text.split(/\r\n|\r|\n/)).toEqual(wanted.lines);
  if (wanted.notEmpty) expect(text.trim()).not.toBe("");
  for (const part of wanted.contains ?? []) expect(text).toContain(part);
  for (const part of wanted.absent ?? []) expect(text).not.toContain(part);
}

interface WrittenResult {
  attributes: Record<string, string>;
  text: string;
}

type XmlNode = Record<string, unknown>;

/** The `<result>` elements, read by an XML parser that is not ours. */
function readResults(text: string): WrittenResult[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    trimValues: false,
    cdataPropName: "cdata",
  });
  const roots = elements(parser.parse(text) as XmlNode[]);
  expect(roots.map((node) => Object.keys(node)[0])).toEqual(["results"]);
  return elements((roots[0] as XmlNode).results as XmlNode[]).map((node) => {
    expect(Object.keys(node)[0]).toBe("result");
    return { attributes: (node[":@"] ?? {}) as Record<string, string>, text: textOf(node.result as XmlNode[]) };
  });
}

const elements = (nodes: XmlNode[]): XmlNode[] => nodes.filter((node) => !("#text" in node));

function textOf(nodes: XmlNode[]): string {
  return nodes
    .map((node) => (node["#text"] === undefined ? textOf(node.cdata as XmlNode[]) : String(node["#text"])))
    .join("");
}
