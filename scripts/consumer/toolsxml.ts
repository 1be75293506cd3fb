import { createParser, parse, serialize, type ToolsXmlBlock } from "@toolglot/toolsxml";
import { build, isWellFormed, parseStrict } from "@toolglot/toolsxml/strict";

const answer = `I build it, and look for the port.

\`\`\`xml
<tools>
  <command timeout="60">
    npm run build && grep -c "a < b" <<EOF
    done
    EOF
  </command>
  <edit>
    <file src="src/app.tsx">
      <find><App port={3000} /></find>
      <replace><App port={8080} /></replace>
    </file>
  </edit>
</tools>
\`\`\`
`;

export function consume(): string {
  let streamed = "";
  const parser = createParser({
    onEvent: (event) => {
      if (event.type === "body-delta" && event.field.endsWith("find")) streamed += event.text;
    },
  });
  for (let at = 0; at < answer.length; at += 7) parser.feed(answer.slice(at, at + 7));
  const inChunks = parser.end();
  const block: ToolsXmlBlock | undefined = inChunks.blocks[0];
  if (!block) throw new Error(JSON.stringify(inChunks));
  const [command, edit] = block.calls;
  if (command?.tool !== "command" || edit?.tool !== "edit") throw new Error(JSON.stringify(inChunks));
  const same = JSON.stringify(inChunks) === JSON.stringify(parse(answer));
  const calls = (read: { blocks: ToolsXmlBlock[] }): string =>
    JSON.stringify(read.blocks.map(({ calls }) => calls.map(({ span, ...call }) => call)));
  const built = build(block);
  const agree = [parse(serialize(block)), parse(built), parseStrict(built)].every(
    (read) => calls(read) === calls(inChunks),
  );
  return [
    block.status,
    command.script.split("\n").length,
    streamed,
    same,
    isWellFormed(answer),
    isWellFormed(built),
    agree,
  ].join(" | ");
}

export const expected = "complete | 3 | <App port={3000} /> | true | false | true | true";
