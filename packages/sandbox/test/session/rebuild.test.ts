import { type OperationLog, ToolglotError } from "@toolglot/core";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { someOf } from "@toolglot/internal/testing";
import { beforeEach, expect, it } from "vitest";
import type { SessionOptions } from "../../src/node/index.ts";
import { type ImageHead, readImage, writeImage } from "../../src/node/session/image.ts";
import { rebuild } from "../../src/node/session/rebuild.ts";
import { wrapLog } from "../durable/support.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { imageOf, key, newestTurn, plantImage, value } from "./support.ts";

// Sessions of another version are made again from their log.

const sandbox = sharedSandbox("python");

let effects: string[] = [];
beforeEach(() => {
  effects = [];
});
const effect = tool("effect", { what: { type: "string" } }, ({ what }: { what: string }) => {
  effects.push(what);
  return Math.random();
});

function fresh(): SessionOptions & { storage: Storage } {
  return {
    storage: memoryStorage(),
    key,
    durable: true,
    tools: [effect],
    style: "notebook",
    domain: "tests",
  };
}

/** Signs the newest image of a session again, with another head, as another version would have made it. */
async function change(storage: Storage, id: string, head: Partial<ImageHead>): Promise<void> {
  const turn = await newestTurn(storage, id);
  const image = readImage(await imageOf(storage, id, turn), { id, turn }, key);
  const changed = { ...image, head: { ...image.head, ...head } };
  await plantImage(storage, id, head.turn ?? turn, writeImage(changed, key));
}

interface Grown {
  operations: OperationLog;
  /** Its variables, as the last program gave them. */
  before: unknown[];
  turn: number;
  image: Uint8Array;
}
let grown: Promise<Grown> | undefined;

/** A session with programs, a file from outside, and turns that were gone back from. */
async function grow(): Promise<Grown> {
  const options = fresh();
  await using session = await sandbox.openSession({ ...options, id: "s" });
  await session.run("import random\nfirst = [random.random(), hash('a')]\ndef double(x): return 2 * x\nfirst");
  await session.writeFile("in.csv", "1,2");
  await session.run("got = effect('one')\nopen('out.csv', 'w').write(open('in.csv').read() + str(got))");
  await session.run("got = effect('gone')\nfirst.clear()");
  await session.undo();
  await session.run("1 / 0");
  await session.run("got = ");
  const before = (await value(session, all)) as unknown[];
  expect(effects).toEqual(["one", "gone"]);
  const { turn } = session;
  const { operations } = options.storage;
  return { operations, before, turn, image: await imageOf(options.storage, "s") };
}
const all = "[first, double(got), open('out.csv').read(), random.random()]";

/** The session in a storage of its own, as another version made it. */
async function older(head: Partial<ImageHead>): Promise<ReturnType<typeof fresh> & Pick<Grown, "before">> {
  grown ??= grow();
  const { operations, before, turn, image } = await grown;
  effects = [];
  const options = { ...fresh(), storage: { ...memoryStorage(), operations } };
  await plantImage(options.storage, "s", turn, image);
  await change(options.storage, "s", head);
  return { ...options, before };
}

it.each([
  ["when it is resumed", { engine: "pyodide 0.0.1", baseHash: "0".repeat(64) }],
  ["when its memory is needed", { baseHash: "0".repeat(64) }],
])("makes a session of another version again %s, and calls nothing", async (when, head) => {
  const { before, ...options } = await older(head);
  const mismatch = { code: "sandbox/session-mismatch", data: { field: Object.keys(head)[0] } };
  const plain = sandbox.resumeSession("s", options);
  if (when === "when it is resumed") await expect(plain).rejects.toMatchObject(mismatch);
  else {
    await using old = await plain;
    await expect(old.run(all)).rejects.toMatchObject(mismatch);
    expect(old.pending).toBeUndefined();
  }

  const session = await sandbox.resumeSession("s", { ...options, rebuild: true });
  const after = (await value(session, all)) as unknown[];
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
  // The generator goes on: it was drawn from once more.
  expect(after[3]).not.toBe(before[3]);
  expect(effects).toEqual([]);
  expect(session.turn).toBe(8);
  expect(session.files().map(({ path, turn }) => [path, turn])).toEqual([
    ["in.csv", 2],
    ["out.csv", 3],
  ]);
  expect(session.checkpoints().map(({ turn }) => turn)).toEqual([7]);
  await session.close();
  await using again = await sandbox.resumeSession("s", options);
  expect(await value(again, "double(1)")).toBe(2);
});

it("says which turn came to another end, and leaves all as it was", async () => {
  const { before: _, ...options } = await older({ engine: "pyodide 0.0.1" });
  const other = (source: string): OperationLog =>
    wrapLog(options.storage.operations, async (method, [asked], call) => {
      const record = (await call()) as { data?: object } | undefined;
      const { scope, key: name } = asked as { scope?: string; key?: string };
      if (method !== "read" || scope !== "sandbox:s#3" || name !== "run" || record === undefined) return record;
      return { ...record, data: { ...record.data, source } };
    });
  const ends: readonly (readonly [string, string])[] = [
    ["got = effect('two')", 'Diverged: call 1 is effect {"what":"two"}, and was effect {"what":"one"}'],
    ["got = effect('one')\neffect('two')", 'Diverged: call 2 is effect {"what":"two"}, and was not made'],
    ["got = 1", "Diverged: call 1"],
    ["got = effect('one')\n7", "Diverged: the program came to another end"],
  ];
  for (const [source, reason] of someOf(ends, 1, ends.slice(-1))) {
    await expect(
      sandbox.resumeSession("s", {
        ...options,
        storage: { ...options.storage, operations: other(source) },
        rebuild: true,
      }),
      source,
    ).rejects.toMatchObject({
      code: "sandbox/session-mismatch",
      data: { field: "engine", saved: "pyodide 0.0.1", turn: 3, reason: expect.stringContaining(reason) },
    });
  }
  const without = { ...options, tools: [], rebuild: true };
  await expect(sandbox.resumeSession("s", without)).rejects.toMatchObject({
    data: { turn: 1, reason: expect.stringContaining("the tool effect is missing") },
  });
  expect(effects).toEqual([]);
  const session = await sandbox.resumeSession("s", { ...options, rebuild: true });
  expect(await value(session, "double(3)")).toBe(6);
  await session.close();
});

it("needs all turns in the log, and no more than 500", async () => {
  const { durable = true, ...options } = fresh();
  const first = await sandbox.openSession({ ...options, id: "s", save: "each" });
  await first.writeFile("a.txt", "a");
  await first.close();
  const turns = {
    data: { field: "engine", reason: expect.stringContaining("not all in a log, or are more than 500") },
  };
  await change(options.storage, "s", { engine: "other" });
  const again = () => sandbox.resumeSession("s", { ...options, durable, rebuild: true });
  await expect(again()).rejects.toMatchObject(turns);
  const { engine } = sandbox.stats();
  const history = Array.from({ length: 499 }, () => "s#1");
  await change(options.storage, "s", { engine, turn: 499, history });
  const last = await again();
  const lengthNow = async (): Promise<number | undefined> => {
    const { turn } = last;
    return readImage(await imageOf(options.storage, "s"), { id: "s", turn }, key).head.history?.length;
  };
  await last.writeFile("a.txt", "b");
  expect(await lengthNow()).toBe(500);
  await last.writeFile("a.txt", "c");
  expect(await lengthNow()).toBeUndefined();
  await last.close();
});

it("runs no longer than a minute of the guest's time", async () => {
  const asked: number[] = [];
  const history = ["s#1", "s#2", "s#3"];
  const parts = {
    turns: { now: { head: { history, turn: 3 } }, next: () => ({ head: {}, held: "" }) },
    log: { read: async () => ({}), settings: () => ({}) },
    programs: {
      async execute(...[, , , { timeoutMs }]: [unknown, unknown, unknown, { timeoutMs: number }]) {
        asked.push(timeoutMs);
        return { run: { status: "ok", stats: { guestMs: 40_000 } }, memory: {} };
      },
    },
    here: {},
  } as unknown as Parameters<typeof rebuild>[0];
  await expect(rebuild(parts, new ToolglotError("sandbox/session-mismatch", "Other."))).rejects.toMatchObject({
    data: { turn: 2, reason: "its programs run longer than 60 s" },
  });
  expect(asked).toEqual([60_000, 20_000]);
});
