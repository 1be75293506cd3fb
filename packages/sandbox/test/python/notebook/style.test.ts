import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../../src/node/index.ts";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";
import { SharedInterpreter } from "../shared-interpreter.ts";

const shared = new SharedInterpreter({ libraries: "standard", style: "notebook" });
const sandbox = sharedSandbox("python", { style: "notebook" });
afterAll(() => shared[Symbol.asyncDispose]());

const notebook = { style: "notebook" } as const;

it.for([
  ["x = 3\nx;", null],
  ["x = 3\nx ;  # hidden", null],
  ["__result__ = 1\n2", 1],
  ["x: int = 2\nif x > 1:\n    return {'x': x}\n'not reached'", { x: 2 }],
  [
    "def f():\n    return g.__qualname__\ndef g(): pass\nfor i in range(3):\n    if i == 1:\n        return [f(), i]",
    ["g", 1],
  ],
  ["class A:\n    def m(self):\n        return B.__qualname__\nclass B: pass\nif not A:\n    return 1\nA().m()", "B"],
  ["async def main():\n    return 5\nmain()", 5],
  ["if __name__ == '__main__':\n    x = 1", null],
  ["(n * n for n in range(3))", [0, 1, 4]],
  [
    "class Frame:\n    def to_dict(self, orient='dict'):\n        return [{'a': 1}] if orient == 'records' else {}\nFrame()",
    [{ a: 1 }],
  ],
  ["import os, sys, pathlib\n[os.environ, sys.argv, str(pathlib.Path('a') / 'b')]", [{}, ["program.py"], "a/b"]],
] as const)("should end %j in its value", async ([code, value]) => {
  const run = await shared.run(code, notebook);
  expect(run.status === "ok" ? run.value : run.error).toEqual(value);
});

it.for([
  ["input('name? ')", { type: "ForbiddenName", hint: expect.stringContaining("ask with a tool") }],
  ["import sys\nsys.exit('no luck')", { type: "SystemExit", message: "no luck", line: 2 }],
  [
    "import numpy as np",
    { type: "ModuleNotFoundError", line: 1, hint: expect.stringContaining("numpy is not available") },
  ],
  [
    "import zoneinfo\nzoneinfo.ZoneInfo('Europe/Berlin')",
    { type: "ZoneInfoNotFoundError", hint: expect.stringContaining("no data on time zones") },
  ],
  ["from os import system", { type: "ImportError", message: expect.stringContaining("system") }],
  ["from asyncio import events", { type: "ImportError" }],
  ["from urllib import request", { type: "ImportError" }],
  ["open('/etc/passwd')", { type: "PermissionError", message: expect.stringContaining("only /mnt/data") }],
  [
    "n = 0\nclass P:\n    def __fspath__(self):\n        global n\n        n += 1\n        return 'a' if n == 1 else '/lib/x'\nopen(P())",
    { type: "FileNotFoundError", message: expect.stringContaining("'a'") },
  ],
  [
    "import pathlib\nclass P(pathlib.Path):\n    def __str__(self): return '/lib'\nlist(P('.').iterdir())",
    { type: "PermissionError" },
  ],
  ["import os\nos.listdir('..')", { type: "PermissionError" }],
  ["def f(): pass\nf.__globals__", { type: "ForbiddenName", line: 2 }],
  ["math.__dict__", { type: "ForbiddenName" }],
  ["'{0.__dict__}'.format(3)", { type: "ForbiddenName" }],
  ["object.__getattribute__(math, '__dict__')", { type: "ForbiddenName" }],
  ["import operator\noperator.attrgetter('__dict__')(str)", { type: "ForbiddenName" }],
  ["exec('import os\\nos.system(1)')", { type: "AttributeError" }],
  ["n = {}\nexec('1', n)\nn['__builtins__']['__toolglot_attribute__'](exec, '__globals__')", { type: "ForbiddenName" }],
  ["n = {}\nexec('1', n)\nn['__builtins__']['__import__']('os')", { type: "ForbiddenName" }],
  ["globals()['__builtins__'] = {}", { type: "ForbiddenName" }],
  ["class A:\n    def __del__(self): pass", { type: "ForbiddenName", line: 2 }],
  ["class A:\n    def __reduce__(self): pass", { type: "ForbiddenName", line: 2 }],
  ["import asyncio\nasync def f():\n    await asyncio.Event().wait()\nasyncio.run(f())", { type: "RuntimeError" }],
  ["compile('1', '', 'eval')", { type: "ForbiddenName" }],
] as const)("should refuse %j", async ([code, error]) => {
  expect(await shared.run(code, notebook)).toMatchObject({ status: "error", error });
});

it("should leave the other style as it is", async () => {
  expect(await shared.run("import math\n1")).toMatchObject({ error: { type: "ImportForbidden" } });
  expect(await shared.run("1 + 1")).toMatchObject({ error: { type: "MissingResult" } });
  expect(await shared.run("open('x')")).toMatchObject({ error: { type: "ForbiddenName" } });
  expect(await shared.run("class A: pass\n__result__ = A.__mro__")).toMatchObject({ error: { type: "ForbiddenName" } });
});

it("should not import anything more while a program runs", async () => {
  const free = createSandbox({
    language: "python",
    ...notebook,
    guard: false,
    limits: { timeoutMs: 60_000 },
    pool: { size: 0 },
  });
  const run = await free.run(`
import sys
before = set(sys.modules)
import array, asyncio, gzip, json, numbers, os, pathlib, shutil, sqlite3, struct, time, traceback, urllib.parse, zlib, zoneinfo
async def work(n):
    await asyncio.sleep(0)
    return n
async def main():
    async with asyncio.TaskGroup() as group, asyncio.timeout(5), asyncio.Semaphore(2):
        group.create_task(work(1))
    await asyncio.wait_for(work(1), 1)
    return await asyncio.gather(work(1), work(2), return_exceptions=True)
asyncio.run(main())
db = sqlite3.connect(":memory:")
db.execute("create table t (a)").execute("insert into t values (1)")
with gzip.open("a.gz", "wt") as file:
    file.write("a")
pathlib.Path("b.txt").write_text("b")
list(pathlib.Path(".").rglob("*")), shutil.copy("b.txt", "c.txt"), time.strptime("2024-01-02", "%Y-%m-%d")
try:
    zoneinfo.ZoneInfo("Europe/Berlin")
except zoneinfo.ZoneInfoNotFoundError:
    pass
try:
    1 / 0
except ZeroDivisionError:
    traceback.format_exc()
urllib.parse.urlencode({"a": "é"}), json.dump({}, open("d.json", "w")), struct.pack("i", 1), array.array("i", [1]).tolist()
sorted(set(sys.modules) - before)`);
  await free[Symbol.asyncDispose]();
  expect(run.status === "ok" ? run.value : run.error).toEqual([]);
});

it("should make calls through functools.partial side by side, and only what is one", async () => {
  let open = 0;
  let most = 0;
  const pair = tool(
    "pair",
    { a: { type: "integer" }, b: { type: "integer" } },
    async ({ a, b }: { a: number; b: number }) => {
      most = Math.max(most, ++open);
      while (most < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return a * 10 + b;
    },
  );
  const run = await sandbox.run(
    `
import asyncio, functools
class Member(functools.partial):
    def __getattr__(self, name):
        return functools.partial(self.func, b=int(name[1:]))
member = Member(pair)
made = await asyncio.gather(functools.partial(pair, 1)(2), functools.partial(functools.partial(pair, b=4), 3)(), member.b6(5))
add = functools.partial(lambda a, b: a + b, 1)
[made, functools.partial(pair, 7)(8), await asyncio.gather(asyncio.to_thread(add, 2), asyncio.to_thread(functools.partial(pair, 9), 0))]`,
    { tools: [pair] },
  );
  expect(run.status === "ok" ? run.value : run.error).toEqual([[12, 34, 56], 78, [3, 90]]);
  expect(most).toBe(3);
});

it("should go on with calls that were in flight together where they stopped", async () => {
  const log = new MemoryOperationLog();
  let made = 0;
  const wait = tool("wait", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    made++;
    await new Promise((resolve) => setTimeout(resolve, n % 2));
    return n;
  });
  const asked = tool("asked", { n: { type: "integer" } }, ({ n }: { n: number }) => n, {
    annotations: { destructiveHint: true },
  });
  const code = `
import asyncio
order = []
async def one(n):
    order.append(await wait(n))
await asyncio.gather(*[one(n) for n in range(4)])
await asyncio.sleep(3600)
print(order)
[order, await asked(9)]`;
  const durable = { storage: { operations: log }, id: "gathered", parkAfterMs: 0 };
  const parked = await sandbox.run(code, { tools: [wait, asked], durable, approve: async () => "later" });
  expect(parked.status).toBe("parked");
  const run = await sandbox.run(code, { tools: [wait, asked], durable, approve: async () => ({ approved: true }) });
  expect(run.status === "ok" ? run.value : run).toEqual([JSON.parse(parked.logs[0]?.text ?? ""), 9]);
  expect(made).toBe(4);
});
