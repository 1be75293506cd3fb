import { type AttpDocument, createParser, parse } from "@toolglot/attp";

const answer = `Let me count them.

\`\`\`toml
thought = "One call, then count."

[tool_call]
status = "success"
target = "open invoices"
code = '''
def is_open(invoice):
    return not invoice["paid"]

__result__ = len([i for i in invoices() if is_open(i)])
'''
\`\`\`
`;

export function consume(): string {
  let streamed = "";
  const parser = createParser({
    onEvent: (event) => {
      if (event.type === "code-delta") streamed += event.text;
    },
  });
  for (let at = 0; at < answer.length; at += 7) parser.feed(answer.slice(at, at + 7));
  const inChunks = parser.end();
  const atOnce = parse(answer);
  const document: AttpDocument | undefined = inChunks.blocks[0];
  if (document?.toolCall?.status !== "success") throw new Error(JSON.stringify(inChunks));
  const same = JSON.stringify(inChunks) === JSON.stringify(atOnce);
  return [document.status, document.toolCall.code.split("\n").length, streamed === document.toolCall.code, same].join(
    " | ",
  );
}

export const expected = "complete | 5 | true | true";
