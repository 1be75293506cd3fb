import { type AnyTool, type Decision, type OperationLog, ToolError } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import type { DurableOptions } from "../../src/node/index.ts";
import { javascriptSandbox } from "../own-sandbox.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { logWithClock, resultOf, sleep, wrapLog } from "./support.ts";

const sandbox = sharedSandbox("javascript");

const hour = 3_600_000;
const never = new Promise<never>(() => {});
const approved = async (): Promise<Decision> => ({ approved: true });

/** A tool that notes its calls. */
function noted(name: string, annotations: AnyTool["annotations"] = {}, execute = (n: number): unknown => n * 10) {
  const calls: number[] = [];
  const one = tool(
    name,
    { n: { type: "integer" } },
    ({ n }: { n: number }) => {
      calls.push(n);
      return execute(n);
    },
    { annotations: { ...annotations } },
  );
  return { calls, tool: one };
}

const pay = noted("pay", { requiresApproval: true });

it("should end as parked when a decision comes later, and ask again under the same id", async () => {
  const log = new MemoryOperationLog();
  const look = noted("look");
  const code = `
const found = await look({ n: 1 });
console.log("found", found);
__result__ = await Promise.all([pay({ n: found }), look({ n: 2 }), pay({ n: 3 })]);`;
  const asked: string[] = [];
  const options = { tools: [look.tool, pay.tool], durable: { storage: { operations: log }, id: "order/7" } };
  const parked = await sandbox.run(code, {
    ...options,
    approve: async ({ callId }) => {
      asked.push(callId);
      return "later";
    },
  });
  const reason = "The program wants to call pay.";
  expect(parked).toMatchObject({
    status: "parked",
    parked: {
      id: "order/7",
      waiting: [
        { callId: "order/7:2", name: "pay", args: { n: 10 }, reason },
        { callId: "order/7:4", name: "pay", args: { n: 3 }, reason },
      ],
    },
    logs: [{ text: "found 10" }],
    stats: { toolCalls: 4, parked: 0 },
  });
  expect(pay.calls).toEqual([]);
  const told: unknown[] = [];
  const lines: string[] = [];
  const run = await sandbox.resume(options.durable, {
    ...options,
    approve: async ({ callId }) => {
      asked.push(callId);
      return callId === "order/7:2" ? { approved: true } : { approved: false, reason: "too much" };
    },
    onToolCallStart: ({ callId, replayed }) => told.push(["start", callId, replayed === true]),
    onToolCall: ({ callId, ok, replayed }, value) => told.push(["end", callId, ok, value, replayed === true]),
    onLog: ({ text }) => lines.push(text),
  });
  expect(run).toMatchObject({ status: "error", error: { type: "ToolError", message: "pay was denied: too much" } });
  expect(asked).toEqual(["order/7:2", "order/7:4", "order/7:2", "order/7:4"]);
  expect(lines).toEqual(["found 10"]);
  expect(told).toContainEqual(["start", "order/7:1", true]);
  expect(told).toContainEqual(["end", "order/7:1", true, 10, true]);
  expect(told).toContainEqual(["end", "order/7:3", true, 20, true]);
  expect(told).toContainEqual(["end", "order/7:2", true, 100, false]);
  expect([look.calls, pay.calls]).toEqual([[1, 2], [10]]);
  // A run that has ended says again what it came to.
  const again = await sandbox.run(code, options);
  expect(again).toMatchObject({ ...run, toolCalls: run.toolCalls.map(({ name, ok, ms }) => ({ name, ok, ms })) });
  expect([look.calls, pay.calls]).toEqual([[1, 2], [10]]);
});

it("should not ask again for what was decided, nor make again what has an answer", async () => {
  const { log, pass } = logWithClock();
  let isStuck = true;
  const wipe = noted("wipe", { destructiveHint: true, idempotentHint: true }, (n) => (isStuck ? never : n));
  const code = "__result__ = [await wipe({ n: 5 })]";
  const controller = new AbortController();
  let asked = 0;
  const approve = async (): Promise<Decision> => {
    asked++;
    setTimeout(() => controller.abort(), 50);
    return { approved: true };
  };
  const options = { tools: [wipe.tool], durable: { storage: { operations: log }, id: "a" }, approve };
  const stopped = await sandbox.run(code, { ...options, signal: controller.signal });
  expect(stopped).toMatchObject({ status: "error", error: { type: "Aborted" } });
  pass(hour);
  isStuck = false;
  expect(resultOf(await sandbox.run(code, options))).toEqual([5]);
  expect(asked).toBe(1);
  expect(wipe.calls).toEqual([5, 5]);
});

it("should give a parked program's place to others, and go on when the answer is there", async () => {
  const one = javascriptSandbox({ pool: { size: 1, maxConcurrency: 1 } });
  const log = new MemoryOperationLog();
  let decide: (decision: Decision) => void = () => {};
  const decision = new Promise<Decision>((resolve) => {
    decide = resolve;
  });
  let hasBegun: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const waiting = one.run(
    'console.log("before"); const x = await pay({ n: 7 }); console.log("after"); __result__ = x;',
    {
      tools: [pay.tool],
      approve: () => decision,
      onLog: () => hasBegun(),
      durable: { storage: { operations: log }, id: "waits", parkAfterMs: 20, leaseMs: 200 },
    },
  );
  await begun;
  // It would never get the place.
  expect(await one.run("__result__ = 1")).toMatchObject({ value: 1 });
  expect(one.stats()).toMatchObject({ running: 0, waiting: 0 });
  decide({ approved: true });
  const run = await waiting;
  expect(run).toMatchObject({ status: "ok", value: 70, stats: { parked: 1, toolCalls: 1 } });
  expect(run.logs.map(({ text }) => text)).toEqual(["before", "after"]);
  await one[Symbol.asyncDispose]();
});

it("should write an answer down before the program gets it", async () => {
  let release: () => void = () => {};
  const written = new Promise<void>((resolve) => {
    release = resolve;
  });
  const log = wrapLog(new MemoryOperationLog(), async (method, args, call) => {
    if (method === "finish" && (args[0] as { key: string }).key === "call:1") await written;
    return await call();
  });
  const first = noted("first");
  const lines: string[] = [];
  const run = sandbox.run('const a = await first({ n: 1 }); console.log("got", a); __result__ = a;', {
    tools: [first.tool],
    durable: { storage: { operations: log }, id: "slow disk" },
    onLog: ({ text }) => lines.push(text),
  });
  await sleep(300);
  expect([first.calls, lines]).toEqual([[1], []]);
  release();
  expect(resultOf(await run)).toBe(10);
  expect(lines).toEqual(["got 10"]);
});

it("should carry out and remember the calls that a program did not wait for", async () => {
  const log = new MemoryOperationLog();
  const slow = noted("slow", {}, (n) => sleep(40).then(() => n));
  const code = "slow({ n: 1 }); pay({ n: 2 }); __result__ = 'done';";
  const options = { tools: [slow.tool, pay.tool], durable: { storage: { operations: log }, id: "unawaited" } };
  pay.calls.length = 0;
  const parked = await sandbox.run(code, { ...options, approve: async () => "later" });
  expect(parked).toMatchObject({ status: "parked", parked: { waiting: [{ name: "pay" }] } });
  const run = await sandbox.run(code, { ...options, approve: approved });
  expect(run).toMatchObject({ status: "ok", value: "done", toolCalls: [{ ok: true, replayed: true }, { ok: true }] });
  expect([slow.calls, pay.calls]).toEqual([[1], [2]]);
});

it("should count the time that tools took before", async () => {
  const limited = sharedSandbox("javascript", { limits: { toolTimeMs: 3000 } });
  const log = new MemoryOperationLog();
  const slow = noted("slow", {}, () => sleep(500));
  const code = "await slow({ n: 1 }); await pay({ n: 1 }); __result__ = 1;";
  const options = { tools: [slow.tool, pay.tool], durable: { storage: { operations: log }, id: "time" } };
  await limited.run(code, { ...options, approve: async () => "later" });
  const run = await limited.run(code, { ...options, approve: approved });
  expect(run).toMatchObject({ status: "ok", toolCalls: [{ replayed: true }, {}] });
  expect(run.stats.toolMs).toBeGreaterThanOrEqual(490);
  expect(run.toolCalls[0]?.ms).toBeGreaterThanOrEqual(490);
});

it("should remember a program's own error, and go on after one of the host", async () => {
  const log = new MemoryOperationLog();
  const one = noted("one");
  const code = "await one({ n: 1 }); throw new RangeError('no');";
  const options = { tools: [one.tool], durable: { storage: { operations: log }, id: "error" } };
  const run = await sandbox.run(code, options);
  expect(run).toMatchObject({ status: "error", error: { type: "RangeError", message: "no", line: 1 } });
  expect(await sandbox.resume(options.durable, options)).toMatchObject({
    status: "error",
    error: { type: "RangeError" },
  });
  const aborted = { ...options, durable: { storage: { operations: log }, id: "aborted" } };
  expect(await sandbox.run(code, { ...aborted, signal: AbortSignal.abort() })).toMatchObject({
    error: { type: "Aborted" },
  });
  expect(await sandbox.run(code, aborted)).toMatchObject({ error: { type: "RangeError" } });
  expect(one.calls).toEqual([1, 1]);
});

it("should write down what a tool says after an abort, when it says it for certain", async () => {
  const log = new MemoryOperationLog();
  const code = "__result__ = await Promise.allSettled([tell({ n: 1 }), refuse({ n: 2 }), work({ n: 3 })])";
  const controller = new AbortController();
  let isAborted = false;
  controller.signal.addEventListener("abort", () => {
    isAborted = true;
  });
  const later = (end: (n: number) => unknown) => (n: number) => sleep(isAborted ? 0 : 100).then(() => end(n));
  const tell = noted(
    "tell",
    {},
    later((n) => `value ${n}`),
  );
  const refuse = noted(
    "refuse",
    {},
    later(() => Promise.reject(new ToolError("it is closed"))),
  );
  const fail = (n: number): unknown => (work.calls.length > 1 ? `again ${n}` : Promise.reject(new Error("aborted")));
  const work = noted("work", { idempotentHint: true }, later(fail));
  const options = {
    tools: [tell.tool, refuse.tool, work.tool],
    durable: { storage: { operations: log }, id: "after abort" },
  };
  const run = await sandbox.run(code, {
    ...options,
    signal: controller.signal,
    onToolCallStart: ({ name }) => {
      if (name === "work") setTimeout(() => controller.abort(), 30);
    },
  });
  expect(run).toMatchObject({ error: { type: "Aborted" } });
  // It waits for the lease, which is given up when the last tool has ended.
  expect(resultOf(await sandbox.run(code, options))).toMatchObject([
    { status: "fulfilled", value: "value 1" },
    { status: "rejected" },
    { status: "fulfilled", value: "again 3" },
  ]);
  expect([tell.calls, refuse.calls, work.calls]).toEqual([[1], [2], [3, 3]]);
});

it("should be aborted while it is parked, and go on later", async () => {
  const log = new MemoryOperationLog();
  const controller = new AbortController();
  const one = javascriptSandbox({ pool: { size: 0 } });
  const code = "__result__ = await pay({ n: 4 })";
  const durable = { storage: { operations: log }, id: "parked", parkAfterMs: 0 };
  const run = one.run(code, { tools: [pay.tool], durable, approve: () => never, signal: controller.signal });
  while (one.stats().served === 0 || one.stats().running > 0) await sleep(10);
  controller.abort();
  expect(await run).toMatchObject({ status: "error", error: { type: "Aborted" }, stats: { parked: 1 } });
  expect(resultOf(await one.resume(durable, { tools: [pay.tool], approve: approved }))).toBe(40);
  const other = one.run(code, { tools: [pay.tool], durable: { ...durable, id: "disposed" }, approve: () => never });
  await sleep(50);
  await one[Symbol.asyncDispose]();
  expect(await other).toMatchObject({ error: { type: "Aborted" } });
});

it("should remember that a program used up what it may use", async () => {
  const small = sharedSandbox("javascript", { limits: { maxToolCalls: 2, toolTimeMs: 200 } });
  const log = new MemoryOperationLog();
  const one = noted("one", {}, (n) => (n === 9 ? never : n));
  for (const [id, code, type] of [
    ["calls", "for (let n = 1; ; n++) await one({ n })", "ToolCallLimit"],
    ["time", "await one({ n: 9 })", "Timeout"],
  ] as const) {
    one.calls.length = 0;
    const options = { tools: [one.tool], durable: { storage: { operations: log }, id } };
    const run = await small.run(code, options);
    expect(run).toMatchObject({ status: "error", error: { type } });
    const count = one.calls.length;
    expect(await small.run(code, options)).toMatchObject({ status: "error", error: { type } });
    expect(one.calls).toHaveLength(count);
  }
});

it.each<[string, Partial<Record<keyof DurableOptions, unknown>>]>([
  ["storage", { storage: {} }],
  ["storage", { storage: undefined }],
  ["id", { id: "" }],
  ["id", { id: "x".repeat(201) }],
  ["parkAfterMs", { parkAfterMs: -1 }],
  ["leaseMs", { leaseMs: 0 }],
  ["leaseMs", { leaseMs: Number.NaN }],
  ["keepMs", { keepMs: 1 }],
])("should refuse options that make no sense: %s %o", async (name, wrong) => {
  const durable = { storage: { operations: new MemoryOperationLog() }, id: "x", ...wrong } as DurableOptions;
  await expect(sandbox.run("1", { durable })).rejects.toThrow(new RegExp(`durable\\.${name}`));
});

it("should end as JournalFailure when the log fails, and keep what was written", async () => {
  const memory = new MemoryOperationLog();
  let isBroken = true;
  const log: OperationLog = wrapLog(memory, async (method, args, call) => {
    const { key } = args[0] as { key: string };
    if (isBroken && method === "claim" && key === "call:2") throw new Error("the disk /var/log is full");
    return await call();
  });
  const one = noted("one");
  const code = "__result__ = [await one({ n: 1 }), await one({ n: 2 })]";
  const options = { tools: [one.tool], durable: { storage: { operations: log }, id: "disk" } };
  const run = await sandbox.run(code, options);
  expect(run).toMatchObject({ status: "error", error: { type: "JournalFailure" } });
  expect(JSON.stringify(run)).not.toContain("/var/log");
  isBroken = false;
  expect(resultOf(await sandbox.run(code, options))).toEqual([10, 20]);
  expect(one.calls).toEqual([1, 2]);
  const broken = wrapLog(memory, () => Promise.reject(new Error("gone")));
  await expect(
    sandbox.run(code, { ...options, durable: { storage: { operations: broken }, id: "gone" } }),
  ).rejects.toThrow("gone");
});
