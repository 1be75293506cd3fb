import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { fold } from "../../src/edit/fold.ts";

const numRuns = rounds(500, 30_000);

/** Pieces that a file may have in another form. */
const pieces = ["a", "b", "foo", "é", "ñ", " ", "  ", '"', "'", "-", "...", "{", "😀", "\n", "\n\n", "\n  ", "\t"];
const texts = fc
  .array(fc.constantFrom(...pieces), { minLength: 4, maxLength: 40 })
  // White space at line ends would go with the last line of a place: no part of what these properties say.
  .map((all) => all.join("").replace(/[ \t]+(?=\n|$)/g, ""));

/** A text, a part of it to be found, that part in a form that looks the same, and what is to stand there. */
const cases = texts
  .chain((text) =>
    fc
      .record({
        from: fc.nat({ max: text.length }),
        length: fc.integer({ min: 1, max: 24 }),
        choices: fc.array(fc.nat({ max: 11 }), { minLength: 60, maxLength: 60 }),
        lines: fc.array(fc.oneof(fc.nat({ max: 6 }), fc.constantFrom("new", "“new”", "", " x")), { maxLength: 6 }),
      })
      .map(({ from, length, choices, lines }) => {
        const find = text.slice(from, from + length);
        const own = find.split("\n");
        const replace = lines.map((line) => (typeof line === "number" ? (own[line % own.length] as string) : line));
        const [before, behind] = [text.slice(0, from), text.slice(from + length)];
        return { text, before, behind, find, disguised: disguise(find, behind, choices), replace: replace.join("\n") };
      }),
  )
  // Outside of the chain: a text may have nothing that could be disguised.
  .filter(({ find, disguised }) => !/\p{Surrogate}/u.test(find) && disguised !== find);

const forms: Record<string, readonly string[]> = {
  " ": ["\u00a0", "\u2003", "\u202f"],
  '"': ["“", "”"],
  "'": ["‘", "’"],
  "-": ["–", "—", "\u2212"],
  "...": ["…"],
  é: ["e\u0301"],
  ñ: ["n\u0303"],
  a: ["a\u200b", "a\u00ad", "a\u2060"],
};
const white = [" ", "\t", "\u00a0 ", "  "];

function disguise(find: string, behind: string, choices: readonly number[]): string {
  let at = 0;
  const all = find.match(/\.\.\.|./gsu) ?? [];
  return all
    .map((piece, index) => {
      const choice = choices[at++ % choices.length] as number;
      const isLast = index === all.length - 1;
      if (piece === "\n") return (choice % 2 === 0 ? "" : white[choice % 4]) + piece;
      const ownForms = isLast && piece === "a" ? undefined : forms[piece];
      const end = isLast && (behind === "" || behind.startsWith("\n")) && choice % 3 === 0 ? white[choice % 4] : "";
      return (choice < 6 ? piece : (ownForms?.[choice % ownForms.length] ?? piece)) + end;
    })
    .join("");
}

it("gives on a file with invisible differences what the exact edit gives on the file without", () => {
  let applied = 0;
  fc.assert(
    fc.property(cases, ({ text, before, behind, find, disguised, replace }) => {
      const file = before + disguised + behind;
      fc.pre(!file.includes(find));
      const exact = applyEdits(text, [{ find, replace }]);
      const { text: after, problems, notes } = applyEdits(file, [{ find, replace }], { lenient: true });
      if (problems.length > 0) {
        expect(after).toBe(file);
        return;
      }
      // Another indentation is no matter of these properties.
      if (!notes.some((note) => note.includes("what no reader sees"))) return;
      applied++;
      expect(exact.problems).toEqual([]);
      expect(after.startsWith(before)).toBe(true);
      expect(after.slice(before.length).endsWith(behind)).toBe(true);
      expect(fold(after).folded).toBe(fold(exact.text).folded);
    }),
    { numRuns },
  );
  expect(applied).toBeGreaterThan(numRuns / 5);
});

it("keeps the bytes of every line that the replacement has in common with find, when that changes nothing", () => {
  fc.assert(
    fc.property(cases, ({ before, behind, find, disguised }) => {
      const file = before + disguised + behind;
      expect(applyEdits(file, [{ find, replace: find }], { lenient: true }).text).toBe(file);
    }),
    { numRuns },
  );
});

it("never applies an edit that fits two places", () => {
  fc.assert(
    fc.property(cases, texts, ({ before, behind, find, disguised }, between) => {
      const file = `${before}${disguised}\n${between}\n${disguised}${behind}`;
      fc.pre(!file.includes(find));
      const { text: after, problems } = applyEdits(file, [{ find, replace: "gone" }], { lenient: true });
      expect([after, problems.length]).toEqual([file, 1]);
    }),
    { numRuns },
  );
});

it("changes nothing about edits when it is off, nor about finds that are there", () => {
  fc.assert(
    fc.property(cases, texts, ({ text, find, disguised, before, behind, replace }, other) => {
      for (const file of [text, before + disguised + behind]) {
        const edits = [{ find, replace }];
        expect(applyEdits(file, edits, { lenient: false })).toEqual(applyEdits(file, edits));
        const lenient = applyEdits(file, edits, { lenient: true });
        // Halves that are not of the same lines are refused, or made so with a note.
        const isFitted = lenient.problems.some(({ type }) => type === "InvalidInput") || lenient.notes.length > 0;
        if (file.includes(find) && !isFitted) expect(lenient).toEqual(applyEdits(file, edits));
      }
      const all = [{ find: disguised, replace: other, all: true }];
      expect(applyEdits(text, all, { lenient: true })).toEqual(applyEdits(text, all));
    }),
    { numRuns },
  );
});

it("folds a folded text to itself, and gives offsets that rise and lie in the text", () => {
  fc.assert(
    fc.property(cases, ({ disguised }) => {
      const { folded, startOf, endOf, isBoundary } = fold(disguised);
      expect(fold(folded).folded).toBe(folded);
      let last = 0;
      for (let offset = 1; offset <= folded.length; offset++) {
        if (!isBoundary(offset)) continue;
        expect(endOf(offset)).toBeGreaterThan(last);
        expect(startOf(offset)).toBeGreaterThanOrEqual(endOf(offset));
        last = endOf(offset);
      }
      expect(last).toBeLessThanOrEqual(disguised.length);
    }),
    { numRuns },
  );
});
