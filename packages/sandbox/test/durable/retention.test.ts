import type { AnyTool, Decision } from "@toolglot/core";
import { expect, it } from "vitest";
import { settleCall } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { logWithClock, resultOf, sleep, wrapLog } from "./support.ts";

const sandbox = sharedSandbox("javascript");

const hour = 3_600_000;
const never = new Promise<never>(() => {});

function counted(name: string, requiresApproval: boolean): { tool: AnyTool; calls: number[] } {
  const calls: number[] = [];
  const execute = ({ n }: { n: number }) => calls.push(n);
  return { tool: tool(name, { n: { type: "integer" } }, execute, { annotations: { requiresApproval } }), calls };
}

/** Approves questions up to this number. */
const upTo =
  (most: number) =>
  async ({ input }: { input?: unknown }): Promise<Decision | "later"> =>
    (input as { n: number }).n <= most ? { approved: true } : "later";

it("should not go on with a run whose calls may be forgotten, whoever remembers for longer now", async () => {
  const { log, pass } = logWithClock();
  const [pay, ask] = [counted("pay", false), counted("ask", true)];
  const code = "await pay({ n: 1 }); await ask({ n: 1 }); __result__ = 1;";
  const options = { tools: [pay.tool, ask.tool], approve: upTo(0) };
  const short = { storage: { operations: log }, id: "short", keepMs: 1000 };
  expect(await sandbox.run(code, { ...options, durable: short })).toMatchObject({ status: "parked" });
  pass(3000);
  for (const keepMs of [1000, 30 * 24 * hour]) {
    const again = sandbox.run(code, { ...options, approve: upTo(1), durable: { ...short, keepMs } });
    await expect(again).rejects.toMatchObject({ code: "sandbox/run-expired" });
    pass(10);
  }
  expect(pay.calls).toEqual([1]);
});

it("should remember what it began with, also calls that are made by who would forget them sooner", async () => {
  const { log, pass } = logWithClock();
  const [pay, ask] = [counted("pay", false), counted("ask", true)];
  const code = "await ask({ n: 1 }); await pay({ n: 1 }); await ask({ n: 2 }); __result__ = 1;";
  const options = { tools: [pay.tool, ask.tool] };
  const durable = { storage: { operations: log }, id: "long" };
  await sandbox.run(code, { ...options, durable, approve: upTo(0) });
  pass(10);
  const parked = await sandbox.resume({ ...durable, keepMs: 1000 }, { ...options, approve: upTo(1) });
  expect(parked).toMatchObject({ status: "parked", parked: { waiting: [{ args: { n: 2 } }] } });
  pass(hour);
  expect(resultOf(await sandbox.resume({ ...durable, keepMs: 1000 }, { ...options, approve: upTo(2) }))).toBe(1);
  pass(hour);
  expect(resultOf(await sandbox.resume(durable, options))).toBe(1);
  expect([pay.calls, ask.calls]).toEqual([[1], [1, 2]]);
});

it("should know calls that follow many which were released", async () => {
  const { log, pass } = logWithClock();
  const controller = new AbortController();
  const dead = wrapLog(log, (_, __, call) => (controller.signal.aborted ? never : call()));
  const begun: number[] = [];
  const tools = (isStuck: (n: number) => boolean): AnyTool[] => [
    tool("pay", { n: { type: "integer" } }, ({ n }: { n: number }) => {
      begun.push(n);
      return isStuck(n) ? never : n;
    }),
  ];
  const code = "__result__ = await Promise.all(Array.from({ length: 40 }, (_, n) => pay({ n })));";
  let answers = 0;
  void sandbox.run(code, {
    tools: tools((n) => n < 35),
    signal: controller.signal,
    durable: { storage: { operations: dead }, id: "many" },
    onToolCall: () => answers++,
  });
  while (answers < 5) await sleep(5);
  controller.abort();
  pass(hour);
  for (let call = 1; call <= 35; call++) await settleCall({ operations: log }, "many", call, "released");
  pass(10);
  const run = await sandbox.run(code, {
    tools: tools(() => false),
    durable: { storage: { operations: log }, id: "many" },
  });
  expect(resultOf(run)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(begun).toHaveLength(40 + 35);
});
