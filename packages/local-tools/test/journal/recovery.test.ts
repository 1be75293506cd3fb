import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { bundle, start } from "@toolglot/internal/testing/programs";
import { beforeAll, expect, it } from "vitest";
import { Roots } from "../../src/files/roots.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import { change, newScene, type Scene, tree } from "./place.ts";
import { scenarios } from "./scenarios.ts";

let program: string;

beforeAll(async () => {
  program = await bundle("change", import.meta.dirname);
});

const scenario = "edit of three files";
const old = { "a.txt": "old a\n", "c.bin": "old c\n", "sub/": "", "sub/b.txt": "old b\n" };
const made = { "a.txt": "new a, longer\n", "c.bin": "", "sub/": "", "sub/b.txt": "new b\n" };
const neither = (path: string): string =>
  `${path} holds neither what it held before the change nor what the change wrote, and was left as it is. What it held before is kept in the journal.`;

/** A scene in which a process was killed in the midst of the edit. */
async function killed(killAt: string): Promise<Scene> {
  const scene = await newScene();
  await scenarios[scenario].prepare(await scene.open(), scene.root);
  expect((await start(program, { root: scene.root, dir: scene.dir, scenario, killAt }).ended).signal).toBe("SIGKILL");
  return scene;
}

it("should say what it repaired at the opening, once", async () => {
  const { root, open } = await killed("replaced 1");
  const { recovered } = await open();
  expect(recovered).toMatchObject([{ state: "rolled-back", files: [{}, {}, {}] }]);
  expect(recovered[0]?.files.map(({ path }) => path)).toEqual(
    ["a.txt", "sub/b.txt", "c.bin"].map((name) => join(root, name)),
  );
  expect(tree(root)).toEqual(old);
  expect((await open()).recovered).toEqual([]);
  const complete = await killed("settled");
  expect((await complete.open()).recovered).toMatchObject([{ state: "done" }]);
  expect(tree(complete.root)).toEqual(made);
});

it("should repair with the old contents of the journal when the hidden files are gone", async () => {
  const { root, open } = await killed("replaced 1");
  const hidden = [root, join(root, "sub")].flatMap((folder) =>
    readdirSync(folder).flatMap((name) => (name.startsWith(".toolglot-") ? [join(folder, name)] : [])),
  );
  expect(hidden.length).toBeGreaterThan(0);
  for (const path of hidden) rmSync(path);
  expect((await open()).recovered).toMatchObject([{ state: "rolled-back" }]);
  expect(tree(root)).toEqual(old);
  expect(statSync(join(root, "a.txt")).mode & 0o7777).toBe(0o640);
});

it("should not trust a hidden file that holds something else", async () => {
  const { root, open } = await killed("replaced 1");
  for (const name of readdirSync(root).filter((name) => name.endsWith("-0.old")))
    writeFileSync(join(root, name), "old x\n");
  await open();
  expect(tree(root)).toEqual(old);
});

it("should leave a file alone that somebody changed since, and put the others back", async () => {
  const { root, open } = await killed("replaced 1");
  writeFileSync(join(root, "a.txt"), "mine");
  const journal = await open();
  expect(journal.recovered).toMatchObject([{ state: "conflict", trouble: [neither("a.txt")] }]);
  expect(tree(root)).toEqual({ ...old, "a.txt": "mine" });
  expect(await journal.list()).toMatchObject([{ state: "conflict", trouble: [neither("a.txt")] }]);
  const id = journal.recovered[0]?.id ?? "";
  await expect(journal.undo(id)).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
  await expect(journal.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
  expect((await open()).recovered).toEqual([]);
});

it("should let a change stand that was complete but for a file that somebody changed since", async () => {
  const { root, open } = await killed("settled");
  writeFileSync(join(root, "a.txt"), "mine");
  expect((await open()).recovered).toMatchObject([{ state: "conflict", trouble: [neither("a.txt")] }]);
  expect(tree(root)).toEqual({ ...made, "a.txt": "mine" });
});

it("should not take for a conflict what was changed before any file was replaced", async () => {
  const { root, open } = await killed("verified");
  writeFileSync(join(root, "a.txt"), "mine");
  writeFileSync(join(root, "c.bin"), "");
  expect((await open()).recovered).toMatchObject([{ state: "rolled-back" }]);
  expect(tree(root)).toEqual({ ...old, "a.txt": "mine", "c.bin": "" });
});

// A simulation: what was flushed last is as it was, what was not may be lost.
it.runIf(process.platform === "linux")("should go by the content of the files after a power cut", async () => {
  for (const [killAt, left, state] of [
    ["replaced 1", old, "rolled-back"],
    ["replaced 2", made, "done"],
    ["verified", old, "rolled-back"],
  ] as const) {
    const { root, dir, open } = await killed(killAt);
    const [name = ""] = readdirSync(dir).filter((name) => /\.(prepared|committing)$/.test(name));
    const record = readFileSync(join(dir, name), "utf8").replace(/"boot":"[^"]+"/, '"boot":"before"');
    rmSync(join(dir, name));
    writeFileSync(join(dir, name.replace("committing", "prepared")), record);
    expect((await open()).recovered, killAt).toMatchObject([{ state }]);
    expect(tree(root), killAt).toEqual(left);
  }
});

it("should remove a record of which a power cut took the end", async () => {
  const { dir, open } = await newScene();
  const journal = await open();
  const { root, dir: from } = await killed("prepared");
  const [name = ""] = readdirSync(from).filter((name) => name.endsWith(".prepared"));
  const record = readFileSync(join(from, name));
  const line = record.indexOf("\n") + 1;
  for (const end of [0, 1, line - 1, line, record.length - 1]) {
    const bytes = end === line - 1 ? Buffer.alloc(record.length) : record.subarray(0, end);
    writeFileSync(join(dir, name), bytes);
    expect([(await open()).recovered, await journal.list()], `${end}`).toEqual([[], []]);
    await expect(journal.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
    expect(readdirSync(dir), `${end}`).toEqual(["lock"]);
  }
  expect(tree(root)).toEqual(old);
});

it("should leave a file alone whose folder is gone, or leads elsewhere", async () => {
  const gone = await killed("replaced 1");
  rmSync(join(gone.root, "sub"), { recursive: true });
  expect((await gone.open()).recovered).toMatchObject([{ state: "conflict", trouble: [neither("sub/b.txt")] }]);
  const { base, root, open } = await killed("replaced 1");
  mkdirSync(join(base, "elsewhere"));
  writeFileSync(join(base, "elsewhere/b.txt"), "new b\n");
  renameSync(join(root, "sub"), join(root, "moved"));
  symlinkSync(join(base, "elsewhere"), join(root, "sub"));
  const trouble = ["sub changed while it was looked at. The change waits for repair."];
  expect((await open()).recovered).toMatchObject([{ state: "conflict", trouble }]);
  expect(readdirSync(join(base, "elsewhere"))).toEqual(["b.txt"]);
  expect(readFileSync(join(base, "elsewhere/b.txt"), "utf8")).toBe("new b\n");
  // It waits until it can be repaired.
  rmSync(join(root, "sub"));
  renameSync(join(root, "moved"), join(root, "sub"));
  expect((await open()).recovered).toMatchObject([{ state: "rolled-back" }]);
  expect(tree(root)).toEqual(old);
});

it("should wait with the repair of files that lie in other roots", async () => {
  const { root, base, dir, open } = await killed("replaced 1");
  mkdirSync(join(base, "other"));
  const other = await openJournal({ dir, roots: await Roots.open([join(base, "other")]) });
  expect(other.recovered).toMatchObject([{ state: "conflict" }]);
  expect(other.recovered[0]?.trouble?.[0]).toContain("is outside the folders that may be used");
  expect(await other.list()).toMatchObject([{ state: "conflict" }]);
  await other.commit([change(join(base, "other"), "x", null, "x")]);
  expect((await open()).recovered).toMatchObject([{ state: "rolled-back" }]);
  expect(tree(root)).toEqual(old);
});

it("should repair what another process left before it makes a change of its own", async () => {
  const scene = await newScene();
  const journal = await scene.open();
  await scenarios[scenario].prepare(journal, scene.root);
  await start(program, { root: scene.root, dir: scene.dir, scenario, killAt: "replaced 1" }).ended;
  await journal.commit([change(scene.root, "a.txt", "old a\n", "next")]);
  expect(tree(scene.root)).toEqual({ ...old, "a.txt": "next" });
  expect((await journal.list()).map(({ state }) => state)).toEqual(["done", "rolled-back"]);
});

it("should say what else lies in its folder, and leave it alone", async () => {
  const { root, dir, open } = await newScene();
  const journal = await open();
  const id = await journal.commit([change(root, "a", null, "a")]);
  writeFileSync(join(dir, "notes.txt"), "mine");
  // A record of an earlier version, which was a folder.
  mkdirSync(join(dir, "000000900-abcdef"));
  writeFileSync(join(dir, "000000900-abcdef/committing.json"), "{}");
  mkdirSync(join(dir, "000000905-abcdef.committing"));
  symlinkSync(`${id}.done`, join(dir, "000000906-abcdef.committing"));
  const [line = ""] = readFileSync(join(dir, `${id}.done`), "utf8").split("\n");
  for (const [number, text] of Object.entries({
    "000000901": "",
    "000000902": "{",
    "000000903": JSON.stringify({ version: 2, id: "000000903-abcdef", files: [{ path: "../x" }] }),
    "000000904": line,
    "000000907": line.replaceAll(id, "000000907-abcdef").replace('"version":2', '"version":3'),
  })) {
    writeFileSync(join(dir, `${number}-abcdef.committing`), text);
  }
  writeFileSync(join(dir, "000000908-abcdef.begun"), line.replaceAll(id, "000000908-abcdef"));
  const before = tree(dir);
  const again = await open();
  const unreadable = (number: number): unknown[] => {
    const id = `000000${number}-abcdef`;
    return [id, "conflict", [`The record ${id} can't be read; it was left alone.`]];
  };
  const foreign = (name: string): unknown[] => [
    name,
    "conflict",
    [`${name} is no record of a change; it was left alone.`],
  ];
  expect(again.recovered.map(({ id, state, trouble }) => [id, state, trouble])).toEqual([
    foreign("000000900-abcdef"),
    ...[901, 902, 903, 904, 905, 906, 907].map(unreadable),
    foreign("000000908-abcdef.begun"),
    foreign("notes.txt"),
  ]);
  expect(tree(dir)).toEqual(before);
  // Changes after it come after it.
  const next = await again.commit([change(root, "a", "a", "b")]);
  expect(next > "000000907").toBe(true);
  expect((await again.list()).map(({ id }) => id)).toEqual([next, id]);
});

it("should keep its files to the user", async () => {
  const { root, dir, open } = await killed("synced");
  await (await open()).commit([change(root, "x", null, "x")]);
  const modes = (folder: string): number[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return [
        statSync(path).mode & (entry.isDirectory() ? 0o7077 : 0o7177),
        ...(entry.isDirectory() ? modes(path) : []),
      ];
    });
  expect(statSync(dir).mode & 0o7777).toBe(0o700);
  expect(new Set(modes(dir))).toEqual(new Set([0]));
});

it("should say what is wrong with a folder that can't be used", async () => {
  const { root, base, dir, open } = await newScene();
  writeFileSync(join(base, "file"), "");
  for (const [path, cause] of [
    ["file", "ENOTDIR"],
    ["file/below", "ENOTDIR"],
    [`${"n".repeat(300)}/x`, "ENAMETOOLONG"],
  ] as const) {
    const opened = open({ dir: join(base, path) });
    await expect(opened, path).rejects.toMatchObject({ code: "local-tools/journal-unusable", data: { cause } });
  }
  const journal = await open();
  rmSync(dir, { recursive: true });
  await expect(journal.commit([change(root, "a", null, "a")])).rejects.toMatchObject({
    message: "The change journal can't be used (ENOENT). Nothing was changed.",
    data: { type: "WriteFailed" },
  });
  await expect(journal.list()).rejects.toMatchObject({ code: "local-tools/journal-unusable" });
  expect(readdirSync(root)).toEqual([]);
});

it("should refuse to lie in a root, or around one", async () => {
  const { root, base, open } = await newScene();
  symlinkSync(root, join(base, "link"));
  symlinkSync(join(base, "nowhere"), join(base, "dangling"));
  for (const dir of [
    root,
    join(root, "state"),
    join(root, "a/b/c"),
    join(base, "link/state"),
    base,
    join(base, "dangling/x"),
  ]) {
    await expect(open({ dir }), dir).rejects.toThrow(TypeError);
  }
  expect(readdirSync(root)).toEqual([]);
});
