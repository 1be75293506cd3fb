import { isRunnable, type PromptBuilder } from "@toolglot/core";
import { expect, it } from "vitest";
import { bindPlan, parse, serialize, tamProtocol } from "../src/index.ts";
import { blockOf, record, stepOf } from "./fixtures.ts";
import { blockOfLines } from "./read-chunks.ts";

// Both sides of what belongs together: what is forgiven on one side is carried through on the other.

const texts = [
  "x\n",
  "    a\nb\n",
  " ",
  "`x`",
  "x = 1\n</parameter>\n</invoke>",
  "x = 1<|im_end|>",
  "f = [1]\n</function>\n",
  "\u200bx",
  "»»»",
  "x«««\nk:»»»y",
  "<|[END_TOOL]|>",
  "a\r\nb",
  '"x"',
  "\n\n",
];

it("a value that is read / the same value, written", () => {
  for (const text of texts) {
    const [block] = parse(serialize(blockOf([stepOf("T", { a: text }, { raw: record() })]))).blocks;
    expect([block?.status, block?.steps[0]?.params.a, block && bindPlan(block).steps[0]?.params.a]).toEqual(["complete", text, text]);
    expect(block && serialize(block)).toBe(block && serialize(parse(serialize(block)).blocks[0] ?? block));
  }
}); // biome-ignore format: long lines

it("a call in the history / the plan that its text asks for", () => {
  const prompt: PromptBuilder = { forProtocol: "tam/1", build: ({ toolsText }) => toolsText };
  const protocol = tamProtocol({ prompt });
  const schema = { type: "object" as const, properties: { text: { type: "string" as const } } };
  const tools = [{ name: "t", description: "", inputSchema: schema }];
  for (const text of texts)
    for (const lossy of [true, false]) {
      const calls = [{ id: "1", name: "t", input: { text }, protocol: "native" }];
      const written = protocol.formatActions([{ kind: "calls", calls, span: { start: 0, end: 0 } }], { tools, lossy });
      const parser = protocol.createParser({ tools });
      parser.feed(written);
      const [action] = parser.end().blocks.flatMap((block) => protocol.actions(block));
      expect(action?.kind === "plan" && action.plan.steps.map(({ params }) => params)).toEqual([{ text }]);
    }
});

it("a block that was given up / the block that replaces it", () => {
  const next = blockOfLines("command:»»»Shell«««", "script:»»»ls«««");
  for (const cut of ["text_2:»»»x", "text_2:»»»", "text_2", "command_2:»»»Ed"]) {
    const draft = ["<|[REQUEST_TOOL]|>", "command_1:»»»Shell«««", "script_1:»»»rm -rf a«««", "command_2:»»»Edit«««", cut];
    const { blocks, diagnostics } = parse(`${draft.join("\n")}\n\nSorry, that was wrong. Instead:\n\n${next}`);
    const last = blocks.at(-1);
    expect([blocks.length, last && isRunnable(last), last?.steps[0]?.params.script]).toEqual([2, true, "ls"]);
    const [first] = blocks;
    const isHeld = diagnostics.some(({ affects, span }) => affects === "value" && span.start < (first?.span.end ?? 0));
    expect((first && !isRunnable(first)) || isHeld, cut).toBe(true);
  }
}); // biome-ignore format: long lines

it("signs before a key / the same signs before a comment of TAM", () => {
  for (const sign of ["//", "--", "%"]) {
    const found = parse(blockOfLines("command:»»»T«««", `${sign} a:»»»x«««`)).diagnostics.map(({ code }) => code);
    expect(found).toEqual(["tam/commented-field"]);
    expect(parse(blockOfLines("command:»»»T«««", `# ${sign} a:»»»x«««`)).diagnostics).toEqual([]);
  }
});

it("a value that ends with closers of another format is kept with a doubt, one that opens them is not", () => {
  const codes = (value: string): string[] =>
    parse(blockOfLines("command:»»»T«««", `a:»»»\n${value}\n«««`)).diagnostics.flatMap(({ code, affects }) =>
      affects === "value" ? [code] : [],
    );
  for (const tail of [
    "</parameter>\n</invoke>",
    "</arg_value></tool_call>",
    "<|eot_id|>",
    "[/TOOL_CALL]",
    "</write_file>\n</tools>",
  ])
    expect(codes(`x = 1\n${tail}`)).toEqual(["tam/foreign-closer"]);
  for (const tail of ["<invoke></invoke>", "y = a</invoke>b", "</div>"]) expect(codes(`x = 1\n${tail}`)).toEqual([]);
});
