import { readdirSync, readFileSync } from "node:fs";
import { growthOf } from "@toolglot/internal/testing/growth";
import { expect, it } from "vitest";
import { callFormats, foreignCloser } from "../../src/text-layer.ts";

const found = (text: string, own: "attp" | "tam" | "toolsxml" = "toolsxml"): string | undefined => {
  const span = foreignCloser(text, own);
  return span && text.slice(span.start, span.end);
};

it.each([
  ["x = 1\n</parameter>\n</invoke>", "</parameter>\n</invoke>"],
  ["# Title</content>\n</invoke>", "</invoke>"],
  ["x</arg_value>\n</tool_call>\n", "</arg_value>\n</tool_call>"],
  ["x\n</function>\n</tool_call><|im_end|>", "</function>\n</tool_call><|im_end|>"],
  ["x</minimax:tool_call>", "</minimax:tool_call>"],
  ["x\n</｜DSML｜parameter>\n</｜DSML｜invoke>", "</｜DSML｜parameter>\n</｜DSML｜invoke>"],
  ["x<|tool_call_end|><|tool_calls_section_end|>", "<|tool_call_end|><|tool_calls_section_end|>"],
  ["x<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"],
  ["x[/TOOL_CALL]", "[/TOOL_CALL]"],
  ["x<tool_call|>", "<tool_call|>"],
  ["x<end_function_call>", "<end_function_call>"],
  ["x</s>", "</s>"],
  ["x\n>>>>>>> REPLACE\n", ">>>>>>> REPLACE"],
  ["«««\n<|[END_TOOL]|>", "<|[END_TOOL]|>"],
])("finds what another format closes: %j", (text, closers) => expect(found(text)).toBe(closers));

it.each([
  "<invoke name='a'><parameter name='b'>x</parameter></invoke>",
  "the tag </invoke> ends it.",
  "</parameter>\n</invoke>",
  "<div>\n</div>",
  "Array<string>",
  "list[0]",
  "<|im_start|>user\nhi<|im_end|>",
  "<s>old</s>",
  "&lt;/invoke>",
  "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
  "",
])("finds nothing where the text opens it, mentions it, or has none: %j", (text) =>
  expect(found(text)).toBeUndefined(),
);

it("leaves a protocol its own closers", () => {
  expect(found("x</tools>", "toolsxml")).toBeUndefined();
  expect(found("x</tools>", "tam")).toBe("</tools>");
  expect(found("x<|[END_TOOL]|>", "tam")).toBeUndefined();
});

it("knows a closer of every format whose openers are elements", () => {
  for (const open of callFormats.flatMap(({ marks }) => marks.flatMap(({ open }) => open))) {
    const name = /^<([a-z_:]+)>?$/.exec(open)?.[1];
    if (name) expect(found(`x</${name}>`, "attp"), open).toBe(`</${name}>`);
  }
});

it("finds none in the files of this repository, and costs no more than it reads", () => {
  const folder = new URL("../../src/text/", import.meta.url);
  for (const file of readdirSync(folder))
    expect(found(readFileSync(new URL(file, folder), "utf8")), file).toBeUndefined();
  for (const tail of ["</invoke>", "<|a|>", "</s>", ">", "[/TOOL_CALL] "]) {
    const growth = growthOf((size) => {
      const text = `x${tail.repeat(size / tail.length)}`;
      return () => foreignCloser(text, "tam");
    }, 200_000);
    expect(growth, tail).toBeUndefined();
  }
});
