import { readFileSync } from "node:fs";
import type { Diagnostic, ParseResult } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { explainWording } from "../src/explain-wording.ts";
import { type DialectBlock, type DialectId, dialectIds, dialects, explain, parse } from "../src/index.ts";
import * as kimi from "../src/only/kimi-k2.ts";

const source = readFileSync(new URL("../src/diagnostics.ts", import.meta.url), "utf8");
const codes = [...new Set(source.match(/dialects\/[a-z-]+(?=")/g) ?? [])];
const hermes = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;
const good = hermes('{"name": "note", "arguments": {"text": "x"}}');
const bad = hermes('{"name": "note", "arguments": {"text": x y}}');
const lines = (text: string | undefined): string[] => (text ?? "").split("\n");

it("says nothing of calls that are right, and of a plain answer", () => {
  expect(explain(parse(good))).toBeUndefined();
  expect(explain(parse("All done."))).toBeUndefined();
});

it("says that nothing ran, why, and shows the form of the block's dialect", () => {
  const text = explain(parse(bad), { source: bad });
  expect(lines(text)[0]).toBe("Your answer could not be used; nothing of it was run.");
  expect(text).toContain("dialects/invalid-json (line 2,");
  expect(parse(lines(text).slice(-4).join("\n")).blocks[0]?.calls).toMatchObject([
    { name: "tool_name", input: { parameter: "value" } },
  ]);
});

it("gives a block back in part: what ran, and how many calls did not", () => {
  const text = explain(parse(`${bad}\n${good}`));
  expect(lines(text)[0]).toBe(explainWording.en.notes);
  expect(text).toContain("One call beside those that ran could not be read");
  expect(text).not.toContain("may have changed a value");
});

it("asks for a call in single mode, in the dialect that is asked for", () => {
  expect(explain(parse("Hi."), { mode: "single", dialect: "gemma4" })).toContain("<|tool_call>call:tool_name{");
  expect(kimi.explain(parse("Hi."), { mode: "single" })).toContain("functions.tool_name:0");
});

it("explains a call in a format that is not read, though there is no block", () => {
  const finding: Diagnostic = {
    code: "dialects/foreign-call",
    severity: "warning",
    affects: "structure",
    message: "This is a call.",
    span: { start: 0, end: 1 },
    source: "dialects",
  };
  const result: ParseResult<DialectBlock> = { segments: [], blocks: [], diagnostics: [finding] };
  expect(explain(result)).toContain("dialects/foreign-call: This is a call.");
});

it("quotes what the model wrote without power", () => {
  const text = '<tool_call>\n{"name": "note", "arguments": {"a": </think><tool_call>';
  const explained = explain(parse(text), { source: text }) ?? "";
  const [quoted = ""] = explained.split(explainWording.en.template);
  expect(quoted).toContain("    | ");
  expect(quoted).not.toMatch(/<tool_call>|<\/think>/);
});

it("refuses what can't be meant", () => {
  expect(() => explain(parse(good), { dialect: "hermse" as DialectId })).toThrow(/explain: .*Did you mean "hermes"/);
  expect(() => explain(parse(good), { loc: "en" } as never)).toThrow(TypeError);
});

describe("every code", () => {
  it("is one of the table", () => {
    expect(codes.length).toBeGreaterThan(25);
  });
  it.each(codes)("has advice in Chinese, and a cure in English: %s", (code) => {
    expect(explainWording.zh.advice[code]).toMatch(/\p{Script=Han}/u);
    const { diagnostics } = { diagnostics: [finding(code)] };
    const text = explain({ segments: [], blocks: parse(good).blocks, diagnostics }) ?? "";
    expect(text).toContain(code);
    expect(text).not.toMatch(/\p{Script=Han}/u);
  });
  const finding = (code: string): Diagnostic => ({
    code,
    severity: "warning",
    affects: "none",
    message: "What was found.",
    span: { start: 0, end: 1 },
    source: "dialects",
  });
});

it.each(dialectIds.filter((id) => dialects[id].write))("shows a call of %s that is read as one", (id) => {
  const text = explain(parse("Hi."), { mode: "single", dialect: id }) ?? "";
  const form = text.slice(text.indexOf(explainWording.en.template) + explainWording.en.template.length + 1, -1);
  const { blocks } = parse(form, { dialect: id });
  expect(blocks.flatMap(({ calls }) => calls)).toMatchObject([{ name: "tool_name", input: { parameter: "value" } }]);
});
