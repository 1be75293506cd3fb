import type { ExecutorContext } from "@toolglot/core";
import { defineCapability, type RouterOptions } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { clientError, routerExecutor, type Transport } from "../src/index.ts";
import { agent, boss, world as makeWorld } from "./support.ts";

// A model has no keys: what it repeats must be the operation of which nobody knows what came of it.

/** The client gives up after four times as long: on a busy machine the first call alone may take a tenth of a second to begin. */
const timeoutMs = 150;

function world(options: RouterOptions = {}) {
  const begun: string[] = [];
  const pay = defineCapability({
    capId: "cap.bank.transfer.v1",
    name: "transfer",
    description: "Transfers.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { invoice: "string", "note?": "string" },
    execute: ({ invoice }: { invoice: string }) => {
      begun.push(invoice);
      return new Promise(() => {});
    },
  });
  return { begun, ...makeWorld({ capabilities: [pay], ...options }) };
}

const context = (runId: string): ExecutorContext => ({
  signal: new AbortController().signal,
  emit: () => undefined,
  approve: async () => ({ approved: true }),
  runId,
  stepIndex: 0,
});

const span = { start: 0, end: 0 };
const transfer = (id: string, input: object) => ({ id, name: "transfer", input, protocol: "native" as const });

it("begins what a model repeats once: in the next step, the next run, a new session, by another executor", async () => {
  const { begun, client } = world();
  const [trp, other] = [client(), client()];
  const executors = [routerExecutor(trp, { timeoutMs }), routerExecutor(other, { timeoutMs })];
  let count = 0;
  for (const runId of ["one", "one", "two"]) {
    for (const executor of executors) {
      const calls = [transfer(`c${count++}`, { invoice: "bill-9" })];
      const [result] = await executor.execute({ kind: "calls", span, calls }, context(runId));
      expect(result?.status).toBe("in-doubt");
    }
  }
  // One key from then on: settled by a person, it is told to all of them.
  expect(begun).toEqual(["bill-9"]);
});

it("tells the outcome to whoever asks again, once a person has settled it, and then does it anew", async () => {
  const { begun, client, router } = world();
  const executor = routerExecutor(client(), { timeoutMs });
  const run = async (id: string) => {
    const calls = [transfer(id, { note: "n", invoice: "bill-9" })];
    return (await executor.execute({ kind: "calls", span, calls }, context("r")))[0]?.status;
  };
  await run("a");
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  await router.operations.resolve(boss, record, { state: "done", value: "paid" });
  expect(await run("b")).toBe("ok");
  expect(begun).toHaveLength(1);
  expect(await run("c")).toBe("in-doubt");
  expect(begun).toHaveLength(2);
});

it("does so by callByCap without a key and with one, and in batches", async () => {
  const { begun, client } = world();
  const trp = client({ timeoutMs: 30 });
  const more = { deadlineMs: 60_000 };
  const args = { invoice: "bill-9" };
  const first = await trp.callByCap("cap.bank.transfer.v1", args, more);
  expect(first).toMatchObject({ status: "unknown", error: { code: "TRP_3004" } });
  for (const key of [undefined, "a-key-of-my-own", undefined]) {
    const again = await trp.callByCap("cap.bank.transfer.v1", args, { ...more, ...(key === undefined ? {} : { key }) });
    expect(again).toMatchObject({ status: "unknown", key: first.key });
  }
  const other = await client({ timeoutMs: 30 }).callByCap("cap.bank.transfer.v1", args, more);
  expect(other).toMatchObject({ status: "unknown", key: first.key, replayedFrom: first.callId });
  const { results } = await trp.batch([{ capId: "cap.bank.transfer.v1", args }], more);
  expect(results).toMatchObject([{ status: "unknown", key: first.key }]);
  expect(begun).toEqual(["bill-9"]);
});

it("goes on with the key of a call whose answer was lost", async () => {
  const { effects, router } = makeWorld();
  let loses = true;
  const transport: Transport = {
    async send(frame) {
      const answer = await router.handle(frame, { principal: agent });
      if (loses && frame.frame_type === "CALL_REQ") throw clientError("trp-client/no-answer", "It is lost.");
      return answer;
    },
    close() {},
  };
  const { client } = makeWorld();
  const trp = client({ transport, retry: { maxRetries: 0 } });
  const lost = trp.callByCap("cap.note.add.v1", { text: "a" });
  await expect(lost).rejects.toMatchObject({ code: "trp-client/no-answer", data: { outcome: "unknown" } });
  loses = false;
  expect(await trp.callByCap("cap.note.add.v1", { text: "a" })).toMatchObject({ status: "success" });
  expect(effects).toEqual(["a"]);
  expect(await trp.callByCap("cap.note.add.v1", { text: "a" })).toMatchObject({ status: "success" });
  expect(effects).toEqual(["a", "a"]);
});
