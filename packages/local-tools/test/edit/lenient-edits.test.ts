import { rounds } from "@toolglot/internal/testing";
import { processorTime } from "@toolglot/internal/testing/growth";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { foldClasses } from "../../src/edit/fold.ts";
import type { FileTextEdit } from "../../src/edit/types.ts";
import { openEditor } from "./open-editor.ts";
import file from "./vectors/lenient-edits.json" with { type: "json" };

interface Vector extends FileTextEdit {
  name: string;
  text: string;
  result?: string;
  classes?: (keyof typeof file.classes)[];
  refused?: string;
  lines?: number[];
}

const vectors = file.vectors as Vector[];

const edited = (text: string, ...edits: FileTextEdit[]) => applyEdits(text, edits, { lenient: true });

it("names the classes as the vectors do", () => {
  expect(file.classes).toMatchObject(foldClasses);
});

it.each(vectors)("should take $name as the vector says", ({ text, result, classes = [], refused, lines, ...edit }) => {
  const { text: after, replacements, problems, notes } = edited(text, edit);
  expect(after).toBe(result ?? text);
  expect(problems).toMatchObject(refused === undefined ? [] : [{ type: refused, ...(lines && { lines }) }]);
  if (refused !== undefined) return;
  expect(replacements).toBe(1);
  const note = notes.find((said) => said.includes("what no reader sees")) ?? "";
  const named = Object.entries(file.classes).filter(([, name]) => note.includes(name));
  expect(named.map(([name]) => name)).toEqual(classes);
});

it.each(vectors)("should refuse $name when it is not lenient", ({ text, ...edit }) => {
  const { text: after, problems } = applyEdits(text, [edit]);
  // What differs in indentation alone is found in any case.
  if (problems.length > 0) expect([after, problems[0]?.type]).toEqual([text, "FindMissing"]);
  else expect(edit.name).toContain("indentation");
});

it("names the lines in which each class differs, and each pair", () => {
  const { notes } = edited(
    "0\n“a” \nb\n“c”\u00a0d\n",
    { find: "0", replace: "zero" },
    { find: '"a"\nb\n"c" d', replace: "x" },
  );
  expect(notes).toEqual([
    "The find of pair 2 was found in line 2, where the file differs only in what no reader sees: white space at line ends (line 2); no-break and other special spaces (line 4); typographic quotes (lines 2 and 4). Lines that the edit does not change were kept as the file has them.",
  ]);
});

it("says all places when there are two", () => {
  const { problems } = edited("“x”\ny\n“x”\n", { find: '"x"', replace: "z" });
  expect(problems).toEqual([
    {
      pair: 0,
      type: "FindAmbiguous",
      count: 2,
      lines: [1, 3],
      message:
        "find does not occur as it is written, and where what no reader sees is ignored it occurs 2 times, in lines 1 and 3: copy it exactly, or add text around it until it occurs once",
    },
  ]);
});

it("takes what is there exactly, and nothing else, when it is there", () => {
  expect(edited('"x"\n“x”\n', { find: '"x"', replace: "z" })).toMatchObject({ text: "z\n“x”\n", notes: [] });
  expect(edited('"x" "x"\n“x”\n', { find: '"x"', replace: "z" }).problems).toMatchObject([{ count: 2, lines: [1] }]);
});

it("makes pairs in order: a later one sees what a lenient one left", () => {
  const text = "“a”\nb\n";
  expect(edited(text, { find: '"a"', replace: "A" }, { find: "A\nb", replace: "c" }).text).toBe("c\n");
  const both = edited(text, { find: "b", replace: "B" }, { find: '"a"\nb', replace: "c" });
  expect(both.problems).toMatchObject([{ pair: 1, type: "FindMissing" }]);
  expect(edited(text, { find: "“a”", replace: "A" }, { find: "“a”", replace: "c" }).problems[0]?.message).toContain(
    "until pair 1",
  );
});

it("writes nothing when the lenient edit changes nothing", async () => {
  const { edit, work } = await openEditor({ "a.txt": "“a” \nb\n" });
  const { id, files } = await edit({ src: "a.txt", edits: [{ find: '"a"\nb', replace: '"a"\nb' }] });
  expect([id, files[0]?.notes.length]).toEqual([undefined, 2]);
  expect(await work.read("a.txt")).toBe("“a” \nb\n");
});

it("writes all files or none, and shows the change that was made", async () => {
  const { edit, work, openWith } = await openEditor({ "a.txt": "“a” \nb\n", "b.txt": "x\n" });
  const lenient = { src: "a.txt", edits: [{ find: '"a"\nb', replace: '"a"\nc' }] };
  await expect(edit(lenient, { src: "b.txt", edits: [{ find: "y", replace: "" }] })).rejects.toThrow("b.txt, pair 1");
  await expect(openWith({ lenient: false }).edit(lenient)).rejects.toMatchObject({ data: { type: "FindMissing" } });
  expect(await work.read("a.txt")).toBe("“a” \nb\n");
  const { files } = await edit(lenient);
  expect(files[0]?.diff).toBe("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n “a” \n-b\n+c\n");
});

it("says of a protected file where it is, and no more", async () => {
  const { edit } = await openEditor({ ".env": "A=“s3cret”\nB=1\nA=“s3cret”\n" });
  const refused = await edit({ src: ".env", edits: [{ find: 'A="s3cret"', replace: "" }] }).catch((error) => error);
  expect(refused.message).toMatch(/2 times, in lines 1 and 3/);
  expect(refused.message).not.toContain("s3cret");
});

it.each([
  ["2 | two\n3 | three", "2 | ", 2],
  ["  2\ttwo\n  3\tthree\n", "  2\t", 2],
  ["2→two", "2→", 2],
  ["3: three\n4: \n5: five\n", "3: ", 3],
])("has a hint for line numbers that were copied with the text: %j", async (find, first, line) => {
  const { edit } = await openEditor({ "a.txt": "one\ntwo\nthree\n\nfive\n" });
  const refused = await edit({ src: "a.txt", edits: [{ find, replace: "" }] }).catch((error) => error);
  expect(refused.message).toContain(`with a line number (${JSON.stringify(first)}), which the file does not have`);
  expect(refused.message).toContain(`without it, find is in line ${line}`);
  expect(refused.data).toMatchObject({ type: "FindMissing", hint: expect.stringContaining("Take the line numbers") });
});

it.each(["2 | zwei", "7 | one\n9 | two", "2 | two\nthree", "http: one"])(
  "takes no other text for line numbers: %j",
  (find) => {
    const { problems } = applyEdits("one\ntwo\nthree\n", [{ find, replace: "" }]);
    expect(problems).toMatchObject([{ message: "find does not occur in the file (0 times)" }]);
  },
);

it("shows the nearest lines, too, when the text behind the line numbers is not there as it is", () => {
  const { problems } = applyEdits("one\ntwo\n", [{ find: "1 | one\n2 | zwei", replace: "" }]);
  expect(problems).toMatchObject([
    { searched: "one\ntwo\n", message: expect.stringMatching(/each of its lines with a line number/) },
  ]);
});

const size = rounds(250_000, 4_000_000);
const filled = (piece: string): string => piece.repeat(Math.ceil(size / piece.length));

// Each nearly fits everywhere, or was made for a slow way of folding.
it.each([
  ["a megabyte of lines that fit but for the last", "a “b” \n".repeat(150_000), `${'a "b"\na "b"\n'.repeat(2_000)}c`],
  ["the last of many equal lines", filled("x \n"), `${"x\n".repeat(20_000)}y\n`],
  ["blank lines", filled(" \n"), `${"\n".repeat(20_000)}x`],
  ["blank lines before every place", filled("\n").slice(size / 2) + filled("x\n"), `${"\n".repeat(size / 4)}x \n`],
  ["spaces", filled(" "), `${" ".repeat(20_000)}y\n`],
  ["composed characters", filled("é\n"), `${"e\u0301\n".repeat(5_000)}x`],
  ["decomposed characters", filled("e\u0301\n"), `${"é\n".repeat(5_000)}x`],
  ["marks out of order", `a${filled("\u0315\u0300\u0316")}`, `a${"\u0316\u0315\u0300".repeat(5_000)}x`],
  ["marks that sort badly", `${filled("\u0315")}${filled("\u0300")}`, `a${"\u0315".repeat(size / 2)}x`],
  ["ellipses", filled("…"), `${"...".repeat(5_000)}.`],
])("is linear on %s", (_, text, find) => {
  const ms = processorTime(() => {
    const { problems } = edited(text, { find, replace: "z" });
    expect(problems).toHaveLength(1);
  });
  // 40 to 150 ms for a megabyte; the square of it would be minutes.
  expect(ms).toBeLessThan(12_000);
});

it("aligns large replacements without comparing every line with every other", () => {
  const lines = (name: string): string => Array.from({ length: 8_000 }, (_, at) => `“${name}${at}”\n`).join("");
  const find = lines("a").replaceAll(/[“”]/g, '"');
  const ms = processorTime(() => {
    const { text, problems } = edited(lines("a"), { find, replace: `${lines("b")}"a7"\n` });
    expect(problems).toEqual([]);
    expect(text.endsWith("“b7999”\n“a7”\n")).toBe(true);
  });
  expect(ms).toBeLessThan(4_000);
});
