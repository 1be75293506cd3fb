import { mkdtempSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "@toolglot/internal";
import { afterAll, describe, expect, it } from "vitest";
import { fileSessionStore, memorySessionStore, type SessionHead, type SessionStore } from "../../src/node/index.ts";
import { startScript } from "./processes/start-script.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-stores-"));
afterAll(() => rm(folder, { recursive: true }));

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

async function claim(store: SessionStore, id: string, leaseMs = 60_000): Promise<number> {
  const claimed = await store.claim(id, "test", leaseMs);
  if (!("fence" in claimed)) throw new Error("claimed by somebody else");
  return claimed.fence;
}

async function listed(store: SessionStore): Promise<SessionHead[]> {
  const all: SessionHead[] = [];
  for await (const head of store.list()) all.push(head);
  return all;
}

const stores: [string, () => SessionStore][] = [
  ["memory", () => memorySessionStore()],
  ["files", () => fileSessionStore({ dir: mkdtempSync(join(folder, "store-")) })],
];

describe.each(stores)("a store of sessions: %s", (_, make) => {
  it("has nothing of a session that nobody wrote", async () => {
    const store = make();
    expect(await store.head("a")).toBeUndefined();
    expect(await store.get("a")).toBeUndefined();
    await claim(store, "a");
    expect(await store.head("a")).toBeUndefined();
    expect(await listed(store)).toEqual([]);
  });

  it("lists no session that has expired, and removes it, unless somebody has it", async () => {
    const store = make();
    const over = Date.now() - 1;
    const held = await claim(store, "held");
    await store.put("held", held, 1, bytes(1), over);
    for (const [id, expiresAt] of [
      ["old", over],
      ["new", over + 60_000],
      ["ever", undefined],
    ] as const) {
      const fence = await claim(store, id);
      await store.put(id, fence, 1, bytes(1), over);
      await store.put(id, fence, 1, bytes(2), expiresAt);
      await store.release(id, fence);
    }
    expect((await listed(store)).map(({ id }) => id).sort()).toEqual(["ever", "held", "new"]);
    expect(await store.get("old")).toBeUndefined();
    expect([...((await store.get("ever")) ?? [])]).toEqual([2]);
    await store.release("held", held);
    expect((await listed(store)).map(({ id }) => id).sort()).toEqual(["ever", "new"]);
    // What is written later is there again.
    const fence = await claim(store, "old");
    expect(await store.put("old", fence, 2, bytes(3), over + 60_000)).toBe(true);
    expect([...((await store.get("old")) ?? [])]).toEqual([3]);
  });

  it("gives back what was put, by turn, and the newest by default", async () => {
    const store = make();
    const fence = await claim(store, "a");
    const given = bytes(1, 2, 3);
    expect(await store.put("a", fence, 0, given)).toBe(true);
    given.fill(9);
    expect(await store.put("a", fence, 10, bytes(4))).toBe(true);
    expect(await store.put("a", fence, 9, bytes(5, 6))).toBe(true);
    expect([...((await store.get("a", 0)) ?? [])]).toEqual([1, 2, 3]);
    expect([...((await store.get("a")) ?? [])]).toEqual([4]);
    expect(await store.get("a", 3)).toBeUndefined();
    const head = await store.head("a");
    expect(head?.turn).toBe(10);
    expect(head?.turns.map(({ turn, bytes }) => [turn, bytes])).toEqual([
      [0, 3],
      [9, 2],
      [10, 1],
    ]);
    expect(Math.abs((head?.turns[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it("replaces the image of a turn, drops turns and all", async () => {
    const store = make();
    const fence = await claim(store, "a");
    for (const turn of [1, 2, 3]) await store.put("a", fence, turn, bytes(turn));
    await store.put("a", fence, 2, bytes(7, 7));
    expect([...((await store.get("a", 2)) ?? [])]).toEqual([7, 7]);
    await store.drop("a", fence, [1, 5]);
    expect((await store.head("a"))?.turns.map(({ turn }) => turn)).toEqual([2, 3]);
    await store.drop("a", fence, "all");
    expect(await store.head("a")).toBeUndefined();
  });

  it("has one writer", async () => {
    const store = make();
    await claim(store, "a");
    expect(await store.claim("a", "other", 1000)).toHaveProperty("until");
  });

  it("lets nobody write whose claim is over", async () => {
    const store = make();
    const first = await claim(store, "a");
    await store.put("a", first, 1, bytes(1));
    // It counts from now, and is over soon.
    expect(await store.renew("a", first, 1)).toBe(true);
    await sleep(5);
    const second = await claim(store, "a");
    expect(second).toBeGreaterThan(first);
    expect(await store.renew("a", first, 1000)).toBe(false);
    expect(await store.put("a", first, 2, bytes(2))).toBe(false);
    await store.drop("a", first, "all");
    await store.release("a", first);
    expect(await store.claim("a", "third", 1000)).toHaveProperty("until");
    expect((await store.head("a"))?.turn).toBe(1);
    expect(await store.put("a", second, 2, bytes(3))).toBe(true);
    expect([...((await store.get("a")) ?? [])]).toEqual([3]);
  });

  it("numbers claims upwards, and takes a claim that was given up at once", async () => {
    const store = make();
    const fences: number[] = [];
    for (let round = 0; round < 4; round++) {
      const fence = await claim(store, "a");
      fences.push(fence);
      expect(await store.renew("a", fence, 60_000)).toBe(true);
      await store.release("a", fence);
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it("gives a claim to one of many who want it at once", async () => {
    const store = make();
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => store.claim("a", `owner ${n}`, 60_000)));
    expect(all.filter((one) => "fence" in one)).toHaveLength(1);
  });

  it("keeps sessions apart, and lists them", async () => {
    const store = make();
    for (const id of ["a", "b", "a.b", "..", "-"]) await store.put(id, await claim(store, id), 1, bytes(id.length));
    expect((await listed(store)).map(({ id }) => id).sort()).toEqual(["-", "..", "a", "a.b", "b"]);
    expect([...((await store.get("..")) ?? [])]).toEqual([2]);
  });

  it.each(["", "a/b", "../a", "a b", "é", "a\0", "x".repeat(129), 1, undefined])("refuses the id %j", async (id) => {
    await expect(make().claim(id as string, "test", 1000)).rejects.toThrow(TypeError);
  });
});

describe("memorySessionStore", () => {
  it("takes no more than it may", async () => {
    const store = memorySessionStore({ maxBytes: 10 });
    const fence = await claim(store, "a");
    await store.put("a", fence, 1, new Uint8Array(8));
    await store.put("a", fence, 1, new Uint8Array(9));
    await expect(store.put("a", fence, 2, new Uint8Array(2))).rejects.toMatchObject({
      code: "sandbox/session-too-large",
      data: { bytes: 11, max: 10 },
    });
    await store.drop("a", fence, [1]);
    expect(await store.put("a", fence, 2, new Uint8Array(10))).toBe(true);
    expect(() => memorySessionStore({ maxByte: 1 } as object)).toThrow("maxBytes");
  });
});

describe("fileSessionStore", () => {
  const fresh = (): string => mkdtempSync(join(folder, "files-"));

  it("is for its user alone", async () => {
    const dir = join(fresh(), "new", "er");
    const store = fileSessionStore({ dir });
    await store.put("a", await claim(store, "a"), 1, bytes(1));
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dir, "session-a"))).mode & 0o777).toBe(0o700);
    const names = await readdir(join(dir, "session-a"));
    expect(names.sort()).toEqual(["1-1.image", "claim-1"]);
    for (const name of names) expect((await stat(join(dir, "session-a", name))).mode & 0o777).toBe(0o600);
  });

  it("refuses a folder that others can look into, and a link", async () => {
    const open = fresh();
    await chmod(open, 0o755);
    await expect(fileSessionStore({ dir: open }).head("a")).rejects.toThrow("chmod 700");
    const linked = join(fresh(), "link");
    await symlink(fresh(), linked);
    await expect(fileSessionStore({ dir: linked }).head("a")).rejects.toThrow("no folder");
    const dir = fresh();
    await mkdir(join(dir, "session-a"), { mode: 0o700 });
    await chmod(join(dir, "session-a"), 0o777);
    await expect(fileSessionStore({ dir }).claim("a", "test", 1000)).rejects.toThrow("chmod 700");
  });

  it.runIf(process.getuid?.() === 0)("refuses another user's folder", async () => {
    const dir = fresh();
    await chown(dir, 12345, 12345);
    await expect(fileSessionStore({ dir }).head("a")).rejects.toThrow("another user");
  });

  it("does not count what a holder wrote after somebody else had claimed", async () => {
    const dir = fresh();
    const store = fileSessionStore({ dir });
    const first = await claim(store, "a", 1);
    await store.put("a", first, 1, bytes(1));
    await sleep(20);
    const second = await claim(store, "a");
    // As it is left by a holder that is ended between the writing and the check.
    await copyFile(join(dir, "session-a", `1-${first}.image`), join(dir, "session-a", `2-${first}.image`));
    expect((await store.head("a"))?.turn).toBe(1);
    await store.put("a", second, 2, bytes(2));
    expect([...((await store.get("a", 2)) ?? [])]).toEqual([2]);
    await store.release("a", second);
    await claim(store, "a");
    expect((await readdir(join(dir, "session-a"))).sort()).toEqual([
      `1-${first}.image`,
      `2-${second}.image`,
      "claim-3",
    ]);
  });

  it("has all of an image or nothing of it after kill -9 in the middle of put, and what was told as stored", async () => {
    const dir = fresh();
    const store = fileSessionStore({ dir });
    for (let life = 1; life <= 4; life++) {
      const told = await startScript("writer.ts", [dir, "a"], 150 + life * 30);
      const head = await store.head("a");
      expect(head?.turn ?? 0).toBeGreaterThanOrEqual(told.at(-1) ?? 0);
      for (const { turn } of head?.turns ?? []) {
        const image = (await store.get("a", turn)) ?? new Uint8Array();
        expect(Buffer.alloc(1024 * 1024, turn % 251).equals(image)).toBe(true);
      }
      await sleep(60);
    }
    expect((await store.head("a"))?.turn).toBeGreaterThan(0);
  });
});
