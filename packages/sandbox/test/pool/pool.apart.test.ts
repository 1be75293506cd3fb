import { readdirSync, readFileSync } from "node:fs";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/node/index.ts";
import { pythonSandbox } from "../own-sandbox.ts";
import { tool } from "../support.ts";

async function value(sandbox: Sandbox, code: string): Promise<unknown> {
  const run = await sandbox.run(code);
  return run.status === "ok" ? run.value : run.error;
}

it("should pass nothing from one run to the next, also when the guard is off", async () => {
  await using sandbox = pythonSandbox({ guard: false, pool: { size: 0 } });
  const leave = `
import sys, os, builtins
json.JSONDecodeError.mark = 1
sys.modules["mark"] = sys
builtins.mark = 1
os.environ["MARK"] = "1"
open("/mnt/data/mark", "w").write("1")
__result__ = os.path.exists("/mnt/data/mark")`;
  const look = `
import sys, os, builtins
__result__ = [hasattr(json.JSONDecodeError, "mark"), "mark" in sys.modules, hasattr(builtins, "mark"), "MARK" in os.environ, os.path.exists("/mnt/data/mark")]`;
  expect(await value(sandbox, leave)).toBe(true);
  expect(await value(sandbox, look)).toEqual([false, false, false, false, false]);
});

it("should run no more programs at once than it may, the others in order", async () => {
  await using sandbox = pythonSandbox({ pool: { size: 0, maxConcurrency: 1 } });
  const order: number[] = [];
  let running = 0;
  const step = tool("step", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    running++;
    expect(running).toBe(1);
    order.push(n);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
  });
  const stop = new AbortController();
  const runs = [1, 2, 3].map((n) =>
    sandbox.run(`__result__ = step(${n})`, { tools: [step], ...(n === 2 ? { signal: stop.signal } : {}) }),
  );
  expect(sandbox.stats()).toMatchObject({ running: 1, waiting: 2 });
  stop.abort();
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  expect(outcomes[1]).toMatchObject({ error: { type: "Aborted" } });
  expect(order).toEqual([1, 3]);
  expect(sandbox.stats()).toMatchObject({ running: 0, waiting: 0 });
});

it("should be warm after warm(), and use each interpreter once", async (context) => {
  leftToCi(context);
  await using sandbox = pythonSandbox({ pool: { size: 1 } });
  expect(sandbox.stats()).toMatchObject({ engine: "pyodide 314.0.7", idle: 0, started: 0, snapshot: "none" });
  await sandbox.warm();
  expect(sandbox.stats()).toMatchObject({ idle: 1, starting: 0, started: 1 });
  const run = await sandbox.run("__result__ = 1");
  expect(run.stats.warm).toBe(true);
  await sandbox.warm();
  expect(sandbox.stats()).toMatchObject({ idle: 1, running: 0, started: 2 });
});

it("should finish what it has when it is drained", async (context) => {
  leftToCi(context);
  await using sandbox = pythonSandbox({ pool: { size: 1, maxConcurrency: 1, maxWaiting: 1 } });
  const runs = [1, 2].map((n) => sandbox.run(`__result__ = ${n}`));
  await expect(sandbox.run("__result__ = 3")).rejects.toMatchObject({ code: "sandbox/busy" });
  const drained = sandbox.drain();
  await expect(sandbox.run("__result__ = 4")).rejects.toMatchObject({ code: "sandbox/disposed" });
  await drained;
  expect(sandbox.stats()).toMatchObject({ idle: 0, starting: 0, running: 0, waiting: 0, served: 2, failed: 0 });
  expect((await Promise.all(runs)).map((run) => run.status === "ok" && run.value)).toEqual([1, 2]);
});

/** Processes that this one had started before any test. */
const first = process.platform === "linux" ? children() : [];

/** Processes that this one started, and its descriptors; Linux only. */
function leftovers(): { children: number; descriptors: number } {
  return { children: children().length, descriptors: readdirSync("/proc/self/fd").length };
}

function children(): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      try {
        return readdirSync(`/proc/${pid}/task`).length > 0 && parentOf(pid) === process.pid;
      } catch {
        // Gone meanwhile.
        return false;
      }
    })
    .map(Number);
}

function parentOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

it.skipIf(process.platform !== "linux")("should leave no process and no descriptor behind", async () => {
  // A sandbox's children are gone a little after it.
  await expect.poll(children, { timeout: 600_000 }).toEqual(first);
  const before = leftovers();
  // Ended by its sandbox, not by its time, however busy the machine is.
  const sandbox = pythonSandbox({ pool: { size: 1 }, limits: { timeoutMs: 600_000 } });
  await sandbox.warm();
  const busy = sandbox.run("while True:\n    pass");
  await sandbox.run("__result__ = 1");
  expect(leftovers().children).toBeGreaterThan(before.children);
  await sandbox[Symbol.asyncDispose]();
  expect(await busy).toMatchObject({ status: "error", error: { type: "Aborted" } });
  await expect.poll(leftovers, { timeout: 600_000 }).toEqual(before);
  await expect(sandbox.run("x")).rejects.toMatchObject({ code: "sandbox/disposed" });
  await expect(sandbox.warm()).rejects.toMatchObject({ code: "sandbox/disposed" });
  await sandbox[Symbol.asyncDispose]();
});

it.skipIf(process.platform !== "linux")("should replace an idle interpreter that somebody killed", async (context) => {
  leftToCi(context);
  await using sandbox = pythonSandbox({ pool: { size: 1 } });
  const before = children();
  await sandbox.warm();
  const [idle] = children().filter((pid) => !before.includes(pid));
  process.kill(idle as number, "SIGKILL");
  await expect.poll(() => sandbox.stats(), { timeout: 600_000 }).toMatchObject({ idle: 1, started: 2, failed: 1 });
  expect(await sandbox.run("__result__ = 1")).toMatchObject({ value: 1, stats: { warm: true } });
});
