import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bytes, newScene, tree } from "./place.ts";

const edit = (path: string, before: string, after: string) => ({ path, before: bytes(before), after: bytes(after) });

it("should write every file of a change and keep each one's mode", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a.sh"), "old a");
  chmodSync(join(root, "a.sh"), 0o751);
  writeFileSync(join(root, "b.txt"), "old b");
  chmodSync(join(root, "b.txt"), 0o600);
  const journal = await open();
  const id = await journal.commit([edit(join(root, "a.sh"), "old a", "new a"), edit(join(root, "b.txt"), "old b", "new b")]);
  expect(tree(root)).toEqual({ "a.sh": "new a", "b.txt": "new b" });
  expect(statSync(join(root, "a.sh")).mode & 0o7777).toBe(0o751);
  expect(statSync(join(root, "b.txt")).mode & 0o7777).toBe(0o600);
  const [record] = await journal.list();
  expect(record).toMatchObject({
    id,
    state: "done",
    files: [
      { path: join(root, "a.sh"), created: false, removed: false },
      { path: join(root, "b.txt"), created: false, removed: false },
    ],
  });
  expect(Math.abs((record?.at ?? 0) - Date.now())).toBeLessThan(60_000);
});

it("should make files with the folders they need, and remove files", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "gone.txt"), "x");
  const journal = await open();
  await journal.commit([
    { path: join(root, "one/two/new.txt"), before: null, after: bytes("new") },
    { path: join(root, "one/run.sh"), before: null, after: bytes("run"), mode: 0o700 },
    { path: join(root, "gone.txt"), before: bytes("x"), after: null },
  ]);
  expect(tree(root)).toEqual({ "one/": "", "one/two/": "", "one/two/new.txt": "new", "one/run.sh": "run" });
  expect(statSync(join(root, "one/run.sh")).mode & 0o7777).toBe(0o700);
  expect(statSync(join(root, "one/two/new.txt")).mode & 0o7777).toBe(0o644 & ~process.umask());
  expect((await journal.list())[0]?.files.map(({ created, removed }) => [created, removed])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
});
