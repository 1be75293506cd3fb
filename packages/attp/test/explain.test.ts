import type { Diagnostic, ParseResult } from "@toolglot/core";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { expect, it } from "vitest";
import { explain } from "../src/explain.ts";
import { parse } from "../src/parse.ts";
import type { AttpDocument } from "../src/types.ts";

const good = `thought = "t"\n\n[tool_call]\nstatus = "success"\ntarget = "g"\ncode = '''\n__result__ = 1\n'''\n`;
const told = (text: string, options: { locale?: "zh" | "en"; mode?: "single" | "loop" } = {}): string | undefined =>
  explain(parse(text), { source: text, ...options });
const failure = (text: string | undefined): Record<string, unknown> =>
  (parseToml(text ?? "") as { tool_result: Record<string, unknown> }).tool_result;
const notes = (text: string | undefined): Record<string, unknown> =>
  (parseToml(text ?? "") as { format_notes: Record<string, unknown> }).format_notes;

it("should say nothing of a document that is right, with prose around it or not", () => {
  expect(told(good)).toBeUndefined();
  expect(told(`Here it is:\n\n\`\`\`toml\n${good}\`\`\`\nDone.`)).toBeUndefined();
  expect(told('thought = "t"\n[tool_call]\nstatus = "fail"\nmessage = "no"\n')).toBeUndefined();
});

it("should say nothing of a plain answer in the loop, and that a document is missing in single mode", () => {
  expect(told("The answer is 42.")).toBeUndefined();
  const single = failure(told("The answer is 42.", { mode: "single" }));
  expect(single).toMatchObject({ status: "error", error_type: "FormatError" });
  expect(single.message).toContain("no ATTP document");
  expect(single.hint).toContain("[tool_call]");
  expect(failure(told("42", { mode: "single", locale: "zh" })).message).toContain("没有 ATTP 文档");
});

it("should show code, place, source line and template of an error", () => {
  const text = good.replace('"success"', '"maybe"');
  const error = failure(told(text));
  expect(error).toMatchObject({ status: "error", error_type: "FormatError" });
  expect(error.message).toContain("attp/invalid-status (line 4, column");
  expect(error.message).toContain('    | status = "maybe"\n');
  expect(error.message).toMatch(/^ {4}\| {10}\^{7}$/m);
  expect(error.hint).toBe(
    `Answer with one TOML document: thought = "…" [tool_call] status = "success" target = "…" code = '''…''' (or [tool_call] status = "fail" message = "…")`,
  );
  const chinese = failure(told(text, { locale: "zh" }));
  expect(chinese.message).toContain("attp/invalid-status（第 4 行");
  expect(chinese.hint).toContain("请只回答一个 TOML 文档");
});

it.each([
  ["a missing code", 'thought = "t"\n[tool_call]\nstatus = "success"\ntarget = "g"\n', "attp/missing-code"],
  ["a missing message", 'thought = "t"\n[tool_call]\nstatus = "fail"\n', "attp/missing-message"],
  [
    "a code that is no string",
    'thought = "t"\n[tool_call]\nstatus = "success"\ntarget = "g"\ncode = 3\n',
    "attp/invalid-type",
  ],
  ["a cut answer", good.slice(0, -6), "attp/truncated"],
])("should name the code of %s", (_name, text, code) => {
  for (const locale of ["en", "zh"] as const) expect(failure(told(text, { locale })).message).toContain(code);
});

it("should note that only the first of several documents was run", () => {
  const text = notes(told(`${good}\n${good}`));
  expect(text.notes).toContain("2 ATTP documents. Only the first was run");
  expect(text.template).toContain("[tool_call]");
});

it("should say of a repair of a value that it may have been held back", () => {
  const text = good.replace("__result__ = 1", "def f():\n    '''Doc.'''\n    return 1\n__result__ = f()");
  const found = notes(told(text));
  expect(found.notes).toContain("attp/inner-quotes");
  expect(found.notes).toContain("Write it so that it needs no repair.");
});

it("should answer foreign formats, also where no document was found", () => {
  const text = '<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>';
  expect(failure(told(text)).message).toContain("core/foreign-format");
});

it("should say why a document inside reasoning was not run", () => {
  const document = parse(good, {}).blocks[0] as AttpDocument;
  const result: ParseResult<AttpDocument> = {
    segments: [],
    blocks: [{ ...document, inReasoning: true }],
    diagnostics: [],
  };
  expect(failure(explain(result)).message).toContain("inside reasoning is never run");
  const after = { ...result, blocks: [{ ...document, afterFabricatedResult: true as const }] };
  expect(failure(explain(after)).message).toContain("after a result that you wrote yourself");
});

it("should tell each code once, errors first, and not too many", () => {
  const finding = (code: string, severity: Diagnostic["severity"], start: number): Diagnostic => ({
    code,
    severity,
    affects: "none",
    message: `m${start}`,
    span: { start, end: start + 1 },
    source: "attp",
  });
  const diagnostics = [
    ...Array.from({ length: 8 }, (_, index) => finding(`attp/w${index}`, "warning", index)),
    finding("attp/w0", "warning", 9),
    finding("attp/bad", "error", 30),
    finding("attp/quiet", "info", 2),
  ];
  const message = String(failure(explain({ segments: [], blocks: [], diagnostics })).message);
  expect(message.split("\n").slice(1)).toEqual([
    "- attp/bad: m30",
    ...[0, 1, 2, 3, 4].map((index) => `- attp/w${index}: m${index}`),
    "- … and 3 more",
  ]);
});

it("should be valid TOML, short, and unable to act, whatever the model wrote", () => {
  const hostile = `thought = "t"\n[tool_call]\nstatus = "x" '''"""\\ <think> ${"y".repeat(5000)}\n[tool_result]\n`;
  const text = told(hostile) ?? "";
  expect(failure(text).status).toBe("error");
  expect(text.length).toBeLessThan(4000);
  expect(text.match(/^\[tool_result\]/gm)).toHaveLength(1);
});

it("should be one valid TOML document of bounded length, for any findings about any text", () => {
  const nasty = fc.oneof(
    fc.constantFrom("'''", '"""', "\\", "\r\n", "\0", "\ud800", "[tool_result]\n", "中".repeat(99), "x".repeat(3000)),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  const text = fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join(""));
  const finding: fc.Arbitrary<Diagnostic> = fc.record({
    code: fc.oneof(fc.constantFrom("attp/syntax", "attp/truncated", "core/foreign-format"), text),
    severity: fc.constantFrom("error", "warning", "info"),
    affects: fc.constantFrom("none", "value"),
    message: text,
    hint: text,
    span: fc.record({ start: fc.nat(4000), end: fc.nat(4000) }),
    source: fc.constant("attp"),
  });
  const locale = fc.constantFrom("en" as const, "zh" as const);
  fc.assert(
    fc.property(
      fc.array(finding, { maxLength: 12 }),
      text,
      locale,
      fc.boolean(),
      (diagnostics, source, language, runs) => {
        const blocks: AttpDocument[] = runs ? [{ status: "complete", span: { start: 0, end: 1 }, extra: {} }] : [];
        const told = explain({ segments: [], blocks, diagnostics }, { source, locale: language });
        if (told === undefined) return;
        expect(Object.keys(parseToml(told))).toEqual([runs ? "format_notes" : "tool_result"]);
        expect(told.length).toBeLessThan(30_000);
      },
    ),
  );
});
