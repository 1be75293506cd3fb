import { chmod, link, lstat, mkdir, readlink, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openEditor } from "./open-editor.ts";

it("edits the file that a link leads to; the link stays", async () => {
  const { edit, work } = await openEditor({ "real/a.txt": "old\n" });
  await symlink("real/a.txt", work.at("link.txt"));
  const { files } = await edit({ src: "link.txt", edits: [{ find: "old", replace: "new" }] });
  expect(files).toMatchObject([{ path: "real/a.txt", sources: ["link.txt"] }]);
  expect([await work.read("real/a.txt"), await readlink(work.at("link.txt"))]).toEqual(["new\n", "real/a.txt"]);
});

it("takes a file and a link to it for one, also through a linked folder", async () => {
  const { edit, work } = await openEditor({ "real/a.txt": "1\n" });
  await symlink("real", work.at("folder"));
  await symlink("folder/a.txt", work.at("link.txt"));
  const { files } = await edit(
    { src: "real/a.txt", edits: [{ find: "1", replace: "2" }] },
    { src: "folder/a.txt", edits: [{ find: "2", replace: "3" }] },
    { src: "link.txt", edits: [{ find: "3", replace: "4" }] },
    { src: "folder/new.txt", edits: [{ find: "", replace: "n" }] },
    { src: "real/new.txt", edits: [{ find: "n", replace: "m" }] },
  );
  expect(files.map(({ path }) => path)).toEqual(["real/a.txt", "real/new.txt"]);
  expect([await work.read("real/a.txt"), await work.read("real/new.txt")]).toEqual(["4\n", "m"]);
});

it("takes a link for risky by its own name, or by that of its file", async () => {
  const { editor, work } = await openEditor({ "plain.txt": "a\n", "app.key": "a\n" });
  await symlink("plain.txt", work.at(".env"));
  await symlink("app.key", work.at("harmless.txt"));
  const asked: unknown[] = [];
  const { files } = await editor.edit(
    [".env", "harmless.txt"].map((src) => ({ src, edits: [{ find: "a", replace: "b" }] })),
    { decide: async (request) => void asked.push(request) },
  );
  expect(asked).toEqual([
    { kind: "edit", path: "plain.txt", sources: [".env"], protected: "settings that often hold secrets" },
    { kind: "edit", path: "app.key", sources: ["harmless.txt"], protected: "may hold a private key" },
  ]);
  expect(files.map(({ backup }) => backup !== undefined)).toEqual([true, true]);
});

it("follows no link out of the roots, and none that leads nowhere", async () => {
  const { edit, work, state } = await openEditor({ "a.txt": "a\n" });
  await state.write("outside.txt", "a\n");
  await symlink(state.at("outside.txt"), work.at("out.txt"));
  await symlink(state.path, work.at("folder"));
  await symlink(state.at("nowhere.txt"), work.at("dangling.txt"));
  for (const src of ["out.txt", "folder/outside.txt", "folder/new.txt", state.at("outside.txt")]) {
    await expect(edit({ src, edits: [{ find: "a", replace: "b" }] }), src).rejects.toMatchObject({
      data: { type: "OutsideRoots" },
    });
  }
  await expect(edit({ src: "dangling.txt", edits: [{ find: "", replace: "b" }] })).rejects.toMatchObject({
    data: { type: expect.stringMatching(/^(?:OutsideRoots|AccessDenied)$/) },
  });
  expect(await state.read("outside.txt")).toBe("a\n");
  expect(await state.has("nowhere.txt")).toBe(false);
});

it("notices that a folder became a link between the decision and the reading", async () => {
  const { editor, work, state } = await openEditor({ "dir/a.txt": "a\n" });
  await state.write("a.txt", "a\n");
  await expect(
    editor.edit([{ src: "dir/a.txt", edits: [{ find: "a", replace: "b" }] }], {
      decide: async () => {
        await rename(work.at("dir"), work.at("moved"));
        await symlink(state.path, work.at("dir"));
      },
    }),
  ).rejects.toMatchObject({ data: { type: "OutsideRoots" } });
  expect([await state.read("a.txt"), await work.read("moved/a.txt")]).toEqual(["a\n", "a\n"]);
});

it("notices that a file became a link to another one", async () => {
  const { editor, work } = await openEditor({ "a.txt": "a\n", ".env": "a\n" });
  await expect(
    editor.edit([{ src: "a.txt", edits: [{ find: "a", replace: "b" }] }], {
      decide: async () => {
        await rm(work.at("a.txt"));
        await symlink(".env", work.at("a.txt"));
      },
    }),
  ).rejects.toMatchObject({ data: { type: "FileChanged" } });
  expect(await work.read(".env")).toBe("a\n");
});

it.each([0o755, 0o600, 0o444])("keeps the mode %o", async (mode) => {
  const { edit, work } = await openEditor({ "a.sh": "old\n" });
  await chmod(work.at("a.sh"), mode);
  await edit({ src: "a.sh", edits: [{ find: "old", replace: "new" }] });
  expect((await stat(work.at("a.sh"))).mode & 0o777).toBe(mode);
  expect(await work.read("a.sh")).toBe("new\n");
});

it("leaves another hard link as it was", async () => {
  const { edit, work } = await openEditor({ "a.txt": "old\n" });
  await link(work.at("a.txt"), work.at("other.txt"));
  await edit({ src: "a.txt", edits: [{ find: "old", replace: "new" }] });
  expect([await work.read("a.txt"), await work.read("other.txt")]).toEqual(["new\n", "old\n"]);
});

it("refuses folders and what is no file, untouched", async () => {
  const { edit, work } = await openEditor({ "a.txt": "a\n" });
  await mkdir(work.at("dir"));
  for (const [src, type] of [
    ["dir", "NotAFile"],
    [".", "NotAFile"],
    ["a.txt/b", "NotADirectory"],
  ] as const) {
    await expect(edit({ src, edits: [{ find: "", replace: "x" }] }), src).rejects.toMatchObject({ data: { type } });
  }
  expect((await lstat(work.at("dir"))).isDirectory()).toBe(true);
});

it.each([
  ["UTF-32", Buffer.from("fffe00006f0000006c00000064000000", "hex")],
  ["UTF-16 that is cut off", Buffer.from("\ufeffold\n", "utf16le").subarray(0, -1)],
  ["UTF-8 but for a byte", Buffer.concat([Buffer.from("grün, schön, größer old\n"), Buffer.from([0xff])])],
  ["binary", Buffer.from("old\0\n")],
])("leaves a file in %s untouched", async (_, bytes) => {
  const { edit, work } = await openEditor({ "a.txt": bytes });
  await expect(edit({ src: "a.txt", edits: [{ find: "old", replace: "new" }] })).rejects.toThrow("a.txt");
  expect(await work.bytes("a.txt")).toEqual(bytes);
});

it("keeps the byte order mark, and doesn't match it", async () => {
  const { edit, work } = await openEditor({ "a.txt": "\ufeffone\r\ntwo" });
  await edit({ src: "a.txt", edits: [{ find: "one\ntwo", replace: "1\n2" }] });
  expect(await work.bytes("a.txt")).toEqual(Buffer.from("\ufeff1\r\n2"));
  await expect(edit({ src: "a.txt", edits: [{ find: "\ufeff1", replace: "" }] })).rejects.toMatchObject({
    data: { type: "FindMissing" },
  });
});

it("works with names that hold everything", async () => {
  const name = "ä 日本 $& 'x' \"y\".txt";
  const { edit, work } = await openEditor({ [name]: "old\n" });
  await edit({ src: name, edits: [{ find: "old", replace: "new" }] });
  expect(await work.read(name)).toBe("new\n");
});

it("refuses when something is written between the reading and the writing", async () => {
  const { openWith, work, journal } = await openEditor({ "a.txt": "a\n", "b.txt": "b\n" });
  const { edit } = openWith({
    journal: {
      undo: journal.undo,
      commit: async (changes, options) => {
        await writeFile(work.at("b.txt"), "other\n");
        return journal.commit(changes, options);
      },
    },
  });
  await expect(
    edit(
      { src: "a.txt", edits: [{ find: "a", replace: "1" }] },
      { src: "b.txt", edits: [{ find: "b", replace: "2" }] },
    ),
  ).rejects.toMatchObject({ data: { type: "FileChanged" }, message: expect.stringContaining("b.txt") });
  expect([await work.read("a.txt"), await work.read("b.txt")]).toEqual(["a\n", "other\n"]);
});
