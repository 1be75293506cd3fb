import type { AnyTool, OperationLog } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox, settleCall } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { dyingLog, logWithClock, resultOf, wrapLog } from "./support.ts";

const sandbox = createSandbox({ language: "javascript", pool: { size: 3 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const hour = 3_600_000;
const never = new Promise<never>(() => {});
const code = "const a = await pay({ n: 1 }); __result__ = [a, await pay({ n: 2 })];";

function payTool(execute: (n: number) => unknown): AnyTool {
  return tool("pay", { n: { type: "integer" } }, ({ n }: { n: number }) => execute(n));
}

/** A run that dies while it pays for the second time. */
async function diesPaying(log: OperationLog, id: string): Promise<void> {
  let isPaying: () => void = () => {};
  const paying = new Promise<void>((resolve) => {
    isPaying = resolve;
  });
  const dying = dyingLog(log, Number.POSITIVE_INFINITY);
  const controller = new AbortController();
  const dead = wrapLog(dying.log, (_, __, call) => (controller.signal.aborted ? never : call()));
  const pay = payTool((n) => {
    if (n === 1) return "paid 1";
    isPaying();
    return never;
  });
  void sandbox.run(code, { tools: [pay], signal: controller.signal, durable: { storage: { operations: dead }, id } });
  await paying;
  controller.abort();
}

it("should be in doubt about a call that was under way, until somebody settles it", async () => {
  const { log, pass } = logWithClock();
  await diesPaying(log, "bill");
  const again: number[] = [];
  const options = {
    tools: [payTool((n) => again.push(n))],
    durable: { storage: { operations: log }, id: "bill" },
  };
  await expect(settleCall({ operations: log }, "bill", 2, { value: 0 })).rejects.toMatchObject({
    code: "sandbox/call-live",
  });
  pass(hour);
  const run = await sandbox.run(code, options);
  expect(run).toMatchObject({
    status: "error",
    error: {
      type: "InDoubt",
      callId: "bill:2",
      message: expect.stringContaining('bill:2, pay {"n":2}, was under way'),
    },
    toolCalls: [
      { callId: "bill:1", ok: true, replayed: true },
      { callId: "bill:2", ok: false, error: { type: "InDoubt" } },
    ],
  });
  pass(10);
  expect(await sandbox.resume(options.durable, options)).toMatchObject({ error: { type: "InDoubt" } });
  pass(10);
  for (const [call, settlement, code] of [
    [1, { value: 1 }, "sandbox/call-settled"],
    ["bill:9", "released", "sandbox/call-unknown"],
  ] as const) {
    await expect(settleCall({ operations: log }, "bill", call, settlement)).rejects.toMatchObject({ code });
  }
  for (const wrong of [{}, null, { value: undefined }, { error: 1 }, { value: 1, error: "no" }, "else"]) {
    await expect(settleCall({ operations: log }, "bill", 2, wrong as never)).rejects.toThrow(TypeError);
  }
  await expect(settleCall({ operations: log }, "bill", "bill", "released")).rejects.toThrow(TypeError);
  await settleCall({ operations: log }, "bill", "bill:2", { value: { paid: 2 } });
  await expect(settleCall({ operations: log }, "bill", 2, { value: 3 })).rejects.toMatchObject({
    code: "sandbox/call-settled",
  });
  expect(resultOf(await sandbox.resume(options.durable, options))).toEqual(["paid 1", { paid: 2 }]);
  expect(again).toEqual([]);
});

it("should tell a program the error that somebody found, and make a call that did not happen", async () => {
  const { log, pass } = logWithClock();
  await diesPaying(log, "failed");
  await diesPaying(log, "free");
  pass(hour);
  await settleCall({ operations: log }, "failed", 2, { error: "the account is closed" });
  const options = { tools: [payTool((n) => `late ${n}`)] };
  expect(
    await sandbox.run(code, { ...options, durable: { storage: { operations: log }, id: "failed" } }),
  ).toMatchObject({
    error: { type: "ToolError", message: "the account is closed", callId: "failed:2" },
  });
  await settleCall({ operations: log }, "free", 2, "released");
  await expect(settleCall({ operations: log }, "free", 2, "released")).rejects.toMatchObject({
    code: "sandbox/call-settled",
  });
  pass(10);
  expect(
    resultOf(await sandbox.run(code, { ...options, durable: { storage: { operations: log }, id: "free" } })),
  ).toEqual(["paid 1", "late 2"]);
});

it("should refuse a run that is live elsewhere, other code under its id, and an id that it does not know", async () => {
  const log = new MemoryOperationLog();
  let pay: (value: unknown) => void = () => {};
  let isPaying: () => void = () => {};
  const paying = new Promise<void>((resolve) => {
    isPaying = resolve;
  });
  const tools = [
    payTool(() => {
      isPaying();
      return new Promise((resolve) => {
        pay = resolve;
      });
    }),
  ];
  const durable = { storage: { operations: log }, id: "mine", leaseMs: 300 };
  const first = sandbox.run("__result__ = await pay({ n: 1 })", { tools, durable });
  await paying;
  const live = await sandbox.run("__result__ = await pay({ n: 1 })", { tools, durable }).catch((error) => error);
  expect(live).toMatchObject({ code: "sandbox/run-live", data: { id: "mine", until: expect.any(Number) } });
  const other = sandbox.run("__result__ = 2", { tools, durable });
  await expect(other).rejects.toMatchObject({ code: "sandbox/run-conflict", data: { id: "mine" } });
  await expect(sandbox.resume({ storage: { operations: log }, id: "nobody" })).rejects.toMatchObject({
    code: "sandbox/run-unknown",
  });
  const aborted = sandbox.run("__result__ = await pay({ n: 1 })", { tools, durable, signal: AbortSignal.timeout(20) });
  expect(await aborted).toMatchObject({ error: { type: "Aborted" } });
  pay("paid");
  expect(resultOf(await first)).toBe("paid");
});

it("should make no further effect after another has taken the run over", async () => {
  const { log, pass } = logWithClock();
  let stopPaying: (value: unknown) => void = () => {};
  let isPaying: () => void = () => {};
  const paying = new Promise<void>((resolve) => {
    isPaying = resolve;
  });
  const old: number[] = [];
  const lame = payTool((n) => {
    old.push(n);
    isPaying();
    return new Promise((resolve) => {
      stopPaying = resolve;
    });
  });
  // It does not come round to renewing anything.
  const asleep = wrapLog(log, (method, _, call) => (method === "renew" ? Promise.resolve(true) : call()));
  const first = sandbox.run(code, { tools: [lame], durable: { storage: { operations: asleep }, id: "taken" } });
  await paying;
  pass(hour);
  await settleCall({ operations: log }, "taken", 1, { value: "settled" });
  const second = await sandbox.run(code, {
    tools: [payTool((n) => `second ${n}`)],
    durable: { storage: { operations: log }, id: "taken" },
  });
  expect(resultOf(second)).toEqual(["settled", "second 2"]);
  stopPaying("late");
  expect(await first).toMatchObject({ status: "error", error: { type: "LeaseLost" } });
  expect(old).toEqual([1]);
});

it("should notice by itself that its lease is gone", async () => {
  const { log, pass } = logWithClock();
  let isPaying: () => void = () => {};
  const paying = new Promise<void>((resolve) => {
    isPaying = resolve;
  });
  let wasAborted = false;
  const slow = tool("pay", { n: { type: "integer" } }, (_, { signal }) => {
    isPaying();
    signal.addEventListener("abort", () => {
      wasAborted = true;
    });
    return never;
  });
  const first = sandbox.run(code, {
    tools: [slow],
    durable: { storage: { operations: log }, id: "gone", leaseMs: 60 },
  });
  await paying;
  pass(hour);
  const claim = { scope: "sandbox:gone", key: "run", owner: "other", leaseMs: hour, abandoned: "reclaim" } as const;
  const { record } = await log.claim({ ...claim, fingerprint: '["javascript",""]' });
  const taken = await log.claim({ ...claim, fingerprint: record.fingerprint });
  // The first may have renewed in between: then it is alive, and the clock goes on.
  if (taken.status === "busy") {
    pass(hour);
    await log.claim({ ...claim, fingerprint: record.fingerprint });
  }
  expect(await first).toMatchObject({ status: "error", error: { type: "LeaseLost" } });
  expect(wasAborted).toBe(true);
});

it("should not begin a call that another process has claimed in the meantime", async () => {
  const { log, pass } = logWithClock();
  let wake: () => void = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let isAsleep: () => void = () => {};
  const fellAsleep = new Promise<void>((resolve) => {
    isAsleep = resolve;
  });
  const slow = wrapLog(log, async (method, args, call) => {
    if (method === "renew") return true;
    if (method === "begin" && (args[0] as { key: string }).key === "call:2") {
      isAsleep();
      await asleep;
    }
    return await call();
  });
  const paid: string[] = [];
  const payAs = (who: string) => payTool((n) => paid.push(`${who} ${n}`));
  const first = sandbox.run(code, {
    tools: [payAs("first")],
    durable: { storage: { operations: slow }, id: "sleeper" },
  });
  await fellAsleep;
  pass(hour);
  expect(
    resultOf(
      await sandbox.run(code, { tools: [payAs("second")], durable: { storage: { operations: log }, id: "sleeper" } }),
    ),
  ).toEqual([1, 2]);
  wake();
  expect(await first).toMatchObject({ status: "error", error: { type: "LeaseLost" } });
  expect(paid).toEqual(["first 1", "second 2"]);
});

it("should not begin a call of a run that was taken over while it was opened", async (context) => {
  leftToCi(context);
  const { log, pass } = logWithClock();
  const calls: number[] = [];
  const pay = tool("pay", { n: { type: "integer" } }, ({ n }: { n: number }) => calls.push(n), {
    annotations: { requiresApproval: true },
  });
  const options = { tools: [pay], durable: { storage: { operations: log }, id: "slow", leaseMs: 2000 } };
  await sandbox.run(code, { ...options, approve: async () => "later" });
  pass(10);
  let isTaken = false;
  let isReading = false;
  const slow = wrapLog(log, async (method, args, call) => {
    const { key } = args[0] as { key: string };
    if (method === "renew" && isReading) throw new Error("no");
    if (method !== "read" || key !== "call:1" || isTaken) return await call();
    isTaken = true;
    isReading = true;
    const found = await call();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    isReading = false;
    pass(hour);
    const { fingerprint } = (await log.read({ scope: "sandbox:slow", key: "run" })) ?? { fingerprint: "" };
    const taken = { scope: "sandbox:slow", key: "run", fingerprint, owner: "other", leaseMs: hour };
    expect(await log.claim({ ...taken, abandoned: "reclaim" })).toMatchObject({ status: "claimed" });
    return found;
  });
  const run = await sandbox.run(code, {
    ...options,
    durable: { ...options.durable, storage: { operations: slow } },
    approve: async () => ({ approved: true }),
  });
  expect(run).toMatchObject({ error: { type: "LeaseLost" } });
  expect(calls).toEqual([]);
});

it("should not forget that a call may have happened when it is given up before it is made again", async () => {
  const { log, pass } = logWithClock();
  await diesPaying(log, "again");
  pass(hour);
  const controller = new AbortController();
  const giving = wrapLog(log, async (method, args, call) => {
    if (method === "begin" && (args[0] as { key: string }).key === "call:2") controller.abort();
    return await call();
  });
  const calls: number[] = [];
  const pay = payTool((n) => calls.push(n));
  const harmless = { ...pay, annotations: { idempotentHint: true } };
  const stopped = sandbox.run(code, {
    tools: [harmless],
    signal: controller.signal,
    durable: { storage: { operations: giving }, id: "again" },
  });
  expect(await stopped).toMatchObject({ error: { type: "Aborted" } });
  pass(hour);
  // Somebody found out that it does harm.
  const run = await sandbox.run(code, { tools: [pay], durable: { storage: { operations: log }, id: "again" } });
  expect(run).toMatchObject({ error: { type: "InDoubt", callId: "again:2" } });
  expect(calls).toEqual([]);
});

it("should not make a call that somebody else was told about while its process was stopped", async () => {
  const { log, pass } = logWithClock();
  const calls: number[] = [];
  const pay = payTool((n) => calls.push(n));
  let other: Promise<unknown> | undefined;
  const stopping = wrapLog(log, async (method, args, call) => {
    const result = await call();
    if (method !== "begin" || (args[0] as { key: string }).key !== "call:1" || other) return result;
    // It is stopped right after the call was begun, for longer than its lease; meanwhile others go on.
    pass(hour);
    other = settleCall({ operations: log }, "stopped", 1, "released");
    await other;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    return result;
  });
  const options = { tools: [pay] };
  const run = await sandbox.run(code, {
    ...options,
    durable: { storage: { operations: stopping }, id: "stopped", leaseMs: 300 },
  });
  expect(run).toMatchObject({ error: { type: "LeaseLost" } });
  expect(calls).toEqual([]);
  pass(hour);
  expect(
    resultOf(await sandbox.run(code, { ...options, durable: { storage: { operations: log }, id: "stopped" } })),
  ).toEqual([1, 2]);
});
