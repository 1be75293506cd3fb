import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { javascriptSandbox, pythonSandbox } from "../own-sandbox.ts";
import { tool } from "../support.ts";
import { resultOf, sleep } from "./support.ts";

const sandbox = pythonSandbox({ pool: { size: 0 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should go on in a fresh interpreter with the same time, zone, random numbers and values", async () => {
  const log = new MemoryOperationLog();
  let calls = 0;
  const slow = tool("slow", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    calls++;
    await sleep(60);
    return n * 2;
  });
  const code = `
print("begin", random.random() >= 0)
seen = [datetime.now().isoformat(), datetime.today().isoformat(), datetime.date.today().isoformat(), random.random(), hash("a")]
a = slow(1)
seen += [datetime.now().isoformat(), random.Random().random(), datetime.now(datetime.timezone.utc).timestamp()]
print("between")
b = slow(2)
seen += [datetime.now().isoformat(), random.randint(1, 10**9)]
__result__ = {"seen": seen, "a": a, "b": b, "zone": datetime.now().astimezone().tzname()}
`;
  const started = Date.now();
  const run = await sandbox.run(code, {
    tools: [slow],
    durable: { storage: { operations: log }, id: "one", parkAfterMs: 0 },
  });
  const value = resultOf(run) as { seen: (string | number)[]; a: number; b: number };
  expect(value).toMatchObject({ a: 2, b: 4 });
  expect(run.logs.map(({ text }) => text)).toEqual(["begin True", "between"]);
  expect(run.stats.parked).toBe(2);
  expect(calls).toBe(2);
  expect(run.toolCalls.map(({ callId, ok }) => [callId, ok])).toEqual([1, 2].map((n) => [`one:${n}`, true]));
  const [now, today, date, , , later] = value.seen as string[];
  const ms = (text: string | undefined): number => new Date(text ?? "").getTime();
  expect(Math.abs(ms(today) - ms(now))).toBeLessThanOrEqual(1);
  expect(now?.startsWith(date ?? "?")).toBe(true);
  expect(ms(now)).toBeGreaterThanOrEqual(started - 1);
  expect(ms(now)).toBeLessThanOrEqual(Date.now());
  expect(later).not.toBe(now);
  const again = await sandbox.run(code, { tools: [slow], durable: { storage: { operations: log }, id: "one" } });
  expect(again).toMatchObject({ status: "ok", value, logs: run.logs });
  expect(again.toolCalls).toMatchObject(run.toolCalls);
  expect(calls).toBe(2);
});

it("should go on in another sandbox after a decision that came later, with what was answered before", async (context) => {
  leftToCi(context);
  const log = new MemoryOperationLog();
  const effects: string[] = [];
  const act = (name: string, requiresApproval: boolean) =>
    tool(
      name,
      { what: { type: "string" }, times: { type: "integer", default: 1 } },
      ({ what, times }: { what: string; times: number }) => {
        effects.push(`${name} ${what} ${times}`);
        return { what, at: Math.random() };
      },
      { annotations: { requiresApproval } },
    );
  const tools = [act("read", false), act("remove", true)];
  const code = `
lucky = random.random()
before = read("a", times=2)
print("read", before["at"])
try:
    remove(what="b")
    refused = None
except ToolError as error:
    refused = str(error)
after = remove("c")
__result__ = {"lucky": lucky, "before": before["at"], "after": after["what"], "refused": refused, "set": {"x", "y"}}
`;
  const durable = { storage: { operations: log }, id: "python" };
  const parked = await sandbox.run(code, { tools, durable, approve: async () => "later" });
  expect(parked).toMatchObject({
    status: "parked",
    parked: { waiting: [{ callId: "python:2", args: { what: "b" } }] },
  });
  const other = pythonSandbox({ tools, pool: { size: 0 } });
  const again = await other.resume(durable, {
    approve: async ({ callId }) => (callId === "python:2" ? { approved: false, reason: "keep b" } : "later"),
  });
  expect(again).toMatchObject({ status: "parked", parked: { waiting: [{ callId: "python:3", args: { what: "c" } }] } });
  const run = await other.resume(durable, { approve: async () => ({ approved: true }) });
  const { before } = resultOf(run) as { before: number };
  expect(run).toMatchObject({
    value: { after: "c", refused: "remove was denied: keep b", set: ["x", "y"] },
    logs: [{ text: `read ${before}` }],
    toolCalls: [{ replayed: true }, { replayed: true, error: { type: "Denied" } }, { ok: true }],
    stats: { conversions: [{ path: "set", from: "set" }] },
  });
  expect(again.logs).toEqual(run.logs);
  expect(effects).toEqual(["read a 2", "remove c 1"]);
  await other[Symbol.asyncDispose]();
});

it("should end as Timeout when a program waits by looking at its clock", async (context) => {
  leftToCi(context);
  const quick = pythonSandbox({ limits: { timeoutMs: 1500 }, pool: { size: 0 } });
  const code =
    "start = datetime.now()\nwhile (datetime.now() - start).total_seconds() < 0.05:\n    pass\n__result__ = 1";
  expect(await sandbox.run(code)).toMatchObject({ status: "ok" });
  const run = await quick.run(code, { durable: { storage: { operations: new MemoryOperationLog() }, id: "polls" } });
  expect(run).toMatchObject({ status: "error", error: { type: "Timeout", line: expect.any(Number) } });
  await quick[Symbol.asyncDispose]();
});

it("should refuse to be durable without the guard", async () => {
  const open = pythonSandbox({ guard: false });
  const durable = { storage: { operations: new MemoryOperationLog() }, id: "open" };
  await expect(open.run("__result__ = 1", { durable })).rejects.toThrow(
    new TypeError("A durable run needs the guard: leave out guard: false."),
  );
  await open[Symbol.asyncDispose]();
});

it("should not resume a program of another language", async () => {
  const log = new MemoryOperationLog();
  const other = javascriptSandbox();
  await other.run("return 1", { durable: { storage: { operations: log }, id: "bean" } });
  const resumed = sandbox.resume({ storage: { operations: log }, id: "bean" });
  await expect(resumed).rejects.toMatchObject({
    code: "sandbox/run-conflict",
    data: { id: "bean", language: "javascript" },
  });
  await other[Symbol.asyncDispose]();
});

it("should have the host's time zone, and not go on in another", async (context) => {
  leftToCi(context);
  const log = new MemoryOperationLog();
  const zone = process.env.TZ;
  const offset = tool("offset", { hours: { type: "number" } }, () => 0, { annotations: { requiresApproval: true } });
  const code = `
hours = datetime.now().astimezone().utcoffset().total_seconds() / 3600
local = datetime(2026, 1, 1, 12).timestamp()
offset(hours)
__result__ = [hours, local]`;
  const options = { tools: [offset], durable: { storage: { operations: log }, id: "zone" } };
  try {
    process.env.TZ = "Asia/Tokyo";
    expect(await sandbox.run(code, { ...options, approve: async () => "later" })).toMatchObject({
      parked: { waiting: [{ args: { hours: 9 } }] },
    });
    process.env.TZ = "America/Bogota";
    expect(await sandbox.run(code, options)).toMatchObject({ error: { type: "Diverged" } });
    process.env.TZ = "Asia/Tokyo";
    const run = await sandbox.run(code, { ...options, approve: async () => ({ approved: true }) });
    expect(resultOf(run)).toEqual([9, Date.UTC(2026, 0, 1, 3) / 1000]);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
