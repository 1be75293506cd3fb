import { expect, it } from "vitest";
import { explainResult } from "../src/explain.ts";
import { findingLines } from "../src/finding-lines.ts";
import type { Diagnostic } from "../src/index.ts";

const found = (more: Partial<Diagnostic>): Diagnostic => ({
  code: "x/a",
  severity: "warning",
  affects: "none",
  message: "It is so.",
  span: { start: 4, end: 7 },
  source: "x",
  ...more,
});

it("should tell each code once, errors first, and nothing that is only worth knowing", () => {
  const told = findingLines([
    found({}),
    found({ span: { start: 9, end: 10 } }),
    found({ code: "x/info", severity: "info" }),
    found({ code: "x/bad", severity: "error", hint: "Do it." }),
  ]);
  expect(told).toEqual(["x/bad: It is so. Do it.", "x/a: It is so."]);
});

it("should show the place when it has the text", () => {
  expect(findingLines([found({})], { source: "one\ntwo" })).toEqual([
    "x/a (line 2, column 1): It is so.\n    | two\n    | ^^^",
  ]);
});

it("should speak the model's language, and keep the parser's words for errors", () => {
  const advice = { "x/a": "请改。" };
  expect(findingLines([found({ severity: "error" })], { locale: "zh", advice })).toEqual(["x/a：请改。 (It is so.)"]);
  expect(findingLines([found({ code: "core/fabricated-result" })], { locale: "zh" })[0]).toMatch(/不要自己编写结果/);
});

it("should stay short, whatever there is to tell", () => {
  const many = Array.from({ length: 20 }, (_, index) => found({ code: `x/${index}`, message: "y".repeat(5000) }));
  const told = findingLines(many);
  expect(told).toHaveLength(7);
  expect(told.at(-1)).toBe("… and 14 more");
  expect(Math.max(...told.map((text) => text.length))).toBeLessThanOrEqual(600);
});

it("should refuse an option that nobody reads", () => {
  expect(() =>
    explainResult({ segments: [], blocks: [], diagnostics: [] }, { locales: "zh" } as never, {} as never),
  ).toThrow(/Did you mean "locale"/);
});
