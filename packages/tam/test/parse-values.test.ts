import { describe, expect, it } from "vitest";
import { parse } from "../src/index.ts";
import { blockOfLines, bodies } from "./read-chunks.ts";

/** Values of the first step, and the block's warnings. */
function read(...lines: string[]): [Record<string, string>, string[]] {
  const [block] = parse(blockOfLines("command:»»»T«««", ...lines)).blocks;
  if (!block) throw new Error("no block");
  return [{ ...block.steps[0]?.params }, block.warnings];
}

describe("where a value ends", () => {
  it.each<[string, string[], Record<string, string>, string[]]>([
    ["at a closer before a field", ["a:»»»x«««", "b:»»»y«««"], { a: "x", b: "y" }, []],
    ["at a closer before a field on its line", ["a:»»»x««« b:»»»y«««"], { a: "x", b: "y" }, []],
    ["at a closer before a comment", ["a:»»»x«««", "# «««"], { a: "x" }, []],
    ["not at a closer that another one follows", ["a:»»»x ««« y", "z «««"], { a: "x ««« y\nz" }, []],
    ["at a closer before plain text, without another", ["a:»»»x«««", "so", "b:»»»y«««"], { a: "x", b: "y" }, ["stray_text"]],
    ["not at a closer of another family", ["a:»»»x <<<", "# y", "«««"], { a: "x <<<\n# y" }, []],
    ["at a closer of another family, when its own does not come", ["a:»»»x<<<", "b:»»»y«««"], { a: "x", b: "y" }, ["mixed_delimiters_used"]],
    ["before a field, without a closer", ["a:»»»x", " y", "b:»»»z«««"], { a: "x\n y", b: "z" }, ["unclosed_value"]],
    ["before the end marker, without a closer", ["a:»»»x"], { a: "x" }, ["unclosed_value"]],
    ["where openers and closers balance", ["a:»»»see", "b:»»»1«««", "c:»»»2«««", "«««"], { a: "see\nb:»»»1«««\nc:»»»2«««" }, ["ambiguous_delimiter"]],
    ["at the first closer, with a doubt, where they do not", ["a:»»»see (key:»»») so«««", "b:»»»y«««"], { a: "see (key:»»») so", b: "y" }, ["ambiguous_delimiter"]],
    ["not at a marker that a closer follows", ["a:»»»x", "<|[END_TOOL]|>", "«««"], { a: "x\n<|[END_TOOL]|>" }, []],
    ["not at start markers", ["a:»»»x", "<|[REQUEST_TOOL]|>", "<|[REQUEST_TOOL]|>", "y«««"], { a: "x\n<|[REQUEST_TOOL]|>\n<|[REQUEST_TOOL]|>\ny" }, []],
    ["not at one or five marks", ["a:»»»x « y ««««« z«««"], { a: "x « y ««««« z" }, []],
    ["at marks beside others", ["a:»»»<«««", "b:>>>《<<<", "c:»»»》x«««"], { a: "<", b: "《", c: "》x" }, ["mixed_delimiters_used"]],
    ["after a fourth mark that closes a quotation", ["a:»»»Er sagt »ja««««"], { a: "Er sagt »ja«" }, ["mixed_delimiters_used"]],
    ["before a fourth mark that opens one", ["a:»»»»Ja« sagt er«««"], { a: "»Ja« sagt er" }, ["mixed_delimiters_used"]],
    ["after a field that lost its opener, with a doubt", ["a:»»»x«««", "b: y«««", "c:»»»z«««"], { a: "x«««\nb: y", c: "z" }, ["ambiguous_delimiter"]],
    ["empty", ["a:»»»«««", "b:»»» «««"], { a: "", b: "" }, []],
  ])("%s", (_, lines, values, warnings) => {
    expect(read(...lines)).toEqual([values, warnings]);
  }); // biome-ignore format: one case a line
});

it.each(Object.entries(bodies))("gives back as it is: %s", (_, body) => {
  for (const lines of [[`a:»»»${body}«««`], ["a:»»»", body, "«««", "b:»»»z«««"]])
    for (const fence of ["", "```\n"]) {
      const { blocks, diagnostics } = parse(fence + blockOfLines("command:»»»T«««", ...lines) + fence);
      // What opens a field may be one that a lost closer let in.
      const inDoubt = /:»»»/.test(body);
      expect(blocks.map(({ status }) => status)).toEqual([inDoubt ? "recovered" : "complete"]);
      expect(blocks[0]?.steps[0]?.params.a).toBe(body);
      expect(diagnostics.map(({ code, affects }) => `${code} ${affects}`)).toEqual(
        inDoubt ? ["tam/ambiguous-delimiter value"] : [],
      );
    }
});

it.each(["<<<", "《《《", "««", "««««", "««《"])("takes %s for a closer, with one warning", (closer) => {
  const opener = { "<<<": ">>>", "《《《": "》》》", "««": "»»", "««««": "»»»»", "««《": "》»»" }[closer];
  const only = parse(blockOfLines(`command:${opener}T${closer}`, `a:${opener}x${closer}`)).blocks[0];
  expect([only?.steps[0]?.params.a, only?.warnings]).toEqual(["x", ["alternate_delimiters_used"]]);
  expect(read(`a:${opener}x${closer}`, `b:${opener}y${closer}`)).toEqual([
    { a: "x", b: "y" },
    ["mixed_delimiters_used"],
  ]);
});

it("takes off layout and the field's indentation, and keeps the text as written in raw", () => {
  const text = blockOfLines(
    "  command:»»»T«««",
    "\ta:»»»",
    "    x",
    "  y",
    " «««",
    "    b:»»»1",
    "  2",
    "      3«««",
  ).replaceAll("\n", "\r\n");
  const [step] = parse(text).blocks[0]?.steps ?? [];
  expect(step?.params).toMatchObject({ a: "   x\n y", b: "1\n2\n  3" });
  expect(step?.raw).toMatchObject({ a: "\r\n    x\r\n  y\r\n ", b: "1\r\n  2\r\n      3" });
});

it("says what a doubt may have changed", () => {
  const { diagnostics } = parse(
    blockOfLines("command:>>>T<<<", "a:»»»x", "b=»»»y«««", "lost: z", "by the way", "# fine", "c:»»»(k:»»»)«««"),
  );
  expect(diagnostics.map(({ code, affects }) => [code, affects])).toEqual([
    ["tam/mixed-delimiters-used", "structure"],
    ["tam/unclosed-value", "value"],
    ["tam/equals-separator", "structure"],
    ["tam/stray-text", "value"],
    ["tam/ambiguous-delimiter", "value"],
  ]);
});

it("gives exact spans", () => {
  const text = blockOfLines("command:»»»T«««", "a:»»»x ", "b=»»»y«««", "so", "lo", "c:>>>z<<<");
  const { diagnostics, blocks } = parse(`Now:\n${text}`);
  const source = (span: { start: number; end: number }): string => `Now:\n${text}`.slice(span.start, span.end);
  expect(diagnostics.map(({ span }) => source(span))).toEqual(["»»»x", "=", "so\nlo", ">>>"]);
  expect(blocks.map(({ span }) => source(span))).toEqual([text.trimEnd()]);
  expect(blocks[0]?.steps.map(({ span }) => source(span))).toEqual([text.slice(19, -16)]);
});
