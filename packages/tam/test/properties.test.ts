import { isRunnable, neutralize } from "@toolglot/core";
import { cut, expectSpans } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse, serialize, type TamBlock, type TamParserOptions } from "../src/index.ts";
import { blockOf, record, stepOf } from "./fixtures.ts";
import { blockOfLines, bodies, readChunks } from "./read-chunks.ts";

/** Pieces that mean something to the parser, whole and in parts, and a few that mean nothing. */
const pieces = [
  "»»»", "«««", ">>>", "<<<", "》》》", "《《《", "»»", "««", "»»»»", "««««", "<<", "》»»", "««《", "»", "«", ">", "<",
  "a:»»»", "b:»»»", "command:»»»T«««\n", "command_1:»»»T«««\n", "command_2:»»»U«««\n", "a_1:»»»x«««\n", "b1:»»»",
  "path: »»»x««« ", "key:>>>", "key=»»»v«««\n", "c：»»»", "  d:»»»\n", "«««\n", "<<<\n", " text", "plain line\n",
  "# note\n", "\n", "  ", "\t", "\r\n", "<|[REQUEST_TOOL]|>\n", "<|[END_TOOL]|>\n", "<|[END_TOOL]|>", "<|[", "<|",
  "END_TOOL]|>", "```\n", "```tam\n", "```", "~~~\n", "<think>", "</think>\n", "`", "common_x:»»»y«««\n", "😀", "\ud83d",
  "request_id:»»»r«««\n", "comment:»»»c«««\n", "retry_1:»»»3«««\n", "retry:»»»99«««\n", "type_hint_a:»»»json«««\n",
  "uri_p:»»»fam://x«««\n", "sha256:»»»h«««\n", "<|[TOOL_RESULT]|>\n", ": ", "=", "\u00a0", ",", "Use key:»»»v««« so\n",
]; // biome-ignore format: one list
const openings = [
  "",
  "<|[REQUEST_TOOL]|>\n",
  "<|[REQUEST_TOOL]|>\ncommand:»»»T«««\na:»»»",
  "```\n<|[REQUEST_TOOL]|>\ncommand_1:»»»T«««\n",
];
const nasty = fc
  .tuple(fc.constantFrom(...openings), fc.array(fc.constantFrom(...pieces), { maxLength: 16 }))
  .map(([opening, list]) => opening + list.join(""));
const tools = [
  {
    name: "T",
    description: "",
    inputSchema: { type: "object" as const, properties: { a: {}, sha256: {}, keyName: {} } },
  },
];
const options: fc.Arbitrary<TamParserOptions> = fc.constantFrom(
  {}, {}, {}, { tools }, { strict: true }, { reasoning: "search" }, { startsInReasoning: true },
  { repairs: { "tam/unclosed-value": false } }, { maxInputLength: 60 },
); // biome-ignore format: one list
const ends = fc.constantFrom(
  undefined,
  undefined,
  { finish: "length" as const },
  { finish: "stop" as const, stopSequence: "<|[END_TOOL]|>" },
);

it("says the same for every chunking, and its deltas add up", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(nasty, options, ends, sizes, (text, choice, end, list) => {
      const whole = readChunks([text], choice, end);
      expect(readChunks(cut(text, list), choice, end)).toEqual(whole);
      expect(readChunks(text.split(""), choice, end)).toEqual(whole);
      let fields = new Map<number, [name: string, text: string]>();
      for (const event of whole.events) {
        if (event.type === "block-start") fields = new Map();
        if (event.type === "param-delta")
          fields.set(event.field, [
            `${event.step ?? ""} ${event.param}`,
            (fields.get(event.field)?.[1] ?? "") + event.text,
          ]);
        if (event.type !== "block-end") continue;
        const { steps, common, diagnostics } = event.block;
        if (diagnostics.some(({ code }) => code === "tam/duplicate-key")) continue;
        const values = [
          ...steps.flatMap(({ index, params }) =>
            Object.entries(params).map(([name, value]) => [`${index} ${name}`, value]),
          ),
          ...Object.entries(common).map(([name, value]) => [` ${name}`, value]),
        ].filter(([, value]) => value !== "");
        expect(Object.fromEntries(fields.values())).toEqual(Object.fromEntries(values));
      }
    }),
    { numRuns: 800 },
  );
});

it("says the same for every cut in two", () => {
  const start = "<|[REQUEST_TOOL]|>\n";
  for (const text of [
    `\`\`\`\n${start}command_1:»»»T«««\n»»»\n\`\`\`Use key:»»»v««« so\n`,
    `a \`<think>\` <think>x</think>\r\n${blockOfLines("command:»»»T«««", "  a : »»»x", "  y ««« b=>>>z<<<").replaceAll("\n", "\r\n")}`,
    `${start}command:»»»T«««\na:»»»see\n${blockOfLines("k:»»»1«««")}«««\nb: y«««\nc:»»»»q«««\n <|[ end_tool ]|> \nbye`,
    `${start}a_1:»»»open\ncommand_1:»»»T<<<\nb1：》»»x«««,\n# c\n${start}command:»»»U«««\n<|[END`,
  ]) {
    const whole = readChunks([text]);
    for (let at = 1; at < text.length; at += 1)
      expect(readChunks([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(whole);
  }
});

it("keeps spans in order and inside the text", () => {
  fc.assert(
    fc.property(nasty, ends, (text, end) => {
      const { result } = readChunks([text], {}, end);
      const { blocks } = result;
      expectSpans(text, result);
      for (const block of blocks) {
        for (const { span, raw } of block.steps) {
          expect(span.start).toBeGreaterThanOrEqual(block.span.start);
          expect(span.end).toBeLessThanOrEqual(block.span.end);
          for (const value of Object.values(raw)) expect(text.slice(span.start, span.end)).toContain(value.trimEnd());
        }
      }
    }),
    { numRuns: 600 },
  );
});

/** What a block says. */
const essence = ({ requestId, comment, comments, common, steps }: TamBlock): unknown =>
  JSON.parse(
    JSON.stringify({
      requestId,
      comment,
      comments: comments.map(({ text }) => text),
      common,
      steps: steps.map(({ raw: _raw, span: _span, errors: _errors, ...step }) => step),
    }),
  );

it("reads back whatever it writes, and throws for the rest", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const block of parse(text).blocks) {
        let written: string;
        try {
          written = serialize(block);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          continue;
        }
        const { blocks } = parse(written);
        expect(blocks.map(essence), written).toEqual([essence(block)]);
        expect(blocks[0]?.warnings).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.constantFrom(...pieces, "\u200b", "\u3000", '"', "*", "`", "\r", "\n    "), { maxLength: 5 })
      .map((list) => list.join("")),
  );
  const write = (text: string): string => serialize(blockOf([stepOf("T", { a: text, b: "z" }, { raw: record() })]));
  fc.assert(
    fc.property(value, (text) => {
      const { blocks, diagnostics } = parse(write(text));
      expect(diagnostics).toEqual([]);
      expect(blocks.map(({ status, steps }) => [status, { ...steps[0]?.params }, { ...steps[0]?.typeHints }])).toEqual([
        ["complete", { a: text, b: "z" }, {}],
      ]);
    }),
    { numRuns: 800 },
  );
});

it("runs nothing of a block that lost its end, and no wrong value of one that only may have", () => {
  const calm = Object.entries(bodies).filter(([name]) => !/closers|marker/.test(name));
  for (const [name, body] of calm) {
    const text = blockOfLines("command:»»»T«««", "path:»»»/x«««", "a:»»»", body, "«««", "b:»»»z«««");
    const wanted: Record<string, string> = { path: "/x", a: body, b: "z" };
    for (let end = 1; end < text.length - 1; end += 1) {
      const piece = text.slice(0, end);
      expect(readChunks([piece], {}, { finish: "length" }).result.blocks.some(isRunnable), `${name} ${end}`).toBe(
        false,
      );
      for (const block of parse(piece).blocks.filter(isRunnable).slice(0, 1))
        for (const [key, value] of Object.entries(block.steps[0]?.params ?? {}))
          expect(value, JSON.stringify(piece)).toBe(wanted[key]);
    }
  }
});

it("finds no block in text that was neutralised", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(parse(neutralize(text), { reasoning: "search" }).blocks).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
