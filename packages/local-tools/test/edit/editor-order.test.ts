import { expect, it } from "vitest";
import { PathQueue } from "../../src/files/file-operations.ts";
import { openEditor } from "./open-editor.ts";

it("makes edits of one file that run at once one after the other: none is lost", async () => {
  const { edit, work, record } = await openEditor({ "a.txt": "0\n" });
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => edit({ src: "a.txt", edits: [{ find: `${at}\n`, replace: `${at + 1}\n` }] })),
  );
  expect(await work.read("a.txt")).toBe("20\n");
  expect(await record()).toHaveLength(20);
});

it("makes sets that share some files one after the other, whatever their order", async () => {
  const { edit, work } = await openEditor({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  const add = (...names: string[]): ReturnType<typeof edit> =>
    edit(...names.map((name) => ({ src: `${name}.txt`, edits: [{ find: name, replace: `${name}+` }] })));
  await Promise.all([add("a", "b"), add("b", "a"), add("c", "a"), add("b", "c"), add("c")]);
  expect([await work.read("a.txt"), await work.read("b.txt"), await work.read("c.txt")]).toEqual([
    "a+++",
    "b+++",
    "c+++",
  ]);
});

it("goes on with what a set before it made, and after one that failed", async () => {
  const { edit, work } = await openEditor();
  const [first, second, third] = await Promise.allSettled([
    edit({ src: "new.txt", edits: [{ find: "", replace: "one" }] }),
    edit({ src: "new.txt", edits: [{ find: "two", replace: "" }] }),
    edit({ src: "new.txt", edits: [{ find: "one", replace: "three" }] }),
  ]);
  expect([first.status, second.status, third.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(third).toMatchObject({ value: { files: [{ created: false }] } });
  expect(await work.read("new.txt")).toBe("three");
});

it("undoes what was made, by name or the newest, with diffs", async () => {
  const { edit, editor, work } = await openEditor({ "a.txt": "1\n", "b.txt": "1\n" });
  const { id } = await edit({ src: "a.txt", edits: [{ find: "1", replace: "2" }] });
  await edit(
    { src: "b.txt", edits: [{ find: "1", replace: "2" }] },
    { src: "new.txt", edits: [{ find: "", replace: "n\n" }] },
  );
  expect(await editor.undo(id)).toEqual({
    id,
    files: [{ path: "a.txt", removed: false, diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-2\n+1\n" }],
  });
  const undone = await editor.undo();
  expect(undone.files.map(({ path, removed }) => [path, removed]).sort()).toEqual([
    ["b.txt", false],
    ["new.txt", true],
  ]);
  expect([await work.read("a.txt"), await work.read("b.txt"), await work.has("new.txt")]).toEqual([
    "1\n",
    "1\n",
    false,
  ]);
  await expect(editor.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
});

it("undoes changes of files that are no text, too", async () => {
  const { editor, work, journal } = await openEditor({ "a.bin": Buffer.from([1, 0]) });
  await journal.commit([{ path: work.at("a.bin"), before: Buffer.from([1, 0]), after: Buffer.from([2, 0]) }]);
  expect((await editor.undo()).files).toEqual([
    { path: "a.bin", removed: false, diff: "Binary file a.bin was put back\n" },
  ]);
  expect(await work.bytes("a.bin")).toEqual(Buffer.from([1, 0]));
});

it("lets edits of other files go on, and an undo wait for all", async () => {
  const queue = new PathQueue();
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const task = (name: string) => async (): Promise<void> => {
    log.push(`${name} starts`);
    await new Promise<void>((open) => gates.set(name, open));
    log.push(`${name} ends`);
  };
  const all = [
    queue.run(["a", "b"], task("ab")),
    queue.run(["c"], task("c")),
    queue.run(["b"], task("b")),
    queue.runAlone(task("alone")),
    queue.run(["d"], task("d")),
  ];
  const open = async (name: string): Promise<void> => {
    while (!gates.has(name)) await new Promise((next) => setImmediate(next));
    gates.get(name)?.();
    for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next));
  };
  await open("c");
  await open("ab");
  await open("b");
  await open("alone");
  await open("d");
  await Promise.all(all);
  expect(log).toEqual([
    "ab starts",
    "c starts",
    "c ends",
    "ab ends",
    "b starts",
    "b ends",
    "alone starts",
    "alone ends",
    "d starts",
    "d ends",
  ]);
});
