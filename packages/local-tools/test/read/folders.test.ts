import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { open, readerOf, refusal } from "./support.ts";

it("directories first, then files with their sizes, by name", async () => {
  const { reader, scratch } = await readerOf({
    "src/b.ts": "12345",
    "src/a.ts": "1",
    "src/z/x": "",
    "src/.hidden": "",
    "src/B.ts": "",
  });
  await mkdir(scratch.at("src/empty"));
  await truncate(scratch.at("src/b.ts"), 12_345);
  for (const src of ["src", "src/", "./src/.", scratch.at("src")]) {
    expect(await reader.read({ src }, open)).toEqual({
      kind: "directory",
      of: src,
      head: `${src}: directory, 6 entries`,
      text: "empty/\nz/\n.hidden (0 bytes)\nB.ts (0 bytes)\na.ts (1 byte)\nb.ts (12,345 bytes)\n",
      cut: false,
    });
  }
  expect(await reader.read({ src: "src/empty" }, open)).toMatchObject({ head: "src/empty: empty directory", text: "" });
});

it("links say where they lead, if that is inside", async () => {
  const { reader, scratch } = await readerOf({ "in/real/x.txt": "", "in/y.txt": "" });
  const links: Record<string, string> = {
    folder: "real",
    file: "y.txt",
    chain: "folder/x.txt",
    root: "..",
    out: "/etc/passwd",
    "out-none": "/etc/none",
    "out-folder": "../..",
    none: "nothing",
    self: "self",
  };
  for (const [name, to] of Object.entries(links)) await symlink(to, scratch.at("in", name));
  const { text } = await reader.read({ src: "in" }, open);
  const outside = "(outside the folders that may be used)";
  expect(text.split("\n")).toEqual([
    "real/",
    "chain -> in/real/x.txt",
    "file -> in/y.txt",
    "folder -> in/real/",
    "none -> (leads nowhere)",
    `out -> ${outside}`,
    `out-folder -> ${outside}`,
    `out-none -> ${outside}`,
    "root -> .",
    "self -> (leads nowhere)",
    "y.txt (0 bytes)",
    "",
  ]);
});

it("pipes and sockets are listed, and neither read nor waited for", async () => {
  const { reader, scratch } = await readerOf({ "d/a.txt": "" });
  execFileSync("mkfifo", [scratch.at("d/pipe")]);
  const server = createServer();
  await new Promise<void>((done) => server.listen(scratch.at("d/socket"), done));
  try {
    const { text } = await reader.read({ src: "d" }, open);
    expect(text).toBe("a.txt (0 bytes)\npipe (no regular file)\nsocket (no regular file)\n");
    expect(await refusal(reader.read({ src: "d/pipe" }, open))).toEqual({
      type: "NotAFile",
      message: "d/pipe is no regular file.",
    });
    expect(await refusal(reader.read({ src: "d/socket" }, open))).toMatchObject({ type: "NotAFile" });
    expect(await refusal(reader.search({ pattern: "x", src: "d/pipe" }))).toMatchObject({ type: "NotAFile" });
    expect((await reader.search({ pattern: "x" })).head).toBe('"x": no match in 1 file');
  } finally {
    server.close();
  }
});

it("what searches leave out is marked", async () => {
  const { reader, scratch } = await readerOf({
    ".gitignore": "/dist/\n*.log\nlink\n",
    "dist/a.log": "",
    "b.log": "",
    "c.txt": "",
    "sub/.gitignore": "!keep.log\n",
    "sub/keep.log": "",
    "sub/other.log": "",
  });
  await symlink("c.txt", scratch.at("link"));
  expect((await reader.read({ src: "." }, open)).text).toBe(
    "dist/ [ignored]\nsub/\n.gitignore (18 bytes)\nb.log (0 bytes) [ignored]\nc.txt (0 bytes)\nlink -> c.txt [ignored]\n",
  );
  expect((await reader.read({ src: "sub" }, open)).text).toBe(
    ".gitignore (10 bytes)\nkeep.log (0 bytes)\nother.log (0 bytes) [ignored]\n",
  );
});

it("a thousand entries, and how many more there are", async () => {
  const { reader, scratch } = await readerOf();
  await mkdir(scratch.at("many"));
  await mkdir(scratch.at("many/zzz"));
  for (let at = 0; at < 1199; at++) await writeFile(scratch.at("many", `f${String(at).padStart(4, "0")}`), "");
  const part = await reader.read({ src: "many" }, open);
  expect(part.head).toBe("many: directory, 1,200 entries; the first 1,000 by name, 200 left out");
  expect(part.cut).toBe(true);
  const lines = part.text.split("\n");
  expect([lines[0], lines[1], lines[999], lines[1000]]).toEqual(["zzz/", "f0000 (0 bytes)", "f0998 (0 bytes)", ""]);
});

it("no more text than may be given", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`d/${"x".repeat(100)}${String(at).padStart(2, "0")}`, ""]),
  );
  const { reader } = await readerOf(files, { maxChars: 1000 });
  const part = await reader.read({ src: "d" }, open);
  expect(part).toMatchObject({ head: "d: directory, 50 entries; the first 8 by name, 42 left out", cut: true });
  expect(part.text.length).toBeLessThanOrEqual(1000);
});

it.runIf(process.platform === "linux")("names that would break the listing are quoted", async () => {
  const { reader, scratch } = await readerOf();
  await mkdir(scratch.at("d"));
  const names = [
    "a\nb/ (fake)",
    " lead",
    "trail ",
    "esc\u001b[31m",
    "rtl\u202etxt.exe",
    "tab\t",
    "plain name",
    'quo"te',
  ];
  for (const name of names) await writeFile(scratch.at("d", name.replaceAll("/", "∕")), "");
  await symlink("a\nb∕ (fake)", scratch.at("d/link"));
  const { text } = await reader.read({ src: "d" }, open);
  expect(text.split("\n")).toEqual([
    '" lead" (0 bytes)',
    '"a\\nb∕ (fake)" (0 bytes)',
    '"esc\\u001b[31m" (0 bytes)',
    'link -> "d/a\\nb∕ (fake)"',
    "plain name (0 bytes)",
    'quo"te (0 bytes)',
    '"rtl\\u202etxt.exe" (0 bytes)',
    '"tab\\t" (0 bytes)',
    '"trail " (0 bytes)',
    "",
  ]);
});

it("a directory has no lines, and is asked for before it is listed", async () => {
  const { reader } = await readerOf({ "d/x": "", ".ssh/id_rsa": "" });
  expect(await refusal(reader.read({ src: "d", from: 1 }, open))).toMatchObject({ type: "InvalidRange" });
  const asked: unknown[] = [];
  const decide = (request: unknown): Promise<void> => {
    asked.push(request);
    return Promise.reject(new Error("no"));
  };
  await expect(reader.read({ src: ".ssh" }, { decide })).rejects.toThrow("no");
  expect(asked).toEqual([{ kind: "read", path: ".ssh", protected: expect.stringContaining("keys") }]);
});
