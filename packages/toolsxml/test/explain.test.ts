import type { Diagnostic, ParseResult } from "@toolglot/core";
import { expect, it } from "vitest";
import { explain } from "../src/results.ts";
import { readXml } from "../src/strict/read-xml.ts";
import type { ToolsXmlBlock, ToolsXmlCall } from "../src/types.ts";

const span = { start: 0, end: 1 };
const call: ToolsXmlCall = { tool: "ctrl", key: "c", span };
const block = (more: Partial<ToolsXmlBlock> = {}): ToolsXmlBlock => ({
  status: "complete",
  calls: [call],
  comments: [],
  span,
  ...more,
});
const finding = (code: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  code,
  severity: "error",
  affects: "value",
  message: `message of ${code}.`,
  span,
  source: "toolsxml",
  ...more,
});
const parsed = (blocks: ToolsXmlBlock[], diagnostics: Diagnostic[] = []): ParseResult<ToolsXmlBlock> => ({
  segments: [],
  blocks,
  diagnostics,
});

/** The text, once an XML reader has read it. */
function told(...given: Parameters<typeof explain>): { root: string; text: string } | undefined {
  const explained = explain(...given);
  if (explained === undefined) return undefined;
  const root = readXml(explained);
  if ("message" in root) throw new Error(root.message);
  const inner = root.name === "results" ? root.children.find((child) => child.type === "element") : root;
  const pieces = inner?.type === "element" ? inner.children : [];
  return { root: root.name, text: pieces.map((piece) => ("raw" in piece ? piece.raw : "")).join("") };
}

it("should say nothing of a block that is right, nor of findings that are only remarks", () => {
  expect(explain(parsed([block()]))).toBeUndefined();
  expect(explain(parsed([block()], [finding("toolsxml/x", { severity: "info" })]))).toBeUndefined();
});

it("should say nothing of a plain answer in the loop, and that a block is missing in single mode", () => {
  expect(explain(parsed([]))).toBeUndefined();
  expect(explain(parsed([], [finding("core/reasoning-unclosed", { severity: "warning" })]))).toBeUndefined();
  expect(told(parsed([]), { mode: "single" })?.text).toContain("no <tools> block");
  expect(told(parsed([]), { mode: "single", locale: "zh" })?.text).toContain("没有 <tools> 块");
});

it("should write a failed result when nothing can run, with code, place, source line and template", () => {
  const source = "Sure.\n<tools><edit>]]></edit></tools>";
  const diagnostics = [finding("toolsxml/x", { span: { start: 13, end: 22 }, hint: "Give a file." })];
  const result = parsed([block({ status: "invalid", calls: [] })], diagnostics);
  expect(explain(result, { source })).toBe(
    `<results>
<result status="error" type="FormatError"><![CDATA[Your answer could not be used; nothing of it was run.
- toolsxml/x (line 2, column 8): message of toolsxml/x. Give a file.
    | <tools><edit>]]]]><![CDATA[></edit></tools>
    |        ^^^^^^^^^
Write calls as one block: <tools><tool_name parameter="…">…</tool_name></tools>]]></result>
</results>
`,
  );
  expect(told(result, { source, locale: "zh" })?.text).toMatch(
    /^你的回答无法使用，没有执行任何内容。\n- toolsxml\/x（第 2 行第 8 列）：/,
  );
  expect(told(result)?.text).toContain("- toolsxml/x: message");
});

it("should write notes when the first block runs", () => {
  const diagnostics = [finding("toolsxml/y", { severity: "warning", affects: "none" })];
  expect(told(parsed([block()], diagnostics))).toEqual({
    root: "format_notes",
    text: '- toolsxml/y: message of toolsxml/y.\nWrite calls as one block: <tools><tool_name parameter="…">…</tool_name></tools>',
  });
});

it("should say of a repaired value that it may have been held back, and not of an error's value", () => {
  const held = /may have changed a value/;
  expect(told(parsed([block()], [finding("toolsxml/y", { severity: "warning" })]))?.text).toMatch(held);
  expect(told(parsed([block({ status: "recovered" })], [finding("toolsxml/truncated")]))?.text).not.toMatch(held);
});

it.each([
  ["several blocks", [block(), block()], /2 <tools> blocks. Only the first was run/, /有 2 个 <tools> 块/],
  ["a block without calls", [block({ calls: [] })], /holds no call/, /没有任何调用/],
  ["a block in reasoning", [block({ inReasoning: true })], /inside reasoning/, /思考块中/],
  [
    "a block after a made-up result",
    [block({ afterFabricatedResult: true })],
    /result that you wrote yourself/,
    /自己编造/,
  ],
])("should speak of %s", (_name, blocks, en, zh) => {
  expect(told(parsed(blocks))?.text).toMatch(en);
  expect(told(parsed(blocks), { locale: "zh" })?.text).toMatch(zh);
});

it("should answer foreign formats, also where no block was found", () => {
  const diagnostics = [finding("core/foreign-format", { severity: "warning", affects: "none" })];
  expect(told(parsed([], diagnostics))).toMatchObject({
    root: "results",
    text: expect.stringContaining("core/foreign"),
  });
});
