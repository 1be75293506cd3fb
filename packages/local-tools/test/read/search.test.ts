import { symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Roots } from "../../src/files/roots.ts";
import { searchText } from "../../src/read/search.ts";
import { readerOf, refusal } from "./support.ts";

describe("searching", () => {
  it("gives each line that fits with its file and number, by path", async () => {
    const { reader } = await readerOf({
      "b.txt": "one needle\nnone\n  two needles, needle\n",
      "a/z.txt": "needle",
      "a.txt": "\n\nneedle\n",
      "c.txt": "nothing\n",
    });
    expect(await reader.search({ pattern: "needle" })).toEqual({
      kind: "search",
      of: "needle",
      head: '"needle": 4 matches in 3 files',
      text: "a.txt:3: needle\na/z.txt:1: needle\nb.txt:1: one needle\nb.txt:3:   two needles, needle\n",
      cut: false,
      complete: true,
      looked: 4,
      left: [],
    });
    expect(await reader.search({ pattern: "absent" })).toEqual({
      kind: "search",
      of: "absent",
      head: '"absent": no match in 4 files',
      text: "",
      cut: false,
      complete: true,
      looked: 4,
      left: [],
    });
  });

  it("in a folder, in a file, and with a glob", async () => {
    const { reader } = await readerOf({
      "src/a.ts": "x1\n",
      "src/in/a.test.ts": "x2\n",
      "src/b.md": "x3\n",
      "docs/a.ts": "x4\n",
    });
    const found = async (search: { src?: string; glob?: string }): Promise<string[]> =>
      (await reader.search({ pattern: "x\\d", ...search })).text
        .split("\n")
        .filter(Boolean)
        .map((line) => line.replace(/.*: /, ""));
    expect(await found({})).toEqual(["x4", "x1", "x3", "x2"]);
    expect(await found({ src: "src" })).toEqual(["x1", "x3", "x2"]);
    expect(await found({ src: "src/" })).toEqual(["x1", "x3", "x2"]);
    expect(await found({ src: "src/b.md" })).toEqual(["x3"]);
    expect(await found({ src: "src/b.md", glob: "*.ts" })).toEqual([]);
    expect(await found({ glob: "*.ts" })).toEqual(["x4", "x1", "x2"]);
    expect(await found({ glob: "src/**" })).toEqual(["x1", "x3", "x2"]);
    expect(await found({ glob: "src" })).toEqual(["x1", "x3", "x2"]);
    expect(await found({ glob: "src/" })).toEqual(["x1", "x3", "x2"]);
    expect(await found({ glob: "!*.test.ts" })).toEqual(["x4", "x1", "x3"]);
    expect(await found({ glob: "*.ts,!*.test.ts" })).toEqual(["x4", "x1"]);
    expect(await found({ glob: "*.{ts,md}" })).toEqual(["x4", "x1", "x3", "x2"]);
    expect(await found({ glob: "src/*.ts" })).toEqual(["x1"]);
    expect(await found({ glob: "/src/*.ts", src: "src" })).toEqual(["x1"]);
    expect(await found({ glob: "in/*", src: "src" })).toEqual(["x2"]);
    expect(await found({ glob: "./docs/*" })).toEqual(["x4"]);
    expect(await found({ glob: "**/*.md" })).toEqual(["x3"]);
  });

  it("what ignore files name is left out, hidden files are not, nor what is in .git looked at", async () => {
    const { reader } = await readerOf({
      ".gitignore": "node_modules/\n*.log\n",
      ".ignore": "generated.ts\n",
      ".git/info/exclude": "private.txt\n",
      ".git/COMMIT_EDITMSG": "needle\n",
      ".rgignore": "d.txt\n",
      "node_modules/x/index.js": "needle\n",
      "a.log": "needle\n",
      "generated.ts": "needle\n",
      "private.txt": "needle\n",
      ".hidden/b.txt": "needle\n",
      "sub/.gitignore": "!a.log\nc.txt\n",
      "sub/a.log": "needle\n",
      "sub/c.txt": "needle\n",
      "d.txt": "needle\n",
    });
    const { head, text } = await reader.search({ pattern: "needle" });
    expect(text).toBe(".hidden/b.txt:1: needle\nd.txt:1: needle\nsub/a.log:1: needle\n");
    expect(head).toBe('"needle": 3 matches in 3 files');
    expect((await reader.search({ pattern: "needle", src: "node_modules" })).head).toContain("1 match in 1 file");
    expect((await reader.search({ pattern: "needle", src: "a.log" })).head).toContain("1 match in 1 file");
  });

  it("links are not followed, unless one is asked for", async () => {
    const { reader, scratch } = await readerOf({ "a/x.txt": "needle\n" });
    await symlink("a", scratch.at("folder"));
    await symlink("a/x.txt", scratch.at("file"));
    await symlink("/etc", scratch.at("etc"));
    expect((await reader.search({ pattern: "needle" })).text).toBe("a/x.txt:1: needle\n");
    expect((await reader.search({ pattern: "needle", src: "folder" })).text).toBe("a/x.txt:1: needle\n");
    expect((await reader.search({ pattern: "needle", src: "file" })).text).toBe("a/x.txt:1: needle\n");
    expect(await refusal(reader.search({ pattern: "root", src: "etc" }))).toMatchObject({ type: "OutsideRoots" });
    expect(await refusal(reader.search({ pattern: "root", src: "/etc/passwd" }))).toMatchObject({
      type: "OutsideRoots",
    });
    expect(await refusal(reader.search({ pattern: "root", src: "none" }))).toMatchObject({ type: "NotFound" });
    expect(await refusal(reader.search({ pattern: "root", src: "a/x.txt/" }))).toMatchObject({ type: "NotADirectory" });
  });

  it("protected files are left out and counted, whether they would fit or not", async () => {
    const { reader } = await readerOf({ ".env": "KEY=needle\n", "a/id_rsa": "hay\n", "a.txt": "needle\n" });
    expect(await reader.search({ pattern: "needle" })).toMatchObject({
      head: '"needle": 1 match in 1 file; 2 protected files left out',
      text: "a.txt:1: needle\n",
      cut: false,
    });
    expect((await reader.search({ pattern: "KEY" })).head).toBe(
      '"KEY": nothing found in 1 file; 2 protected files left out',
    );
    expect((await reader.search({ pattern: "KEY", src: ".env" })).head).toBe(
      '"KEY" in .env: nothing found in 0 files; 1 protected file left out',
    );
    expect((await reader.search({ pattern: "KEY", glob: "*.txt" })).head).toBe('"KEY": no match in 1 file');
  });

  it("binary files are skipped, others are read in their encoding", async () => {
    const { reader } = await readerOf({
      "nul.bin": Buffer.from("needle\n\0needle\n"),
      "late.bin": Buffer.concat([Buffer.alloc(300_000, "needle\n"), Buffer.from([0])]),
      "noise.bin": Buffer.concat([Buffer.from("needle\n"), Buffer.alloc(5000, 0xfe)]),
      "utf16.txt": Buffer.from("\ufeffneedle\n", "utf16le"),
      "latin.txt": Buffer.from("a needle caf\xe9\n", "latin1"),
      "bom.txt": "\ufeffneedle\n",
    });
    const { text } = await reader.search({ pattern: "needle" });
    expect(text).toBe("bom.txt:1: needle\nlatin.txt:1: a needle café\nutf16.txt:1: needle\n");
    expect((await reader.search({ pattern: "^needle$" })).text).toBe("bom.txt:1: needle\nutf16.txt:1: needle\n");
    expect((await reader.search({ pattern: "caf." })).text).toBe("latin.txt:1: a needle café\n");
  });

  it("line ends of either kind are none of the line", async () => {
    const { reader } = await readerOf({ "crlf.txt": "one needle\r\nneedle two\r\n", "cr.txt": "a\rneedle" });
    expect((await reader.search({ pattern: "needle$" })).text).toBe("cr.txt:1: a\rneedle\ncrlf.txt:1: one needle\n");
    expect((await reader.search({ pattern: "^needle" })).text).toBe("crlf.txt:2: needle two\n");
    expect((await reader.search({ pattern: "needle\ntwo" })).head).toContain("no match");
    // A text of several lines is found where it begins.
    expect((await reader.search({ pattern: "needle\nneedle" })).text).toBe("crlf.txt:1: one needle\n");
  });

  it("long lines are cut around what fits", async () => {
    const { reader } = await readerOf({
      "min.js": `${"x".repeat(5000)}needle${"y".repeat(5000)}\n`,
      "a.txt": `${"😀".repeat(400)}needle\n`,
    });
    const lines = (await reader.search({ pattern: "ne+dle" })).text.split("\n");
    expect(lines[0]).toMatch(/^a\.txt:1: …(?:😀)+needle$/u);
    expect(lines[1]).toBe(`min.js:1: …${"x".repeat(98)}needle${"y".repeat(196)}…`);
    expect(lines[0]?.length).toBeLessThan(320);
  });

  it("two hundred matches are shown, and the rest counted", async () => {
    const { reader } = await readerOf({
      "a.txt": "needle\n".repeat(150),
      "b.txt": "needle\n".repeat(150),
      "c.txt": "needle\n",
    });
    const part = await reader.search({ pattern: "needle" });
    expect(part.head).toBe('"needle": 301 matches in 3 files; the first 200 by path are shown, 101 left out');
    expect(part.cut).toBe(true);
    const lines = part.text.split("\n");
    expect([lines.length, lines[150], lines[199]]).toEqual([201, "b.txt:1: needle", "b.txt:50: needle"]);
  });

  it("no more text than may be given", async () => {
    const { reader } = await readerOf({ "a.txt": `needle ${"x".repeat(90)}\n`.repeat(50) }, { maxChars: 1000 });
    const part = await reader.search({ pattern: "needle" });
    expect(part.head).toBe('"needle": 50 matches in 1 file; the first 9 by path are shown, 41 left out');
    expect(part.text.length).toBeLessThanOrEqual(1000);
  });

  it("files that are too large are left out and said", async () => {
    const { reader } = await readerOf({ "big.txt": "needle\n".repeat(1000), "a.txt": "needle\n" }, { maxBytes: 5000 });
    expect(await reader.search({ pattern: "needle" })).toMatchObject({
      head: '"needle": 1 match in 1 file; 1 file of more than 5,000 bytes left out',
      text: "a.txt:1: needle\n",
    });
  });

  it("names that are odd are found, and quoted", async () => {
    const { reader } = await readerOf({
      "a\nb.txt": "needle\n",
      "-e": "needle\n",
      "--pre=touch x": "needle\n",
      "sp ace": "needle\n",
      "é😀": "needle\n",
    });
    expect((await reader.search({ pattern: "needle" })).text.split("\n").slice(0, -1).sort()).toEqual([
      '"a\\nb.txt":1: needle',
      "--pre=touch x:1: needle",
      "-e:1: needle",
      "sp ace:1: needle",
      "é😀:1: needle",
    ]);
    expect((await reader.search({ pattern: "needle", src: "-e" })).text).toBe("-e:1: needle\n");
  });

  it("code that happens to be an expression that fits nothing is found as it stands", async () => {
    const { reader } = await readerOf({ "a.ts": "const x = useState();\nprice: $5\nuseStatex\n" });
    expect(await reader.search({ pattern: "useState();" })).toMatchObject({
      head: '"useState();": 1 match in 1 file; no line fits it as a regular expression; found as it stands',
      text: "a.ts:1: const x = useState();\n",
      cut: false,
    });
    expect((await reader.search({ pattern: "$5" })).text).toBe("a.ts:2: price: $5\n");
    expect((await reader.search({ pattern: "useState(x)" })).head).toBe('"useState(x)": 1 match in 1 file');
    expect((await reader.search({ pattern: "useState(y)" })).head).toBe('"useState(y)": no match in 1 file');
  });

  it("patterns that look like options, or need every kind of quoting", async () => {
    const text = "--files --pre=x -e $HOME `id` $(id) \"'\\ a|b;c&d *?[x] %s";
    const { reader } = await readerOf({ "a.txt": `${text}\n` });
    for (const pattern of [
      "--files",
      "--pre=x",
      "-e",
      "\\$HOME",
      "`id`",
      "\\$\\(id\\)",
      "\"'\\\\",
      "a\\|b;c&d",
      "%s",
      text,
    ]) {
      expect((await reader.search({ pattern })).head).toContain("1 match in 1 file");
    }
  });

  it("more files with long names than one command line takes", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 700 }, (_, at) => [
        `${"long".repeat(20)}/${"name".repeat(20)}${at}`,
        at % 250 === 7 ? "needle\n" : "hay\n",
      ]),
    );
    const { reader } = await readerOf(files);
    expect((await reader.search({ pattern: "ne{2}dle" })).head).toBe('"ne{2}dle": 3 matches in 3 files');
  });

  it("a catastrophic expression holds up nobody, and is said", { timeout: 60_000 }, async () => {
    const { scratch } = await readerOf({ "a.txt": "aa\n", "b.txt": `${"a".repeat(50)}!\n`, "c.txt": "aaa\n" });
    const roots = await Roots.open([scratch.path]);
    let turns = 0;
    const clock = setInterval(() => turns++, 10);
    const part = await searchText(
      { pattern: "^(a+)+$" },
      { roots, maxChars: 1000, maxBytes: 1000, fileTimeoutMs: 1000 },
    );
    clearInterval(clock);
    expect(part).toMatchObject({
      head: '"^(a+)+$": 2 matches in 2 files; the pattern takes too long on b.txt; write it simpler',
      text: "a.txt:1: aa\nc.txt:1: aaa\n",
      cut: true,
    });
    expect(turns).toBeGreaterThan(5);
  });

  it("stops when it is told to", async () => {
    const { reader } = await readerOf({ "b.txt": `${"a".repeat(50)}!\n` });
    await expect(reader.search({ pattern: "x" }, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
    const stop = new AbortController();
    const search = reader.search({ pattern: "(a+)+$" }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 200);
    await expect(search).rejects.toThrow("enough");
  });
});
