import type { OperationLog } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { resultOf, sleep, wrapLog } from "./support.ts";

// A log that is slow, or says nothing any more.

const sandbox = createSandbox({ language: "javascript", pool: { size: 2 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const never = new Promise<never>(() => {});
const approved = async () => ({ approved: true });

/** From `silence()` on nothing is answered. */
function mutable(): { memory: MemoryOperationLog; log: OperationLog; silence(): void } {
  const memory = new MemoryOperationLog();
  let isSilent = false;
  const log = wrapLog(memory, (_, __, call) => (isSilent ? never : call()));
  return {
    ...{ memory, log },
    silence: () => {
      isSilent = true;
    },
  };
}

it("should end as Aborted though its log says nothing any more", async () => {
  const { log, silence } = mutable();
  const controller = new AbortController();
  const pay = tool("pay", {}, () => sleep(50));
  const run = sandbox.run("await pay({}); await pay({});", {
    tools: [pay],
    signal: controller.signal,
    durable: { storage: { operations: log }, id: "mute" },
    onToolCallStart: () => {
      silence();
      setTimeout(() => controller.abort(), 100);
    },
  });
  expect(await run).toMatchObject({ error: { type: "Aborted" } });
});

it("should end as Aborted though its log never said what to resume", async () => {
  const durable = { storage: { operations: wrapLog(new MemoryOperationLog(), () => never) }, id: "mute" };
  const run = await sandbox.resume(durable, { signal: AbortSignal.timeout(50) });
  expect(run).toMatchObject({ error: { type: "Aborted" }, stats: { sourceBytes: 0 } });
  const broken = wrapLog(new MemoryOperationLog(), () => Promise.reject(new Error("gone")));
  const aborted = await sandbox.resume(
    { storage: { operations: broken }, id: "gone" },
    { signal: AbortSignal.abort() },
  );
  expect(aborted).toMatchObject({ error: { type: "Aborted" } });
});

it("should end as Aborted before its log has said whose run it is, and hold no lease", async () => {
  const memory = new MemoryOperationLog();
  const controller = new AbortController();
  let wake: () => void = () => {};
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const log = wrapLog(memory, async (method, _, call) => {
    if (method !== "claim") return await call();
    controller.abort();
    await asleep;
    return await call();
  });
  const durable = { storage: { operations: log }, id: "early" };
  expect(await sandbox.run("__result__ = 1", { durable, signal: controller.signal })).toMatchObject({
    error: { type: "Aborted" },
  });
  wake();
  await sleep(20);
  expect(await memory.read({ scope: "sandbox:early", key: "run" })).toMatchObject({ state: expect.any(String) });
  expect(
    resultOf(await sandbox.run("__result__ = 1", { durable: { storage: { operations: memory }, id: "early" } })),
  ).toBe(1);
});

it.each(["while a tool works", "while its outcome is written"])(
  "should end as JournalFailure when its log says nothing for as long as its lease lasts, %s",
  async (when) => {
    const { memory, log, silence } = mutable();
    const mute = wrapLog(log, (method, args, call) => {
      const { key } = args[0] as { key: string };
      if (when !== "while a tool works" && method === "finish" && key === "run") silence();
      return call();
    });
    let wasAborted = false;
    const pay = tool("pay", {}, (_, { signal }) => {
      if (when !== "while a tool works") return 1;
      silence();
      signal.addEventListener("abort", () => {
        wasAborted = true;
      });
      return never;
    });
    const code = "__result__ = await pay({});";
    const run = await sandbox.run(code, {
      tools: [pay],
      durable: { storage: { operations: mute }, id: "mute", leaseMs: 200 },
    });
    expect(run).toMatchObject({ error: { type: "JournalFailure", message: /lease could not be renewed/ } });
    expect(wasAborted).toBe(when === "while a tool works");
    const again = await sandbox.run(code, { tools: [pay], durable: { storage: { operations: memory }, id: "mute" } });
    expect(again).toMatchObject(wasAborted ? { error: { type: "InDoubt" } } : { status: "ok", value: 1 });
  },
);

it("should come to its end with a log that takes its time", async () => {
  const log = wrapLog(new MemoryOperationLog(), async (_, __, call) => {
    await sleep(40);
    const result = await call();
    await sleep(40);
    return result;
  });
  const calls: number[] = [];
  const pay = tool("pay", { n: { type: "integer" } }, ({ n }: { n: number }) => calls.push(n), {
    annotations: { requiresApproval: true },
  });
  const code = "__result__ = await Promise.all([pay({ n: 1 }), pay({ n: 2 }), pay({ n: 3 })]);";
  const durable = { storage: { operations: log }, id: "slow", leaseMs: 600 };
  expect(resultOf(await sandbox.run(code, { tools: [pay], durable, approve: approved }))).toEqual([1, 2, 3]);
  expect(calls).toEqual([1, 2, 3]);
});

it("should ask nobody after its end, and leave no lease of a call that it was about to claim", async () => {
  const memory = new MemoryOperationLog();
  const code = "__result__ = await pay({});";
  const tools = [tool("pay", {}, () => "paid", { annotations: { requiresApproval: true } })];
  for (const method of ["claim", "read"]) {
    const controller = new AbortController();
    const log = wrapLog(memory, async (asked, args, call) => {
      const { key } = args[0] as { key: string };
      if (asked !== method || (key !== "call:1" && key !== "approval:1")) return await call();
      if (asked === "read" && key === "call:1") return await call();
      controller.abort();
      await sleep(20);
      return await call();
    });
    let asked = 0;
    const approve = async () => ({ approved: ++asked > 0 });
    const id = `about to ${method}`;
    const run = await sandbox.run(code, {
      tools,
      approve,
      durable: { storage: { operations: log }, id },
      signal: controller.signal,
    });
    expect(run).toMatchObject({ error: { type: "Aborted" } });
    await sleep(100);
    expect(asked).toBe(0);
    const started = performance.now();
    const again = await sandbox.run(code, { tools, approve, durable: { storage: { operations: memory }, id } });
    expect([resultOf(again), asked]).toEqual(["paid", 1]);
    // A lease has 15 seconds.
    expect(performance.now() - started).toBeLessThan(10_000);
  }
});

it("should keep its run while it reads a journal for longer than its lease", async () => {
  const memory = new MemoryOperationLog();
  const tools = [tool("pay", {}, () => "paid", { annotations: { requiresApproval: true } })];
  const durable = { storage: { operations: memory }, id: "long", leaseMs: 200 };
  const code = "__result__ = await pay({});";
  expect(await sandbox.run(code, { tools, durable, approve: async () => "later" })).toMatchObject({ status: "parked" });
  let isReading: () => void = () => {};
  const reading = new Promise<void>((resolve) => {
    isReading = resolve;
  });
  const log = wrapLog(memory, async (method, args, call) => {
    const result = await call();
    if (method === "read" && (args[0] as { key: string }).key.startsWith("call:")) {
      isReading();
      await sleep(400);
    }
    return result;
  });
  const first = sandbox.run(code, { tools, durable: { ...durable, storage: { operations: log } }, approve: approved });
  await reading;
  await sleep(250);
  await expect(sandbox.run(code, { tools, durable, approve: approved })).rejects.toMatchObject({
    code: "sandbox/run-live",
  });
  expect(resultOf(await first)).toBe("paid");
});
