import { morphXmlProtocol } from "@ai-sdk-tool/parser";
import { createParser, parse, type ToolsXmlBlock, type ToolsXmlEvent } from "@toolglot/toolsxml";
import { PartialXMLStreamParser } from "partial-xml-stream-parser";
import { angles, backticks, inTurn, proseOfAngles, proseOfBackticks } from "../bodies.ts";
import { type Call, type Own, prose, type Subject } from "./parser.ts";
import { streamAiSdkTool, streamPartialXml } from "./peers.ts";

/** A call as a ToolsXML block. */
const block = ({ code }: Call): string => `<tools>
  <command>
${code}  </command>
</tools>
`;

const encode = (calls: readonly Call[]): string => calls.map((call) => prose + block(call)).join("\n");

const bodies = (blocks: readonly ToolsXmlBlock[]): string[] =>
  blocks.flatMap(({ calls }) => calls.map((call) => (call.tool === "command" ? call.script : "")));

const subject: Subject = {
  name: "@toolglot/toolsxml",
  form: "ToolsXML: tags around raw bodies",
  encode,
  parse: (text) => bodies(parse(text).blocks),
  stream(chunks, expired) {
    let deltas = 0;
    const onEvent = (event: ToolsXmlEvent): void => {
      if (event.type === "body-delta") deltas += event.text.length;
    };
    const parser = createParser({ onEvent });
    for (const chunk of chunks) {
      parser.feed(chunk);
      if (expired()) return undefined;
    }
    const found = bodies(parser.end().blocks);
    const length = found.reduce((sum, body) => sum + body.length, 0);
    if (deltas !== length) throw new Error(`the deltas hold ${deltas} characters, the bodies ${length}`);
    return found;
  },
};

type XmlNode = string | { tools?: { command?: { "#text"?: string } } };

const bodyOfNode = (node: unknown): string[] => {
  const found = node as XmlNode;
  return typeof found === "string" || !found.tools ? [] : [found.tools.command?.["#text"] ?? ""];
};

const makePartialXml = (): PartialXMLStreamParser => new PartialXMLStreamParser({ stopNodes: ["command"] });

const partialXml: Subject = {
  name: "partial-xml-stream-parser 1.9.2, the same text",
  form: "ToolsXML as XML, `command` a stop node, a whole tree per chunk",
  encode,
  parse: (text) => streamPartialXml(makePartialXml(), bodyOfNode, [text], () => false) as string[],
  stream: (chunks, expired) => streamPartialXml(makePartialXml(), bodyOfNode, chunks, expired),
};

const tools = [
  {
    type: "function" as const,
    name: "tools",
    inputSchema: {
      type: "object" as const,
      properties: { command: { type: "string" as const } },
      required: ["command"],
    },
  },
];

const commandOf = (input: string): string => (JSON.parse(input) as { command: string }).command;

const morph: Subject = {
  name: "@ai-sdk-tool/parser 4.1.26 morph-xml, the same text",
  form: "ToolsXML as a tool `tools` with a parameter `command`",
  encode,
  parse: (text) =>
    morphXmlProtocol()
      .parseGeneratedText({ text, tools })
      .flatMap((part) => (part.type === "tool-call" ? [commandOf(part.input)] : [])),
  stream: (chunks, expired) => streamAiSdkTool(morphXmlProtocol(), tools, commandOf, chunks, expired),
};

/** The ToolsXML parser, and the peers that can read its text. */
export const toolsxml: Own = {
  id: "toolsxml",
  subject,
  alone: block,
  hostile: [
    angles,
    {
      name: "almost-closers",
      about: "closing tags that are cut off, of other names, or with a space",
      make: inTurn("</comman", "a </comman> b", "</commands>", "< /command>", "</", "</c", "<command", "]]"),
    },
    {
      name: "closers",
      about: "closing tags in lines and in lines of their own, each followed by more of the body",
      make: inTurn("echo </command> more", "</command>", "text", "x = '</command>'", "</tools> in a line"),
    },
    {
      name: "pairs",
      about: "elements inside the body, all of them closed, and CDATA",
      make: inTurn("<command>inner</command>", "<find></find>", "<tools>", "</tools>", "x", "<!-- c -->"),
    },
    {
      name: "openers",
      about: "tags that open and are never closed",
      make: inTurn("<command>", "<tools>", "<edit><file src='a'>", "<!--", "<think>", "<results>", "```xml"),
    },
    {
      name: "entities",
      about: "entities and bare `&` in turn",
      make: inTurn("a &amp; b", "&lt;x&gt;", "a && b", "&#60;", "&"),
    },
    backticks,
  ],
  hostileProse: [
    proseOfAngles,
    proseOfBackticks,
    {
      name: "prose of openers",
      about: "text before the block, full of tags that nearly begin one",
      make: inTurn("<tool", "<tools-x>", "< tools", "</tools", "x <toolsy> y", "<command>ls", "{", '{ "rep'),
    },
  ],
  sameText: [partialXml, morph],
};
