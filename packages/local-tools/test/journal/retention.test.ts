import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { change, newScene } from "./place.ts";

const recordsIn = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => (name === "lock" ? [] : [name.replace(/\.(done|rolled-back)$/, "")]));

it("should keep the last changes, and undo as far back as they go", async () => {
  const { root, dir, open } = await newScene();
  const journal = await open({ maxChanges: 3 });
  const ids: string[] = [await journal.commit([change(root, "n", null, "0")])];
  for (let n = 0; n < 6; n++) ids.push(await journal.commit([change(root, "n", `${n}`, `${n + 1}`)]));
  expect((await journal.list()).map(({ id }) => id)).toEqual(ids.slice(-3).reverse());
  expect(recordsIn(dir).sort()).toEqual(ids.slice(-3));
  expect((await journal.undo()).undone).toBe(ids.at(-1));
  expect((await journal.undo()).undone).toBe(ids.at(-2));
  await expect(journal.undo()).rejects.toMatchObject({ data: { type: "NothingToUndo" } });
});

it("should see what another journal of the folder wrote, and what it left half done", async () => {
  const { root, dir, open } = await newScene();
  let isFailing = false;
  const failing = ["settled", "restored", "tidied"];
  const other = await open({
    onPoint: (name) => {
      if (isFailing && failing.some((point) => name.startsWith(point))) throw new Error("no");
    },
  });
  const journal = await open({ maxChanges: 3 });
  const ids: string[] = [];
  for (const [n, one] of [journal, journal, other, journal, other, other, journal, journal].entries()) {
    ids.push(await one.commit([change(root, "n", n === 0 ? null : `${n - 1}`, `${n}`)]));
  }
  expect(ids).toEqual([...ids].sort());
  expect(recordsIn(dir).sort()).toEqual(ids.slice(-3));
  isFailing = true;
  await expect(other.commit([change(root, "n", "7", "8")])).rejects.toThrow();
  isFailing = false;
  await other.commit([change(root, "n", "7", "9")]);
  expect((await journal.list()).map(({ state }) => state).slice(0, 2)).toEqual(["done", "rolled-back"]);
});

it("should keep so many bytes of old content, and always the newest change", async () => {
  const { root, open } = await newScene();
  const journal = await open({ maxBytes: 25_000 });
  const text = (n: number): string => String(n).repeat(10_000);
  writeFileSync(join(root, "n"), text(0));
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await journal.commit([change(root, "n", text(n), text(n + 1))]));
  expect((await journal.list()).map(({ id }) => id)).toEqual(ids.slice(-2).reverse());
  const big = "b".repeat(50_000);
  await journal.commit([change(root, "n", text(5), big)]);
  const last = await journal.commit([change(root, "n", big, "small")]);
  expect((await journal.list()).map(({ id }) => id)).toEqual([last]);
  await journal.undo();
});

it("should not lose changes that can be undone to many that failed", async () => {
  const { root, dir, open } = await newScene();
  let isFailing = false;
  const journal = await open({
    maxChanges: 3,
    onPoint: (name) => {
      if (isFailing && name === "settled") throw new Error("no");
    },
  });
  const id = await journal.commit([change(root, "a", null, "a")]);
  isFailing = true;
  for (let n = 0; n < 30; n++) await expect(journal.commit([change(root, "a", "a", "b")])).rejects.toThrow();
  expect(recordsIn(dir).length).toBeLessThanOrEqual(21);
  // They hold no content any more.
  const failed = readdirSync(dir).filter((name) => name.endsWith(".rolled-back"));
  expect(failed.map((name) => readFileSync(join(dir, name), "utf8")).filter((text) => !text.endsWith("}\n"))).toEqual(
    [],
  );
  isFailing = false;
  expect((await journal.undo()).undone).toBe(id);
});

it("should go on with a pruning that was interrupted", async () => {
  const { root, dir, open } = await newScene();
  writeFileSync(join(root, "n"), "0");
  const journal = await open();
  const first = await journal.commit([change(root, "n", "0", "1")]);
  // As a removal leaves it that is killed after the record.
  renameSync(join(dir, `${first}.done`), join(dir, `${first}.trouble`));
  const again = await open();
  expect([again.recovered, await again.list()]).toEqual([[], []]);
  const second = await again.commit([change(root, "n", "1", "2")]);
  expect(recordsIn(dir)).toEqual([second]);
});
