import { expect, it } from "vitest";
import { FileMatcher, type FileMatches } from "../../src/read/file-matcher.ts";
import { readPattern } from "../../src/read/pattern.ts";

// A file of one piece, of which lines are decoded one by one, holds what the same file holds in pieces.

function found(pattern: string, bytes: Buffer, ...cuts: number[]): FileMatches {
  const matcher = new FileMatcher(readPattern(pattern));
  matcher.begin(5);
  const ends = [...cuts, bytes.length];
  for (const [index, end] of ends.entries())
    matcher.take(bytes.subarray(cuts[index - 1] ?? 0, end), end === bytes.length);
  return matcher.found;
}

const kinds = {
  LF: (lines: string[]) => lines.join("\n"),
  "CR LF, and a mark": (lines: string[]) => `\ufeff${lines.join("\r\n")}\r\n`,
  "both line ends, and lone carriage returns": (lines: string[]) =>
    lines.map((line, at) => line + (["\n", "\r\n", "\r"][at % 3] as string)).join(""),
};
const patterns = [
  "needle",
  "ä needle",
  "needle$",
  "^needle",
  "x?needle\\b",
  "nee(?=dle)",
  "needle\\r",
  "[a-z]needle",
  "\\w+ needle 3\\d",
];

it.each(Object.entries(kinds))("should find the same in one piece and in two: %s", (_, join) => {
  // In one of forty kilobytes, 24 lines are few, and 120 are many.
  for (const every of [1, 5, 40]) {
    const lines = Array.from({ length: 120 }, (_, at) =>
      at % every > 0
        ? `${"line ".repeat((at % 7) * 28)}${at}`
        : `${["", "x", "ä ", "some "][at % 4]}needle${["", " ", ` ${at}`, "\ufffd", "y needle"][at % 5]}`,
    );
    const bytes = Buffer.from(join(lines));
    for (const pattern of patterns) {
      const whole = found(pattern, bytes);
      expect(whole, pattern).toEqual(found(pattern, bytes, Math.floor(bytes.length / 2)));
      expect(found(pattern, bytes, bytes.length - 1), pattern).toEqual(whole);
    }
  }
});

it("should find what long lines hold, wherever they hold it", () => {
  const bytes = Buffer.from(`${"é".repeat(1000)}needle${"b".repeat(1000)}\r\nneedle`);
  const { count, lines } = found("needle", bytes);
  expect({ count, numbers: lines.map(({ line }) => line) }).toEqual({ count: 2, numbers: [1, 2] });
  expect(lines[0]?.text).toMatch(/^…é+needleb+…$/);
});
