import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import { verifyRows } from "@toolglot/trp-core/store";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { bundleProcesses } from "./bundle.ts";
import { newFile } from "./files.ts";

// Real processes on one file. Inside the package, so that the worker finds the binding.
let scripts: Awaited<ReturnType<typeof bundleProcesses>>;
let worker: string;
const running: ChildProcess[] = [];
const request = { scope: "s", fingerprint: "f", owner: "parent", leaseMs: 60_000 };

beforeAll(async () => {
  scripts = await bundleProcesses("processes/worker");
  worker = scripts.path("worker");
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});
afterAll(() => scripts.remove());

interface Worker {
  child: ChildProcess;
  lines: string[];
  /** When it has told so many lines. */
  told(count: number): Promise<void>;
  ended: Promise<number | null>;
}

function start(file: string, ...settings: string[]): Worker {
  const child = spawn(process.execPath, [worker, file, ...settings], { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  const lines: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    lines.push(line);
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
  });
  const told = (count: number): Promise<void> =>
    lines.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return { child, lines, told, ended: once(child, "close").then(([code]) => code as number | null) };
}

it("should give each of many keys to one of many processes, that all open a new file at once", async () => {
  const file = newFile();
  const workers = Array.from({ length: 4 }, () => start(file, "claim", "100"));
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  // Ten tokens, each of them for one key: so ten keys, each won by one process.
  const won = workers.flatMap(({ lines }) => lines);
  expect(won.length).toBe(10);
  expect(new Set(won.map((key) => Number(key.slice(1)) % 10)).size).toBe(10);
  const store = await openSqlite({ file });
  const records = await store.operations.list({ states: ["started"], limit: 1000 });
  expect(records.map(({ key }) => key).sort()).toEqual(won.sort());
  expect(new Set(records.map(({ fence }) => fence)).size).toBe(10);
  expect(verifyRows(await store.audit.read())).toMatchObject({ ok: true, rows: 10 });
  await store.close();
}, 120_000);

it("should have everything that was acknowledged after processes were killed", async () => {
  const file = newFile();
  const workers = ["a", "b", "c"].map((name) => start(file, "load", name));
  for (const { told, child, ended } of workers) {
    await told(150);
    child.kill("SIGKILL");
    await ended;
  }
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  for (const line of workers.flatMap(({ lines }) => lines)) {
    const [what, key] = line.split(" ");
    const record = await store.operations.read({ scope: "s", key: key as string });
    if (what === "done") expect(record?.state).toBe("done");
    else expect(record, line).toBeDefined();
  }
  const rows = await store.audit.read();
  expect(verifyRows(rows)).toMatchObject({ ok: true });
  // Each record has its audit rows and each row its record: they were written together.
  const [begun, done] = await Promise.all(
    [["started"] as const, ["done"] as const].map((states) =>
      store.operations.list({ states: [...states], limit: 1_000_000 }),
    ),
  );
  expect(rows.length).toBe((begun?.length ?? 0) + 2 * (done?.length ?? 0));
  expect(rows.length).toBeGreaterThan(400);
  await store.close();
}, 120_000);

it("should only be delayed by a process that is stopped while it holds the lock", async () => {
  const file = newFile();
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  const hasty = await openSqlite({ file, lockTimeoutMs: 50 });
  const first = await store.operations.claim({ ...request, key: "first" });
  const holder = start(file, "hold");
  await holder.told(1);
  holder.child.kill("SIGSTOP");
  const claiming = store.operations.claim({ ...request, key: "k" });
  await expect(hasty.operations.claim({ ...request, key: "hasty" })).rejects.toMatchObject({ code: "trp/store-busy" });
  expect(await store.operations.read({ scope: "s", key: "first" })).toEqual(first.record);
  holder.child.kill("SIGCONT");
  holder.child.stdin?.write("go on\n");
  const claimed = await claiming;
  expect([claimed.status, await holder.ended]).toEqual(["claimed", 0]);
  // What the holder wrote came first.
  expect(claimed.record.fence).toBeGreaterThan(1000);
  expect(await store.operations.read({ scope: "s", key: "hasty" })).toBeUndefined();
  await Promise.all([store.close(), hasty.close()]);
}, 120_000);

it("should take the lock over from a process that was killed while it held it", async () => {
  const file = newFile();
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  const holder = start(file, "hold");
  await holder.told(1);
  holder.child.kill("SIGSTOP");
  const claiming = store.operations.claim({ ...request, key: "k" });
  holder.child.kill("SIGKILL");
  const claimed = await claiming;
  expect([claimed.status, claimed.record.fence]).toEqual(["claimed", 1]);
  await store.close();
}, 120_000);

it("should tell two consumers everything at least once and in order, whoever is killed when", async (context) => {
  leftToCi(context);
  const file = newFile();
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  // Known from the start, so that nothing is dropped before they come.
  for (const name of ["bill", "ann"]) await store.outbox.acknowledge(name, 0);
  const handled: Record<string, string[]> = { bill: [], ann: [] };
  const kill = async ({ child, ended }: Worker): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  const known: string[] = [];
  for (let round = 0; round < rounds(1, 40); round++) {
    const tellers = ["a", "b"].map((name) => start(file, "tell", `${name}${round}`));
    const consumers = Object.keys(handled).map((name) => ({ name, worker: start(file, "consume", name) }));
    await Promise.all(tellers.map(({ told }) => told(20)));
    await Promise.all(consumers.map(({ worker }, index) => worker.told(30 + 25 * index)));
    await Promise.all([...tellers, ...consumers.map(({ worker }) => worker)].map(kill));
    for (const { lines } of tellers) known.push(...lines);
    for (const { name, worker } of consumers) handled[name]?.push(...worker.lines);
  }
  for (const [name, lines] of Object.entries(handled)) {
    const worker = start(file, "consume", name, "empty");
    expect(await worker.ended).toBe(0);
    lines.push(...worker.lines);
    const seen = lines.map((line) => Number(line.split(" ")[0]));
    // Nothing is skipped: each is either seen before or the next one.
    let newest = 0;
    for (const number of seen) {
      expect(number).toBeLessThanOrEqual(newest + 1);
      newest = Math.max(newest, number);
    }
    const first = [...new Map(lines.map((line) => [line.split(" ")[0], line])).values()];
    for (const key of known) {
      const own = first.filter((line) => line.endsWith(` ${key}`)).map((line) => line.split(" ")[1]);
      expect(own, key).toEqual(["call.accepted", "call.executed", "call.succeeded"]);
    }
    // What was begun and has no outcome yet was told as far as it came, and nothing else.
    const begun = await store.operations.list({ states: ["started"], limit: 1_000_000 });
    for (const { key } of begun) {
      expect(first.filter((line) => line.endsWith(` ${key}`)).map((line) => line.split(" ")[1])).toEqual([
        "call.accepted",
      ]);
    }
  }
  await store.prune();
  expect((await store.outbox.read({ after: 0 })).events).toEqual([]);
  await store.close();
}, 600_000);
it("should end a process that forgot to close its store, after what was asked for", async () => {
  const file = newFile();
  const { ended, lines } = start(file, "leave");
  expect(await ended).toBe(0);
  expect(lines).toEqual(["claimed"]);
  const store = await openSqlite({ file });
  expect((await store.operations.claim({ ...request, key: "k" })).status).toBe("busy");
  await store.close();
});
