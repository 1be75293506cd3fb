import { drawn, isLong, leftToCi, rounds, someOf } from "@toolglot/internal/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { SandboxRun } from "../../../src/node/index.ts";
import { logWithClock } from "../../durable/support.ts";
import { pythonSandbox } from "../../own-sandbox.ts";
import { addTool } from "../../support.ts";
import { endless, runNext } from "./one-at-a-time.ts";

// What lives outside of the memory that is set back, and what must end an interpreter. What programs can leave besides is in
// poison.txt: files, folders, descriptors, functions in the table, JavaScript's prototypes, promises and timers.

const sandbox = pythonSandbox({
  ...({ tools: [addTool], domain: "one", guard: false, reuse: endless } as const),
  limits: { timeoutMs: 120_000, memoryMb: 200, maxToolCalls: 1000, maxLogBytes: 1000 },
});
afterAll(() => sandbox[Symbol.asyncDispose]());
// Of programs that end by nothing else.
const short = pythonSandbox({ domain: "one", guard: false, limits: { timeoutMs: 2000 } });
afterAll(() => short[Symbol.asyncDispose]());
const next = (code: string): Promise<SandboxRun> => runNext(sandbox, code);
const plain = "__result__ = add(1)";

/** Runs it in an interpreter that is used again. */
async function again(code: string): Promise<SandboxRun> {
  await next(plain);
  const run = await next(code);
  expect(run.stats.reused).toBeGreaterThan(0);
  return run;
}

describe("an interpreter that is used again", () => {
  it("should be interrupted at the deadline, with the line, and end then", async () => {
    await runNext(short, "__result__ = 1");
    const run = await runNext(short, "x = 1\nwhile True:\n    x += 1");
    expect(run).toMatchObject({ error: { type: "Timeout", line: expect.any(Number) }, stats: { reused: 1 } });
    expect((await runNext(short, "__result__ = 1")).stats.reused).toBe(0);
  });

  it("should have other random numbers and another salt for each program", async () => {
    const code = "import random\n__result__ = [random.random(), random.getrandbits(64), hash('text')]";
    const runs = [await again(code), await again(code), await again(code)];
    const values = runs.map((run) => JSON.stringify(run.status === "ok" ? run.value : run.error));
    expect(new Set(values).size).toBe(3);
  });

  it("should have the tools of its own program", async () => {
    const other = { ...addTool, name: "other" };
    await next(plain);
    expect(await runNext(sandbox, "__result__ = other(1)", { tools: [other] })).toMatchObject({ value: 3 });
    expect(await next("__result__ = other(1)")).toMatchObject({ error: { type: "NameError" } });
  });

  it("should hand Python's objects to JavaScript as often as it likes, and collect them when it likes", async () => {
    const code = `kept = [add(number) for number in range(300)]\n__result__ = sum(kept)`;
    for (let round = 0; round < rounds(4, 12); round++) expect(await again(code)).toMatchObject({ value: 45450 });
    const proxies = "from pyodide.ffi import create_proxy\n__result__ = len([create_proxy([n]) for n in range(3000)])";
    expect(await again(proxies)).toMatchObject({ value: 3000 });
    for (let round = 0; round < rounds(2, 5); round++) expect(await next(code)).toMatchObject({ value: 45450 });
  });

  it("should hold nothing of what its memory grew by", async () => {
    await next(plain);
    const grows = await again(`kept = b"topsecret " * 4_000_000\n__result__ = len(kept)`);
    expect(grows).toMatchObject({ value: 40_000_000 });
    const looks = await next(`
import ctypes
wanted = bytes(reversed(b"tercespot")) * 1
found = 0
for start in range(34_000_000, 58_000_000, 4_000_000):
    found += ctypes.string_at(start, 4_000_000).count(wanted)
__result__ = found`);
    expect(looks).toMatchObject({ value: 0, stats: { reused: grows.stats.reused + 1 } });
  });

  it("should have the time and the time zone of the host again after a durable program", async () => {
    const { log } = logWithClock();
    await using guarded = pythonSandbox({ domain: "one", reuse: endless });
    const code = `__result__ = [datetime.now(datetime.timezone.utc).timestamp(), datetime(2024, 7, 1).astimezone().isoformat()]`;
    const first = await runNext(guarded, code);
    expect(await guarded.run(code, { durable: { id: "a", storage: { operations: log } } })).toMatchObject({
      status: "ok",
    });
    const run = await runNext(guarded, code);
    expect(run.stats.reused).toBeGreaterThan(0);
    const [time, zone] = (run.status === "ok" ? run.value : []) as [number, string];
    expect(Math.abs(time * 1000 - Date.now())).toBeLessThan(60_000);
    expect(zone).toBe(((first.status === "ok" ? first.value : []) as [number, string])[1]);
    const { value } = (await runNext(
      guarded,
      "first = datetime.now()\nfor n in range(300_000):\n    pass\n__result__ = datetime.now() > first",
    )) as { value?: unknown };
    expect(value).toBe(true);
  });
});

describe("an interpreter should not be used again after", () => {
  const ends: readonly [string, string, string | undefined][] = [
    ["too much memory", "x = [0] * 10**9", "MemoryError"],
    ["recursion in the engine", "import json\njson.loads('[' * 200_000)", "RecursionError"],
    ["too many tool calls", "for n in range(1001):\n    add(n)\n__result__ = 1", "ToolCallLimit"],
    ["a result that is too large", "__result__ = 'x' * 2_000_000", "ResultTooLarge"],
    ["an engine that fails", "import os\nos.abort()", "EngineFailure"],
    ["output that was cut", "print('x' * 5000)\n__result__ = 1", undefined],
    ["memory that grew by more than it may", "x = bytearray(100_000_000)\n__result__ = 1", undefined],
    ["a callback of ctypes", "import ctypes\n__result__ = 1", undefined],
    [
      "a JavaScript object that Python holds",
      "from pyodide.ffi import to_js\nx = to_js([1])\n__result__ = 1",
      undefined,
    ],
  ];
  const some = someOf(ends, 4);
  const sample = drawn(some, 2);
  it.for(some)("%s", async (end, context) => {
    leftToCi(context, sample.includes(end));
    const [, code, type] = end;
    const run = await again(code);
    expect(run.status === "ok" ? undefined : run.error.type).toBe(type);
    expect(await next(plain)).toMatchObject({ value: 3, stats: { reused: 0 } });
  });

  it("an interrupt that was swallowed", async (context) => {
    leftToCi(context);
    const { stats } = await runNext(short, "__result__ = 1");
    const swallows = `
try:
    while True:
        pass
except BaseException:
    __result__ = "swallowed"`;
    expect(await runNext(short, swallows)).toMatchObject({
      ...{ value: "swallowed", stats: { reused: stats.reused + 1 } },
    });
    expect((await runNext(short, "__result__ = 1")).stats.reused).toBe(0);
  });

  it("the caller has ended its program", async (context) => {
    leftToCi(context);
    await again(plain);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    const run = await runNext(sandbox, "while True:\n    pass", { signal: abort.signal });
    expect(run).toMatchObject({ error: { type: "Aborted" } });
    expect(await next(plain)).toMatchObject({ value: 3, stats: { reused: 0 } });
  });

  const asMany = async (): Promise<void> => {
    const reuses = async (times: number, reuse: { maxPrograms?: number; maxMs?: number }): Promise<unknown> => {
      await using few = pythonSandbox({ domain: "one", reuse });
      const runs: number[] = [];
      for (let round = 0; round < times; round++) runs.push((await runNext(few, "__result__ = 1")).stats.reused);
      return [runs, few.stats().retired];
    };
    expect(await reuses(3, { maxPrograms: 2 })).toMatchObject([[0, 1, 0], { programs: 1 }]);
    expect(await reuses(2, { maxMs: 0 })).toMatchObject([[0, 0], { age: 2 }]);
  };
  // Each of its programs starts an interpreter.
  if (isLong) it("as many programs as it may run, and as long as it may live", asMany);
});

it("should share no interpreter between two domains, nor between one and none", async (context) => {
  leftToCi(context);
  await using shared = pythonSandbox({ guard: false, pool: { size: 2 }, reuse: endless });
  const last = new Map<string | undefined, number>();
  for (const domain of ["a", "A", undefined, "a", "a "]) {
    const code = `import sys\nseen = getattr(sys, "left", None)\nsys.left = ${JSON.stringify(domain ?? "none")}\n__result__ = seen`;
    const run = await runNext(shared, code, domain === undefined ? {} : { domain });
    expect(run).toMatchObject({ value: null });
    expect(run.stats.domain).toBe(domain);
    if (domain === undefined || !last.has(domain)) expect(run.stats.reused).toBe(0);
    last.set(domain, run.stats.reused);
  }
});
