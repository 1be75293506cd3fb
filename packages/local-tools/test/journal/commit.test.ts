import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { bytes, change, newScene, tree } from "./place.ts";

it("should write every file of a change and keep each one's mode and owner", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a.sh"), "old a");
  chmodSync(join(root, "a.sh"), 0o751);
  writeFileSync(join(root, "b.txt"), "old b");
  chmodSync(join(root, "b.txt"), 0o600);
  const owner = process.getuid?.() === 0 ? 12345 : (process.getuid?.() ?? 0);
  chownSync(join(root, "b.txt"), owner, owner);
  const journal = await open();
  const id = await journal.commit([change(root, "a.sh", "old a", "new a"), change(root, "b.txt", "old b", "new b")]);
  expect(tree(root)).toEqual({ "a.sh": "new a", "b.txt": "new b" });
  expect(statSync(join(root, "a.sh")).mode & 0o7777).toBe(0o751);
  const { mode, uid, gid } = statSync(join(root, "b.txt"));
  expect([mode & 0o7777, uid, gid]).toEqual([0o600, owner, owner]);
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
    change(root, "one/two/new.txt", null, "new"),
    { ...change(root, "one/run.sh", null, "run"), mode: 0o700 },
    change(root, "gone.txt", "x", null),
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

it("should keep any bytes as they are", async () => {
  const { root, open } = await newScene();
  const before = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
  const after = before.toReversed();
  writeFileSync(join(root, "raw"), before);
  const journal = await open();
  await journal.commit([{ path: join(root, "raw"), before, after }]);
  expect(new Uint8Array(readFileSync(join(root, "raw")))).toEqual(after);
  await journal.undo();
  expect(new Uint8Array(readFileSync(join(root, "raw")))).toEqual(before);
});

it("should write the bytes as they were when it was asked to", async () => {
  const { root, open } = await newScene();
  const journal = await open();
  const after = bytes("asked");
  const made = journal.commit([{ path: join(root, "a"), before: null, after }]);
  after.fill(0);
  await made;
  expect(tree(root)).toEqual({ a: "asked" });
});

it("should not touch a file that is to hold what it holds, but look at it", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "same"), "same");
  writeFileSync(join(root, "other"), "other");
  const { ino, mtimeMs } = statSync(join(root, "same"));
  const journal = await open();
  await journal.commit([change(root, "same", "same", "same"), change(root, "other", "other", "new")]);
  expect(statSync(join(root, "same"))).toMatchObject({ ino, mtimeMs });
  const late = journal.commit([change(root, "same", "not this", "not this"), change(root, "other", "new", "newer")]);
  await expect(late).rejects.toMatchObject({ data: { type: "FileChanged" } });
  expect(tree(root)).toEqual({ same: "same", other: "new" });
});

it("should leave the other names of a file with the old content", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a"), "old");
  linkSync(join(root, "a"), join(root, "b"));
  await (await open()).commit([change(root, "a", "old", "new")]);
  expect(tree(root)).toEqual({ a: "new", b: "old" });
});

it("should refuse a change of a file that does not hold what was planned for, before anything is written", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a"), "a");
  writeFileSync(join(root, "b"), "changed since");
  mkdirSync(join(root, "folder"));
  symlinkSync("a", join(root, "link"));
  const journal = await open();
  const refused = async (path: string, before: string | null, after: string | null): Promise<string> => {
    const made = journal.commit([change(root, "a", "a", "new a"), change(root, path, before, after)]);
    const error = await made.then(
      () => undefined,
      (error: Error) => error,
    );
    expect(localErrorType(error)).toBe("FileChanged");
    return error?.message ?? "";
  };
  expect(await refused("b", "b", "new b")).toBe("b changed since it was read.");
  expect(await refused("b", "b", null)).toBe("b changed since it was read.");
  expect(await refused("b", "as long as it", "new b")).toBe("b changed since it was read.");
  expect(await refused("none", "c", "new")).toBe("none was removed since it was read.");
  expect(await refused("no/folder/c", "c", "new")).toBe("no/folder/c was removed since it was read.");
  expect(await refused("b", null, "new")).toBe("b is there now, and was not when the change was planned.");
  expect(await refused("folder", null, "new")).toBe("folder is there now, and was not when the change was planned.");
  expect(await refused("link", "a", "new")).toBe("link changed since it was read.");
  await refused("a/below", null, "new");
  expect(tree(root)).toEqual({ a: "a", b: "changed since", "folder/": "", link: "(link)" });
  expect(await journal.list()).toEqual([]);
});

// What may come between the first look and the replacing, and what is left then.
const meanwhile: [string, string, (root: string) => void, Record<string, string>][] = [
  ["is written in place", "new-written 0", (root) => writeFileSync(join(root, "sub/b"), "mine"), { "sub/b": "mine" }],
  [
    "is written in place, as long as before",
    "verified",
    (root) => writeFileSync(join(root, "sub/b"), "OLD"),
    { "sub/b": "OLD" },
  ],
  ["is removed", "verified", (root) => unlinkSync(join(root, "sub/b")), {}],
  [
    "is replaced by the same content",
    "committing",
    (root) => {
      writeFileSync(join(root, "sub/b2"), "old");
      renameSync(join(root, "sub/b2"), join(root, "sub/b"));
    },
    { "sub/b": "old" },
  ],
  [
    "becomes a folder",
    "replaced 0",
    (root) => {
      unlinkSync(join(root, "sub/b"));
      mkdirSync(join(root, "sub/b"));
    },
    { "sub/b/": "" },
  ],
];

it.each(meanwhile)("should take all back when a file %s at the moment %s", async (_how, moment, disturb, left) => {
  const { root, open } = await newScene();
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "a"), "a");
  writeFileSync(join(root, "sub/b"), "old");
  const { ino } = statSync(join(root, "a"));
  const journal = await open({
    onPoint: (name) => {
      if (name === moment) disturb(root);
    },
  });
  const made = journal.commit([
    change(root, "a", "a", "new a"),
    change(root, "sub/b", "old", "new"),
    change(root, "x/y", null, "y"),
  ]);
  await expect(made).rejects.toMatchObject({ data: { type: "FileChanged" } });
  expect(tree(root)).toEqual({ a: "a", "sub/": "", ...left });
  // The file itself came back, not a copy of it.
  expect(statSync(join(root, "a")).ino).toBe(ino);
  expect((await journal.list()).map(({ state }) => state)).toEqual(["rolled-back"]);
});

it("should never write over a file that came after the last look", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "a"), "a");
  const journal = await open({
    onPoint: (name) => {
      if (name === "replaced 0") writeFileSync(join(root, "b"), "mine");
    },
  });
  const made = journal.commit([change(root, "a", "a", "new a"), change(root, "b", null, "new b")]);
  await expect(made).rejects.toMatchObject({ data: { type: "FileChanged" } });
  expect(tree(root)).toEqual({ a: "a", b: "mine" });
});

it("should leave a file alone that somebody changed while the change was taken back, and say so", async () => {
  const { root, open } = await newScene();
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), name);
  const journal = await open({
    onPoint: (name) => {
      if (name === "replaced 1") writeFileSync(join(root, "a"), "mine");
      if (name === "replaced 1") writeFileSync(join(root, "c"), "mine, too");
    },
  });
  const made = journal.commit(["a", "b", "c"].map((name) => change(root, name, name, `new ${name}`)));
  const sentence =
    "a holds neither what it held before the change nor what the change wrote, and was left as it is. What it held before is kept in the journal.";
  await expect(made).rejects.toMatchObject({
    message: `c changed since it was read. Not all of it could be taken back: ${sentence}`,
    data: { type: "FileChanged" },
  });
  expect(tree(root)).toEqual({ a: "mine", b: "b", c: "mine, too" });
  expect(await journal.list()).toMatchObject([{ state: "conflict", trouble: [sentence] }]);
});

it("should name the file that the system refuses to write, and take all back", async () => {
  const { root, open } = await newScene();
  const long = "n".repeat(256);
  writeFileSync(join(root, "a"), "a");
  const journal = await open();
  const made = journal.commit([change(root, "a", "a", "new"), change(root, long, null, "x")]);
  await expect(made).rejects.toMatchObject({
    message: `${long} can't be written (ENAMETOOLONG).`,
    data: { type: "WriteFailed" },
  });
  // A folder that vanishes under the change.
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/b"), "b");
  const other = await open({
    onPoint: (name) => {
      if (name === "old-linked 1") rmSync(join(root, "sub"), { recursive: true });
    },
  });
  const late = other.commit([change(root, "a", "a", "new"), change(root, "sub/b", "b", "new")]);
  await expect(late).rejects.toMatchObject({ message: "sub/b was removed since it was read." });
  expect(tree(root)).toEqual({ a: "a" });
});

it("should write nothing once another process took it for dead and the lock from it", async () => {
  const { root, dir, open } = await newScene();
  const journal = await open({
    onPoint: (name) => {
      if (name === "verified") writeFileSync(join(dir, "lock/held-2"), "");
    },
  });
  await expect(journal.commit([change(root, "x/a", null, "a")])).rejects.toMatchObject({
    message: "Another process took the change journal for abandoned. Nothing was changed.",
    data: { type: "WriteFailed" },
  });
  expect(tree(root)).toEqual({});
});

it("should refuse to finish when a folder is no longer what its path leads to", async () => {
  const { root, open } = await newScene();
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "sub/b"), "b");
  for (const moment of ["verified", "replaced 0"]) {
    const journal = await open({
      onPoint: (name) => {
        if (name !== moment) return;
        renameSync(join(root, "sub"), join(root, "moved"));
        mkdirSync(join(root, "sub"));
      },
    });
    await expect(journal.commit([change(root, "sub/b", "b", "new")])).rejects.toMatchObject({
      message: "sub was moved or replaced while its files were written.",
      data: { type: "FileChanged" },
    });
    expect(tree(root)).toEqual({ "sub/": "", "moved/": "", "moved/b": "b" });
    rmSync(join(root, "sub"), { recursive: true });
    renameSync(join(root, "moved"), join(root, "sub"));
  }
});

it("should refuse paths outside the roots, and throw for what is no change", async () => {
  const { root, base, open } = await newScene();
  writeFileSync(join(base, "outside"), "x");
  symlinkSync(base, join(root, "out"));
  const journal = await open();
  const commit = (...changes: unknown[]) => journal.commit(changes as never);
  await expect(commit(change(base, "outside", "x", "y"))).rejects.toMatchObject({ data: { type: "OutsideRoots" } });
  await expect(commit(change(root, "out/outside", "x", "y"))).rejects.toMatchObject({ data: { type: "FileChanged" } });
  await expect(commit(change(root, "out/new", null, "y"))).rejects.toMatchObject({ data: { type: "FileChanged" } });
  // A link inside the roots: the real path is another one.
  mkdirSync(join(root, "real/sub"), { recursive: true });
  symlinkSync("real", join(root, "way"));
  await expect(commit(change(root, "way/sub/new", null, "y"))).rejects.toMatchObject({ data: { type: "FileChanged" } });
  const mistakes = [
    [],
    [{ path: "a", before: null, after: bytes("x") }],
    [{ path: `${root}/../b`, before: null, after: bytes("x") }],
    [{ path: join(root, "a"), before: null, after: null }],
    [{ path: join(root, "a"), before: null, after: "x" }],
    [{ path: join(root, "a"), before: null, after: bytes("x"), mode: -1 }],
    [change(root, "a", null, "x"), change(root, "a", null, "y")],
  ];
  for (const mistake of mistakes) await expect(commit(...mistake)).rejects.toThrow(TypeError);
  expect(tree(join(root, "real"))).toEqual({ "sub/": "" });
  expect(readFileSync(join(base, "outside"), "utf8")).toBe("x");
  expect(lstatSync(join(root, "out")).isSymbolicLink()).toBe(true);
});

it("should make changes one after the other that are asked for at once", async () => {
  const { root, open } = await newScene();
  writeFileSync(join(root, "n"), "0");
  const journal = await open();
  const made = Array.from({ length: 8 }, (_, index) => journal.commit([change(root, "n", `${index}`, `${index + 1}`)]));
  const ids = await Promise.all(made);
  expect(tree(root)).toEqual({ n: "8" });
  expect((await journal.list()).map(({ id }) => id)).toEqual(ids.toReversed());
});
