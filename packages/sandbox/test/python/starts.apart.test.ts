import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { leftToCi } from "@toolglot/internal/testing";
import { folderStorage } from "@toolglot/storage";
import { expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../src/node/index.ts";
import { pythonSandbox } from "../own-sandbox.ts";

// A child that dies says nothing of the next one; and interpreters are the same however they are started.

const key = new Uint8Array(32);
const pool = { size: 0, maxConcurrency: 1 };

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "toolglot-starts-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const children = (): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** Kills each child that starts from now on, as the kernel does when memory runs out. */
function killing(times: number): () => number {
  const before = new Set(children());
  let killed = 0;
  const timer = setInterval(() => {
    for (const pid of children()) {
      if (before.has(pid) || killed === times) continue;
      before.add(pid);
      killed += 1;
      process.kill(pid, "SIGKILL");
    }
  }, 20);
  onTestFinished(() => clearInterval(timer));
  return () => killed;
}

it.runIf(process.platform === "linux")(
  "should start as before after children that were killed, and keep open sessions",
  async () => {
    await using sandbox = pythonSandbox({ pool });
    const session = await sandbox.openSession({ id: "a", storage: memoryStorage(), key });
    expect(await session.run("n = 41\n__result__ = n")).toMatchObject({ value: 41 });
    const { snapshot } = sandbox.stats();
    await sandbox.run("__result__ = 1"); // takes the session's interpreter
    const killed = killing(1);
    expect(await sandbox.run("__result__ = 2")).toMatchObject({ value: 2 });
    expect(killed()).toBe(1);
    expect(sandbox.stats().snapshot).toBe(snapshot);
    expect(await session.run("__result__ = n + 1")).toMatchObject({ value: 42 });
  },
);

it.runIf(process.platform === "linux")(
  "should tell a start that fails twice as one, and start at the next program",
  async () => {
    await using sandbox = pythonSandbox({ pool });
    expect(await sandbox.run("__result__ = 1")).toMatchObject({ value: 1 });
    const session = await sandbox.openSession({ id: "b", storage: memoryStorage(), key });
    await session.run("n = 1");
    await sandbox.run("__result__ = 1");
    killing(2);
    const failed = await sandbox.run("__result__ = 2").catch((error: { code: string }) => error);
    expect(JSON.stringify(failed)).toMatch(/EngineFailure|engine-start-failed|the process ended/);
    expect(await sandbox.run("__result__ = 3")).toMatchObject({ value: 3 });
    expect(await session.run("__result__ = n + 1")).toMatchObject({ value: 2 });
  },
);

it("should resume a session in a sandbox that was started another way, both ways", async (context) => {
  leftToCi(context);
  const dir = folder();
  const file = join(dir, "no folder");
  writeFileSync(file, "");
  const ways = [{ cacheDir: false as const }, {}, { cacheDir: file }];
  const storage = folderStorage(join(dir, "sessions"));
  let expected = 1;
  {
    await using sandbox = pythonSandbox({ pool, cacheDir: false });
    const session = await sandbox.openSession({ id: "a", storage, key });
    await session.run("n = 1\ndef more():\n    global n\n    n += 1\n    return n");
    await session.close();
  }
  for (const way of [...ways].reverse()) {
    await using sandbox = pythonSandbox({ pool, ...way });
    const session = await sandbox.resumeSession("a", { storage, key });
    expected += 1;
    expect(await session.run("__result__ = more()")).toMatchObject({ value: expected });
    await session.close();
  }
});

const draw = `__result__ = [random.random(), hash('abc'), random.Random().random(), random.sample(range(10**6), 3),
  statistics.kde_random([1.0, 2.0], 1.0)()]`;

async function numbers(sandbox: Sandbox): Promise<unknown> {
  const run = await sandbox.run(draw);
  return run.status === "ok" ? run.value : run.error;
}

it("should draw other numbers in each run", async (context) => {
  leftToCi(context);
  await using fresh = pythonSandbox({ pool: { size: 0 } });
  const [one, other] = await Promise.all([numbers(fresh), numbers(fresh)]);
  for (const index of [0, 1, 2, 3, 4]) {
    expect((one as unknown[])[index]).not.toEqual((other as unknown[])[index]);
  }
});

it("should draw the same numbers in each run with a fixed seed, with and without a snapshot", async (context) => {
  leftToCi(context);
  await using fixed = pythonSandbox({ seed: 7, pool: { size: 0 } });
  await using plain = pythonSandbox({ seed: "7", cacheDir: false, pool: { size: 0 } });
  const one = await numbers(fixed);
  expect(await numbers(fixed)).toEqual(one);
  expect(await numbers(plain)).toEqual(one);
  expect(plain.stats()).toMatchObject({ snapshot: "built", started: 1 });
});
