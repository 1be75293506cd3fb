import { type AttpEvent, createParser, parse } from "@toolglot/attp";
import { type Call, prose, type Subject } from "./parser.ts";

/** A call as an ATTP document in a fence. */
export function document({ target, code }: Call): string {
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

const bodies = (blocks: ReturnType<typeof parse>["blocks"]): string[] =>
  blocks.map(({ toolCall }) => (toolCall?.status === "success" ? toolCall.code : ""));

/** This project's parser. The stream is fed with a listener that takes in every delta. */
export const attp: Subject = {
  name: "@toolglot/attp",
  form: "ATTP: TOML, body as it stands",
  encode: (calls) => calls.map((call) => prose + document(call)).join("\n"),
  parse: (text) => bodies(parse(text).blocks),
  stream(chunks, expired) {
    let deltas = 0;
    const onEvent = (event: AttpEvent): void => {
      if (event.type === "code-delta") deltas += event.text.length;
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
