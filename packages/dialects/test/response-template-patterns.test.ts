import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { finderOf, type Hit, patternOf } from "../src/response-template/delimiter.ts";

const file = new URL("../../../conformance/response-templates/patterns.json", import.meta.url);
const { accepted, refused } = JSON.parse(readFileSync(file, "utf8")) as {
  accepted: { pattern: string; text: string; match: { start: number; end: number; groups: object } | null }[];
  refused: string[];
};

const findWhole = (pattern: string, text: string): Hit | undefined =>
  finderOf(patternOf(pattern, "here")).next({ text, base: 0 }, 0, true);

/** Reads one unit after another, until something is decided. */
function findByUnits(pattern: string, text: string): Hit | undefined {
  const finder = finderOf(patternOf(pattern, "here"));
  const view = { text: "", base: 0 };
  for (const char of text) {
    view.text += char;
    const hit = finder.next(view, 0, false);
    if (hit && hit.state !== "open") return hit;
  }
  return finder.next(view, 0, true);
}

it.each(accepted)("finds what Python finds: $pattern", ({ pattern, text, match }) => {
  const hit = findWhole(pattern, text);
  expect(hit && { start: hit.start, end: hit.end, groups: { ...hit.captures } }).toEqual(match ?? undefined);
});

it.each(refused)("refuses %s, and says where", (pattern) => {
  expect(() => patternOf(pattern, "fields.a.open_pattern")).toThrow(TypeError);
  expect(() => patternOf(pattern, "fields.a.open_pattern")).toThrow("fields.a.open_pattern: ");
});

const atoms = ["a", "b", "<", ".", "\\s", "\\w", "[^a]", "[a-c]", "^", "$", "\\Z", "(?!a)", "(?=b)", "(?=.*<)"];
const counts = ["", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}?"];
const patterns = fc.letrec<{ choice: string; sequence: string; item: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((list) => list.join("|")),
  sequence: fc.array(tie("item"), { minLength: 1, maxLength: 3 }).map((list) => list.join("")),
  item: fc.oneof(
    { depthSize: "small" },
    fc
      .tuple(fc.constantFrom(...atoms), fc.constantFrom(...counts))
      .map(([atom, count]) => (/^(?:\\Z|[\^$]|\(\?)/.test(atom) ? atom : atom + count)),
    fc
      .tuple(fc.constantFrom("(?:", "(", "(?="), tie("choice"), fc.constantFrom(...counts))
      .map(([open, inner, count]) => `${open}${inner})${open === "(?=" ? "" : count}`),
  ),
})).choice;
const texts = fc
  .array(fc.constantFrom("a", "b", "c", "<", " ", "\n", "😀"), { maxLength: 12 })
  .map((list) => list.join(""));

it("decides at each unit what the whole text decides", () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      try {
        patternOf(pattern, "here");
      } catch {
        fc.pre(false);
      }
      expect(findByUnits(pattern, text)).toEqual(findWhole(pattern, text));
    }),
    { numRuns: 500 },
  );
});

it("decides a text of fixed letters without waiting for more", () => {
  const finder = finderOf(patternOf("</x>", "here"));
  expect(finder.next({ text: "a</x>", base: 0 }, 0, false)).toMatchObject({ state: "found", start: 1, end: 5 });
});

it("finds the tail of a run that is longer than a delimiter", () => {
  const text = `${" ".repeat(5_000)}x`;
  expect(findWhole("\\s*x", text)).toMatchObject({ state: "found", start: 4_001, end: 5_001 });
  expect(findByUnits("\\s*x", text)).toMatchObject({ state: "found", start: 4_001, end: 5_001 });
  expect(findWhole("\\s*x", " ".repeat(5_000))).toBeUndefined();
});

// One that does would take hours: the test would run out of its time.
it("takes no pattern that takes very long", () => {
  const hostile = ["a", "b", "ab", " ", "a ", "[", "'", "=", "<a"].map((piece) => piece.repeat(1_500));
  fc.assert(
    fc.property(patterns, (pattern) => {
      let made: ReturnType<typeof patternOf> | undefined;
      try {
        made = patternOf(pattern, "here");
      } catch {
        fc.pre(false);
      }
      for (const text of hostile) {
        finderOf(made as never).next({ text: `${text}!`, base: 0 }, 0, true);
      }
    }),
    { numRuns: 100 },
  );
});
