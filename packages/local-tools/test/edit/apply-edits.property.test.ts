import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import type { FileTextEdit } from "../../src/edit/types.ts";

const numRuns = rounds(2_000, 20_000);

/** Few letters, so that finds are found, often more than once. */
const letters = (...more: string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("a", "b", "ab", "$&", "é", "😀", " ", ...more), { maxLength: 14 })
    .map((all) => all.join(""));

/** Which texts the finds are from: parts of the text, or anything. */
const withEdits = (
  text: fc.Arbitrary<string>,
  other: fc.Arbitrary<string>,
): fc.Arbitrary<{ text: string; edits: FileTextEdit[] }> =>
  text.chain((whole) => {
    const part = fc
      .tuple(fc.nat({ max: whole.length }), fc.nat({ max: 6 }))
      .map(([from, length]) => whole.slice(from, from + length))
      .filter((find) => !/\p{Surrogate}/u.test(find));
    const edit = fc.record({ find: fc.oneof(part, other), replace: other, all: fc.boolean() });
    return fc.record({ text: fc.constant(whole), edits: fc.array(edit, { maxLength: 4 }) });
  });

/** All that a set of replacements has to do, as simple as can be. Undefined: some pair can't be made. */
function naive(text: string, edits: readonly FileTextEdit[]): string | undefined {
  let now = text;
  for (const { find, replace, all = false } of edits) {
    if (find === "") {
      if (now !== "") return undefined;
      now = replace;
      continue;
    }
    const places = Array.from(now, (_, at) => at).concat(now.length);
    const found = Array.from({ length: now.length + 1 }, (_, at) => at).filter((at) => now.startsWith(find, at));
    if (places.length === 0 || found.length === 0 || (found.length > 1 && !all)) return undefined;
    now = all
      ? now.split(find).join(replace)
      : now.slice(0, found[0]) + replace + now.slice((found[0] as number) + find.length);
  }
  return now;
}

it("gives what splicing gives, with LF ends", () => {
  fc.assert(
    fc.property(withEdits(letters("\n", "\t"), letters("\n")), ({ text, edits }) => {
      const expected = naive(text, edits);
      const { text: after, problems, notes } = applyEdits(text, edits);
      // With another indentation more is found; then it is noted.
      if (notes.some((note) => note.includes("indentation") || note.includes("blanks"))) return;
      expect(problems.length > 0).toBe(expected === undefined);
      if (expected !== undefined) expect(after).toBe(expected);
    }),
    { numRuns },
  );
});

it("gives the same with CRLF ends as with LF ends, only the ends differ", () => {
  fc.assert(
    fc.property(withEdits(letters("\n"), letters("\n")), ({ text, edits }) => {
      fc.pre(text.includes("\n"));
      const lf = applyEdits(text, edits);
      const crlf = applyEdits(text.replaceAll("\n", "\r\n"), edits);
      expect(crlf.problems.map(({ pair, type, count }) => ({ pair, type, count }))).toEqual(
        lf.problems.map(({ pair, type, count }) => ({ pair, type, count })),
      );
      // A file that lost all its line ends has none to keep any more.
      if (lf.problems.length === 0 && stepsKeepAnEnd(text, edits))
        expect(crlf.text).toBe(lf.text.replaceAll("\n", "\r\n"));
    }),
    { numRuns },
  );
});

function stepsKeepAnEnd(text: string, edits: readonly FileTextEdit[]): boolean {
  return edits.every((_, at) => applyEdits(text, edits.slice(0, at)).text.includes("\n"));
}

it("leaves every byte alone that is not replaced, whatever the line ends", () => {
  const mixed = letters("\n", "\r\n", "\r", "\r\n", "\n");
  const marked = fc.tuple(mixed, letters("\n"), mixed, letters("\n"));
  fc.assert(
    fc.property(marked, ([before, middle, behind, replace]) => {
      const text = `${before}<${middle}>${behind}`;
      const { text: after, problems } = applyEdits(text, [{ find: `<${middle}>`, replace: `<${replace}>` }]);
      expect(problems).toEqual([]);
      expect(after.startsWith(`${before}<`)).toBe(true);
      expect(after.endsWith(`>${behind}`)).toBe(true);
      expect(after.slice(before.length, after.length - behind.length).replaceAll("\r\n", "\n")).toBe(`<${replace}>`);
    }),
    { numRuns },
  );
});

it("with problems, says one for each pair that can't be made and no more", () => {
  fc.assert(
    fc.property(withEdits(letters("\n", "\r\n"), letters("\n", "\r\n", "\r")), ({ text, edits }) => {
      const { problems } = applyEdits(text, edits);
      const pairs = problems.map(({ pair }) => pair);
      expect(pairs).toEqual([...new Set(pairs)].sort((one, other) => one - other));
      // What is left without them can be made.
      const rest = edits.filter((_, at) => !pairs.includes(at));
      expect(applyEdits(text, rest).problems).toEqual([]);
    }),
    { numRuns },
  );
});
