import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { change, newScene, tree } from "./place.ts";

const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));

it("should undo the newest change, then the one before it, then nothing", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a"), "one");
  const journal = await open();
  const first = await journal.commit([change(root, "a", "one", "two")]);
  const second = await journal.commit([change(root, "a", "two", "three"), change(root, "b", null, "b")]);
  const undone = await journal.undo();
  expect(undone.undone).toBe(second);
  expect(undone.changes.map(({ path, before, after }) => [path, text(before), text(after)])).toEqual([
    [join(root, "a"), "three", "two"],
    [join(root, "b"), "b", null],
  ]);
  expect(tree(root)).toEqual({ a: "two" });
  // Another process goes on from there.
  const later = await open();
  expect((await later.undo()).undone).toBe(first);
  expect(tree(root)).toEqual({ a: "one" });
  await expect(later.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
  const states = (await later.list()).map(({ state, undoes }) => [state, undoes]);
  expect(states).toEqual([
    ["done", first],
    ["done", second],
    ["undone", undefined],
    ["undone", undefined],
  ]);
  // What is done after an undoing is the next to be undone.
  const third = await later.commit([change(root, "a", "one", "four")]);
  expect((await later.undo()).undone).toBe(third);
  await expect(later.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
});

it("should make a removed file again with its mode, and remove made folders when they are empty", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "tool.sh"), "x");
  chmodSync(join(root, "tool.sh"), 0o750);
  const journal = await open();
  await journal.commit([
    change(root, "tool.sh", "x", null),
    change(root, "p/q/r", null, "r"),
    change(root, "p/s/t", null, "t"),
  ]);
  writeFileSync(join(root, "p/s/mine"), "mine");
  const { id } = await journal.undo();
  expect(tree(root)).toEqual({ "tool.sh": "x", "p/": "", "p/s/": "", "p/s/mine": "mine" });
  expect(statSync(join(root, "tool.sh")).mode & 0o7777).toBe(0o750);
  // An undoing can be undone by its id; then the change can be undone again.
  await journal.undo(id);
  expect(tree(root)).toEqual({ "p/": "", "p/q/": "", "p/q/r": "r", "p/s/": "", "p/s/mine": "mine", "p/s/t": "t" });
  expect((await journal.list()).map(({ state }) => state)).toEqual(["done", "undone", "done"]);
  await journal.undo();
  expect(tree(root)).toEqual({ "tool.sh": "x", "p/": "", "p/s/": "", "p/s/mine": "mine" });
});

it("should refuse to undo what was changed since, and change nothing", async () => {
  const { root, open } = await newScene();
  mkdirSync(join(root, "sub"));
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), name);
  const journal = await open();
  const changes = ["a", "b", "c"].map((name) => change(root, name, name, `new ${name}`));
  const id = await journal.commit([...changes, change(root, "sub/d", null, "d")]);
  writeFileSync(join(root, "b"), "mine");
  rmSync(join(root, "sub"), { recursive: true });
  const refused = journal.undo();
  await expect(refused).rejects.toMatchObject({
    message: `Change ${id} can't be undone: b was changed since; sub/d was changed since.`,
    data: { type: "UndoConflict" },
  });
  expect(tree(root)).toEqual({ a: "new a", b: "mine", c: "new c" });
  expect((await journal.list()).map(({ state }) => state)).toEqual(["done"]);
  // With its content back it can be undone.
  writeFileSync(join(root, "b"), "new b");
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/d"), "d");
  await journal.undo();
  expect(tree(root)).toEqual({ a: "a", b: "b", c: "c", "sub/": "" });
});

it("should undo an older change by its id only while later ones left its files alone", async () => {
  const { root, open } = await newScene();
  for (const name of ["a", "b"]) writeFileSync(join(root, name), name);
  const journal = await open();
  const first = await journal.commit([change(root, "a", "a", "a1")]);
  const second = await journal.commit([change(root, "b", "b", "b1")]);
  const third = await journal.commit([change(root, "b", "b1", "b2")]);
  await expect(journal.undo(second)).rejects.toMatchObject({ data: { type: "UndoConflict" } });
  expect((await journal.undo(first)).undone).toBe(first);
  expect(tree(root)).toEqual({ a: "a", b: "b2" });
  await expect(journal.undo(first)).rejects.toMatchObject({ message: `Change ${first} is undone already.` });
  await expect(journal.undo("../../etc")).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
  expect((await journal.undo()).undone).toBe(third);
  expect((await journal.undo()).undone).toBe(second);
});

it("should take a commit's word for what it undoes, when that can be", async () => {
  const { root, open } = await newScene();
  const journal = await open();
  const made = await journal.commit([change(root, "a", null, "a")]);
  await journal.commit([change(root, "a", "a", "by hand")], { undoes: made });
  expect((await journal.list()).map(({ state, undoes }) => [state, undoes])).toEqual([
    ["done", made],
    ["undone", undefined],
  ]);
  const again = journal.commit([change(root, "a", "by hand", "x")], { undoes: made });
  await expect(again).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
});

it("should not undo with an old content that was lost or altered in the journal", async () => {
  const { root, dir, open } = await newScene();
  writeFileSync(join(root, "a"), "a");
  const journal = await open();
  const id = await journal.commit([change(root, "a", "a", "b")]);
  const record = join(dir, `${id}.done`);
  const manifest = readFileSync(record, "utf8").split("\n", 1);
  for (const spoiled of [`${manifest}\nz`, `${manifest}\n`]) {
    writeFileSync(record, spoiled);
    await expect(journal.undo()).rejects.toMatchObject({
      message: `Change ${id} can't be undone: what a held before is not in the journal any more.`,
    });
  }
  expect(tree(root)).toEqual({ a: "b" });
});
