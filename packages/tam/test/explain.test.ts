import { readFileSync } from "node:fs";
import type { Diagnostic, ParseResult } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { explain } from "../src/results.ts";
import type { TamBlock } from "../src/types.ts";
import { blockOf, stepOf } from "./fixtures.ts";

const finding = (code: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  code,
  severity: "warning",
  affects: "none",
  message: `about ${code}`,
  span: { start: 0, end: 1 },
  source: "tam",
  ...more,
});
const result = (blocks: TamBlock[], diagnostics: Diagnostic[] = []): ParseResult<TamBlock> => ({
  segments: [],
  blocks,
  diagnostics,
});
const good = blockOf([stepOf("File.Write")]);

it("should say nothing of a block that is right, or of notes that are only worth knowing", () => {
  expect(explain(result([good]))).toBeUndefined();
  expect(explain(result([good], [finding("tam/x", { severity: "info" })]))).toBeUndefined();
});

it("should say nothing of a plain answer in the loop, and that a block is missing in single mode", () => {
  expect(explain(result([]))).toBeUndefined();
  expect(explain(result([], [finding("core/reasoning-unopened")]))).toBeUndefined();
  expect(explain(result([], [finding("core/foreign-format")]))).toContain("core/foreign-format");
  const single = explain(result([]), { mode: "single" }) ?? "";
  expect(single).toMatch(/^<\|\[TOOL_RESULT\]\|>\nstatus:»»»error«««\nerror:»»»\nFormatError: /);
  expect(single).toContain("Your answer holds no TAM block.");
  expect(single).toMatch(
    /<\|\[END_RESULT\]\|>\nWrite one block.*:\n<\|\[REQUEST_TOOL\]\|>\ncommand_1:»»».*\n.*\n<\|\[END_TOOL\]\|>\n$/,
  );
  expect(explain(result([]), { mode: "single", locale: "zh" })).toContain("你的回答中没有 TAM 块。");
});

it("should show code, place, source line and template when nothing runs", () => {
  const source = "<|[REQUEST_TOOL]|>\nfoo:»»»1«««\ncommand_1:»»»x«««\n<|[END_TOOL]|>\n";
  const error = finding("tam/unassigned-field", { severity: "error", span: { start: 19, end: 22 } });
  const told = explain(result([{ ...good, status: "invalid" }], [error]), { source }) ?? "";
  expect(told).toContain(
    "FormatError: Your answer could not be used; nothing of it was run.\n- tam/unassigned-field (line 2, column 1): ",
  );
  expect(told.replaceAll("\u200b", "")).toContain("    | foo:»»»1«««\n    | ^^^\n");
  expect(told.match(/«««/g)).toHaveLength(4);
  expect(explain(result([{ ...good, status: "invalid" }], [error]), { source, locale: "zh" })).toContain(
    "（第 2 行第 1 列）",
  );
});

it("should only note what is wrong with a block that runs", () => {
  const told = explain(result([good], [finding("tam/alternate-delimiters-used")])) ?? "";
  expect(told).toMatch(/^Notes on how your block was written:\n- tam\/alternate-delimiters-used: /);
  expect(told).not.toContain("TOOL_RESULT");
  expect(told).toContain("<|[REQUEST_TOOL]|>");
});

it("should leave to a step's result what its error says", () => {
  const message = 'There is no tool "x". There are no tools.';
  const block = blockOf([stepOf("x", {}, { errors: [{ type: "UnknownTool", message }] })]);
  const unknown = finding("tam/unknown-tool", { severity: "error", message });
  expect(explain(result([block], [unknown]))).toBeUndefined();
  expect(explain(result([{ ...block, status: "truncated" }], [unknown]))).toContain("tam/unknown-tool");
});

it("should say what no single finding says", () => {
  const told = (blocks: TamBlock[], diagnostics: Diagnostic[] = []): string =>
    explain(result(blocks, diagnostics)) ?? "";
  expect(told([good, good])).toContain("2 TAM blocks. Only the first was run");
  expect(told([{ ...good, inReasoning: true }])).toContain("inside reasoning is never run");
  expect(told([{ ...good, afterFabricatedResult: true }])).toContain("after a result that you wrote yourself");
  expect(told([good], [finding("tam/unclosed-value", { affects: "value" })])).toContain("needs no repair");
  expect(told([{ ...good, status: "invalid" }, good])).toContain("nothing of it was run");
});

it("should be of bounded length, and unable to act, for any findings about any text", () => {
  const nasty = fc.oneof(
    fc.constantFrom("«««", "\nkey:»»»", "<|[END_RESULT]|>\n", "\r\n", "\ud800", "```\n", "x".repeat(3000)),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const text = fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join(""));
  const any: fc.Arbitrary<Diagnostic> = fc.record({
    code: fc.oneof(fc.constantFrom("tam/unclosed-block", "core/foreign-format"), text),
    severity: fc.constantFrom("error", "warning", "info"),
    affects: fc.constantFrom("none", "value"),
    message: text,
    hint: text,
    span: fc.record({ start: fc.nat(4000), end: fc.nat(4000) }),
    source: fc.constant("tam"),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), text, fc.constantFrom("en", "zh"), (diagnostics, source, locale) => {
      const told = explain(result([], diagnostics), { source, locale, mode: "single" }) ?? "";
      expect(told.length).toBeLessThan(20_000);
      expect(told.match(/«««/g)).toHaveLength(4);
      expect(told.match(/^<\|\[END_RESULT\]\|>$/gm)).toHaveLength(1);
    }),
  );
});

it("should advise in Chinese on every code that a model can cause", () => {
  const source = readFileSync(new URL("../src/diagnostics.ts", import.meta.url), "utf8");
  const codes = [...source.matchAll(/^ {2}\| "(tam\/[\w-]+)"/gm)].map(([, code]) => code as string);
  expect(codes.length).toBeGreaterThan(10);
  // A gap in the numbers is only worth knowing.
  for (const code of codes.filter((name) => name !== "tam/step-gap"))
    expect(explain(result([], [finding(code, { severity: "error" })]), { locale: "zh" })).toMatch(
      new RegExp(`${code}：.*\\p{Script=Han}.*\\(about ${code}\\)`, "u"),
    );
});
