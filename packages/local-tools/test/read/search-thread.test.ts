import { execFileSync } from "node:child_process";
import { isThorough, rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { searchText } from "../../src/read/search.ts";
import { SearchThread } from "../../src/read/search-thread.ts";
import { patience, readerOf } from "./support.ts";

/** Never comes to an end with `^(a+)+$`. */
const evil = `${"a".repeat(50)}!\n`;

function newThread(): SearchThread {
  const thread = new SearchThread();
  onTestFinished(() => thread.close());
  return thread;
}

describe("the thread that searches", () => {
  it("searches for many at once, one after the other", async () => {
    const { reader } = await readerOf(
      Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.txt`, `x${n}y\n`])),
    );
    const parts = await Promise.all(Array.from({ length: 20 }, (_, n) => reader.search({ pattern: `x${n}y` })));
    expect(parts.map(({ text }) => text)).toEqual(parts.map((_, n) => `${n}.txt:1: x${n}y\n`));
  });

  it("is replaced when it stands on a file: nothing is lost, and nothing counted twice", {
    timeout: 60_000,
  }, async () => {
    const names = Array.from({ length: 300 }, (_, n) => `d${n % 7}/e${n % 3}/f${n}.txt`);
    const { roots } = await readerOf({
      ...Object.fromEntries(names.map((name) => [name, "aa\n"])),
      "d3/e1/b.txt": evil,
      "d5.txt": evil,
      "d0/.env": "aa\n",
      "d6/.env": "aa\n",
      ".gitignore": "ignored\n",
      "d0/ignored/x": "aa\n",
      "d6/ignored/x": "aa\n",
      "d1/x.bin": Buffer.from([0]),
    });
    const options = { roots, maxChars: 100_000, maxBytes: 1000, thread: newThread(), ...patience, fileTimeoutMs: 400 };
    const part = await searchText({ pattern: "^(a+)+$" }, options);
    expect(part).toMatchObject({
      looked: 301,
      left: [
        { reason: "binary", count: 1 },
        { reason: "protected", count: 2 },
        { reason: "ignored", count: 2 },
        { reason: "time", count: 2 },
        { reason: "matches", count: 100 },
      ],
    });
    expect(part.head).toContain("300 matches in 300 files");
    expect(part.head).toContain("the pattern takes too long on d3/e1/b.txt, d5.txt; write it simpler");
    const lines = names.map((name) => `${name}:1: aa\n`).sort();
    expect(part.text).toBe(lines.slice(0, 200).join(""));
    expect(await searchText({ pattern: "^a+$", src: "d1" }, options)).toMatchObject({ looked: 43 });
  });

  it("ends with a search that is stopped, and with what owns it; the next search has another one", async () => {
    const { roots, reader } = await readerOf({ "a.txt": evil, "b.txt": "x\n" });
    const stop = new AbortController();
    const [stopped, next] = [
      reader.search({ pattern: "^(a+)+$" }, { signal: stop.signal }),
      reader.search({ pattern: "x" }),
    ];
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(stopped).rejects.toThrow("enough");
    expect((await next).text).toBe("b.txt:1: x\n");
    const thread = newThread();
    const search = (pattern: string) => searchText({ pattern }, { roots, maxChars: 1000, maxBytes: 1000, thread });
    const ended = expect(search("^(a+)+$")).rejects.toThrow("ended");
    setTimeout(() => void thread.close(), 100);
    await ended;
    expect((await search("x")).looked).toBe(2);
  });

  it("ends when nobody has searched for half a minute", async () => {
    const { roots } = await readerOf({ "a.txt": "x\n" });
    const thread = newThread();
    const search = () => searchText({ pattern: "x" }, { roots, maxChars: 1000, maxBytes: 1000, thread });
    const close = vi.spyOn(thread, "close");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await search();
    vi.advanceTimersByTime(29_000);
    await search();
    vi.advanceTimersByTime(29_000);
    expect(close).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(close).toHaveBeenCalledOnce();
    expect((await search()).looked).toBe(1);
  });
});

const hasRipgrep = ((): boolean => {
  try {
    return execFileSync("rg", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

it("finds the lines that ripgrep finds", { timeout: 120_000 }, async (context) => {
  if (!hasRipgrep && !isThorough) return context.skip("ripgrep is not installed");
  const word = fc.constantFrom("needle", "hay", "Needle", "é", "x1", "function f(a) {", "\t", "  ", "中文", "");
  const text = fc
    .array(fc.array(word, { maxLength: 4 }), { maxLength: 12 })
    .map((lines) => lines.map((words) => words.join(" ")).join("\n"));
  const name = fc.constantFrom(
    "a.txt",
    "b.ts",
    "d/a.ts",
    "d/e/a.txt",
    "d/e.ts",
    "z/.hidden",
    "z/a.log",
    ".x/b",
    "é.md",
  );
  const ignore = fc.constantFrom("", "*.log\n", "d/\n", "*\n!*.ts\n!*/\n", "/a.txt\n");
  const patterns = [
    "needle",
    "(?i)NEEDLE",
    "\\d",
    "^\\s*$",
    "[^ ]e",
    "f\\w+ \\w\\(",
    "hay|x1",
    "é",
    ".",
    "\\bx1\\b",
    "中",
  ];
  // One thread for all of them: starting it takes longer than a search.
  const thread = newThread();
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, text, { minKeys: 1 }),
      ignore,
      fc.constantFrom(...patterns),
      async (files, ignored, pattern) => {
        const { roots, scratch } = await readerOf({ ...files, ".gitignore": ignored });
        const options = [
          "-n",
          "--hidden",
          "--no-heading",
          "--no-require-git",
          "--no-ignore-global",
          "--no-ignore-parent",
        ];
        const given = ((): string => {
          try {
            const args = [...options, "-g", "!.git", "-e", pattern, "."];
            return execFileSync("rg", args, {
              cwd: scratch.path,
              encoding: "utf8",
              stdio: ["ignore", "pipe", "ignore"],
            });
          } catch {
            return "";
          }
        })();
        const found = await searchText({ pattern }, { roots, maxChars: 1_000_000, maxBytes: 1_000_000, thread });
        const ours = found.text.split("\n").filter(Boolean);
        const theirs = given
          .split("\n")
          .filter(Boolean)
          .map((line) => line.replace(/^\.\/(.*?:\d+:)/, "$1 "));
        expect(ours.sort()).toEqual(theirs.sort());
      },
    ),
    { numRuns: rounds(20, 200) },
  );
});
