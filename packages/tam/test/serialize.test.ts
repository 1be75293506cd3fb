import { describe, expect, it } from "vitest";
import { parse, serialize } from "../src/index.ts";
import { blockOf, record, stepOf } from "./fixtures.ts";
import { blockOfLines, bodies } from "./read-chunks.ts";

it("writes canonical TAM", () => {
  const block = blockOf(
    [
      stepOf("A", { path: "/x", text: "one\n two" }, { onError: "continue", retry: 2 }),
      stepOf(
        "B",
        { n: "{}" },
        { index: 3, typeHints: record({ n: "json" as const }), uris: record({ img: "fam://i" }) },
      ),
    ],
    {
      requestId: "r1",
      comment: "why",
      comments: [{ text: "first", span: { start: 0, end: 0 } }],
      common: record({ dir: "/d" }),
    },
  );
  const text = blockOfLines(
    "# first",
    "request_id:»»»r1«««",
    "comment:»»»why«««",
    "common_dir:»»»/d«««",
    "command_1:»»»A«««",
    "on_error_1:»»»continue«««",
    "retry_1:»»»2«««",
    "path_1:»»»/x«««",
    "text_1:»»»one\n two«««",
    "command_3:»»»B«««",
    "type_hint_n_3:»»»json«««",
    "uri_img_3:»»»fam://i«««",
    "n_3:»»»{}«««",
  );
  expect(serialize(block)).toBe(text);
  expect(serialize(blockOf([stepOf("A", { text: "one\n two" }, { raw: record() })]))).toBe(
    blockOfLines("command:»»»A«««", "text:»»»\none\n two\n«««"),
  );
  expect(serialize(blockOf([stepOf("A", { comment: "x" })]))).toBe(
    blockOfLines("command_1:»»»A«««", "comment_1:»»»x«««"),
  );
});

it("keeps the white space that a parameter was written with", () => {
  const text = blockOfLines("command:»»»A«««", "a:»»»\n  x\n\n«««");
  expect(serialize(parse(text).blocks[0] ?? blockOf([]))).toBe(text);
});

it.each(
  Object.entries({
    ...bodies,
    "closing mark": "«a»",
    "opening mark": "»a«",
    less: "a <",
    empty: "",
    "a closer before a field": "x«««\nk:»»»y",
    "an opener too many": "see\nk:»»»",
    "a doubt": "(k:»»»)",
    "outer white space": " x",
    "a last line break": "x\n",
    "line breaks alone": "\n\n",
    "the first line's indentation": "    x\ny",
    "carriage returns": "x\r\ny",
    quotes: "`x`",
    "an invisible character": "\u200bx",
    "a JSON string": '"x"',
  }),
)("reads back as it was: %s", (_, body) => {
  const { blocks, diagnostics } = parse(serialize(blockOf([stepOf("T", { a: body, b: "z" }, { raw: record() })])));
  expect(diagnostics).toEqual([]);
  expect(blocks.map(({ status, steps }) => [status, { ...steps[0]?.params }, { ...steps[0]?.typeHints }])).toEqual([
    ["complete", { a: body, b: "z" }, {}],
  ]);
});

describe("throws for what would not be read back", () => {
  it.each<[string, Parameters<typeof serialize>[0], RegExp]>([
    ["a tool's name in quotes", blockOf([stepOf("'T'")]), /the block/],
    ["outer white space of a reference", blockOf([stepOf("T", {}, { uris: record({ a: " x" }) })]), /uri_a/],
    ["a common text with closers", blockOf([stepOf("T")], { common: record({ a: "x«««\nk:»»»y" }) }), /common_a/],
    ["a request id in quotes", blockOf([stepOf("T")], { requestId: "x\ny «««" }), /request_id/],
    ["a key with a colon", blockOf([stepOf("T", { "a:b": "x" })]), /a_b/],
    ["a reserved name", blockOf([stepOf("T", { retry: "x" })]), /step 1/],
    ["names that are one key", blockOf([stepOf("T", { aB: "x", a_b: "y" })]), /the block/],
    [
      "a comment of two lines",
      blockOf([stepOf("T")], { comments: [{ text: "a\nb", span: { start: 0, end: 0 } }] }),
      /comment line 1/,
    ],
    ["a broken step number", blockOf([stepOf("T", {}, { index: -1 })]), /step -1/],
  ])("%s", (_, block, message) => {
    expect(() => serialize(block)).toThrow(TypeError);
    expect(() => serialize(block)).toThrow(message);
  });
});
