import { rounds } from "@toolglot/internal/testing";
import { processorTime } from "@toolglot/internal/testing/growth";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullScreenNote, TextCleaner } from "../../src/output/text-cleaner.ts";

const ESC = "\u001b";
const CSI = `${ESC}[`;
const enter = `${CSI}?1049h`;
const leave = `${CSI}?1049l`;

function opened(text: string, options = { rows: 5, columns: 10 }): TextCleaner {
  const cleaner = new TextCleaner({ ...options, views: true });
  cleaner.push(enter);
  cleaner.push(text);
  return cleaner;
}

/** The rows, and the cursor. */
function shown(text: string): string {
  const { text: rows, row, column } = opened(text).view ?? { text: "none", row: 0, column: 0 };
  let single = new TextCleaner({ rows: 5, columns: 10, views: true });
  for (const unit of enter + text) single.push(unit);
  expect(single.view).toMatchObject({ text: rows, row, column });
  single = opened(text);
  return `${rows} @${row},${column}`;
}

it.each([
  ["nothing", "", " @1,1"],
  ["text", "ab\r\ncd", "ab\ncd @2,3"],
  ["text at its place", `${CSI}3;4Hx${CSI}Hy`, "y\n\n   x @1,2"],
  ["a long line in two rows", "abcdefghijkl", "abcdefghij\nkl @2,3"],
  ["a full row, and no more", "abcdefghij", "abcdefghij @1,10"],
  ["a full row and its line end", "abcdefghij\r\nk", "abcdefghij\nk @2,2"],
  ["a cut row where lines aren't wrapped", `${CSI}?7labcdefghijkl`, "abcdefghil @1,10"],
  ["what scrolled", "1\r\n2\r\n3\r\n4\r\n5\r\n6", "2\n3\n4\n5\n6 @5,2"],
  ["a region that scrolls", `a\r\nb\r\nc\r\nd${CSI}2;3r${CSI}3;1H\nX`, "a\nc\nX\nd @3,2"],
  ["a region that scrolls back", `a\r\nb\r\nc\r\nd${CSI}2;3r${CSI}2;1H${ESC}MX`, "a\nX\nb\nd @2,2"],
  ["inserted lines", `a\r\nb\r\nc${CSI}2;1H${CSI}2LX`, "a\nX\n\nb\nc @2,2"],
  ["deleted lines", `a\r\nb\r\nc\r\nd${CSI}2;1H${CSI}2M`, "a\nd @2,1"],
  ["scrolled by command", `a\r\nb\r\nc${CSI}S${CSI}2T`, "\n\nb\nc @3,2"],
  ["erased lines", `abc\r\ndef\r\nghi${CSI}2;2H${CSI}K${CSI}1;2H${CSI}1K`, "  c\nd\nghi @1,2"],
  ["an erased end", `abc\r\ndef\r\nghi${CSI}2;2H${CSI}J`, "abc\nd @2,2"],
  ["an erased beginning", `abc\r\ndef\r\nghi${CSI}2;2H${CSI}1J`, "\n  f\nghi @2,2"],
  ["an erased screen", `abc${CSI}2J`, " @1,4"],
  ["inserted, deleted and blanked characters", `abcdef${CSI}1;2H${CSI}2@${CSI}1;6H${CSI}P${CSI}X`, "a  bc f @1,6"],
  ["insert mode", `abc${CSI}1;2H${CSI}4hxy${CSI}4lz`, "axyzc @1,5"],
  ["a repeated character", `-${CSI}5bx`, "------x @1,8"],
  ["lines that are drawn", `${ESC}(0lqk${ESC}(Bq`, "┌─┐q @1,5"],
  ["lines drawn by the other character set", `${ESC})0\u000exx\u000fx`, "││x @1,4"],
  ["wide characters", `中文x${CSI}1;2HY`, " Y文x @1,3"],
  ["a wide character that does not fit", "abcdefghi中", "abcdefghi\n中 @2,3"],
  ["joined marks", "e\u0301x", "e\u0301x @1,3"],
  ["tabs", `a\tb${CSI}Zc`, "a       c @1,10"],
  ["a saved place", `ab${ESC}7${CSI}4;4Hx${ESC}8c`, "abc\n\n\n   x @1,4"],
  ["colours and titles left out", `${CSI}1;31mred${CSI}m${ESC}]0;title\u0007${CSI}?25l`, "red @1,4"],
  [
    "moves beyond the edges",
    `${CSI}99;99Hx${CSI}99A${CSI}99Dy${CSI}99Cz${CSI}99Bw`,
    "y        z\n\n\n\n         w @5,10",
  ],
])("should show %s", (_what, text, expected) => {
  expect(shown(text).replace(/ +@/, " @")).toBe(expected.replace(/ +@/, " @"));
});

describe("the page around it", () => {
  it("should say after its end, in one line, that a program ran", () => {
    const cleaner = opened("vim");
    expect(cleaner.take()).toBe("");
    expect(cleaner.view?.text).toBe("vim");
    expect(cleaner.push(`${leave}b\n`) + cleaner.end()).toBe(`${fullScreenNote}\nb\n`);
    expect(cleaner.view).toBeUndefined();
  });

  it.each([
    ["the command is over", (cleaner: TextCleaner) => cleaner.end()],
    ["the terminal is reset", (cleaner: TextCleaner) => cleaner.push(`${ESC}c`) + cleaner.end()],
  ])("should say so when %s before the program has left its screen", (_when, finish) => {
    const cleaner = opened("vim");
    expect(finish(cleaner)).toBe(`${fullScreenNote}\n`);
    expect(cleaner.view).toBeUndefined();
  });

  it("should have a fresh screen for each program, of the size that the terminal has", () => {
    const cleaner = opened(`one${leave}`);
    cleaner.resize(20, 3);
    cleaner.push(`${enter}two`);
    expect(cleaner.view).toEqual({ text: "two", row: 1, column: 4, rows: 3, columns: 20 });
    cleaner.resize(2, 2);
    expect(cleaner.view).toEqual({ text: "tw", row: 1, column: 2, rows: 2, columns: 2 });
    cleaner.push(`${CSI}3;3Hx${CSI}2;2Hy`);
    expect(cleaner.view?.text).toBe("tw\n y");
  });

  it("should know which codes the program wants for keys", () => {
    const cleaner = opened("");
    expect(cleaner.applicationKeys).toBe(false);
    cleaner.push(`${CSI}?1h`);
    expect(cleaner.applicationKeys).toBe(true);
    cleaner.push(`${CSI}?12;1l`);
    expect(cleaner.applicationKeys).toBe(false);
    cleaner.push(`${CSI}?1h`);
    cleaner.end();
    expect(cleaner.applicationKeys).toBe(false);
  });
});

const part = fc.oneof(
  fc.stringMatching(/^[a-z ]{1,12}$/),
  fc.constantFrom(
    "\n",
    "\r\n",
    "\r",
    "\b",
    "\t",
    "中",
    "😀",
    "e\u0301",
    "\u0301",
    "\u000e",
    "\u000f",
    `${ESC}(0`,
    `${ESC}(B`,
    `${ESC}M`,
    `${ESC}D`,
    `${ESC}7`,
    `${ESC}8`,
  ),
  fc
    .tuple(
      fc.array(fc.constantFrom("", "0", "1", "2", "3", "7", "99999999999"), { maxLength: 3 }),
      fc.constantFrom(..."ABCDEFGHIJKLMPSTXZ@abdefrsu`hlm"),
    )
    .map(([parameters, final]) => CSI + parameters.join(";") + final),
  fc.constantFrom(enter, leave, `${CSI}4h`, `${CSI}?7l`, `${CSI}?7h`, `${ESC}c`, `${CSI}12`, ESC, `${ESC}]0;x`),
);

it("should show the same in any pieces, and never more than fits, whatever is written", () => {
  const size = fc.record({ rows: fc.integer({ min: 1, max: 6 }), columns: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), size, fc.integer({ min: 1, max: 9 }), (parts, options, units) => {
      const text = parts.join("");
      const whole = opened(text, options);
      const pieces = opened("", options);
      for (const piece of text.match(new RegExp(`[^]{1,${units}}`, "g")) ?? []) pieces.push(piece);
      expect(pieces.view).toEqual(whole.view);
      const { view } = whole;
      if (view === undefined) return;
      const rows = view.text.split("\n");
      expect(rows.length).toBeLessThanOrEqual(options.rows);
      for (const row of rows) expect([...row.replace(/\p{Mn}/gu, "")].length).toBeLessThanOrEqual(options.columns);
      expect(view.row).toBeLessThanOrEqual(options.rows);
      expect(view.column).toBeLessThanOrEqual(options.columns);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
      expect(view.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect(whole.end()).not.toContain(ESC);
    }),
    { numRuns: rounds(400, 4000) },
  );
});

it("should take a long time for no sequence", () => {
  const cleaner = opened("", { rows: 50, columns: 200 });
  const text = `x${`${CSI}65535b${CSI}65535L${CSI}65535@${CSI}65535S`.repeat(500)}`;
  expect(processorTime(() => cleaner.push(text))).toBeLessThan(3000);
});
