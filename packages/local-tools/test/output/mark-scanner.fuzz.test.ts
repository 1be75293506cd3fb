import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { MarkScanner, type Piece } from "../../src/output/mark-scanner.ts";

const numRuns = rounds(1_500, 100_000);
const nonce = "aba";

/** Parts of marks, whole ones, and what can stand between. */
const part = fc.oneof(
  fc.constantFrom("\u001b", "\u001b]", "\u001b]633", ";", "633;", "D", ";aba", ";ab", "\u0007", "\u001b\\", "\\", "]"),
  fc.constantFrom(
    "\u001b]633;D;aba;0\u0007",
    "\u001b]633;E;aba\u001b\\",
    "\u001b]633;D;abb;0\u0007",
    "\u001b]633;D;aba;",
  ),
  fc.constantFrom("text\r\n", "😀", "\ud83d", "\ude00", "\u001b[31m", "\u001b]0;"),
  fc.integer({ min: 4060, max: 4100 }).map((length) => "x".repeat(length)),
);
const output = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));

/** All at once, by a regular expression. */
function reference(text: string): Piece[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: marks are control sequences.
  const mark = /\u001b\]633;([A-Za-z0-9_-]{1,32});aba((?:;[^\u001b\u0007]*)?)(?:\u0007|\u001b\\)/g;
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(mark)) {
    if (match[0].length > 4096) continue;
    if (match.index > at) pieces.push({ type: "text", text: text.slice(at, match.index) });
    pieces.push({ type: "mark", kind: match[1] ?? "", fields: match[2] ? match[2].slice(1).split(";") : [] });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ type: "text", text: text.slice(at) });
  return pieces;
}

it("should give the same pieces in any chunking", () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat({ max: 200 }), { maxLength: 40 }), (text, sizes) => {
      const scanner = new MarkScanner(nonce);
      const found: Piece[] = [];
      let at = 0;
      for (const size of sizes) {
        found.push(...scanner.push(text.slice(at, at + size)));
        at += size;
      }
      found.push(...scanner.push(text.slice(at)), ...scanner.end());
      const joined: Piece[] = [];
      for (const piece of found) {
        const last = joined.at(-1);
        if (piece.type === "text" && last?.type === "text") last.text += piece.text;
        else joined.push({ ...piece });
      }
      expect(joined).toEqual(reference(text));
    }),
    { numRuns },
  );
});
