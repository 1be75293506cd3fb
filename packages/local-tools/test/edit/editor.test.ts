import { readdir, readFile, stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { localError } from "../../src/errors.ts";
import { openEditor } from "./open-editor.ts";

it("edits files, and gives a diff of each", async () => {
  const { edit, work } = await openEditor({ "src/a.ts": "one\ntwo\n", "b.md": "# B\n" });
  const outcome = await edit(
    { src: "src/a.ts", edits: [{ find: "two", replace: "2" }] },
    { src: "b.md", edits: [{ find: "# B", replace: "# $&\n" }] },
  );
  expect(outcome).toEqual({
    id: expect.stringMatching(/./),
    files: [
      {
        path: "src/a.ts",
        sources: ["src/a.ts"],
        created: false,
        replacements: 1,
        diff: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
        added: 1,
        removed: 1,
        notes: [],
      },
      expect.objectContaining({ path: "b.md", added: 2, removed: 1 }),
    ],
  });
  expect([await work.read("src/a.ts"), await work.read("b.md")]).toEqual(["one\n2\n", "# $&\n\n"]);
});

it("makes a file, with its folders, for an empty find", async () => {
  const { edit, work } = await openEditor();
  const { files } = await edit({
    src: "new/deep/a.txt",
    edits: [
      { find: "", replace: "one\n" },
      { find: "one", replace: "two" },
    ],
  });
  expect(files).toMatchObject([{ path: "new/deep/a.txt", created: true, replacements: 2, added: 1, removed: 0 }]);
  expect(await work.read("new/deep/a.txt")).toBe("two\n");
  expect(files[0]?.diff).toBe("--- /dev/null\n+++ b/new/deep/a.txt\n@@ -0,0 +1,1 @@\n+two\n");
});

it("fills an empty file, and makes one that stays empty", async () => {
  const { edit, work } = await openEditor({ "empty.txt": "", "bom.txt": "\ufeff" });
  const { files } = await edit(
    { src: "empty.txt", edits: [{ find: "", replace: "text" }] },
    { src: "bom.txt", edits: [{ find: "", replace: "text" }] },
    { src: "new.txt", edits: [{ find: "", replace: "" }] },
  );
  expect(files.map(({ created }) => created)).toEqual([false, false, true]);
  expect([await work.read("empty.txt"), await work.read("bom.txt"), await work.read("new.txt")]).toEqual([
    "text",
    "\ufefftext",
    "",
  ]);
});

it("writes nothing when anything can't be done, and names all of it", async () => {
  const { edit, work, record } = await openEditor({
    "a.txt": "a a\n",
    "b.txt": "b\n",
    "c.bin": Buffer.from([0]),
    "ok.txt": "ok\n",
  });
  const refused = await edit(
    { src: "ok.txt", edits: [{ find: "ok", replace: "changed" }] },
    {
      src: "a.txt",
      edits: [
        { find: "a", replace: "1" },
        { find: "zzz", replace: "" },
      ],
    },
    { src: "missing.txt", edits: [{ find: "x", replace: "y" }] },
    { src: "b.txt", edits: [{ find: "", replace: "y" }] },
    { src: "c.bin", edits: [{ find: "x", replace: "y" }] },
    { src: "new.txt", edits: [{ find: "", replace: "y" }] },
  ).catch((error: Error) => error);
  expect(refused).toMatchObject({ data: { type: "FindAmbiguous" } });
  expect((refused as Error).message).toBe(
    [
      "5 problems; nothing was written.",
      "- a.txt, pair 1: find occurs 2 times, in line 1: add text around it until it occurs once, or set all.",
      "- a.txt, pair 2: find does not occur in the file (0 times).",
      "Nothing in the file is like it.",
      "- There is no file missing.txt; to make it, give it one pair with an empty find (in XML: with an empty CDATA section in it).",
      "- b.txt, pair 1: find is empty, which is for new and empty files only; this one has text.",
      "- c.bin is a binary file: it can't be edited as text.",
    ].join("\n"),
  );
  expect((refused as { data: unknown } & Error).data).toMatchObject({
    problems: [
      { type: "FindAmbiguous", path: "a.txt", pair: "pair 1", count: 2, lines: [1] },
      { type: "FindMissing", path: "a.txt", pair: "pair 2", count: 0 },
      { type: "NotFound", path: "missing.txt" },
      { type: "EmptyFind", path: "b.txt" },
      { type: "BinaryFile", path: "c.bin" },
    ],
  });
  expect(await work.read("ok.txt")).toBe("ok\n");
  expect(await work.has("new.txt")).toBe(false);
  expect(await record()).toEqual([]);
});

it("names every path that can't be used", async () => {
  const { edit, work } = await openEditor({ "a.txt": "a\n", "dir/b.txt": "" });
  const pairs = [{ find: "a", replace: "b" }];
  await expect(
    edit({ src: "../x", edits: pairs }, { src: "a.txt", edits: [] }, { src: "", edits: pairs }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(
      /^3 problems.*\n- \.\.\/x is outside.*\n- a\.txt has no find and replace\.\n- "" is no path/,
    ),
    data: { type: "OutsideRoots" },
  });
  await expect(edit({ src: "dir", edits: pairs })).rejects.toMatchObject({
    message: "dir is a directory. Nothing was written.",
    data: { type: "NotAFile" },
  });
  expect(await work.read("a.txt")).toBe("a\n");
});

it("shows the nearest passage of a find that is not there", async () => {
  const { edit } = await openEditor({ "a.ts": "function a() {\n\treturn 1;\n}\n" });
  await expect(edit({ src: "a.ts", edits: [{ find: "() {\n  return 1;\n}", replace: "" }] })).rejects.toMatchObject({
    message: [
      "a.ts, pair 1: find does not occur in the file (0 times). Nothing was written.",
      "The nearest are lines 1–3, where this differs: indentation: the file has 1 tab, find has 2 spaces (line 2):",
      "----- as it is -----",
      "function a() {",
      "\treturn 1;",
      "}",
      "----- end -----",
    ].join("\n"),
    data: { type: "FindMissing", hint: expect.stringContaining("Copy find") },
  });
});

it("keeps a refusal short", async () => {
  const text = `${"x".repeat(5_000)}\n${"const value = compute(1);\n".repeat(500)}`;
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.ts`, text]));
  const { edit } = await openEditor(files);
  const find = "const value = calculate(1);\n".repeat(60);
  const refused = await edit(...Object.keys(files).map((src) => ({ src, edits: [{ find, replace: "" }] }))).catch(
    (error: Error) => error,
  );
  expect((refused as Error).message).toContain("60 problems; nothing was written.");
  expect((refused as Error).message).toContain("and 40 more of the kind.");
  expect((refused as Error).message).toContain("… 45 more lines");
  expect((refused as Error).message.length).toBeLessThan(8_000);
});

it("makes the edits of a file that is named twice in order, on one text", async () => {
  const { edit, work } = await openEditor({ "a.txt": "one\n" });
  const { files } = await edit(
    { src: "a.txt", edits: [{ find: "one", replace: "two" }] },
    { src: "./x/../a.txt", edits: [{ find: "two", replace: "three" }] },
    { src: work.at("a.txt"), edits: [{ find: "three", replace: "four" }] },
  );
  expect(files).toMatchObject([
    { path: "a.txt", sources: ["a.txt", "./x/../a.txt", work.at("a.txt")], replacements: 3 },
  ]);
  expect(await work.read("a.txt")).toBe("four\n");
  await expect(
    edit(
      { src: "a.txt", edits: [{ find: "four", replace: "5" }] },
      { src: "./a.txt", edits: [{ find: "four", replace: "6" }] },
    ),
  ).rejects.toThrow("a.txt, pair 1 of the 2nd mention: find was in line 1 until pair 1 of this file replaced it");
});

it("makes a new file by the first of several names, and goes on with it", async () => {
  const { edit, work } = await openEditor();
  await edit(
    { src: "n/a.txt", edits: [{ find: "", replace: "one" }] },
    { src: "n/../n/a.txt", edits: [{ find: "one", replace: "two" }] },
  );
  expect(await work.read("n/a.txt")).toBe("two");
});

it("writes nothing when nothing changes, and says so", async () => {
  const { edit, work, record } = await openEditor({ "a.txt": "a\n", "b.txt": "b\n" });
  const before = await stat(work.at("a.txt"));
  const same = {
    src: "a.txt",
    edits: [
      { find: "a", replace: "x" },
      { find: "x", replace: "a" },
    ],
  };
  expect(await edit(same)).toEqual({
    id: undefined,
    files: [
      expect.objectContaining({
        path: "a.txt",
        diff: "",
        added: 0,
        removed: 0,
        replacements: 2,
        notes: ["The file already was as the edits leave it: nothing was written."],
      }),
    ],
  });
  expect(await edit()).toEqual({ id: undefined, files: [] });
  await edit(same, { src: "b.txt", edits: [{ find: "b", replace: "c" }] });
  expect(await record()).toMatchObject([{ files: [{ path: work.at("b.txt") }] }]);
  const after = await stat(work.at("a.txt"));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

it("edits 200 files in one change, and takes all of it back", async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at % 10}/f${at}.txt`, `file ${at}\n`]));
  const { edit, editor, work, record } = await openEditor(files);
  const { files: outcomes } = await edit(
    ...Object.keys(files).map((src) => ({ src, edits: [{ find: "file", replace: "FILE" }] })),
  );
  expect(outcomes).toHaveLength(200);
  expect(outcomes.map(({ diff }) => diff.length).reduce((sum, length) => sum + length, 0)).toBeLessThan(60_000);
  expect(await work.read("d7/f117.txt")).toBe("FILE 117\n");
  expect(await record()).toHaveLength(1);
  await editor.undo();
  for (const [name, text] of Object.entries(files)) expect(await work.read(name)).toBe(text);
});

it("asks for every file before any is read, once each, and does nothing when one is refused", async () => {
  const { editor, work, state } = await openEditor({ "a.txt": "a\n", ".env": "KEY=1\n", "b.bin": Buffer.from([0]) });
  const asked: unknown[] = [];
  const files = ["a.txt", ".env", "./a.txt", "b.bin", "certs/new.key"].map((src) => ({
    src,
    edits: [{ find: "", replace: "x" }],
  }));
  const refusal = localError("AccessDenied", "No.");
  await expect(
    editor.edit(files, {
      decide: async (request) => {
        asked.push(request);
        if (request.kind === "edit" && request.path === "certs/new.key") throw refusal;
      },
    }),
  ).rejects.toBe(refusal);
  expect(asked).toEqual([
    { kind: "edit", path: "a.txt", sources: ["a.txt", "./a.txt"], protected: undefined },
    { kind: "edit", path: ".env", sources: [".env"], protected: "settings that often hold secrets" },
    { kind: "edit", path: "b.bin", sources: ["b.bin"], protected: undefined },
    { kind: "edit", path: "certs/new.key", sources: ["certs/new.key"], protected: "may hold a private key" },
  ]);
  expect(await work.read(".env")).toBe("KEY=1\n");
  expect(await readdir(state.path)).not.toContain("backups");
});

it("keeps a copy of a protected file first, and shows little of it", async () => {
  const { edit, work, state } = await openEditor({ ".env": "SECRET=s3cret\nPORT=1\nOTHER=t0ken\n", "a.txt": "a\n" });
  const { files } = await edit(
    { src: ".env", edits: [{ find: "PORT=1", replace: "PORT=2" }] },
    { src: "a.txt", edits: [{ find: "a", replace: "b" }] },
    { src: ".env.local", edits: [{ find: "", replace: "NEW=1\n" }] },
  );
  const [env, other, fresh] = files;
  expect(env?.diff).toBe("--- a/.env\n+++ b/.env\n@@ -2,1 +2,1 @@\n-PORT=1\n+PORT=2\n");
  expect([other?.backup, fresh?.backup]).toEqual([undefined, undefined]);
  expect(env?.backup).toMatch(/\/backups\/\.env\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/);
  expect(env?.backup?.startsWith(state.path)).toBe(true);
  expect(await readFile(env?.backup as string, "utf8")).toBe("SECRET=s3cret\nPORT=1\nOTHER=t0ken\n");
  expect((await stat(work.at(".env.local"))).mode & 0o777).toBe(0o600);
});

it("doesn't tell what a protected file holds when a find is not there", async () => {
  const { edit } = await openEditor({ ".env": "API_SECRET=s3cret-value\n" });
  await expect(edit({ src: ".env", edits: [{ find: "API_SECRET=guess", replace: "x" }] })).rejects.toMatchObject({
    message: ".env, pair 1: find does not occur in the file (0 times). Nothing was written.",
  });
});

it("refuses a file that is too large, or becomes so", async () => {
  const { openWith, work } = await openEditor({ "a.txt": "a".repeat(101), "b.txt": "b" });
  const { edit } = openWith({ maxBytes: 100 });
  await expect(edit({ src: "a.txt", edits: [{ find: "b", replace: "" }] })).rejects.toMatchObject({
    data: { type: "TooLarge" },
    message: expect.stringContaining("a.txt has 101 bytes; files up to 100 can be edited."),
  });
  await expect(edit({ src: "b.txt", edits: [{ find: "b", replace: "é".repeat(51) }] })).rejects.toMatchObject({
    data: { type: "TooLarge" },
    message: expect.stringContaining("b.txt would have 102 bytes"),
  });
  await edit({ src: "b.txt", edits: [{ find: "b", replace: "é".repeat(50) }] });
  expect(await work.read("b.txt")).toBe("é".repeat(50));
  expect(() => openWith({ maxBytes: 0 })).toThrow(TypeError);
});

it("tells a caller's mistake at once", async () => {
  const { editor } = await openEditor();
  const decide = async (): Promise<void> => {};
  await expect(editor.edit([{ src: "a" }] as never, { decide })).rejects.toThrow(TypeError);
  await expect(editor.edit([{ src: "a", edits: [{ find: 1 }] }] as never, { decide })).rejects.toThrow(TypeError);
  await expect(editor.edit("a" as never, { decide })).rejects.toThrow(TypeError);
});
