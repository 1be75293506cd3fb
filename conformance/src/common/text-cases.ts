import type { BlockBase, ProtocolEvent } from "@toolglot/core";
import type { ChunkingOptions } from "../chunking.ts";
import type { Vector } from "../vector.ts";
import { type CommonFixture, inText } from "./fixture.ts";

/** One case of the common part: a vector, and the values that its blocks have to have. */
export interface CommonCase extends Omit<Vector, "spec"> {
  /** The value of each block, as the fixture reads it. */
  values?: string[];
  chunking?: ChunkingOptions;
}

type Fixture = Pick<CommonFixture<BlockBase, ProtocolEvent>, "block" | "endsItself" | "opener" | "stop">;

const value = "print('one')\nprint('two')";
const complete = { status: "complete" } as const;
const text = (content: string) => ({ type: "text", text: content }) as const;
const reasoning = { type: "reasoning" } as const;
const block = { type: "block" } as const;

/** Fences, reasoning, mentions, made-up results: what is the same for every protocol. */
export function textCases(fixture: Fixture, others: readonly Fixture[]): CommonCase[] {
  return [
    ...places(fixture),
    ...fences(fixture),
    ...reasonings(fixture),
    ...mentions(fixture),
    ...madeUpResults(fixture),
    ...others.flatMap((other, index) => foreign(fixture, other, index)),
    ...lineEndsAndUnicode(fixture),
  ];
}

function places(fixture: Fixture): CommonCase[] {
  const one = { expect: { blocks: [complete], runnable: 1, diagnostics: [] }, values: [value] };
  const two = `First:\n\n${inText(fixture, "one")}\n\nand then\n\n${inText(fixture, "two")}\n\nEnd.`;
  return [
    { name: "a block and nothing else", input: fixture.block(value), ...one },
    { name: "a block and a line break", input: `${fixture.block(value)}\n`, ...one },
    { name: "a block after prose", input: `I will do it.\n\n${fixture.block(value)}\n`, ...one },
    { name: "a block after blank lines", input: `\n \n\n${fixture.block(value)}\n\n\n`, ...one },
    {
      name: "two blocks with prose between",
      input: two,
      values: ["one", "two"],
      expect: {
        blocks: [complete, complete],
        runnable: 2,
        segments: [text("First:"), block, text("and then"), block, text("End.")],
        diagnostics: [],
      },
    },
  ];
}

function fences(fixture: Fixture): CommonCase[] {
  const marks = ["`", "~"].flatMap((mark) => [3, 4, 5, 8].map((length) => mark.repeat(length)));
  const whole = marks.flatMap((fence) =>
    ["", " ", "text"].map((info) => ({
      name: `a fence ${fence}${info}`,
      input: `Before.\n${fence}${info}\n${fixture.block(value)}\n${fence}\nAfter.`,
      values: [value],
      expect: {
        blocks: [complete],
        runnable: 1,
        segments: [text("Before."), block, text("After.")],
        diagnostics: [],
      },
    })),
  );
  const indented = ["  ", "    ", "\t"].map((indent) => ({
    name: `a fence indented by ${JSON.stringify(indent)}`,
    input: [
      "1. Do it:",
      ...["```", ...fixture.block("one").split("\n"), "```"].map((line) => indent + line),
      "2. Done.",
    ].join("\n"),
    values: ["one"],
    expect: {
      blocks: [{ status: ["complete" as const, "recovered" as const] }],
      runnable: 1,
      segments: [text("1. Do it:"), block, text("2. Done.")],
      diagnostics: [],
      moreDiagnostics: true as const,
    },
  }));
  return [
    ...whole,
    ...indented,
    {
      name: "a fence with blank lines inside",
      input: `\`\`\`\n\n${fixture.block(value)}\n\n\`\`\`\n`,
      values: [value],
      expect: { blocks: [complete], segments: [block], diagnostics: [] },
    },
    {
      name: "a longer closing fence",
      input: `\`\`\`\n${fixture.block(value)}\n\`\`\`\`\`\nAfter.`,
      values: [value],
      expect: { blocks: [complete], segments: [block, text("After.")], diagnostics: [] },
    },
    {
      name: "a fence that is not closed",
      input: `\`\`\`\n${fixture.block(value)}\n`,
      values: [value],
      expect: { runnable: 1, segments: [block], diagnostics: [], moreDiagnostics: true },
    },
    {
      name: "a fence of something else before",
      input: `\`\`\`js\nf();\n\`\`\`\n\n${inText(fixture, value)}\n`,
      values: [value],
      expect: { runnable: 1, segments: [{ type: "text" }, block], diagnostics: [] },
    },
  ];
}

function reasonings(fixture: Fixture): CommonCase[] {
  const inside = inText(fixture, "inside");
  const after = inText(fixture, "after");
  const skipped = (name: string, before: string): CommonCase => ({
    name,
    input: `${before}\n${after}\n`,
    values: ["after"],
    expect: { blocks: [complete], runnable: 1, segments: [reasoning, block], diagnostics: [] },
  });
  const tags = ["think", "thinking", "thought", "THINK", "Thinking", 'think type="deep"', "thought a='1'\tb"];
  return [
    ...tags.map((tag) => skipped(`reasoning in <${tag}>`, `<${tag}>\n${inside}\n</${tag.split(/\s/)[0]}>`)),
    skipped("reasoning on one line", "<think>Short.</think>"),
    skipped("reasoning that is empty", "<think></think>"),
    skipped("reasoning, nested", `<think>a <think>${inside}</think> b\n${inside}\n</think>`),
    skipped("reasoning with an open fence", `<think>\n\`\`\`\n${fixture.block("inside")}\n</think>`),
    {
      name: "reasoning that is not closed",
      input: `Hm.\n<think>\n${inside}\n`,
      expect: {
        blocks: [],
        segments: [text("Hm."), reasoning],
        diagnostics: [{ code: "core/reasoning-unclosed" }],
      },
    },
    {
      name: "a message that starts in reasoning",
      input: `I think\n${inside}\n</think>\n${after}\n`,
      options: { startsInReasoning: true },
      values: ["after"],
      expect: { blocks: [complete], segments: [reasoning, block], diagnostics: [] },
    },
    {
      name: "a message that starts in reasoning and stays there",
      input: `I think\n${inside}\n`,
      options: { startsInReasoning: true },
      expect: { blocks: [], segments: [reasoning], diagnostics: [{ code: "core/reasoning-unclosed" }] },
    },
    {
      name: "a lone closer of reasoning",
      input: `I think.\n${inside}\n</think>\n${after}\n`,
      values: ["inside", "after"],
      expect: {
        blocks: [{ inReasoning: true }, { inReasoning: null, status: "complete" }],
        runnable: 1,
        segments: [text("I think."), block, block],
        diagnostics: [{ code: "core/reasoning-unopened" }],
      },
    },
    {
      name: "reasoning that is searched",
      input: `<think>\n${inside}\n</think>\n${after}\n`,
      options: { reasoning: "search" },
      values: ["inside", "after"],
      expect: { blocks: [{ inReasoning: true }, { inReasoning: null }], runnable: 1, diagnostics: [] },
    },
    {
      name: "a reasoning tag in inline code",
      input: `Write \`<think>\` before you call.\n\n${after}\n`,
      values: ["after"],
      expect: { blocks: [complete], runnable: 1, segments: [{ type: "text" }, block], diagnostics: [] },
    },
  ];
}

function mentions(fixture: Fixture): CommonCase[] {
  const { opener } = fixture;
  const none = { blocks: [], segments: [{ type: "text" as const }], diagnostics: [] };
  return [
    ["in a sentence", `Begin with \`${opener}\` and write on.`],
    ["alone on its line", `Begin with this line:\n\n\`${opener}\`\n`],
    ["in two backticks", `Begin with \`\`${opener}\`\` and write on.`],
    ["with a backtick inside", `Begin with \`\` ${opener} \` \`\` and write on.`],
    ["several times", `Not \`${opener}\`, \`${opener}\` or \`${opener} x\`.`],
  ].map(([name, input]) => ({ name: `a mention in inline code, ${name}`, input: input as string, expect: none }));
}

function madeUpResults(fixture: Fixture): CommonCase[] {
  const markers = ["[tool_result]", "<|[TOOL_RESULT]|>", "<results>", "<tool_response>", "  <Results x='1'>"];
  const input = (marker: string): string =>
    `${inText(fixture, "one")}\n\n${marker}\nok\n\nNext:\n\n${inText(fixture, "two")}\n`;
  return markers.map((marker) => ({
    name: `a made-up result ${marker}`,
    input: input(marker),
    values: ["one", "two"],
    expect: {
      blocks: [{ status: "complete", afterFabricatedResult: null }, { afterFabricatedResult: true }],
      runnable: 1,
      segments: [block, { type: "text" }, block],
      diagnostics: [{ code: "core/fabricated-result", touches: marker.trim() }],
    },
  }));
}

function foreign(fixture: Fixture, other: Fixture, index: number): CommonCase[] {
  const expect = { blocks: [], diagnostics: [{ code: "core/foreign-format" }] };
  const theirs = inText(other, value);
  return [
    { name: `another format ${index}`, input: `I call:\n\n${other.block(value)}\n`, expect },
    { name: `another format ${index} in a fence`, input: `I call:\n\n\`\`\`\n${other.block(value)}\n\`\`\`\n`, expect },
    {
      name: `another format ${index} beside a block`,
      input: `${theirs}\n\n${inText(fixture, "own")}\n`,
      values: ["own"],
      expect: { blocks: [complete], runnable: 1, diagnostics: [{ code: "core/foreign-format" }] },
    },
  ];
}

function lineEndsAndUnicode(fixture: Fixture): CommonCase[] {
  const one = { blocks: [complete], runnable: 1, diagnostics: [] };
  const odd = ["😀 𝒳 👩‍👩‍👧", "日本語のテキスト", "e\u0301 \u200b\u2060x", "a\u2028b\u2029c", "\u202eabc\u202c שלום"];
  return [
    {
      name: "CRLF line ends",
      input: `Go:\n\n${inText(fixture, "one")}\n\nand\n\n${inText(fixture, "two")}\n`.replaceAll("\n", "\r\n"),
      values: ["one", "two"],
      expect: { blocks: [complete, complete], runnable: 2, diagnostics: [] },
    },
    { name: "a BOM", input: `\ufeff${fixture.block(value)}\n`, values: [value], expect: one },
    {
      name: "a BOM before prose",
      input: `\ufeffGo:\n${inText(fixture, value)}\n`,
      values: [value],
      expect: { ...one, segments: [text("Go:"), block] },
    },
    ...["\ufeff", "\u00a0", "\u3000", "\u2028", "\u0085", "\f", "\0"].flatMap((space) =>
      ["x", "", "<"].map((rest) => ({
        name: `odd space inside a block ${JSON.stringify(space + rest)}`,
        input: fixture.block(value).replace("\n", () => `\n${space}${rest}\n`),
        expect: { diagnostics: [], moreDiagnostics: true as const, mayNotSerialize: true as const },
      })),
    ),
    ...odd.map((content) => ({
      name: `a value ${content}`,
      input: `😀 Go:\n${inText(fixture, content)}\n😀`,
      values: [content],
      expect: { ...one, segments: [text("😀 Go:"), block, text("😀")] },
    })),
  ];
}
