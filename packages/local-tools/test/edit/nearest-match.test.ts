import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { nearestMatch } from "../../src/edit/nearest-match.ts";

const program = `import { readFile } from "node:fs/promises";

/** Counts. */
export async function countLines(path: string): Promise<number> {
  const text = await readFile(path, "utf8");
  if (text === "") {
    return 0;
  }
  return text.split("\\n").length;
}

export async function countWords(path: string): Promise<number> {
\tconst text = await readFile(path, "utf8");
\treturn text.split(/\\s+/).length;
}
`;

it("finds the lines that a find was meant for, and what differs", () => {
  const find = '  const text = await readFile(path, "utf-8");\n  if (text === "") {';
  expect(nearestMatch(program, find)).toEqual({
    from: 5,
    to: 6,
    match: '  const text = await readFile(path, "utf8");\n  if (text === "") {',
    differs: [
      'line 5 is "const text = await readFile(path, \\"utf8\\");", find has "const text = await readFile(path, \\"utf-8\\");"',
    ],
  });
});

it("finds the whole passage when lines in it are missing, or are too many", () => {
  const find =
    'export async function countLines(path: string): Promise<number> {\n  if (text === "") {\n    return 0;\n  }';
  expect(nearestMatch(program, find)).toMatchObject({
    from: 4,
    to: 8,
    differs: [expect.stringMatching(/^line 5, .* is not in find$/)],
  });
  const more = '  if (text === "") {\n    console.log("nothing");\n    return 0;\n  }';
  expect(nearestMatch(program, more)).toMatchObject({
    from: 6,
    to: 8,
    differs: [expect.stringMatching(/^the file has no line .*nothing.* there$/)],
  });
});

it.each([
  [
    "indentation",
    'if (text === "") {\n  return 0;\n}',
    6,
    8,
    /^indentation: the file has 4 spaces, find has 2 spaces \(line 7\)$/,
  ],
  [
    "tabs for spaces",
    '    const text = await readFile(path, "utf8");\n    return text.split(/\\s+/).length;',
    13,
    14,
    /^indentation: the file has 1 tab, find has 4 spaces \(lines 13 and 14\)$/,
  ],
  ["quotes", "import { readFile } from 'node:fs/promises';", 1, 1, /^quotes \(line 1\)$/],
  ["curly quotes", "import { readFile } from \u201cnode:fs/promises\u201d;", 1, 1, /^quotes \(line 1\)$/],
  [
    "white space at the end",
    'import { readFile } from "node:fs/promises";  \n',
    1,
    1,
    /^white space at the end of the line \(line 1\)$/,
  ],
  ["spaces inside", 'if  (text  ===  "") {', 6, 6, /^spaces or tabs inside the line/],
  ["no-break spaces", 'if (text\u00a0=== "") {', 6, 6, /^special spaces/],
  ["case", 'IF (TEXT === "") {', 6, 6, /^upper and lower case/],
  ["entities", "Promise&lt;number&gt; {\n\tconst text", 12, 13, /^escapes/],
  ["backslashes", 'text.split("\\\\n").length', 9, 9, /^escapes \(backslashes\)|^line 9/],
  ["all white space", 'if(text===""){', 6, 6, /^all white space/],
])("names %s", (_, find, from, to, differs) => {
  const nearest = nearestMatch(program, find);
  expect(nearest).toMatchObject({ from, to });
  expect(nearest?.differs[0]).toMatch(differs);
});

it("names the Unicode normalization", () => {
  const nearest = nearestMatch("eins\ncafe\u0301 au lait\n", "caf\u00e9 au lait");
  expect(nearest).toMatchObject({ from: 2, to: 2, differs: [expect.stringMatching(/Unicode normalization/)] });
});

it("names several kinds together", () => {
  expect(nearestMatch("  if\n  foo('x')\n", '  if\n    foo("x")')?.differs).toEqual([
    "indentation: the file has 2 spaces, find has 4 spaces and quotes (line 2)",
  ]);
});

it("tells few differences, and how many more there are", () => {
  const text = Array.from({ length: 30 }, (_, at) => `value${at} = compute(${at});\n`).join("");
  const nearest = nearestMatch(text, text.replaceAll("compute", "calculate"));
  expect(nearest).toMatchObject({ from: 1, to: 30 });
  expect(nearest?.differs).toHaveLength(5);
  expect(nearest?.differs[4]).toBe("and 26 more");
});

it("prefers rare words to common ones", () => {
  const filler = "  return await this.client.request(options);\n".repeat(200);
  const text = `${filler}  return await this.client.request(quotaOptions);\n${filler}`;
  expect(nearestMatch(text, "  return await this.server.request(quotaOptions);")).toMatchObject({
    from: 201,
    to: 201,
  });
});

it("doesn't call anything near that isn't", () => {
  expect(nearestMatch(program, "completely different words")).toBeUndefined();
  expect(nearestMatch(program, "{ ( ) } ;")).toBeUndefined();
  expect(nearestMatch("", "x")).toBeUndefined();
  expect(nearestMatch(program, "\n\n")).toBeUndefined();
  expect(nearestMatch(program, "")).toBeUndefined();
});

it("shows of a long line the part that is meant", () => {
  const text = `${"var a=1;".repeat(300)}function special(one,two){return one+two}${"var b=2;".repeat(300)}\n`;
  const nearest = nearestMatch(text, "function special(one, two){return one-two}");
  expect(nearest?.match.length).toBeLessThan(450);
  expect(nearest?.match).toContain("function special(one,two){return one+two}");
});

it("ends on large files and large finds, whatever they hold", () => {
  const size = rounds(200_000, 8 * 1024 * 1024);
  const big = (line: string): string => line.repeat(Math.ceil(size / line.length));
  const find = "  const one = two(three, 4);\n".repeat(3_500);
  for (const text of [
    big("  const one = two(three, 5);\n"),
    big("a"),
    big("a b "),
    big("\n"),
    big("😀\n"),
    big("(){};\n"),
    big("   \t "),
  ]) {
    nearestMatch(text, find);
    nearestMatch(text, "a".repeat(100_000));
    nearestMatch(text, "(".repeat(100_000));
    nearestMatch(text, "\n".repeat(100_000));
  }
  const like = `${big("  let x = 1;\n")}  const one = two(three, 5);\n  const one = two(three, 5);\n`;
  expect(nearestMatch(like, find.slice(0, 58))).toMatchObject({
    differs: [expect.stringMatching(/is "const one/), expect.anything()],
  });
}, 180_000);
