import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { sleep } from "@toolglot/internal";
import { folderStorage } from "@toolglot/storage";
import { afterAll, afterEach, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import type { SandboxLanguage, SandboxSession } from "../../src/node/index.ts";
import { logName } from "../../src/session/kept.ts";
import { wrapLog } from "../durable/support.ts";
import { openStorage } from "../open-storage.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { spawnScript, toldBy } from "./processes/start-script.ts";
import { key, value, withBlobs } from "./support.ts";

// Real processes, really killed.

const { url, skip } = await postgresForTests();
const dir = mkdtempSync(join(tmpdir(), "toolglot-session-"));
const running = new Set<ChildProcess>();
const sandbox = sharedSandbox("python");
const domain = "tests";
/** Long enough that a busy machine does not lose it. */
const leaseMs = 2000;
const options = { storage: folderStorage(dir), key, domain, limits: { leaseMs } };
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A process that holds a session. `next`: what it tells next. */
async function hold(id: string, way: "open" | "resume", language: SandboxLanguage = "python", place = dir) {
  const child = await spawnScript("holder.ts", [place, id, way, language]);
  running.add(child);
  const ended = once(child, "close");
  const next = toldBy(child);
  const run = (code: string): void => void child.stdin?.write(`${JSON.stringify(code)}\n`);
  return { child, ended, next, run };
}

it("should go on in another process, and be free at once after close", async () => {
  const first = await hold("a", "open");
  expect(await first.next()).toEqual({ turn: 0 });
  first.run("import_of = 'first'\ndef f(x): return x * 2\nrows = [{'n': n} for n in range(10)]\n__result__ = f(2)");
  expect(await first.next()).toEqual({ value: 4, turn: 1, state: "kept" });
  await expect(sandbox.resumeSession("a", options)).rejects.toMatchObject({
    code: "sandbox/session-live",
    data: { until: expect.any(Number) },
  });
  first.child.stdin?.end();
  await first.ended;
  const session = await sandbox.resumeSession("a", options);
  expect(await value(session, "__result__ = [import_of, f(len(rows))]")).toEqual(["first", 20]);
  await session.close();
  const third = await hold("a", "resume");
  expect(await third.next()).toEqual({ turn: 2 });
});

it.skipIf(skip)(
  `should go on over PostgreSQL from another process after the first was killed; of two at once one does${skip ? ` (skipped: ${skip})` : ""}`,
  async () => {
    const place = `${url}#test_sessions_${process.pid}`;
    const first = await hold("shared", "open", "javascript", place);
    await first.next();
    first.run("let n = 1; const drawn = Math.random(); return drawn;");
    const { value: drawn } = (await first.next()) as { value: number };
    first.run("n = 2; console.log('in the middle'); for (;;);");
    expect(await first.next()).toEqual({ text: "in the middle" });
    const storage = await openStorage(place);
    const over = { ...options, storage };
    const session = (): Promise<SandboxSession> => sharedSandbox("javascript").resumeSession("shared", over);
    await expect(session()).rejects.toMatchObject({ code: "sandbox/session-live" });
    first.child.kill("SIGKILL");
    await first.ended;
    await sleep(leaseMs + 100);
    const both = await Promise.allSettled([session(), session()]);
    const won = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const told = both.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect([won.length, told]).toEqual([1, ["sandbox/session-live"]]);
    await using own = won[0] as SandboxSession;
    expect([own.turn, await value(own, "return [n, drawn];")]).toEqual([1, [1, drawn]]);
    await own.close();
    await storage.close();
  },
);

it("should go on in another process in JavaScript, with the random numbers that would have come", async () => {
  const first = await hold("javascript", "open", "javascript");
  await first.next();
  first.run(`let n = 1; class A { twice() { return n * 2; } } const a = new A();
    function* count() { for (;;) yield n++; } const counting = count(); counting.next(); return Math.random();`);
  expect(await first.next()).toMatchObject({ turn: 1, state: "kept" });
  first.child.stdin?.end();
  await first.ended;
  const look = "return [a.twice(), counting.next().value, a instanceof A, Math.random(), Math.random()];";
  await using session = await sharedSandbox("javascript").resumeSession("javascript", options);
  const fork = await session.fork({ id: "javascript-fork" });
  await fork.close();
  const shown = await value(session, look);
  expect(shown).toEqual([4, 2, true, expect.any(Number), expect.any(Number)]);
  const second = await hold("javascript-fork", "resume", "javascript");
  await second.next();
  second.run(look);
  expect(await second.next()).toMatchObject({ value: shown, state: "kept" });
});

it("should be as before the program whose process was killed", async () => {
  const first = await hold("b", "open");
  await first.next();
  first.run("seen = [1]\n__result__ = 1");
  await first.next();
  first.run("seen.append(2)\nprint('in the middle')\nwhile True: pass");
  expect(await first.next()).toEqual({ text: "in the middle" });
  first.child.kill("SIGKILL");
  await first.ended;
  await sleep(leaseMs + 100);
  await using session = await sandbox.resumeSession("b", options);
  expect(session.turn).toBe(1);
  expect(await value(session, "__result__ = seen")).toEqual([1]);
});

it("should end the program of a process that stood still while another took over, and believe nothing of it", async () => {
  const first = await hold("c", "open");
  await first.next();
  first.run("seen = [1]\n__result__ = 1");
  await first.next();
  first.child.kill("SIGSTOP");
  await sleep(leaseMs + 200);
  await using session = await sandbox.resumeSession("c", options);
  expect(await value(session, "seen.append(2)\n__result__ = seen")).toEqual([1, 2]);
  first.child.kill("SIGCONT");
  first.run("seen.append(3)\n__result__ = seen");
  first.run("__result__ = 1");
  first.child.stdin?.end();
  await first.ended;
  expect(first.child.exitCode).not.toBe(0);
  expect(await value(session, "__result__ = seen")).toEqual([1, 2]);
}, 30_000);

it("should end a program as LeaseLost when its claim is taken meanwhile, and roll back", async () => {
  const memory = memoryStorage();
  let taken = false;
  const operations = wrapLog(memory.operations, async (method, _, call) =>
    method === "renew" && taken ? false : await call(),
  );
  const storage: Storage = { ...memory, operations };
  const session = await sandbox.openSession({ storage, key, domain, limits: { leaseMs: 60 } });
  taken = true;
  const run = await session.run("while True: pass");
  expect(run).toMatchObject({ error: { type: "LeaseLost" }, state: "rolled-back", turn: 0 });
  await expect(session.run("1")).rejects.toMatchObject({ code: "sandbox/session-live" });
  await session.close();
});

it("should be lost from the first image that another holder's line refuses, before a renewal learns of it", async () => {
  const memory = memoryStorage();
  const operations = wrapLog(memory.operations, async (method, _, call) => method === "renew" || (await call()));
  await using session = await sandbox.openSession({ storage: { ...memory, operations }, key, domain, id: "d" });
  await value(session, "seen = [1]\n__result__ = 1");
  const name = logName("d");
  const lines = (await memory.logs.read(name)) ?? [];
  expect(await memory.logs.append(name, [JSON.stringify({ owner: 2 })], lines.length)).toBe(true);
  const run = await session.run("seen.append(2)\n__result__ = 1");
  expect(run).toMatchObject({ status: "ok", state: "rolled-back", turn: 1 });
  expect(run.stats.warnings.join()).toContain("open elsewhere");
  await expect(session.run("1")).rejects.toMatchObject({ code: "sandbox/session-live" });
  await session.close();
  expect(await memory.logs.read(name)).toEqual([...lines, JSON.stringify({ owner: 2 })]);
});

it("should be as before where an image can't be stored, and go on when it can be again", async () => {
  const memory = memoryStorage();
  let fails = false;
  const storage = withBlobs(memory, {
    async put(...args) {
      if (fails) throw new Error("no space left");
      await memory.blobs.put(...args);
    },
  });
  await using session = await sandbox.openSession({ storage, key, domain });
  await value(session, "a = 1\n__result__ = 1");
  fails = true;
  const lost = await session.run("a = 2\n__result__ = 1");
  expect(lost).toMatchObject({ status: "ok", state: "rolled-back" });
  expect(lost.stats.warnings.join()).toContain("no space left");
  await expect(session.undo()).rejects.toThrow("no space left");
  fails = false;
  expect(session.turn).toBe(1);
  expect(await value(session, "__result__ = a")).toBe(1);
});
