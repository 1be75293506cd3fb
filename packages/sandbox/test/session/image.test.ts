import { randomBytes } from "node:crypto";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { MemoryTransfer } from "../../src/node/python/memory-transfer.ts";
import { type ImageHead, packMemory, readImage, unpackMemory, writeImage } from "../../src/node/session/image.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { imageOf, key, newestTurn, plantImage, value, withBlobs } from "./support.ts";

const head: ImageHead = {
  ...{ format: 1, id: "a", turn: 3, language: "python", engine: "e", guestHash: "g", wheelsHash: "", baseHash: "b" },
  ...{ memoryBytes: 65536, pages: 2, lineage: [], variables: [], reseed: false },
  folders: ["a"],
  files: [
    { path: "a/b", bytes: 3, turn: 1, hash: "h" },
    { path: "c", bytes: 0, turn: 3, hash: "i" },
  ],
};
const pages = randomBytes(8192);
const files = [
  { path: "a/b", data: Buffer.from("xyz") },
  { path: "c", data: Buffer.alloc(0) },
];
const tampered = { code: "sandbox/session-tampered", data: { id: "a", turn: 3 } };
function refuses(read: () => unknown): void {
  expect(read).toThrow(expect.objectContaining(tampered));
}

async function image(): Promise<Uint8Array> {
  return writeImage({ head, packed: await packMemory({ numbers: [2, 9], pages, files }) }, key);
}

describe("an image", () => {
  it("comes back as it was", async () => {
    const read = readImage(await image(), head, key);
    expect(read.head).toEqual(head);
    expect(await unpackMemory(read)).toMatchObject({ base: "b", numbers: [2, 9], memoryBytes: 65536, files });
    expect(Buffer.from((await unpackMemory(read)).pages).equals(pages)).toBe(true);
  });

  it("is refused with any bit of it changed, cut anywhere, or longer", async () => {
    const good = await image();
    for (let at = 0; at < good.length; at += at < 600 || at > good.length - 64 ? 1 : 97) {
      const bad = Uint8Array.from(good);
      bad[at] = (bad[at] ?? 0) ^ (1 << (at % 8));
      refuses(() => readImage(bad, { id: "a", turn: 3 }, key));
      refuses(() => readImage(good.subarray(0, at), { id: "a", turn: 3 }, key));
    }
    refuses(() => readImage(Buffer.concat([good, good]), { id: "a", turn: 3 }, key));
  });

  it("is refused whatever was put in its place", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        refuses(() => readImage(bytes, { id: "a", turn: 3 }, key));
      }),
    );
  });

  it("is refused for another session, another turn and another key", async () => {
    const good = await image();
    expect(() => readImage(good, { id: "b", turn: 3 }, key)).toThrow("not what was stored");
    expect(() => readImage(good, { id: "a", turn: 4 }, key)).toThrow("not what was stored");
    refuses(() => readImage(good, { id: "a", turn: 3 }, randomBytes(32)));
  });
});

describe("what a child sends of its memory", () => {
  const frame = (given: object): Buffer => Buffer.from(JSON.stringify(given));
  const good = {
    ...{ type: "memory", base: "0".repeat(64), memoryBytes: 65536, numbers: [1, 3], ran: true, variables: [] },
    ...{ folders: [] as string[], files: [] as unknown[] },
  };
  const listed = { ...good, folders: ["a"], files: files.map(({ path, data }) => ({ path, bytes: data.length })) };

  it("is put together of its parts", () => {
    const transfer = new MemoryTransfer(65536);
    expect(transfer.push(frame(good))).toBeUndefined();
    expect(transfer.push(pages.subarray(0, 5000))).toBeUndefined();
    expect(transfer.push(pages.subarray(5000))).toMatchObject({ numbers: [1, 3], ran: true });
    expect(new MemoryTransfer(65536).push(frame({ ...good, numbers: [] }))).toMatchObject({ numbers: [] });
  });

  it("has its files behind its pages", () => {
    const transfer = new MemoryTransfer(65536);
    transfer.push(frame(listed));
    expect(transfer.push(pages)).toBeUndefined();
    const memory = transfer.push(Buffer.from("xyz"));
    expect(memory).toMatchObject({ folders: ["a"], files });
    expect(Buffer.from(memory?.pages ?? []).equals(pages)).toBe(true);
  });

  it.each([
    { type: "result" },
    { base: "x" },
    { memoryBytes: 131_072 },
    { memoryBytes: -1 },
    { numbers: [3, 1] },
    { numbers: [1, 1] },
    { numbers: [-1] },
    { numbers: [1.5] },
    { numbers: [16] },
    { numbers: "1" },
    { variables: {} },
    { folders: "a" },
    { folders: ["../a"] },
    { folders: ["a/b"] },
    { folders: ["a", "a"] },
    { files: {} },
    { files: [null] },
    { files: [{ path: "a" }] },
    { files: [{ path: "a", bytes: -1 }] },
    { files: [{ path: "/a", bytes: 1 }] },
    { files: [{ path: "b/a", bytes: 1 }] },
    { folders: ["a"], files: [{ path: "a", bytes: 1 }] },
    { files: [{ path: "a", bytes: 33 * 1024 * 1024 }] },
  ])("is refused with %j", (wrong) => {
    expect(() => new MemoryTransfer(65536).push(frame({ ...good, ...wrong }))).toThrow();
  });

  it("is refused with more than was announced", () => {
    const transfer = new MemoryTransfer(65536);
    transfer.push(frame(good));
    expect(() => transfer.push(randomBytes(8193))).toThrow();
    const none = new MemoryTransfer(65536);
    none.push(frame(good));
    expect(() => none.push(Buffer.alloc(0))).toThrow();
  });

  it("never crashes on anything else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        try {
          new MemoryTransfer(65536).push(Buffer.from(JSON.stringify(given)));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});

describe("a stored session", () => {
  const sandbox = sharedSandbox("python");
  let storage: Storage;
  const id = "a";

  beforeAll(async () => {
    storage = memoryStorage();
    await using session = await sandbox.openSession({ id, storage, key, domain: "tests" });
    await value(session, "a = 1\n__result__ = 1");
    await value(session, "a = 2\n__result__ = 1");
  });

  const write = (turn: number, bytes: Uint8Array): Promise<void> => plantImage(storage, id, turn, bytes);

  it("is refused where an older image stands under the newest name", async () => {
    const newest = await imageOf(storage, id, 2);
    await write(2, await imageOf(storage, id, 1));
    await expect(sandbox.resumeSession(id, { storage, key })).rejects.toMatchObject({
      code: "sandbox/session-tampered",
    });
    await write(2, newest);
    await using session = await sandbox.resumeSession(id, { storage, key, domain: "tests" });
    expect(await value(session, "__result__ = a")).toBe(2);
  });

  it.each(["engine", "guestHash", "language", "format"] as const)(
    "is refused by name where %s is another",
    async (field) => {
      const turn = await newestTurn(storage, id);
      const newest = await imageOf(storage, id, turn);
      const read = readImage(newest, { id, turn }, key);
      await write(turn, writeImage({ ...read, head: { ...read.head, [field]: "other" } }, key));
      await expect(sandbox.resumeSession(id, { storage, key })).rejects.toMatchObject({
        code: "sandbox/session-mismatch",
        data: { field, saved: "other", here: expect.anything() },
      });
      await write(turn, newest);
    },
  );

  it("is refused by an interpreter whose memory is another, which then takes other programs", async () => {
    const turn = await newestTurn(storage, id);
    const newest = await imageOf(storage, id, turn);
    const read = readImage(newest, { id, turn }, key);
    await write(turn, writeImage({ ...read, head: { ...read.head, baseHash: "0".repeat(64) } }, key));
    const session = await sandbox.resumeSession(id, { storage, key, domain: "tests" });
    await expect(session.run("__result__ = a")).rejects.toMatchObject({
      code: "sandbox/session-mismatch",
      data: { field: "baseHash", saved: "0".repeat(64), here: read.head.baseHash },
    });
    await session.close();
    await write(turn, newest);
    await using again = await sandbox.resumeSession(id, { storage, key, domain: "tests" });
    expect(await value(again, "__result__ = a")).toBe(2);
  });

  it("is refused where an image was changed after the session was opened", async () => {
    await using session = await sandbox.resumeSession(id, { storage, key, domain: "tests", save: "manual" });
    const { turn } = session;
    const newest = await imageOf(storage, id, turn);
    const spoilt = Uint8Array.from(newest).fill(0, 100, 120);
    const lying = withBlobs(storage, { get: async () => spoilt });
    await session.close();
    await expect(sandbox.resumeSession(id, { storage: lying, key })).rejects.toMatchObject({
      code: "sandbox/session-tampered",
    });
  });
});
