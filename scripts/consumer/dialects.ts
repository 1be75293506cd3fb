import { createParser, type DialectBlock, dialectFor, parse, recoverToolCalls, serialize } from "@toolglot/dialects";
import { parse as parseGlm } from "@toolglot/dialects/glm-4.7";
import { recoverToolCalls as recoverKimi } from "@toolglot/dialects/kimi-k2";

const tools = [
  { type: "function" as const, function: { name: "add", parameters: { properties: { a: { type: "integer" } } } } },
];
const calls = [{ name: "add", input: { a: 1, text: "x < 2" } }];

export function consume(): string {
  let streamed = "";
  const parser = createParser({
    dialect: dialectFor({ model: "Qwen/Qwen3-32B-FP8" }) ?? "auto",
    onEvent: (event) => {
      if (event.type === "argument-delta" && event.name === "text") streamed += event.text;
    },
  });
  const answer = `Sure.\n${serialize({ dialect: "hermes", calls })}`;
  for (let at = 0; at < answer.length; at += 7) parser.feed(answer.slice(at, at + 7));
  const inChunks = parser.end();
  const block: DialectBlock | undefined = inChunks.blocks[0];
  const kimi = serialize({ dialect: "kimi-k2", calls });
  const bare = recoverToolCalls('add[ARGS]{"a": "1"}', tools);
  return [
    block?.dialect,
    block?.status,
    streamed,
    JSON.stringify(inChunks) === JSON.stringify(parse(answer)),
    recoverKimi(kimi).calls[0]?.id,
    parseGlm(serialize({ dialect: "glm-4.7", calls })).blocks[0]?.calls.length,
    bare.held.length,
  ].join(" | ");
}

export const expected = "hermes | complete | x < 2 | true | functions.add:0 | 1 | 1";
