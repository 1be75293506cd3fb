import { type AttpDocument, type AttpEvent, createParser, parse } from "@toolglot/attp";
import { angles, backticks, inTurn, proseOfAngles, proseOfBackticks } from "../bodies.ts";
import { type Call, type Own, ownSubject, prose } from "./parser.ts";
import { smolToml } from "./peers.ts";

/** A call as an ATTP document in a fence. */
function document({ target, code }: Call): string {
  return `\`\`\`toml
thought = """
The user wants this done, and the tools for it are there.
"""

[tool_call]
status = "success"
target = "${target}"
code = '''
${code}'''
\`\`\`
`;
}

const subject = ownSubject<AttpDocument, AttpEvent>(
  "@toolglot/attp",
  "ATTP: TOML, body as it stands",
  (calls) => calls.map((call) => prose + document(call)).join("\n"),
  { parse, createParser },
  (blocks) => blocks.map(({ toolCall }) => (toolCall?.status === "success" ? toolCall.code : "")),
  (event) => (event.type === "code-delta" ? event.text : undefined),
);

/** The ATTP parser. No peer reads its text: TOML parsers neither look for documents nor repair them. */
export const attp: Own = {
  id: "attp",
  subject,
  alone: document,
  hostile: [
    angles,
    {
      name: "almost-closers",
      about: "two quotes of three, in lines of their own and in a row",
      make: inTurn("''", "'' '' '' ''", "s = '' ''", '""', "'' x", "a''b''c"),
    },
    {
      name: "closers",
      about: "docstrings in `'''` inside `'''`: every one might be the end, and the strict reading fails",
      make: inTurn("def f():", "    '''one line'''", "    s = '''", "    text", "    '''", "    return s"),
    },
    {
      name: "openers",
      about: "lines that would begin a document, a fence, reasoning or a result, none of them closed",
      make: inTurn("[tool_call]", 'thought = """', 'status = "success"', "```toml", "<think>", "[tool_result]"),
    },
    backticks,
  ],
  hostileProse: [
    proseOfAngles,
    proseOfBackticks,
    {
      name: "prose of openers",
      about: "text before the document, full of lines that nearly begin one",
      make: inTurn("thought = nothing", "status = 200", "[tool_cal]", 'code = "x"', "target = 3 apples", "{", "[["),
    },
  ],
  sameText: [],
  // It does what its TOML parser does, and finds the document, streams it and repairs it.
  shares: { [smolToml.name]: 0.5 },
};
