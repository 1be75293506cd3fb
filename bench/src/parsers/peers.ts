import { hermesProtocol, morphXmlProtocol, qwen3CoderProtocol, type TCMProtocol } from "@ai-sdk-tool/parser";
import { JSONParser } from "@streamparser/json";
import { XMLParser } from "fast-xml-parser";
import { jsonrepair } from "jsonrepair";
import { PartialXMLStreamParser } from "partial-xml-stream-parser";
import { parse as parseToml } from "smol-toml";
import { type Call, prose, type Subject } from "./parser.ts";

/** Peers whose text is JSON or XML get a list of calls, each with its prose. */
const withProse = (calls: readonly Call[]): (Call & { prose: string })[] => calls.map((call) => ({ prose, ...call }));

const toml = ({ target, code }: Call): string =>
  `thought = """\n${prose}"""\n\n[tool_call]\nstatus = "success"\ntarget = "${target}"\ncode = '''\n${code}'''\n`;

const tomlBody = (text: string): string => (parseToml(text) as { tool_call: { code: string } }).tool_call.code;

/** Documents are divided by a line that no body holds: smol-toml does not look for them in a text. */
const divider = "\n#%\n";

export const smolToml: Subject = {
  name: "smol-toml 1.9.1",
  form: "bare TOML, body as it stands; documents handed over one by one",
  encode: (calls) => calls.map(toml).join(divider),
  parse: (text) => text.split(divider).map(tomlBody),
  parsePrefix: (text) => parseToml(text),
};

type JsonCalls = { calls: Call[] };

const jsonRepair: Subject = {
  name: "jsonrepair 3.13.2",
  form: "JSON, then JSON.parse",
  encode: (calls) => JSON.stringify({ calls: withProse(calls) }),
  parse: (text) => (JSON.parse(jsonrepair(text)) as JsonCalls).calls.map(({ code }) => code),
  parsePrefix: (text) => JSON.parse(jsonrepair(text)),
};

function streamJson(chunks: readonly string[], expired: () => boolean): string[] | undefined {
  const found: string[] = [];
  let deltas = 0;
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  parser.onValue = ({ value, key, partial }) => {
    if (key !== "code" || typeof value !== "string") return;
    if (partial) deltas += 1;
    else found.push(value);
  };
  for (const chunk of chunks) {
    parser.write(chunk);
    if (expired()) return undefined;
  }
  if (chunks.length > 1 && deltas === 0) throw new Error("no partial values came");
  return found;
}

const streamparserJson: Subject = {
  name: "@streamparser/json 0.0.26",
  form: "JSON, strict",
  encode: (calls) => JSON.stringify({ calls: withProse(calls) }),
  parse: (text) => streamJson([text], () => false) ?? [],
  stream: streamJson,
};

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const xml = ({ target, code }: Call, body: (text: string) => string): string =>
  `<run_code><target>${target}</target><code>${body(code)}</code></run_code>\n`;

const fastXmlParser: Subject = {
  name: "fast-xml-parser 5.12.1",
  form: "XML, body escaped, wrapped in one root (a raw body fails)",
  encode: (calls) => `<root>${calls.map((call) => prose + xml(call, escapeXml)).join("")}</root>`,
  parse: (text) => readXml(text),
  parsePrefix: (text) => readXml(text),
};

const xmlOptions = {
  trimValues: false,
  parseTagValue: false,
  // The limit on expanded entities is meant for hostile input; ours is long.
  processEntities: { enabled: true, maxTotalExpansions: 1e9, maxExpandedLength: 1e9 },
};

function readXml(text: string): string[] {
  const { root } = new XMLParser(xmlOptions).parse(text) as { root: { run_code: Call | Call[] } };
  return [root.run_code].flat().map(({ code }) => code);
}

/** Bodies in the element `leaf` of the element `root`, from the tree as it is at the end of a stream. */
export function partialXml(more: string, form: string, encode: Subject["encode"], root: string, leaf: string): Subject {
  const bodyOf = (node: unknown): string[] => {
    const found =
      (typeof node === "object" && (node as Record<string, Record<string, { "#text"?: string }>>)[root]) || undefined;
    return found ? [found[leaf]?.["#text"] ?? ""] : [];
  };
  const stream = (chunks: readonly string[], expired: () => boolean): string[] | undefined => {
    const parser = new PartialXMLStreamParser({ stopNodes: [leaf] });
    let seen = 0;
    for (const chunk of chunks) {
      seen += parser.parseStream(chunk).xml?.length ?? 0;
      if (expired()) return undefined;
    }
    const tree: readonly unknown[] = parser.parseStream(null).xml ?? [];
    if (seen === 0) throw new Error("no tree came while streaming");
    return tree.flatMap(bodyOf);
  };
  const parse = (text: string): string[] => stream([text], () => false) ?? [];
  return { name: `partial-xml-stream-parser 1.9.2${more}`, form, encode, parse, stream };
}

/** A protocol of `@ai-sdk-tool/parser`, with a tool whose last parameter carries the body. */
function aiSdkTool(
  format: string,
  form: string,
  protocol: () => TCMProtocol,
  encode: Subject["encode"],
  name = "run_code",
  parameters: readonly string[] = ["target", "code"],
): Subject {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" as const }]));
  const inputSchema = { type: "object" as const, properties, required: [...parameters] };
  const tools = [{ type: "function" as const, name, inputSchema }];
  const bodyOf = (input: string): string => JSON.parse(input)[parameters.at(-1) ?? ""];
  return {
    name: `@ai-sdk-tool/parser 4.1.26 ${format}`,
    form,
    encode,
    parse: (text) =>
      protocol()
        .parseGeneratedText({ text, tools })
        .flatMap((part) => (part.type === "tool-call" ? [bodyOf(part.input)] : [])),
    async stream(chunks, expired) {
      const { readable, writable } = protocol().createStreamParser({ tools });
      const found: string[] = [];
      let deltas = 0;
      const reading = (async () => {
        for await (const part of readable) {
          if (part.type === "tool-call") found.push(bodyOf(part.input));
          else if (part.type === "tool-input-delta") deltas += part.delta.length;
        }
      })();
      const writer = writable.getWriter();
      await writer.write({ type: "text-start", id: "0" });
      for (const delta of chunks) {
        await writer.write({ type: "text-delta", id: "0", delta });
        if (expired()) {
          void reading.catch(() => undefined);
          await writer.abort().catch(() => undefined);
          return undefined;
        }
      }
      await writer.write({ type: "text-end", id: "0" });
      await writer.close();
      await reading;
      if (deltas === 0) throw new Error("no deltas came");
      return found;
    },
  };
}

/** Its XML, in whatever text is asked for. */
export const morphXml = (
  more: string,
  form: string,
  encode: Subject["encode"],
  name?: string,
  parameters?: readonly string[],
): Subject => aiSdkTool(`morph-xml, ${more}`, form, morphXmlProtocol, encode, name, parameters);

/** Calls as a protocol's own formatter writes them. */
const formatted =
  (protocol: () => TCMProtocol): Subject["encode"] =>
  (calls) =>
    calls
      .map(({ target, code }) => {
        const input = JSON.stringify({ target, code });
        const call = { type: "tool-call" as const, toolCallId: "1", toolName: "run_code", input };
        return `${prose}${protocol().formatToolCall(call)}\n`;
      })
      .join("");

const rawXml = (calls: readonly Call[]): string => calls.map((call) => prose + xml(call, (text) => text)).join("");
const escaping = "tags, body as its formatter escapes it";

/** Everything that is measured beside this project's parsers, the lightest work first. */
export const peers: Subject[] = [
  smolToml,
  streamparserJson,
  partialXml("", "XML, body as it stands (`stopNodes`), a whole tree per chunk", rawXml, "run_code", "code"),
  fastXmlParser,
  jsonRepair,
  aiSdkTool("hermes", "JSON in `<tool_call>`", hermesProtocol, formatted(hermesProtocol)),
  aiSdkTool("qwen3coder", escaping, qwen3CoderProtocol, formatted(qwen3CoderProtocol)),
  morphXml("escaped", escaping, formatted(morphXmlProtocol)),
  morphXml("raw", "tags, body as it stands, as models write it", rawXml),
];
