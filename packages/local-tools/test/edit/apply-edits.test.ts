import { neutralize } from "@toolglot/core";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import type { FileTextEdit } from "../../src/edit/types.ts";

/** The new text; fails when a pair has a problem. */
function applied(text: string, ...edits: FileTextEdit[]): string {
  const result = applyEdits(text, edits);
  expect(result.problems).toEqual([]);
  return result.text;
}

/** Type and message of each problem. */
function problems(text: string, ...edits: FileTextEdit[]): string[] {
  const result = applyEdits(text, edits);
  expect(result.problems.length).toBeGreaterThan(0);
  return result.problems.map(({ pair, type, message }) => `${pair} ${type}: ${message}`);
}

it("replaces what occurs exactly once", () => {
  expect(applied("one two three\n", { find: "two", replace: "2" })).toBe("one 2 three\n");
});

it.each(["$&", "$$", "$1", "$`", "$'", "$<name>", "\\1", "\\n"])("writes %j as it stands", (replace) => {
  expect(applied("a b c", { find: "b", replace })).toBe(`a ${replace} c`);
  expect(applied("b b", { find: "b", replace, all: true })).toBe(`${replace} ${replace}`);
});

it("takes nothing in find for a pattern", () => {
  expect(applied("a.b a*b [x] (y)", { find: "a*b [x]", replace: "ok" })).toBe("a.b ok (y)");
});

it("refuses what occurs more than once, with the count and the lines", () => {
  expect(problems("x\ny\nx\nz\nx\n", { find: "x", replace: "q" })).toEqual([
    "0 FindAmbiguous: find occurs 3 times, in lines 1, 3 and 5: add text around it until it occurs once, or set all",
  ]);
  const {
    problems: [problem],
  } = applyEdits("x\n".repeat(40), [{ find: "x", replace: "q" }]);
  expect(problem).toMatchObject({ count: 40, lines: [1, 2, 3, 4, 5, 6] });
  expect(problem?.message).toContain("in lines 1, 2, 3, 4, 5, 6 and more");
});

it("counts occurrences that overlap: any of them could be meant", () => {
  expect(problems("aaa", { find: "aa", replace: "b" })[0]).toContain("occurs 2 times, in line 1:");
  expect(problems("ababa", { find: "aba", replace: "b" })[0]).toContain("occurs 2 times");
});

it("with all, replaces from the start on, none overlapping another", () => {
  expect(applied("aaaaa", { find: "aa", replace: "b", all: true })).toBe("bba");
  expect(applied("x-x-x", { find: "x", replace: "xx", all: true })).toBe("xx-xx-xx");
});

it("with all, needs one at least", () => {
  expect(problems("abc", { find: "q", replace: "", all: true })[0]).toContain("0 FindMissing: find does not occur");
});

it("counts replacements", () => {
  const edits = [
    { find: "a", replace: "b", all: true },
    { find: "c", replace: "d" },
  ];
  expect(applyEdits("aaac", edits)).toMatchObject({ text: "bbbd", replacements: 4 });
});

it("makes pairs in order, each on what those before it left", () => {
  expect(applied("one", { find: "one", replace: "two" }, { find: "two", replace: "three" })).toBe("three");
  expect(applied("a b", { find: "a", replace: "b" }, { find: "b b", replace: "c" })).toBe("c");
});

it("says which pair destroyed what a later one looks for", () => {
  expect(
    problems(
      "zero\none\n",
      { find: "zero", replace: "0" },
      { find: "one", replace: "1" },
      { find: "one", replace: "I" },
    ),
  ).toEqual([
    "2 FindMissing: find was in line 2 until pair 2 of this file replaced it: pairs are made in order, each on what those before it left",
  ]);
});

it("doesn't look for another indentation of what an earlier pair destroyed", () => {
  const text = "  same();\nelse\n    same();\n";
  const result = applyEdits(text, [
    { find: "  same();\nelse", replace: "if\nelse" },
    { find: "  same();\nelse", replace: "never" },
  ]);
  expect(result.problems.map(({ message }) => message)).toEqual([expect.stringContaining("until pair 1")]);
});

it("says that a find is ambiguous only since the pairs before it", () => {
  const [message] = problems("a\nb\n", { find: "a", replace: "b" }, { find: "b", replace: "c" });
  expect(message).toContain("in lines 1 and 2");
  expect(message).toContain("(lines as the pairs before it leave the file)");
});

it("tells all pairs that can't be made, and what only waits for one of them", () => {
  const told = problems(
    "a\na\n",
    { find: "a", replace: "fresh" },
    { find: "nowhere", replace: "" },
    { find: "fresh", replace: "x" },
  );
  expect(told).toEqual([
    expect.stringContaining("0 FindAmbiguous"),
    "1 FindMissing: find does not occur in the file (0 times)",
    "2 FindMissing: find is only in the replacement of pair 1, which can't be made",
  ]);
});

it("tells any number of problems, and looks into the first ones", () => {
  const edits = Array.from({ length: 500 }, (_, at) => ({ find: `    gone ${at}`, replace: "" }));
  const { problems: all } = applyEdits("  gone 499\n".repeat(2), edits);
  expect(all.map(({ pair }) => pair)).toEqual(edits.map((_, at) => at));
  expect(all.filter(({ searched }) => searched !== undefined)).toHaveLength(20);
});

it("takes an empty find for an empty text only", () => {
  expect(applied("", { find: "", replace: "new\n" })).toBe("new\n");
  expect(applied("", { find: "", replace: "a" }, { find: "a", replace: "b" })).toBe("b");
  expect(applied("old", { find: "old", replace: "" }, { find: "", replace: "new" })).toBe("new");
  expect(problems("x", { find: "", replace: "y" })[0]).toContain("0 EmptyFind");
  expect(problems("x", { find: "", replace: "y", all: true })[0]).toContain("0 EmptyFind");
});

it("keeps line breaks at the edges of a find as they are meant", () => {
  expect(applied("a\nb\nc", { find: "\nb\n", replace: "\n" })).toBe("a\nc");
  expect(applied("a\n\nb", { find: "a\n", replace: "a" })).toBe("a\nb");
  expect(problems("a\nb", { find: "b\n", replace: "c\n" })[0]).toContain("FindMissing");
});

it("leaves the end of the file as the replacement says", () => {
  expect(applied("a\nb", { find: "b", replace: "c" })).toBe("a\nc");
  expect(applied("a\nb\n", { find: "b\n", replace: "c" })).toBe("a\nc");
  expect(applied("a\nb", { find: "b", replace: "c\n" })).toBe("a\nc\n");
});

it("doesn't take a composed character for a decomposed one", () => {
  expect(problems("cafe\u0301\n", { find: "caf\u00e9", replace: "tea" })[0]).toContain("FindMissing");
});

it("refuses what no text file can hold", () => {
  expect(problems("a😀b", { find: "\ud83d", replace: "" })[0]).toContain("InvalidInput: find holds half");
  expect(problems("a", { find: "a", replace: "\udc00" })[0]).toContain("InvalidInput: replace holds half");
  expect(problems("a", { find: "a", replace: "x\0" })[0]).toContain("NUL");
});

it("stops before a text gets too large", () => {
  const huge = { find: "a", replace: "b".repeat(100_000), all: true };
  const result = applyEdits("a".repeat(1_000_000), [huge]);
  expect(result.problems.map(({ type }) => type)).toEqual(["TooLarge"]);
  const { problems: small } = applyEdits("ab", [{ find: "a", replace: "aaa" }], { maxChars: 3 });
  expect(small.map(({ type }) => type)).toEqual(["TooLarge"]);
  expect(applyEdits("ab", [{ find: "a", replace: "aa" }], { maxChars: 3 }).text).toBe("aab");
});

it("ends on texts made for slow searches", () => {
  const half = "a".repeat(2_000);
  const { problems: found } = applyEdits("a".repeat(4_000_000), [{ find: `${half}b${half}`, replace: "" }]);
  expect(found.map(({ type }) => type)).toEqual(["FindMissing"]);
  const { problems: many } = applyEdits("a".repeat(4_000_000), [{ find: half, replace: "" }]);
  expect(many[0]).toMatchObject({ type: "FindAmbiguous", count: 10_000 });
});

it("finds all occurrences of a long text in a long text", () => {
  const long = `${"ab".repeat(1_000)}c`;
  const text = `${"ab".repeat(400_000)}c${long}${"ab".repeat(400_000)}`;
  const { text: after, replacements } = applyEdits(text, [{ find: long, replace: "-", all: true }]);
  expect(replacements).toBe(2);
  expect(after).toBe(`${"ab".repeat(399_000)}--${"ab".repeat(400_000)}`);
});

it("takes off the zero-width spaces that results put into fences and tags, and says so", () => {
  const readme = "# Use\n\n```sh\nnpm test\n```\n";
  const find = neutralize("```sh\nnpm test\n```");
  expect(find).toContain("\u200b");
  const { text, notes } = applyEdits(readme, [{ find, replace: neutralize("```sh\nnpm run build\n```") }]);
  expect(text).toBe("# Use\n\n```sh\nnpm run build\n```\n");
  expect(notes.join()).toMatch(/zero-width/i);
  expect(applied("a\nb\n", { find: "a", replace: neutralize("```") })).toBe("```\nb\n");
});

it("leaves zero-width spaces alone that the file has itself", () => {
  const marked = "`\u200b``\nx\n";
  expect(applied(marked, { find: "`\u200b``\nx", replace: "`\u200b``\ny" })).toBe("`\u200b``\ny\n");
  expect(applied("a\u200bb", { find: "a\u200bb", replace: "a\u200bc" })).toBe("a\u200bc");
});
