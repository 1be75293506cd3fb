import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { unifiedDiff } from "../../src/edit/unified-diff.ts";
import { applyDiff } from "./apply-diff.ts";

const times = rounds(400, 5_000);

it("says what is removed and added, with three lines around it", () => {
  const before = "1\n2\n3\n4\nold\n6\n7\n8\n9\n";
  expect(unifiedDiff("src/a.ts", before, before.replace("old", "new\nnewer"))).toEqual({
    text: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-old\n+new\n+newer\n 6\n 7\n 8\n",
    added: 2,
    removed: 1,
    cut: false,
  });
});

it("is empty when nothing differs", () => {
  expect(unifiedDiff("a", "x\n", "x\n")).toEqual({ text: "", added: 0, removed: 0, cut: false });
});

it("says that a file is made or removed", () => {
  expect(unifiedDiff("a", null, "x\ny\n").text).toBe("--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
  expect(unifiedDiff("a", "x\n", null).text).toBe("--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n");
  expect(unifiedDiff("a", null, "").text).toBe("--- /dev/null\n+++ b/a\n");
});

it("says where a final newline is missing", () => {
  const mark = "\\ No newline at end of file";
  expect(unifiedDiff("a", "x\ny", "x\nz").text).toContain(`-y\n${mark}\n+z\n${mark}\n`);
  expect(unifiedDiff("a", "x\ny", "x\ny\n").text).toContain(`-y\n${mark}\n+y\n`);
  expect(unifiedDiff("a", "x\ny\n", "x\ny").text).toContain(`-y\n+y\n${mark}\n`);
  expect(unifiedDiff("a", "x\ny", "z\ny").text).toContain(` y\n${mark}\n`);
});

it("joins changes that are near, and parts those that are far", () => {
  const line = (changed: readonly number[]): string =>
    Array.from({ length: 30 }, (_, at) => `${changed.includes(at) ? "new" : at}\n`).join("");
  const hunks = (changed: readonly number[]): number =>
    unifiedDiff("a", line([]), line(changed)).text.split("@@ -").length - 1;
  expect([hunks([3, 10]), hunks([3, 11]), hunks([0, 29])]).toEqual([1, 2, 2]);
});

it("shows line ends that change", () => {
  expect(unifiedDiff("a", "x\r\ny\r\n", "x\ny\r\n").text).toContain("-x\r\n+x\n y\r\n");
});

it("quotes names that a diff can't hold", () => {
  expect(unifiedDiff('a\n"b', "x", "y").text).toContain('--- "a/a\\n\\"b"\n');
  expect(unifiedDiff("ä b", "x", "y").text).toContain("--- a/ä b\n");
});

it("is shortened with a note, its numbers are not", () => {
  const after = "new\n".repeat(100);
  const short = unifiedDiff("a", "old\n", after, { maxLines: 10 });
  expect(short).toMatchObject({ added: 100, removed: 1, cut: true });
  expect(short.text.split("\n")).toHaveLength(12);
  expect(short.text).toMatch(/\(94 more lines of this diff left out\)\n$/);
  const narrow = unifiedDiff("a", "old\n", `${"x".repeat(100_000)}\nnew\n`, { maxChars: 500 });
  expect(narrow.text.length).toBeLessThan(600);
  expect(narrow.text).toMatch(/\(2 more lines of this diff left out\)\n$/);
});

const lines = fc
  .array(fc.constantFrom("a", "b", "c", "", " ", "-", "+x", "\r", "@@ -1 +1 @@", "\\ No newline"), { maxLength: 40 })
  .chain((all) => fc.boolean().map((ends) => all.join("\n") + (ends && all.length > 0 ? "\n" : "")));

it("applied to the old text gives the new one", () => {
  fc.assert(
    fc.property(lines, lines, fc.nat({ max: 4 }), (before, after, context) => {
      const { text, added, removed } = unifiedDiff("a", before, after, { context });
      expect(applyDiff(before, text)).toBe(after);
      const body = text.split("\n").slice(2);
      if (context === 0) expect(body.filter((line) => line.startsWith("+")).length).toBe(added);
      expect(added - removed).toBe(count(after) - count(before));
    }),
    { numRuns: times },
  );
});

it("is right for large texts with little in common, too", () => {
  const size = rounds(20_000, 100_000);
  const before = Array.from({ length: size }, (_, at) => `line ${at}\nconst x${at % 7} = 1;\n`).join("");
  const renamed = before.replaceAll("const x", "let y");
  const shuffled = Array.from({ length: size }, (_, at) => `${(at * 7_919) % size}\n`).join("");
  for (const [old, now] of [
    [before, renamed],
    [before, shuffled],
    [shuffled, renamed],
  ] as const) {
    for (const timeoutMs of [0, 500]) {
      const { text, added, removed } = unifiedDiff("a", old, now, { timeoutMs });
      expect(applyDiff(old, text) === now).toBe(true);
      expect(added - removed).toBe(count(now) - count(old));
    }
  }
  // Lines that stay keep apart what changes.
  expect(unifiedDiff("a", before, renamed, { timeoutMs: Infinity })).toMatchObject({ added: size, removed: size });
});

function count(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}
