import fc from "fast-check";
import { expect, it } from "vitest";
import { type FormatDiagnosticOptions, formatDiagnostic, LineCounter } from "../src/diagnostics.ts";

const frame = (text: string, start: number, end: number, options?: FormatDiagnosticOptions): string =>
  formatDiagnostic(text, { code: "x/y", severity: "warning", message: "odd", span: { start, end } }, options);
const rows = (text: string, start: number, end: number, options?: FormatDiagnosticOptions): string[] =>
  frame(text, start, end, options).split("\n").slice(1);

it.each([
  ["", 0, 1, 1],
  ["ab\ncd", 0, 1, 1],
  ["ab\ncd", 2, 1, 3],
  ["ab\ncd", 3, 2, 1],
  ["ab\ncd", 5, 2, 3],
  ["ab\r\ncd", 4, 2, 1],
  ["ab\rcd", 3, 2, 1],
  ["a\n\n\n", 4, 4, 1],
  ["a😀b", 3, 1, 4],
  ["ab", 99, 1, 3],
  ["ab", -1, 1, 1],
])("should find in %j the offset %j at %j:%j", (text, offset, line, column) => {
  expect(new LineCounter(text).position(offset)).toEqual({ line, column });
});

it("should count lines as splitting does, and give their starts", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\n", "\r", "中") }), fc.nat(), (text, seed) => {
      const offset = seed % (text.length + 1);
      const counter = new LineCounter(text);
      const { line, column } = counter.position(offset);
      expect((counter.lineStart(line) ?? Number.NaN) + column - 1).toBe(offset);
      const lines = text.split(/\r\n?|\n/);
      expect(counter.lineStart(lines.length)).toBeDefined();
      expect(counter.lineStart(lines.length + 1)).toBeUndefined();
    }),
  );
});

it("should show code, place, message, source, carets and hint", () => {
  const text = '[tool_call]\nstatus = "done"\n';
  const diagnostic = {
    code: "attp/invalid-status",
    severity: "error" as const,
    message: 'status is "done"',
    span: { start: 21, end: 27 },
    hint: 'write status = "success"',
  };
  expect(formatDiagnostic(text, diagnostic)).toBe(
    [
      'error attp/invalid-status at 2:10: status is "done"',
      'status = "done"',
      "         ^^^^^^",
      'hint: write status = "success"',
    ].join("\n"),
  );
  expect(formatDiagnostic(text, diagnostic, { lines: new LineCounter(text) })).toBe(formatDiagnostic(text, diagnostic));
});

it("should show one caret under an empty span, also at the end of a line and of the text", () => {
  expect(rows("abc", 1, 1)).toEqual(["abc", " ^"]);
  expect(rows("abc\ndef", 3, 3)).toEqual(["abc", "   ^"]);
  expect(rows("abc", 3, 3)).toEqual(["abc", "   ^"]);
});

it("should end the carets with the first line of a span", () => {
  expect(rows("ab cd\nef", 3, 8)).toEqual(["ab cd", "   ^^"]);
  expect(rows("ab cd\r\nef", 3, 9)).toEqual(["ab cd", "   ^^"]);
});

it("should show no frame of an empty line", () => {
  expect(frame("a\n\nb", 2, 2)).toBe("warning x/y at 2:1: odd");
  expect(frame("", 0, 0)).toBe("warning x/y at 1:1: odd");
});

it("should put carets under tabs and wide characters as a terminal shows them", () => {
  expect(rows("\ta\tb", 1, 2)).toEqual(["    a   b", "    ^"]);
  expect(rows("\ta\tb", 3, 4)).toEqual(["    a   b", "        ^"]);
  expect(rows("目标 = 1", 3, 4)).toEqual(["目标 = 1", "     ^"]);
  expect(rows("a目标b", 1, 3)).toEqual(["a目标b", " ^^^^"]);
  expect(rows("e\u0301x", 2, 3)).toEqual(["e\u0301x", " ^"]);
  expect(rows("😀x", 2, 3)).toEqual(["😀x", "  ^"]);
});

it("should cut a long line around the span", () => {
  const text = `${"a".repeat(500)}XYZ${"b".repeat(500)}`;
  for (const width of [20, 40, 80]) {
    const [source = "", carets = ""] = rows(text, 500, 503, { width });
    expect(source).toHaveLength(width);
    expect(source).toMatch(/^…a+XYZb+…$/);
    expect(source.slice(carets.indexOf("^"), carets.length)).toBe("XYZ");
  }
  expect(rows(`${"a".repeat(100)}X`, 100, 101)).toEqual([`…${"a".repeat(78)}X`, `${" ".repeat(79)}^`]);
  expect(rows(`X${"a".repeat(100)}`, 0, 1)).toEqual([`X${"a".repeat(78)}…`, "^"]);
  expect(rows("a".repeat(80), 40, 41)[0]).toBe("a".repeat(80));
});

it("should not let the text act on a terminal", () => {
  expect(frame("a\u001b[2Jb\u202ec", 0, 1)).toBe("warning x/y at 1:1: odd\na�[2Jb�c\n^");
  expect(
    formatDiagnostic("x", {
      code: "x/y",
      severity: "info",
      message: "a\u001b",
      hint: "b\nc",
      span: { start: 0, end: 1 },
    }),
  ).toBe("info x/y at 1:1: a�\nx\n^\nhint: b�c");
});

it("should never be wider than asked, nor put a caret outside the line", () => {
  const unit = fc.constantFrom("a", "\t", "中", "😀", "\n", "\r", "e\u0301", "\u0000", "\ud800");
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 200 }),
      fc.nat(220),
      fc.nat(40),
      fc.integer({ min: 20, max: 90 }),
      (text, start, length, width) => {
        const [source, carets, ...none] = rows(text, start, start + length, { width });
        expect(none).toEqual([]);
        if (source === undefined || carets === undefined) return;
        const columns = Array.from(source, (c) => (/\p{M}/u.test(c) ? 0 : /[中😀]/u.test(c) ? 2 : 1)).reduce<number>(
          (a, b) => a + b,
          0,
        );
        expect(columns).toBeLessThanOrEqual(width);
        expect(carets).toMatch(/^ *\^+$/);
        expect(carets.trimEnd().length).toBeLessThanOrEqual(columns + 1);
      },
    ),
  );
});

it("should stay quick on a line of ten million characters", () => {
  const text = `${"中".repeat(5_000_000)}X${"b".repeat(5_000_000)}`;
  expect(rows(text, 5_000_000, 5_000_001)[0]).toContain("X");
});
