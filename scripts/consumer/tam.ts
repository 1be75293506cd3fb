import { bindPlan, createParser, formatResults, parse, type TamBlock } from "@toolglot/tam";

const answer = `I write the log, then read it back.

\`\`\`
<|[REQUEST_TOOL]|>
common_file_path:»»»/logs/today.log«««
command_1: >>>File.Write<<<
CONTENT1:»»»
if (a << 2 >> b) {
  note("«quoted»");
}
«««
command_2:»»»File.Read«««
lines_2:»»»3«««
<|[END_TOOL]|>
\`\`\`
`;

const path = { filePath: { type: "string" as const } };
const tools = [
  {
    name: "File.Write",
    description: "Writes a file.",
    inputSchema: { properties: { ...path, content: { type: "string" as const } }, required: ["filePath", "content"] },
  },
  {
    name: "File.Read",
    description: "Reads a file.",
    inputSchema: { properties: { ...path, lines: { type: "integer" as const } }, required: ["filePath"] },
  },
];

export function consume(): string {
  let streamed = "";
  const parser = createParser({
    tools,
    onEvent: (event) => {
      if (event.type === "param-delta" && event.param === "content") streamed += event.text;
    },
  });
  for (let at = 0; at < answer.length; at += 7) parser.feed(answer.slice(at, at + 7));
  const inChunks = parser.end();
  const block: TamBlock | undefined = inChunks.blocks[0];
  if (!block) throw new Error(JSON.stringify(inChunks));
  const [write, read] = bindPlan(block, tools).steps;
  const same = JSON.stringify(inChunks) === JSON.stringify(parse(answer, { tools }));
  const results = formatResults([{ callId: read?.callId ?? "", status: "ok", content: [], data: "a\nb" }]);
  return [
    block.warnings.join(),
    write?.params.filePath,
    streamed === write?.params.content,
    read?.params.lines,
    read?.errors.length,
    same,
    results.split("\n").length,
  ].join(" | ");
}

export const expected = "mixed_delimiters_used | /logs/today.log | true | 3 | 0 | true | 8";
