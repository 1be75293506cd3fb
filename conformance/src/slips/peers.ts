import { morphXmlProtocol } from "@ai-sdk-tool/parser";
import { XMLParser } from "fast-xml-parser";
import { PartialXMLStreamParser } from "partial-xml-stream-parser";
import { parse as parseToml } from "smol-toml";
import { randomPieces } from "../chunking.ts";
import { attpFormat } from "./formats/attp.ts";
import { xmlFormat } from "./formats/xml.ts";
import type { Reading } from "./judge.ts";
import type { Format, SlipCase, Value } from "./slip.ts";

/** A parser beside ours, with the cases that exist in what it reads. */
export interface SlipPeer {
  name: string;
  format: Format<unknown>;
  /** Classes of slips that are its business. */
  classes: ReadonlySet<string>;
  /** It reads whole documents: text around a block, fences too, is none of its business. */
  wholeDocuments?: true;
  read(slipCase: SlipCase): Reading | Promise<Reading>;
}

/** White space at the ends of values, as peers are compared. */
export function trimmed(value: Value): Value {
  if (typeof value === "string") return value.trim();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimmed(inner)]));
}

/** A call as it was read; undefined when a text is missing or is no text, which a host's check of the input sees. */
function call(path: unknown, content: unknown): Value | undefined {
  if (typeof path !== "string" || typeof content !== "string") return undefined;
  return { path: path.trim(), content: content.trim() };
}

/** Nothing of an answer in which a call was refused runs without a word. */
const running = (values: readonly (Value | undefined)[], said = false): Reading => ({
  runs: values.flatMap((value) => (value === undefined ? [] : [{ value, held: false }])),
  said: said || values.includes(undefined),
});

/** What throws runs nothing, and says so. */
function refusing(read: () => Reading): Reading {
  try {
    return read();
  } catch {
    return running([], true);
  }
}

const string = { type: "string" } as const;
const properties = { path: string, content: string };
const inputSchema = { type: "object" as const, properties, required: ["path", "content"] };
const tools = [{ type: "function" as const, name: "write_file", inputSchema }];

const inputOf = (input: string): Value | undefined => {
  const { path, content } = JSON.parse(input) as { path?: unknown; content?: unknown };
  return call(path, content);
};

const morph = morphXmlProtocol;

function readMorph({ text }: SlipCase): Reading {
  return refusing(() => {
    let said = false;
    const onError = (): void => {
      said = true;
    };
    const parts = morph().parseGeneratedText({ text, tools, options: { onError } });
    return running(
      parts.flatMap((part) => (part.type === "tool-call" ? [inputOf(part.input)] : [])),
      said,
    );
  });
}

async function streamMorph({ text }: SlipCase): Promise<Reading> {
  let said = false;
  const onError = (): void => {
    said = true;
  };
  const found: (Value | undefined)[] = [];
  try {
    const { readable, writable } = morph().createStreamParser({ tools, options: { onError } });
    const reading = (async () => {
      for await (const part of readable) if (part.type === "tool-call") found.push(inputOf(part.input));
    })();
    const writer = writable.getWriter();
    await writer.write({ type: "text-start", id: "0" });
    for (const delta of randomPieces(text, 12, text.length)) await writer.write({ type: "text-delta", id: "0", delta });
    await writer.write({ type: "text-end", id: "0" });
    await Promise.all([writer.close(), reading]);
  } catch {
    said = true;
  }
  return running(found, said);
}

type XmlNode = string | { write_file?: Record<string, { "#text"?: string } | undefined> };

function readPartialXml({ text }: SlipCase): Reading {
  return refusing(() => {
    const parser = new PartialXMLStreamParser({ stopNodes: ["content"] });
    const first = parser.parseStream(text);
    const { xml, metadata } = parser.parseStream(null);
    const nodes = ((xml?.length ? xml : first.xml) ?? []) as XmlNode[];
    const cutOff = (xml?.length ? metadata : first.metadata).partial;
    const calls = nodes.flatMap((node) => {
      if (typeof node === "string" || !node.write_file) return [];
      const { path, content } = node.write_file;
      return [call(path?.["#text"], content?.["#text"])];
    });
    return cutOff ? running(calls.slice(0, -1), true) : running(calls);
  });
}

function readFastXml({ text }: SlipCase): Reading {
  return refusing(() => {
    const parser = new XMLParser({ trimValues: false, parseTagValue: false, stopNodes: ["*.content"] });
    const { write_file: found } = parser.parse(text, true) as { write_file?: unknown };
    const calls = (found === undefined ? [] : [found].flat()) as { path?: unknown; content?: unknown }[];
    return running(calls.map(({ path, content }) => call(path, content)));
  });
}

function readToml({ text }: SlipCase): Reading {
  return refusing(() => {
    const { tool_call: found } = parseToml(text) as { tool_call?: { status?: string; code?: string } };
    const code = found?.status === "success" ? found.code : undefined;
    return running([typeof code === "string" ? { code: code.trim() } : undefined]);
  });
}

const inDocuments = [
  ...["one-character", "damaged-delimiter", "layouts", "damaged-in-layout", "as-written", "own-closers"],
  ...["missing-closer", "wrong-delimiters", "duplicates", "cut-unsaid", "crlf", "bom"],
];
const inTags = [...inDocuments, "missing-end", "case-space"];
const inText = [...inTags, "prose", "fence-around", "fence-unclosed", "two-calls"];
const inAnswers = new Set([
  ...inText,
  ...["two-at-once", "entities", "mention", "reasoning", "reasoning-broken", "made-up-result"],
]);
const inToml = new Set([...inDocuments, "escapes", "odd-quotes"]);

const xml = xmlFormat as unknown as Format<unknown>;
const attp = attpFormat as unknown as Format<unknown>;

/**
 * Parsers beside ours. One that is made for models' answers gets what answers hold; one for XML in a text gets no
 * reasoning and no mentions, and is configured for raw bodies; a peer for whole documents gets no text around them.
 */
export const slipPeers: readonly SlipPeer[] = [
  { name: "@ai-sdk-tool/parser 4.1.26 morph-xml", format: xml, classes: inAnswers, read: readMorph },
  { name: "@ai-sdk-tool/parser 4.1.26 morph-xml, streamed", format: xml, classes: inAnswers, read: streamMorph },
  { name: "partial-xml-stream-parser 1.9.2", format: xml, classes: new Set(inText), read: readPartialXml },
  { name: "fast-xml-parser 5.12.1", format: xml, classes: new Set(inTags), wholeDocuments: true, read: readFastXml },
  { name: "smol-toml 1.9.1", format: attp, classes: inToml, wholeDocuments: true, read: readToml },
];
