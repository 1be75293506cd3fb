import { createParser, parse, type ToolsXmlBlock, type ToolsXmlEvent } from "@toolglot/toolsxml";
import { angles, backticks, inTurn, proseOfAngles, proseOfBackticks } from "../bodies.ts";
import { type Call, type Own, ownSubject, prose } from "./parser.ts";
import { morphXml, partialXml } from "./peers.ts";

/** A call as a ToolsXML block. */
const block = ({ code }: Call): string => `<tools>
  <command>
${code}  </command>
</tools>
`;

const encode = (calls: readonly Call[]): string => calls.map((call) => prose + block(call)).join("\n");

const subject = ownSubject<ToolsXmlBlock, ToolsXmlEvent>(
  "@toolglot/toolsxml",
  "ToolsXML: tags around raw bodies",
  encode,
  { parse, createParser },
  (blocks) => blocks.flatMap(({ calls }) => calls.map((call) => (call.tool === "command" ? call.script : ""))),
  (event) => (event.type === "body-delta" ? event.text : undefined),
);

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
  sameText: [
    partialXml(
      ", the same text",
      "ToolsXML as XML, `command` a stop node, a whole tree per chunk",
      encode,
      "tools",
      "command",
    ),
    morphXml("the same text", "ToolsXML as a tool `tools` with a parameter `command`", encode, "tools", ["command"]),
  ],
};
