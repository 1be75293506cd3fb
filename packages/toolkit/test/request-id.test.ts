import type { OperationLog, Plan, ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it, vi } from "vitest";
import { Toolkit, toolkitExecutor } from "../src/index.ts";

const step = (index: number, tool: string, params: Record<string, unknown> = {}): Plan["steps"][number] => ({
  index,
  callId: `c${index}`,
  tool,
  params,
  uris: {},
  onError: "continue",
  retry: 0,
  errors: [],
  span: { start: 0, end: 1 },
});

/** A memory log of which some methods are other ones. */
function logWith(other: Partial<OperationLog>): OperationLog {
  const log = new MemoryOperationLog();
  return {
    durability: "none",
    claim: log.claim.bind(log),
    renew: log.renew.bind(log),
    begin: log.begin.bind(log),
    finish: log.finish.bind(log),
    doubt: log.doubt.bind(log),
    settle: log.settle.bind(log),
    read: log.read.bind(log),
    ...other,
  };
}

async function runOn(operations: OperationLog, plan: Partial<Plan> = {}) {
  const ran: string[] = [];
  const kit = new Toolkit();
  kit.registerToolFunction(() => void ran.push("do"), { name: "do", description: "d", includeRest: true });
  const context = executorContext({
    approve: async () => ({ approved: true }),
    runId: "r",
  });
  const whole = { requestId: "id", common: {}, steps: [step(1, "do"), step(2, "do")], ...plan };
  const span = { start: 0, end: 1 };
  const executor = toolkitExecutor(kit, { storage: { operations } });
  const results = await executor.execute({ kind: "plan", plan: whole, span }, context);
  return { results, ran };
}

const told = (results: readonly ToolResult[]): string[] =>
  results.map(({ status, error }) => (error ? `${status} ${error.type}` : status));
const broken = async (): Promise<never> => {
  throw new Error("disk full");
};

it("should run nothing that can't be recorded, and tell the host why", async () => {
  const claims = await runOn(logWith({ claim: broken }));
  expect([told(claims.results), claims.ran]).toEqual([["error NotRun", "error NotRun"], []]);
  expect(claims.results[0]?.metadata?.warnings).toEqual(["The operation log failed: disk full"]);
  expect(claims.results[0]?.error?.message).not.toContain("disk");
  const begins = await runOn(logWith({ begin: broken }));
  expect([told(begins.results), begins.ran]).toEqual([["error NotRun", "error NotRun"], []]);
});

it("should give the results of what ran when they can't be recorded, with a warning", async () => {
  const { results, ran } = await runOn(logWith({ finish: broken }));
  expect([told(results), ran]).toEqual([
    ["ok", "ok"],
    ["do", "do"],
  ]);
  expect(results[1]?.metadata?.warnings).toEqual(["The results could not be recorded: disk full"]);
});

it("should not report success when another process has taken the request over", async () => {
  const late = await runOn(logWith({ finish: async () => false }));
  expect(told(late.results)).toEqual(["in-doubt InDoubt", "in-doubt InDoubt"]);
  expect(late.results[0]?.data).toBeUndefined();
  const early = await runOn(logWith({ begin: async () => false }));
  expect([told(early.results), early.ran]).toEqual([["error NotRun", "error NotRun"], []]);
});

it("should stop running steps once its lease is lost, and leave no timer behind", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "setTimeout", "clearTimeout"] });
  try {
    const kit = new Toolkit();
    const ran: number[] = [];
    kit.registerToolFunction(
      async ({ n }: { n: number }) => {
        ran.push(n);
        await vi.advanceTimersByTimeAsync(25_000);
      },
      { name: "slow", description: "d", args: { n: "integer" } },
    );
    let renewals = 0;
    const log = logWith({ renew: async () => ++renewals < 2 });
    const plan: Plan = { requestId: "x", common: {}, steps: [1, 2, 3, 4].map((n) => step(n, "slow", { n })) };
    const context = executorContext({
      approve: async () => ({ approved: true }),
      runId: "r",
    });
    const executor = toolkitExecutor(kit, { storage: { operations: log } });
    const results = await executor.execute({ kind: "plan", plan, span: { start: 0, end: 1 } }, context);
    expect(ran).toEqual([1, 2]);
    expect(told(results)).toEqual(["ok", "ok", "error NotRun", "error NotRun"]);
    const asked = renewals;
    await vi.advanceTimersByTimeAsync(600_000);
    // Other files of this worker may have timers of their own, so what this one's would do is looked at.
    expect(renewals).toBe(asked);
  } finally {
    vi.useRealTimers();
  }
});

it("should be in doubt about a record that can't be read", async () => {
  const log = new MemoryOperationLog();
  const odd = logWith({
    claim: async (request) => {
      const claimed = await log.claim(request);
      return { status: "replay", record: { ...claimed.record, state: "done", outcome: ["one"] } };
    },
  });
  expect(told((await runOn(odd)).results)).toEqual(["in-doubt InDoubt", "in-doubt InDoubt"]);
});

it("should run nothing under an id whose results are forgotten, and say so at once", async () => {
  const log = new MemoryOperationLog();
  const forgotten = logWith({
    claim: async (request) => ({ status: "expired", record: (await log.claim(request)).record }),
  });
  const { results, ran } = await runOn(forgotten);
  expect([told(results), ran]).toEqual([["error RequestIdConflict", "error RequestIdConflict"], []]);
  expect(results[0]?.error?.message).toContain("Use a new request_id");
});

it("should tell plans apart by every value, and take the order of names for nothing", async () => {
  const log = new MemoryOperationLog();
  const withParams = (params: Record<string, unknown>) => runOn(log, { steps: [step(1, "do", params)] });
  expect(told((await withParams({ a: 1, b: { c: 1, d: 2 } })).results)).toEqual(["ok"]);
  const again = await withParams({ b: { d: 2, c: 1 }, a: 1 });
  expect([told(again.results), again.ran]).toEqual([["ok"], []]);
  for (const params of [
    {
      a: 1,
      b: [
        ["c", 1],
        ["d", 2],
      ],
    },
    { a: "1", b: { c: 1, d: 2 } },
    {},
  ]) {
    expect(told((await withParams(params)).results)).toEqual(["error RequestIdConflict"]);
  }
});

it("should stop waiting for a run that is going on when it is cancelled, at once", async () => {
  const log = logWith({
    claim: async (request) => ({
      status: "busy",
      record: { ...request, state: "started", fence: 1, leaseUntil: 0, claimedAt: 0 },
    }),
  });
  const controller = new AbortController();
  const kit = new Toolkit();
  const context = executorContext({
    signal: controller.signal,
    approve: async () => ({ approved: true }),
    runId: "r",
  });
  const plan: Plan = { requestId: "x", common: {}, steps: [step(1, "do")] };
  const running = toolkitExecutor(kit, { storage: { operations: log } }).execute(
    { kind: "plan", plan, span: { start: 0, end: 1 } },
    context,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  controller.abort();
  expect(told(await running)).toEqual(["interrupted Interrupted"]);
});
