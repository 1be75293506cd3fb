import type { LogStore, Storage } from "@toolglot/core/storage";
import { equal, isTypeError, rejects } from "@toolglot/internal";

/** Opens a storage that is empty. */
export type MakeStorage = () => Promise<Storage>;

/** One behaviour that the logs and blobs of every storage must show; `run` rejects with an `Error` when they don't. */
export interface StorageCase {
  name: string;
  run(makeStorage: MakeStorage): Promise<void>;
}

const oddNames = [
  "a",
  "A",
  "a/b",
  "a.log",
  "a.log/b",
  "a/",
  "/",
  "//a",
  "..",
  "../a",
  ".",
  "con",
  "a b%20*?<>|:\"'\\\t",
  "线索/灯笼",
  "🏮",
  "~",
  "a~/b",
  "n".repeat(400),
  `${"深".repeat(66)}/${"N".repeat(201)}`,
];

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const plain = (found: Uint8Array | undefined): number[] | undefined => found && [...found];

async function all(names: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const name of names) found.push(name);
  return found.sort();
}

const cases: Record<string, (storage: Storage) => Promise<void>> = {
  "should have nothing at first": async ({ logs, blobs }) => {
    equal([await logs.read("a"), await all(logs.list(""))], [undefined, []], "the logs");
    equal([await blobs.get("a"), await all(blobs.list(""))], [undefined, []], "the blobs");
    await logs.delete("a");
    await blobs.delete("a");
  },
  "should add lines behind those that the writer knows": async ({ logs }) => {
    equal(await logs.append("a", ["1", "", '{"x":"灯笼 \\n"}'], 0), true, "the first lines");
    equal(await logs.append("a", ["4"], 3), true, "the next one");
    equal(await logs.read("a"), ["1", "", '{"x":"灯笼 \\n"}', "4"], "the log");
  },
  "should add nothing for a writer who knows fewer lines, or more": async ({ logs }) => {
    equal(await logs.append("a", ["1"], 1), false, "a line behind one that is not there");
    equal(await logs.read("a"), undefined, "the log");
    await logs.append("a", ["1", "2"], 0);
    equal(await logs.append("a", ["x"], 0), false, "a line behind none");
    equal(await logs.append("a", ["x"], 1), false, "a line behind one");
    equal(await logs.append("a", ["x"], 3), false, "a line behind three");
    equal(await logs.read("a"), ["1", "2"], "the log");
  },
  "should let one of many writers add the next line, also where all write the same": async ({ logs }) => {
    for (const at of [0, 1, 2]) {
      const added = await Promise.all(Array.from({ length: 20 }, () => logs.append("a", ["same"], at)));
      equal(added.filter(Boolean).length, 1, "how many could");
    }
    equal(await logs.read("a"), ["same", "same", "same"], "the log");
  },
  "should keep logs apart, and blobs from logs, whatever their names": async ({ logs, blobs }) => {
    for (const [index, name] of oddNames.entries()) {
      equal(await logs.append(name, [name.slice(0, 20), String(index)], 0), true, `the log ${name}`);
      await blobs.put(name, bytes(index));
    }
    for (const [index, name] of oddNames.entries()) {
      equal(await logs.read(name), [name.slice(0, 20), String(index)], `the log ${name}`);
      equal(plain(await blobs.get(name)), [index], `the blob ${name}`);
    }
    equal(await all(logs.list("")), [...oddNames].sort(), "all logs");
    equal(await all(blobs.list("")), [...oddNames].sort(), "all blobs");
  },
  "should list the names that begin with a text, within a part of a path too": async ({ logs, blobs }) => {
    for (const name of ["runs/a", "runs/ab", "runs/b/c", "run", "other"]) {
      await logs.append(name, ["1"], 0);
      await blobs.put(name, bytes(1));
    }
    for (const { list } of [logs, blobs].map((store) => ({ list: (prefix: string) => all(store.list(prefix)) }))) {
      equal(await list("runs/"), ["runs/a", "runs/ab", "runs/b/c"], "those of a folder");
      equal(await list("runs/a"), ["runs/a", "runs/ab"], "those that begin so");
      equal(await list("ru"), ["run", "runs/a", "runs/ab", "runs/b/c"], "those that begin so");
      equal(await list("none/"), [], "those of no folder");
    }
  },
  "should remove a log, whose next line is the first one again": async ({ logs }) => {
    await logs.append("a", ["1", "2"], 0);
    await logs.delete("a");
    equal([await logs.read("a"), await all(logs.list(""))], [undefined, []], "what is left");
    equal(await logs.append("a", ["x"], 2), false, "a line behind those that were there");
    equal(await logs.append("a", ["x"], 0), true, "a first line");
    equal(await logs.read("a"), ["x"], "the log");
  },
  "should remove a log only with as many lines as the caller knows": async ({ logs }) => {
    await logs.append("a", ["1", "2"], 0);
    await logs.delete("a", 1);
    equal(await logs.read("a"), ["1", "2"], "the log");
    await logs.delete("a", 2);
    equal(await logs.read("a"), undefined, "the log");
  },
  "should keep long lines and many of them": async ({ logs }) => {
    const lines = Array.from({ length: 2000 }, (_, index) => `${index} ${"长".repeat(index)}`);
    equal(await logs.append("a", lines, 0), true, "the lines");
    equal(await logs.append("a", ["end"], 2000), true, "one more");
    equal(await logs.read("a"), [...lines, "end"], "the log");
  },
  "should put bytes in the place of earlier ones, and share none with callers": async ({ blobs }) => {
    const given = bytes(1, 2, 3);
    const put = blobs.put("a", given);
    await put;
    given.fill(9);
    const found = await blobs.get("a");
    found?.fill(7);
    equal(plain(await blobs.get("a")), [1, 2, 3], "the bytes");
    await blobs.put("a", bytes());
    equal(plain(await blobs.get("a")), [], "no bytes");
    await blobs.delete("a");
    equal(await blobs.get("a"), undefined, "removed bytes");
  },
  "should give the bytes of one writer, not of several": async ({ blobs }) => {
    const size = 300_000;
    await Promise.all(Array.from({ length: 8 }, (_, index) => blobs.put("a", new Uint8Array(size).fill(index))));
    const found = (await blobs.get("a")) ?? bytes();
    equal([found.length, new Set(found).size], [size, 1], "the length and how many writers");
  },
  "should refuse names and lines that not every storage can keep": async ({ logs, blobs }) => {
    for (const name of ["", "n".repeat(401), "深".repeat(134), "\ud800", undefined as never, 7 as never]) {
      const refused = (work: Promise<unknown>): Promise<void> => rejects(work, isTypeError, `the name ${String(name)}`);
      await refused(logs.append(name, ["1"], 0));
      await refused(logs.read(name));
      await refused(logs.delete(name));
      await refused(blobs.put(name, bytes(1)));
      await refused(blobs.get(name));
      await refused(blobs.delete(name));
    }
    for (const line of ["a\nb", "a\r", "\udc00", undefined as never]) {
      await rejects(refusedLine(logs, line), isTypeError, `the line ${JSON.stringify(line)}`);
    }
    equal(await logs.read("a"), undefined, "the log");
  },
  "should work in parts that are copied": async ({ operations, logs, blobs }) => {
    const { claim, begin, finish, read } = { ...operations };
    const request = { scope: "s", key: "k", fingerprint: "f", owner: "o", leaseMs: 10_000 };
    const claimed = await claim(request);
    if (claimed.status !== "claimed") throw new Error(`expected a claim, got ${claimed.status}`);
    equal(await begin(claimed.claim), true, "the beginning");
    equal(await finish(claimed.claim, { state: "done", outcome: 1 }), true, "the end");
    equal((await read(request))?.outcome, 1, "the outcome");
    const copied = { ...logs };
    equal(await copied.append("a", ["1"], 0), true, "a line");
    equal([await copied.read("a"), await all(copied.list(""))].flat().includes("a"), true, "the log");
    const { put, get, list } = { ...blobs };
    await put("b", bytes(1));
    equal([plain(await get("b")), await all(list("b"))], [[1], ["b"]], "the blob");
  },
  "should return the time": async ({ now }) => {
    equal(Number.isFinite(now()), true, "whether it is a number");
  },
};

const refusedLine = async (logs: LogStore, line: string): Promise<unknown> => logs.append("a", ["good", line], 0);

/** What the logs and blobs of every storage must do. An operation log has a suite of its own. */
export const storageSuite: StorageCase[] = Object.entries(cases).map(([name, run]) => ({
  name,
  async run(makeStorage) {
    const storage = await makeStorage();
    try {
      await run(storage);
    } finally {
      await storage.close();
    }
  },
}));
