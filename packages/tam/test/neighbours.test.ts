import type { ToolDefinition } from "@toolglot/core";
import { expect, it } from "vitest";
import { createParser, parse } from "../src/parse.ts";

const write: ToolDefinition = {
  name: "File.Write",
  description: "",
  inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
};
const gaps = ["\n", " ", "", "\n  "];
const openers = ["»»»", "»»", "»", "»»»»", "»»»»»", ""];
const closers = ["«««", "««", "«", "", "««««", "«««««", "««« «««"];

/** Two fields with a damaged opener and damaged closers, in any layout. */
const texts = gaps.flatMap((gap) =>
  openers.flatMap((opener) =>
    closers.flatMap((first) =>
      closers.flatMap((second) =>
        ["", " «««"].map((spare) => ({
          // Of a field that has neither an opener nor a closer before it, text tells nothing.
          told: opener !== "" || !/^«?$/.test(first),
          text: `<|[REQUEST_TOOL]|>\ncommand:»»»File.Write«««\npath:»»»/a.txt${first}${gap}content:${opener}x = 1${second}${spare}\n<|[END_TOOL]|>\n`,
        })),
      ),
    ),
  ),
);

it.each([[[]], [[write]]])("never takes in a neighbour, or loses one, in silence", (tools) => {
  for (const { text, told } of texts) {
    const { blocks, diagnostics } = parse(text, tools.length > 0 ? { tools } : {});
    const isHeld = diagnostics.some(({ affects, severity }) => affects === "value" || severity === "error");
    for (const { status, steps } of blocks) {
      const { path, content } = steps[0]?.params ?? {};
      const isRight = path === "/a.txt" && content === "x = 1";
      const isCut = status === "truncated" || status === "invalid";
      if (told) expect(isHeld || isCut || isRight, text).toBe(true);
    }
  }
});

it("says the same of damaged neighbours in single units", () => {
  for (const { text } of texts.filter((_, index) => index % 7 === 0)) {
    const parser = createParser();
    for (const unit of text) parser.feed(unit);
    expect(parser.end(), text).toEqual(parse(text));
  }
});

it.each([
  ["<|[END_TOOL]>", "<[REQUEST_TOOL]|>"],
  ["<|END_TOOL|>", "<|REQUEST_TOOL|>"],
  ["[END_TOOL]", "[REQUEST_TOOL]"],
  ["<|[END-TOOL|>", "REQUEST TOOL"],
])("holds back two blocks that %s and %s join", (end, start) => {
  for (const numbers of [
    ["", ""],
    ["_1", "_2"],
  ]) {
    const [a, b] = numbers;
    const text = `<|[REQUEST_TOOL]|>\ncommand${a}:»»»A«««\nx${a}:»»»1«««\n${end}\n${start}\ncommand${b}:»»»B«««\n<|[END_TOOL]|>\n`;
    const { diagnostics } = parse(text);
    expect(diagnostics.some(({ affects }) => affects === "value")).toBe(true);
  }
});

it("gives tool names of one line only", () => {
  for (const closer of ["", "«", "««", "««« x «««"])
    for (const { steps } of parse(
      `<|[REQUEST_TOOL]|>\ncommand:»»»File.Write${closer}\npath:»»»/a.txt ««« b«««\nsome text\n<|[END_TOOL]|>\n`,
    ).blocks)
      for (const { tool } of steps) expect(tool).not.toContain("\n");
});
