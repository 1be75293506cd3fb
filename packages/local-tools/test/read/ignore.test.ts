import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIgnoreLine, verdict } from "../../src/files/ignore-rules.ts";
import { type WalkCounts, type WalkOptions, walkFiles } from "../../src/files/walk.ts";
import { scratchFolder } from "../support/scratch.ts";
import { readerOf } from "./support.ts";

/** All that a walk comes to, and what it leaves out. */
function walked(
  path: string,
  from: string = path,
  options: Partial<WalkOptions> = {},
): WalkCounts & { files: string[] } {
  const files: string[] = [];
  const counts = { protectedFiles: 0, ignored: 0, unreadableFolders: 0 };
  walkFiles({ roots: [path], from, visit: ({ shown }) => files.push(shown) > 0, counts, ...options });
  return { files, ...counts };
}

it("ignore files of every folder count, the nearest first, .ignore before .gitignore before info/exclude", async () => {
  const { path } = await scratchFolder({
    ".gitignore": "*.log\n/build\nsecret/\n*.tmp\n",
    ".git/info/exclude": "*.local\n!a.log\n",
    ".git/config": "",
    ".ignore": "!wanted.tmp\nnotes.md\n",
    "a.log": "",
    "a.local": "",
    "wanted.tmp": "",
    "unwanted.tmp": "",
    "notes.md": "",
    "build/x.txt": "",
    "sub/build/x.txt": "",
    "sub/.gitignore": "!a.log\n!notes.md\nx.*\n!secret/\n",
    "sub/a.log": "",
    "sub/b.log": "",
    "sub/notes.md": "",
    "sub/secret/y.txt": "",
    "secret/y.txt": "",
    ".hidden/y.txt": "",
    "vendor/.git/HEAD": "",
    "vendor/a.log": "",
    "vendor/.ignore": "",
    "vendor/notes.md": "",
  });
  expect(walked(path).files).toEqual([
    ".gitignore",
    ".hidden/y.txt",
    ".ignore",
    "sub/.gitignore",
    "sub/a.log",
    "sub/secret/y.txt",
    "vendor/.ignore",
    "vendor/a.log",
    "wanted.tmp",
  ]);
  // From further in, what is above counts as far as the root reaches.
  expect(walked(path, join(path, "sub")).files).toEqual(["sub/.gitignore", "sub/a.log", "sub/secret/y.txt"]);
  // A folder that is left out is looked into when it is asked for.
  expect(walked(path, join(path, "secret")).files).toEqual(["secret/y.txt"]);
});

it("ignore files outside the root are not read, and links to ignore files not followed", async () => {
  const { path } = await scratchFolder({ ".gitignore": "*.txt\n", "root/a.txt": "", "root/b.txt": "" });
  await symlink("../.gitignore", join(path, "root/.gitignore"));
  expect(walked(join(path, "root")).files).toEqual(["a.txt", "b.txt"]);
});

it("links are not followed, .git is never looked into, protected files are counted", async () => {
  const { path } = await scratchFolder({
    "a/x.txt": "",
    ".git/config": "",
    "sub/.git": "gitdir: ../.git/modules/sub\n",
    ".env": "",
    "keys/id_rsa": "",
    "z.txt": "",
  });
  await symlink("a", join(path, "b"));
  await symlink("a/x.txt", join(path, "y.txt"));
  await symlink("..", join(path, "a/loop"));
  expect(walked(path)).toEqual({ files: ["a/x.txt", "z.txt"], protectedFiles: 2, ignored: 0, unreadableFolders: 0 });
});

it("a walk goes by path, ends where it is told to, and goes on behind that", async () => {
  const names = ["a", "a!/x", "a-b", "a.txt", "a/b/c", "a/b.c", "aa", "B/x", "b", "\u{1f600}", "\uffee"];
  const { path } = await scratchFolder(Object.fromEntries(names.map((name) => [name.replace(/^a$/, "A"), ""])));
  const all = walked(path).files;
  expect(all).toEqual(names.map((name) => name.replace(/^a$/, "A")).sort());
  for (const [at, last] of all.entries()) {
    const files: string[] = [];
    walked(path, path, { visit: ({ shown }) => files.push(shown) > 0 && shown !== last });
    expect(files).toEqual(all.slice(0, at + 1));
    expect(walked(path, path, { after: last.split("/") }).files).toEqual(all.slice(at + 1));
  }
});

it("folders deeper than a path can be long are counted, not entered, and end nothing", async () => {
  const { path } = await scratchFolder({ "z.txt": "" });
  // Made step by step: no path to the last one is short enough to be used.
  const name = "d".repeat(200);
  const script = `cd "$1"; for i in $(seq 30); do mkdir ${name}; cd -P ${name}; done; echo needle > x.txt`;
  execFileSync("bash", ["-c", script, "bash", path]);
  try {
    expect(walked(path)).toMatchObject({ files: ["z.txt"], unreadableFolders: 1 });
  } finally {
    execFileSync("rm", ["-r", join(path, name)]);
  }
});

it("folders are gone into a hundred deep", async () => {
  const deep = `${"d/".repeat(100)}in.txt`;
  const { path } = await scratchFolder({ [deep]: "", [`${"d/".repeat(101)}out.txt`]: "" });
  expect(walked(path)).toMatchObject({ files: [deep], unreadableFolders: 1 });
});

describe("git's own reading", () => {
  /** What git leaves out of a tree, by its own account. */
  function ignoredByGit(path: string, files: readonly string[]): Set<string> {
    const env = { PATH: process.env.PATH ?? "", HOME: path, GIT_CONFIG_NOSYSTEM: "1" };
    const kept = execFileSync("git", ["ls-files", "--others", "--exclude-standard", "-z"], { cwd: path, env });
    const names = new Set(kept.toString().split("\0"));
    return new Set(files.filter((file) => !names.has(file)));
  }

  const tree = [
    "a",
    "b.log",
    "ab/a",
    "ab/b.log",
    "ab/x y",
    "ab/cd/a",
    "ab/cd/b.log",
    "ab/cd/ef/a",
    "cd/a",
    "cd/ab/b.log",
    "cd/ab/a-b",
    "[x]/a",
    "x/#a",
    "x/!a",
    "x/a ",
    "x/A",
  ];

  async function agree(texts: Readonly<Record<string, string>>): Promise<void> {
    const scratch = await scratchFolder(Object.fromEntries(tree.map((file) => [file, ""])));
    execFileSync("git", ["init", "-q", scratch.path], { env: { PATH: process.env.PATH ?? "" } });
    for (const [name, text] of Object.entries(texts)) await scratch.write(name, text);
    const kept = new Set(walked(scratch.path).files);
    const ours = tree.filter((file) => !kept.has(file));
    expect(new Set(ours), JSON.stringify(texts)).toEqual(ignoredByGit(scratch.path, tree));
  }

  it.each([
    ["a"],
    ["/a"],
    ["a/"],
    ["ab/"],
    ["ab/a"],
    ["/ab/a"],
    ["ab/*"],
    ["ab/**"],
    ["**/a"],
    ["**/ab"],
    ["ab/**/a"],
    ["*"],
    ["**"],
    ["/**"],
    ["/*"],
    ["*/a"],
    ["*/*"],
    ["**/"],
    ["*.log"],
    ["?"],
    ["[ab]"],
    ["[!ab]"],
    ["[^a]*"],
    ["[a-c]?"],
    ["[[:alpha:]]"],
    ["[[:upper:]]"],
    ["\\[x\\]"],
    ["[x]"],
    ["\\#a"],
    ["\\!a"],
    ["#a"],
    ["!a"],
    ["a "],
    ["a\\ "],
    ["a\\ \\ "],
    ["x y"],
    ["ab/x\\ y"],
    ["[x"],
    ["a\\"],
    ["]"],
    ["[]]"],
    ["[]-a]"],
    ["a-[b-]"],
    ["*\n!a"],
    ["*\n!*/\n!a"],
    ["/*\n!/ab\n/ab/*\n!/ab/a"],
    ["ab\n!ab/a"],
    ["ab/\n!ab/"],
    ["a\r\n*.log\r\n"],
    ["\ufeffa"],
    ["***"],
    ["a**"],
    ["**a"],
    ["ab/***"],

    ["/"],
    ["//"],
    ["ab//a"],
    ["ab\\/a"],
    ["a\\/"],
    ["\\/a"],
    ["ab\\/**"],
    ["ab\\\\/a"],
    ["**b/a"],
    ["**b/**d/a"],
    ["?**/a"],
    ["[a]**/a"],
    ["c*d"],
    ["c**d"],
    ["**/cd/**"],
    ["**/**/a"],
    ["cd/**/**"],
    ["*b*/*a*"],
    ["./a"],
    ["ab/./a"],
    ["../a"],
  ])("%j", (text) => agree({ ".gitignore": text }));

  it("of files in several folders", async () => {
    await agree({ ".gitignore": "a\n", "ab/.gitignore": "!a\n" });
    await agree({ ".gitignore": "ab/a\n", "ab/.gitignore": "!a\n" });
    await agree({ ".gitignore": "*\n!*/\n", "ab/cd/.gitignore": "!*\n" });
    await agree({ ".gitignore": "ab/cd\n", "ab/.gitignore": "!cd\n" });
    await agree({ ".gitignore": "ab/cd\n*.log\n", "ab/.gitignore": "!cd\n" });
    await agree({ ".git/info/exclude": "a\n", "ab/.gitignore": "!a\n" });
  });

  it("of lines made up", { timeout: 180_000 }, async () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "ab",
      "cd",
      "x",
      "*",
      "?",
      "**",
      "/",
      "[ab]",
      "[!a]",
      "[a-c]",
      "\\",
      " ",
      ".log",
      "!",
      "#",
      "-",
    );
    // Where `**` stands behind other characters, or before a quoted slash, git's reading depends on which (`a**/b` reaches deeper than `?**/b`), against its
    // own documentation, which is what counts here.
    const line = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(""))
      .filter((text) => !/[^/]\*\*|\*\*\\/.test(text));
    const path = (await scratchFolder(Object.fromEntries(tree.map((file) => [file, ""])))).path;
    execFileSync("git", ["init", "-q", path], { env: { PATH: process.env.PATH ?? "" } });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.array(line, { maxLength: 2 }),
        async (top, below) => {
          await writeFile(join(path, ".gitignore"), `${top.join("\n")}\n`);
          await writeFile(join(path, "ab/.gitignore"), `${below.join("\n")}\n`);
          const kept = new Set(walked(path).files);
          expect(new Set(tree.filter((file) => !kept.has(file)))).toEqual(ignoredByGit(path, tree));
        },
      ),
      // Always the same lines: git has corners that its documentation doesn't tell of, and finding one is no failure of ours.
      { seed: 20, numRuns: rounds(100, 400) },
    );
  });
});

it("a pattern of many stars is tried in few steps", async () => {
  const rule = parseIgnoreLine(`${"*a".repeat(100)}*b`);
  const deep = parseIgnoreLine(`${"**/a/".repeat(100)}b`);
  const name = "a".repeat(250);
  let tries = 0;
  for (; tries < 1000; tries++) expect(verdict(rule === undefined ? [] : [rule], [name], false)).toBeUndefined();
  expect(
    verdict(
      deep === undefined ? [] : [deep],
      Array.from({ length: 200 }, () => "a"),
      false,
    ),
  ).toBeUndefined();
  const { reader } = await readerOf({ [name]: "needle\n", ".gitignore": `${"*a".repeat(100)}*b\n` });
  expect((await reader.search({ pattern: "needle", glob: `${"*a".repeat(100)}*` })).head).toContain("1 match");
});

it("a folder that can't be read is counted and passed over", async () => {
  const { path } = await scratchFolder({ "a/x": "", "b/x": "", c: "" });
  // Gone between being seen and being looked into.
  const enter = (shown: string) => {
    if (shown === ".") rmSync(join(path, "a"), { recursive: true });
    return "enter" as const;
  };
  expect(walked(path, path, { enter: (shown) => (shown === "a" ? "skip" : "enter") })).toMatchObject({
    files: ["b/x", "c"],
    unreadableFolders: 1,
  });
  expect(walked(path, path, { enter: (shown) => (shown === "b" ? "end" : "enter") })).toMatchObject({
    files: ["a/x"],
    unreadableFolders: 0,
  });
  expect(walked(path, path, { enter })).toMatchObject({ files: ["b/x", "c"], unreadableFolders: 0 });
  let entries = 0;
  const choose = (): boolean => {
    if (entries++ === 0) rmSync(join(path, "c"));
    return true;
  };
  expect(walked(path, path, { choose }).files).toEqual(["b/x", "c"]);
  await mkdir(join(path, "a"), { mode: 0o000 });
  expect(walked(path).unreadableFolders).toBe(process.getuid?.() === 0 ? 0 : 1);
});
