import { mkdir, open as openFile, writeFile } from "node:fs/promises";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { HeldFolder } from "../../src/files/held-folder.ts";
import type { Roots } from "../../src/files/roots.ts";
import { readPattern } from "../../src/read/pattern.ts";
import { searchText } from "../../src/read/search.ts";
import { searchFiles } from "../../src/read/search-files.ts";
import { searchReport } from "../../src/read/search-report.ts";
import { type Hits, searchBegins } from "../../src/read/search-state.ts";
import type { ReadPart } from "../../src/read/types.ts";
import { open, readerOf } from "./support.ts";

/** Facts of a search, without its text. */
const facts = ({ head, complete, looked, left }: ReadPart): unknown => ({ head, complete, looked, left });

/** A search without a thread. `found`: what was found before. */
function searchedHere(roots: Roots, text: string, found: Partial<Hits> = {}): ReadPart {
  const pattern = readPattern(text);
  const state = searchBegins(1);
  const [hits] = state.hits as [Hits];
  Object.assign(hits, found);
  const bounds = { maxChars: 1000, maxBytes: 1000, timeoutMs: 1000, isFile: false };
  const place = { path: roots.base, shown: ".", kind: "directory" } as const;
  const job = { roots: roots.paths, place, glob: undefined, patterns: [pattern], maxBytes: 1000, slow: [] };
  searchFiles({ ...job, until: Number.POSITIVE_INFINITY }, state, { begin: () => {}, keep: () => {} });
  return searchReport({ pattern: text }, undefined, state, hits, bounds);
}

describe("a search that did not look at everything", () => {
  const hay = { "a.txt": "hay\n", "b.txt": "hay\n" };

  it.each<[string, Record<string, string | Uint8Array>, object]>([
    [
      "binary files",
      { ...hay, "x.bin": Buffer.from("needle\0") },
      {
        head: '"needle": nothing found in 2 of 3 files; 1 binary file left out',
        looked: 2,
        left: [{ reason: "binary", count: 1 }],
      },
    ],
    [
      "binary files that hold nothing of it as bytes",
      { ...hay, "x.txt": Buffer.from("hay\0hay\n") },
      { looked: 2, left: [{ reason: "binary", count: 1 }] },
    ],
    [
      "files that are too large for a search of a folder",
      { ...hay, "big.txt": "needle\n".repeat(1000) },
      {
        head: '"needle": nothing found in 2 of 3 files; 1 file of more than 5,000 bytes left out; name one to search it',
        looked: 2,
        left: [{ reason: "size", count: 1 }],
      },
    ],
    [
      "ignored folders",
      { ...hay, ".gitignore": "node_modules/\n*.log\n", "node_modules/x.js": "needle\n", "a.log": "needle\n" },
      {
        head: '"needle": nothing found in 3 files; 2 ignored files and folders left out; name one to search it',
        looked: 3,
        left: [{ reason: "ignored", count: 2 }],
      },
    ],
    [
      "protected files",
      { ...hay, ".env": "needle\n" },
      {
        head: '"needle": nothing found in 2 files; 1 protected file left out',
        left: [{ reason: "protected", count: 1 }],
      },
    ],
  ])("never says that there is no match: %s", async (_what, files, expected) => {
    const { reader } = await readerOf(files, { maxBytes: 5000 });
    const part = await reader.search({ pattern: "needle" });
    expect(part).toMatchObject({ text: "", complete: false, ...expected });
    expect(part.head).not.toContain("no match");
  });

  it("names files of no known encoding, where the pattern may stand in what can't be read", async () => {
    const bytes = Buffer.concat([Buffer.from("grün, schön, größer needle\n"), Buffer.from("caf\xe9\n", "latin1")]);
    const { reader } = await readerOf({ "mixed.txt": bytes });
    expect(await reader.search({ pattern: "café" })).toMatchObject({
      head: '"café": nothing found in 1 file; 1 file in no encoding that is known for certain, searched as far as it can be read',
      complete: false,
      left: [{ reason: "encoding", count: 1 }],
    });
    expect(await reader.search({ pattern: "caf. x" })).toMatchObject({ complete: false });
    // What is ASCII is found in any of them.
    expect(await reader.search({ pattern: "absent" })).toMatchObject({ head: '"absent": no match in 1 file' });
    expect(await reader.search({ pattern: "ne+dle" })).toMatchObject({ head: '"ne+dle": 1 match in 1 file' });
    // A line that can't be read to its end is never given without saying so.
    expect(await reader.search({ pattern: "caf" })).toMatchObject({
      text: "mixed.txt:2: caf\ufffd\n",
      head: '"caf": 1 match in 1 file; 1 file with lines where \ufffd stands for bytes that can\'t be read',
    });
  });

  it("names files that can't be opened", async () => {
    const { roots } = await readerOf({ ...hay, "c.txt": "needle\n" });
    const open = HeldFolder.prototype.open;
    // As for a file that may not be read, which root may always.
    vi.spyOn(HeldFolder.prototype, "open").mockImplementation(function (this: HeldFolder, name) {
      if (name === "c.txt") throw Object.assign(new Error("EACCES"), { code: "EACCES" });
      return open.call(this, name);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const part = searchedHere(roots, "needle");
    expect(facts(part)).toEqual({
      head: '"needle": nothing found in 2 of 3 files; 1 file could not be read',
      complete: false,
      looked: 2,
      left: [{ reason: "unreadable", count: 1 }],
    });
  });

  it("names folders that lie too deep", async () => {
    const { reader, scratch } = await readerOf(hay);
    const deep = scratch.at(...Array.from({ length: 102 }, () => "d"));
    await mkdir(deep, { recursive: true });
    await writeFile(`${deep}/x.txt`, "needle\n");
    const part = await reader.search({ pattern: "needle" });
    expect(part.head).toBe('"needle": nothing found in 2 files; 1 directory could not be read');
    expect(part.complete).toBe(false);
  });

  it("says when its time was over, and how far it came", async () => {
    const { roots } = await readerOf(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, "hay\n"])));
    const options = { roots, maxChars: 1000, maxBytes: 1000 };
    const none = await searchText({ pattern: "ne?edle" }, { ...options, timeoutMs: 0 });
    expect(none.head).toMatch(
      /^stopped early: "ne\?edle": nothing found in the first [\d,]+ of (more than )?[\d,]+ files?; 0 seconds were over; name a directory or a glob/,
    );
    expect(none).toMatchObject({ complete: false, cut: true, left: [{ reason: "time" }] });
    // Also where there is no file to search.
    const chosen = await searchText({ pattern: "needle", glob: "*.none" }, { ...options, timeoutMs: 0 });
    expect(chosen.head).toMatch(/^stopped early: .*; stopped before \.$/);
  });

  it("counts what it found, and what it does not show", async () => {
    const { reader } = await readerOf({ "a.txt": "needle\n".repeat(201), "b.bin": Buffer.from([0]) });
    expect(await reader.search({ pattern: "needle" })).toMatchObject({
      head: '"needle": 201 matches in 1 file; the first 200 by path are shown, 1 left out; 1 binary file left out',
      complete: false,
      left: [
        { reason: "binary", count: 1 },
        { reason: "matches", count: 1 },
      ],
    });
  });
});

test("a pattern that takes too long on too many files is said", { timeout: 60_000 }, async () => {
  const evil = `${"a".repeat(50)}!\n`;
  const { roots } = await readerOf({ "1.txt": evil, "2.txt": evil, "3.txt": evil, "4.txt": "aa\n", "5.txt": "y\n" });
  const options = { roots, maxChars: 1000, maxBytes: 1000, fileTimeoutMs: 300 };
  const part = await searchText({ pattern: "^(a+)+$" }, options);
  expect(facts(part)).toEqual({
    head: 'stopped early: "^(a+)+$": nothing found in the first 3 of more than 3 files; the pattern takes too long on 1.txt, 2.txt, 3.txt; write it simpler; stopped before 4.txt',
    complete: false,
    looked: 0,
    left: [{ reason: "time", count: 4 }],
  });
});

test("more lines than a search counts are no reason to look at the rest", async () => {
  const { roots } = await readerOf({ "a.txt": "x\n", "b.txt": "x\nx\n", "c.txt": "x\n" });
  const part = searchedHere(roots, "x", { matches: 999_998 });
  expect(facts(part)).toEqual({
    head: 'stopped early: "x": 1,000,001 matches in 2 files; looked into the first 2 of more than 2 files; 1,000,000 lines fit by then; write the pattern narrower; the first 3 by path are shown, 999,998 left out; stopped before c.txt',
    complete: false,
    looked: 2,
    left: [{ reason: "matches", count: 999_998 }],
  });
});

describe("a file that is named", () => {
  const line = "a line of a log, like many others\n";

  it("is searched whatever its size, in bounded memory, and what is found can be read", {
    timeout: 120_000,
  }, async () => {
    const { reader, scratch } = await readerOf();
    const file = await openFile(scratch.at("big.log"), "w");
    const block = Buffer.from(line.repeat(30_000));
    const blocks = rounds(300, 1000);
    for (let n = 0; n < blocks; n++) await file.write(block);
    await file.write("NEEDLE é\r\nthe end\n");
    await file.close();
    const wanted = blocks * 30_000 + 1;
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const found = await reader.search({ pattern: "NEEDLE", src: "big.log" });
    const expression = await reader.search({ pattern: "^NEEDLE .$", src: "big.log" });
    const none = await reader.search({ pattern: "ABSENT", src: "big.log" });
    const part = await reader.read({ src: `big.log:${wanted}` }, open);
    clearInterval(watch);
    expect(found).toMatchObject({
      head: '"NEEDLE" in big.log: 1 match in 1 file',
      text: `big.log:${wanted}: NEEDLE é\n`,
      complete: true,
      looked: 1,
    });
    expect(expression.text).toBe(found.text);
    expect(none.head).toBe('"ABSENT" in big.log: no match in 1 file');
    expect(part).toMatchObject({ text: "NEEDLE é\n" });
    expect(part.head).toContain(`big.log: line ${wanted.toLocaleString("en-US")} of`);
    // Of 306 MB, or 1 GB; a thread alone takes some tens.
    expect(most - before).toBeLessThan(200_000_000);
  });

  it("is told of as far as it was looked at", async () => {
    const { roots, scratch } = await readerOf();
    await scratch.write("big.log", line.repeat(100_000));
    const part = await searchText(
      { pattern: "ABSENT", src: "big.log" },
      { roots, maxChars: 1000, maxBytes: 1000, timeoutMs: -1 },
    );
    expect(part.head).toMatch(/^stopped early: "ABSENT" in big\.log: nothing found in the first 0 of 1 file; /);
    expect(part.complete).toBe(false);
  });

  it("may become binary: what stands before is found, when reading shows it, too", async () => {
    const { reader, scratch } = await readerOf({}, { maxBytes: 2_000_000 });
    await scratch.write(
      "big.log",
      Buffer.concat([Buffer.from(`NEEDLE\n${line.repeat(100_000)}`), Buffer.alloc(10), Buffer.from("NEEDLE\n")]),
    );
    const part = await reader.search({ pattern: "NEEDLE", src: "big.log" });
    expect(part).toMatchObject({
      text: "big.log:1: NEEDLE\n",
      complete: false,
      left: [{ reason: "binary", count: 1 }],
    });
    expect(part.head).toBe(
      '"NEEDLE" in big.log: 1 match in 1 file; big.log looked at up to 3.1 MB of 3.4 MB: what follows is binary',
    );
    expect(await reader.read({ src: "big.log:1" }, open)).toMatchObject({ text: "NEEDLE\n" });
  });

  it("has lines of any length: each is found once, with its number", async (context) => {
    leftToCi(context);
    const { reader, scratch } = await readerOf();
    const x = "x".repeat(3_000_000);
    await scratch.write("one.json", `first\n${x}NEEDLE${x}NEEDLE 1${x}END\nNEEDLE 2`);
    for (const pattern of ["NEEDLE", "NE{2}DLE"]) {
      const part = await reader.search({ pattern, src: "one.json" });
      expect(part.head).toContain(": 2 matches in 1 file");
      const lines = part.text.split("\n");
      expect(lines[0]).toMatch(/^one\.json:2: …x+NEEDLEx+…$/);
      expect(lines[1]).toBe("one.json:3: NEEDLE 2");
    }
    const found = async (pattern: string): Promise<string[]> =>
      (await reader.search({ pattern, src: "one.json" })).text.match(/(?<=json:)\d+/g) ?? [];
    expect(await found("^x")).toEqual(["2"]);
    expect(await found("^N")).toEqual(["3"]);
    expect(await found("x$")).toEqual([]);
    expect(await found("END$")).toEqual(["2"]);
    expect(await found("E\\d*N")).toEqual(["2"]);
    expect(await found("END\nNEEDLE")).toEqual(["2"]);
  });

  it("gives the same however its lines lie in the pieces that it is read in", { timeout: 240_000 }, async () => {
    const { reader, scratch } = await readerOf();
    const size = fc.nat({ max: 400_000 });
    const lines = fc.array(
      fc.tuple(size, fc.constantFrom("", "NEEDLE", "é", "NEEDLE\r", "中NEEDLE", "NEEDLE NEEDLE")),
      { minLength: 8, maxLength: 14 },
    );
    await fc.assert(
      fc.asyncProperty(lines, async (list) => {
        const rows = list.map(([length, text]) => `${"é".repeat(length)}${text}${"y".repeat(length % 7)}`);
        await scratch.write("f.txt", rows.join("\n"));
        const expected = rows.flatMap((row, at) => (row.includes("NEEDLE") ? [String(at + 1)] : []));
        for (const pattern of ["NEEDLE", "N(E)+DLE"]) {
          const { text } = await reader.search({ pattern, src: "f.txt" });
          expect(text.match(/(?<=^f\.txt:)\d+/gm) ?? []).toEqual(expected);
        }
        const two = rows.flatMap((row, at) =>
          /NEEDLE\r?$/.test(row) && rows[at + 1]?.startsWith("é") ? [String(at + 1)] : [],
        );
        expect(
          (await reader.search({ pattern: "NEEDLE\né", src: "f.txt" })).text.match(/(?<=^f\.txt:)\d+/gm) ?? [],
        ).toEqual(two);
      }),
      { numRuns: rounds(5, 40) },
    );
  });
});

describe("a line of a search is read by what the search shows", () => {
  it("a line, and several", async () => {
    const { reader } = await readerOf({ "a.txt": "one\ntwo\nthree\n", "b:2": "odd\nname\n", ".env": "K=1\n" });
    expect(await reader.read({ src: "a.txt:2" }, open)).toMatchObject({ head: "a.txt: line 2 of 3", text: "two\n" });
    expect(await reader.read({ src: "a.txt:2-3" }, open)).toMatchObject({ text: "two\nthree\n" });
    expect(await reader.read({ src: "b:2" }, open)).toMatchObject({ text: "odd\nname\n" });
    expect(await reader.read({ src: "b:2:1" }, open)).toMatchObject({ text: "odd\n" });
    const asked: unknown[] = [];
    await reader.read({ src: ".env:1" }, { decide: async (request) => void asked.push(request) });
    expect(asked).toMatchObject([{ path: ".env", protected: expect.any(String) }]);
  });
});
