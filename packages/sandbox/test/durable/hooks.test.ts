import type { CallHooks } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import { codeTools, sandboxExecutor } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

const sandbox = sharedSandbox("javascript");

function bank() {
  const paid: number[] = [];
  const pay = tool("pay", { n: { type: "integer" } }, ({ n }: { n: number }) => paid.push(n), {
    annotations: { requiresApproval: true },
  });
  return { paid, pay };
}

const source = "return [await pay({ n: 1 }), await pay({ n: 2 }), await pay({ n: 3 })];";
const action = { kind: "code" as const, id: "p", language: "javascript" as const, source, span: { start: 0, end: 1 } };

it("should have hooks around the calls of a durable program, none around what the journal answers", async () => {
  const { paid, pay } = bank();
  const log = new MemoryOperationLog();
  const executor = sandboxExecutor(sandbox, {
    tools: [pay],
    durable: { storage: { operations: log }, parkAfterMs: 0 },
  });
  expect(executor.resumes?.(action)).toBe(false);
  const onDisk = Object.assign(new MemoryOperationLog(), { durability: "disk" as const });
  expect(sandboxExecutor(sandbox, { durable: { storage: { operations: onDisk } } }).resumes?.(action)).toBe(true);
  const seen: string[] = [];
  const hooks: CallHooks = {
    beforeCall({ id, input }) {
      seen.push(`before ${id}`);
      return { input: { n: (input as { n: number }).n * 10 } };
    },
    startCall: ({ id }) => void seen.push(`start ${id}`),
    afterCall({ id }, result) {
      seen.push(`after ${id}`);
      return { ...result, data: `paid ${JSON.stringify(result.data)}` };
    },
  };
  const run = (mayPay: (n: number) => boolean) =>
    executor.execute(
      action,
      executorContext({
        runId: "run",
        hooks,
        approve: async ({ input }) =>
          mayPay((input as { n: number }).n) ? { approved: true } : { approved: false, later: true },
      }),
    );
  expect(await run((n) => n < 30)).toMatchObject([
    { status: "pending", metadata: { parked: { waiting: [{ args: { n: 30 } }] } } },
  ]);
  expect(paid).toEqual([10, 20]);
  expect(seen).toEqual(
    ["p:1", "p:2"].flatMap((id) => [`before ${id}`, `start ${id}`, `after ${id}`]).concat("before p:3"),
  );
  seen.length = 0;
  expect(await run(() => true)).toMatchObject([{ status: "ok", data: ["paid 1", "paid 2", "paid 3"] }]);
  expect(paid).toEqual([10, 20, 30]);
  expect(seen).toEqual(["before p:3", "start p:3", "after p:3"]);
});

it("should write what a hook denied into the journal", async () => {
  const { paid, pay } = bank();
  const executor = sandboxExecutor(sandbox, {
    tools: [pay],
    durable: { storage: { operations: new MemoryOperationLog() } },
  });
  const deny: CallHooks = { beforeCall: () => ({ deny: "not on Fridays" }) };
  const [first] = await executor.execute(action, executorContext({ runId: "run", hooks: deny }));
  expect(first).toMatchObject({ status: "denied", error: { message: expect.stringContaining("not on Fridays") } });
  const [again] = await executor.execute(action, executorContext({ runId: "run" }));
  expect(again?.error?.message).toBe(first?.error?.message);
  expect(paid).toEqual([]);
});

it("should have them around the calls of a program that is itself a tool's input", async () => {
  const { paid, pay } = bank();
  const [run] = codeTools(sandbox, { tools: [pay], approve: async () => ({ approved: true }) });
  const names: string[] = [];
  const hooks: CallHooks = {
    beforeCall({ name }) {
      names.push(name);
      return undefined;
    },
  };
  const hooked = { hooks, runId: "run", stepIndex: 3 };
  const context = { signal: new AbortController().signal, callId: "c", hooked };
  expect(await run?.execute({ code: source }, context)).toMatchObject({ value: [1, 2, 3] });
  expect(names).toEqual(["pay", "pay", "pay"]);
  expect(paid).toEqual([1, 2, 3]);
});
