import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { sleep } from "@toolglot/internal";
import { folderStorage } from "@toolglot/storage";
import { afterAll, describe, expect, it } from "vitest";
import { listSessions, type SessionHead } from "../../src/node/index.ts";
import { demandNew, holdSession } from "../../src/node/session/holding.ts";
import { checkSessionId, logName, readHead } from "../../src/session/kept.ts";
import { startScript } from "./processes/start-script.ts";
import { imageOf } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-kept-"));
afterAll(() => rm(folder, { recursive: true }));

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const lease = 60_000;
const later = 60_000;
const live = { code: "sandbox/session-live" };

async function listed(storage: Storage): Promise<SessionHead[]> {
  const all: SessionHead[] = [];
  for await (const head of listSessions({ storage })) all.push(head);
  return all;
}

async function blobsOf({ blobs }: Storage): Promise<string[]> {
  const names: string[] = [];
  for await (const name of blobs.list("")) if (name.startsWith("sandbox/")) names.push(name);
  return names;
}

const storages: [string, (now?: () => number) => Storage][] = [
  ["memory", (now) => memoryStorage(now && { now })],
  ["a folder", (now) => folderStorage(mkdtempSync(join(folder, "storage-")), now && { now })],
];

describe.each(storages)("sessions in %s", (_, make) => {
  it("have nothing where nobody stored an image, and leave nothing", async () => {
    const storage = make();
    expect(await readHead(storage, "a")).toBeUndefined();
    const holding = await holdSession(storage, "a", lease);
    expect(holding.turns).toEqual([]);
    expect(await holding.get(0)).toBeUndefined();
    expect(await readHead(storage, "a")).toBeUndefined();
    await demandNew(storage, "a");
    await holding.release();
    expect(await listed(storage)).toEqual([]);
    expect(await storage.logs.read(logName("a"))).toBeUndefined();
  });

  it("give back what was put, by turn, and keep no image but those that are wanted", async () => {
    const storage = make();
    const holding = await holdSession(storage, "a", lease);
    const given = bytes(1, 2, 3);
    await holding.put(0, given, [], later);
    given.fill(9);
    await holding.put(1, bytes(4), [0], later);
    await holding.put(2, bytes(5, 6), [0, 1], later);
    expect([...((await holding.get(0)) ?? [])]).toEqual([1, 2, 3]);
    expect((await readHead(storage, "a"))?.turns.map((one) => [one.turn, one.bytes])).toEqual([
      [0, 3],
      [1, 1],
      [2, 2],
    ]);
    const stored = await holding.put(3, bytes(7), [1], later);
    expect(Math.abs(stored.at - Date.now())).toBeLessThan(60_000);
    expect(holding.turns.map(({ turn }) => turn)).toEqual([1, 3]);
    expect(await holding.get(2)).toBeUndefined();
    // The same turn once more.
    await holding.put(3, bytes(8, 8), [1], later);
    expect([...((await holding.get(3)) ?? [])]).toEqual([8, 8]);
    expect(await blobsOf(storage)).toHaveLength(2);
    await expect(demandNew(storage, "a")).rejects.toMatchObject({ code: "sandbox/session-exists" });
    await holding.release();
    const next = await holdSession(storage, "a", lease);
    expect(next.turns.map(({ turn }) => turn)).toEqual([1, 3]);
    await next.forget();
    expect([await readHead(storage, "a"), await blobsOf(storage)]).toEqual([undefined, []]);
    await next.release();
  });

  it("have one holder, of many who want it at once", async () => {
    const storage = make();
    const all = await Promise.allSettled(Array.from({ length: 12 }, () => holdSession(storage, "a", lease)));
    const held = all.filter((one) => one.status === "fulfilled");
    expect(held).toHaveLength(1);
    for (const one of all) if (one.status === "rejected") expect(one.reason).toMatchObject(live);
    await held[0]?.value.release();
    await (await holdSession(storage, "a", lease)).release();
  });

  it("count nothing of a holder that was stopped, once another one has taken over", async () => {
    let now = Date.now();
    const storage = make(() => now);
    const first = await holdSession(storage, "a", lease);
    await first.put(1, bytes(1), [], later);
    now += lease + 1;
    const second = await holdSession(storage, "a", lease);
    expect(second.turns.map(({ turn }) => turn)).toEqual([1]);
    await expect(first.put(2, bytes(2), [1], later)).rejects.toMatchObject(live);
    await first.forget();
    await first.release();
    await expect(holdSession(storage, "a", lease)).rejects.toMatchObject(live);
    expect((await readHead(storage, "a"))?.turn).toBe(1);
    await second.put(2, bytes(3), [], later);
    expect([...(await imageOf(storage, "a"))]).toEqual([3]);
    expect(await blobsOf(storage)).toHaveLength(1);
    await second.release();
  });

  it("lose an image that a holder had stored, but not noted, when it was ended", async () => {
    const storage = make();
    const first = await holdSession(storage, "a", lease);
    await first.put(1, bytes(1), [], later);
    await first.release();
    await storage.blobs.put(`${logName("a")}/2-aa`, bytes(2));
    await storage.blobs.put(`${logName("ab")}/1-aa`, bytes(3));
    expect((await readHead(storage, "a"))?.turn).toBe(1);
    await (await holdSession(storage, "a", lease)).release();
    expect(await storage.blobs.get(`${logName("a")}/2-aa`)).toBeUndefined();
    expect(await storage.blobs.get(`${logName("ab")}/1-aa`)).toBeDefined();
    expect([...(await imageOf(storage, "a"))]).toEqual([1]);
  });

  it("are listed until they expire, and then removed, unless somebody has them", async () => {
    let now = Date.now();
    const storage = make(() => now);
    const held = await holdSession(storage, "held", 10 * lease);
    await held.put(1, bytes(1), [], 1000);
    for (const [id, expireMs] of [
      ["old", 1000],
      ["new", 100_000],
      ["..", Number.MAX_SAFE_INTEGER],
    ] as const) {
      const holding = await holdSession(storage, id, lease);
      await holding.put(1, bytes(1), [], 10);
      await holding.put(1, bytes(2), [], expireMs);
      await holding.release();
    }
    expect((await listed(storage)).map(({ id }) => id).sort()).toEqual(["..", "held", "new", "old"]);
    now += 2000;
    expect((await listed(storage)).map(({ id }) => id).sort()).toEqual(["..", "held", "new"]);
    expect(await readHead(storage, "old")).toBeUndefined();
    await held.release();
    expect((await listed(storage)).map(({ id }) => id).sort()).toEqual(["..", "new"]);
    expect(await blobsOf(storage)).toHaveLength(2);
    // What is written later is there again.
    const again = await holdSession(storage, "old", lease);
    await again.put(2, bytes(3), [], later);
    await again.release();
    expect([...(await imageOf(storage, "old", 2))]).toEqual([3]);
  });

  it("take no harm of lines that no session wrote", async () => {
    const storage = make();
    const holding = await holdSession(storage, "a", lease);
    await holding.put(1, bytes(1), [], later);
    await holding.release();
    const count = (await storage.logs.read(logName("a")))?.length ?? 0;
    await storage.logs.append(logName("a"), ["", "{", "null", "7", '{"x":1}'], count);
    expect((await readHead(storage, "a"))?.turn).toBe(1);
    await (await holdSession(storage, "a", lease)).release();
  });
});

it.each(["", "a/b", "../a", "a b", "é", "a\0", "x".repeat(129), 1, undefined])("should refuse the id %j", (id) => {
  expect(() => checkSessionId(id)).toThrow(TypeError);
});

it("should say when the memory for sessions is full", async () => {
  const storage = memoryStorage({ maxBytes: 10 });
  const holding = await holdSession(storage, "a", lease);
  await holding.put(1, new Uint8Array(8), [], later);
  await expect(holding.put(2, new Uint8Array(3), [1], later)).rejects.toMatchObject({
    code: "sandbox/session-too-large",
    data: { bytes: 11, max: 10 },
  });
  expect(holding.turns.map(({ turn }) => turn)).toEqual([1]);
  await holding.release();
});

it("should have all of an image or nothing of it after kill -9, and what was told as stored", async () => {
  const dir = mkdtempSync(join(folder, "killed-"));
  const storage = folderStorage(dir);
  for (let life = 1; life <= 4; life++) {
    const told = await startScript("writer.ts", [dir, "a"], 150 + life * 30);
    const head = await readHead(storage, "a");
    expect(head?.turn ?? 0).toBeGreaterThanOrEqual(told.at(-1) ?? 0);
    for (const { turn } of head?.turns ?? []) {
      const image = await imageOf(storage, "a", turn);
      expect(Buffer.alloc(1024 * 1024, turn % 251).equals(image)).toBe(true);
    }
    await sleep(120);
  }
  expect((await readHead(storage, "a"))?.turn).toBeGreaterThan(0);
});

it.each([undefined, {}, { storage: 7 }, { store: memoryStorage() }])(
  "should list nothing without a storage: %o",
  (options) => {
    expect(() => listSessions(options as never)).toThrow(TypeError);
  },
);
