import { type Decision, ToolError } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { logWithClock } from "./support.ts";

const sandbox = sharedSandbox("javascript");

/** A tool that finds out only when it is called that somebody must agree; `state.open`: they have, elsewhere. */
function bank(needs: "approval" | "later") {
  const state = { open: false, made: [] as number[], told: [] as (Decision | undefined)[] };
  const pay = tool(
    "pay",
    { n: { type: "integer" } },
    ({ n }: { n: number }, { decision }: { decision?: Decision }) => {
      state.told.push(decision);
      if (n > 10 && !state.open && decision?.approved !== true) {
        throw new ToolError(`Paying ${n} waits for approval apr_${n}.`, { data: { needs } });
      }
      state.made.push(n);
      return n;
    },
    { annotations: {} },
  );
  return { state, pay };
}

const code = "return [await pay({ n: 5 }), await pay({ n: 50 })];";

it("should ask the host in the tool's words, and call the tool again with the answer", async () => {
  const { state, pay } = bank("approval");
  const asked: unknown[] = [];
  const run = await sandbox.run(code, {
    tools: [pay],
    approve: async ({ reason, input }) => {
      asked.push(reason, input);
      return { approved: true };
    },
  });
  expect(run).toMatchObject({ status: "ok", value: [5, 50] });
  expect(asked).toEqual(["Paying 50 waits for approval apr_50.", { n: 50 }]);
  expect(state).toMatchObject({ made: [5, 50], told: [undefined, undefined, { approved: true }] });
});

it("should tell the tool of a refusal, and the program too", async () => {
  const { state, pay } = bank("approval");
  const denying = async (): Promise<Decision> => ({ approved: false, reason: "too much" });
  const run = await sandbox.run(code, { tools: [pay], approve: denying });
  expect(run).toMatchObject({ status: "error", error: { type: "ToolError", message: "pay was denied: too much" } });
  expect(run.toolCalls[1]).toMatchObject({ error: { type: "Denied" } });
  expect(state).toMatchObject({ made: [5], told: [undefined, undefined, { approved: false }] });
  const alone = bank("approval");
  const denied = await sandbox.run(code, { tools: [alone.pay] });
  expect(denied).toMatchObject({ error: { message: expect.stringContaining("nobody is there to give it") } });
  expect(alone.state.told).toHaveLength(2);
});

it("should be an error of the tool where nothing can wait", async () => {
  const run = await sandbox.run(code, { tools: [bank("later").pay], approve: async () => ({ approved: true }) });
  expect(run).toMatchObject({ error: { type: "ToolError", message: "Paying 50 waits for approval apr_50." } });
});

it.each(["approval", "later"] as const)(
  "should park a durable program, and make the call again (%s)",
  async (needs) => {
    const { log, pass } = logWithClock();
    const { state, pay } = bank(needs);
    const options = {
      tools: [pay],
      durable: { storage: { operations: log }, id: "order/1" },
      approve: async () => "later" as const,
    };
    const parked = await sandbox.run(code, options);
    const reason = "Paying 50 waits for approval apr_50.";
    expect(parked).toMatchObject({
      status: "parked",
      parked: { waiting: [{ callId: "order/1:2", name: "pay", args: { n: 50 }, reason }] },
    });
    pass(20);
    expect(await sandbox.run(code, options)).toMatchObject({ status: "parked", toolCalls: [{ replayed: true }, {}] });
    state.open = true;
    pass(20);
    expect(await sandbox.resume(options.durable, options)).toMatchObject({ status: "ok", value: [5, 50] });
    expect(state.made).toEqual([5, 50]);
  },
);

it("should keep a decision that did not get to where it belongs", async () => {
  const log = new MemoryOperationLog();
  let isReached = false;
  let asked = 0;
  const pay = tool("pay", {}, (_: object, { decision }: { decision?: Decision }) => {
    if (!isReached || decision === undefined) throw new ToolError("waits", { data: { needs: "approval" } });
    return "paid";
  });
  const options = {
    tools: [pay],
    durable: { storage: { operations: log }, id: "order/2" },
    approve: async (): Promise<Decision> => {
      asked++;
      return { approved: true };
    },
  };
  expect(await sandbox.run("return await pay({});", options)).toMatchObject({ status: "parked" });
  isReached = true;
  expect(await sandbox.run("return await pay({});", options)).toMatchObject({ status: "ok", value: "paid" });
  expect(asked).toBe(1);
});
