import type { OperationLog } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import { settleCall } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { resultOf, wrapLog } from "./support.ts";

// A log that gives back what no run has written: nothing may be made of it.

const sandbox = sharedSandbox("javascript");

type Entry = Record<string, unknown>;
type Spoil = (entry: Entry) => unknown;

const code = "const a = await one({ n: 1 }); __result__ = [a, await pay({ n: 2 })];";
const later = async (): Promise<"later"> => "later";
const approved = async () => ({ approved: true });

/** The log, but that one write puts something else there. */
function spoiled(log: OperationLog, write: "begin" | "finish", key: string, spoil: Spoil): OperationLog {
  return wrapLog(log, (method, args, call) => {
    const claim = args[0] as Parameters<OperationLog["begin"]>[0];
    if (method !== write || claim.key !== key) return call();
    if (write === "begin") return log.begin(claim, spoil(args[1] as Entry) as never);
    const { state, outcome } = args[1] as { state: "done" | "failed"; outcome: Entry };
    return log.finish(claim, { state, outcome: spoil(outcome) as never });
  });
}

const without =
  (field: string): Spoil =>
  ({ [field]: _, ...rest }) =>
    rest;
const replaced =
  (field: string, value: unknown): Spoil =>
  (entry) => ({ ...entry, [field]: value });
const nothing: Spoil = () => null;

const cases: [string, "begin" | "finish", Spoil][] = [
  ["run", "begin", nothing],
  ["run", "begin", () => "program"],
  ["run", "begin", without("version")],
  ["run", "begin", without("seed")],
  ["run", "begin", without("keepMs")],
  ["run", "begin", replaced("source", 1)],
  ["run", "begin", replaced("tools", null)],
  ["run", "begin", replaced("tools", { one: 1 })],
  ["call:1", "begin", nothing],
  ["call:1", "begin", without("args")],
  ["call:1", "finish", nothing],
  ["call:1", "finish", () => "a"],
  ["call:1", "finish", without("delivery")],
  ["call:1", "finish", without("name")],
  ["call:1", "finish", without("ok")],
  ["call:1", "finish", without("json")],
];

it.each(cases)("should refuse a journal whose entry %s was spoiled at its %s: %o", async (key, write, spoil) => {
  const memory = new MemoryOperationLog();
  let calls = 0;
  const one = tool("one", { n: { type: "integer" } }, () => ++calls);
  const pay = tool("pay", { n: { type: "integer" } }, () => ++calls, { annotations: { requiresApproval: true } });
  const options = { tools: [one, pay] };
  const log = spoiled(memory, write, key, spoil);
  const first = await sandbox.run(code, {
    ...options,
    durable: { storage: { operations: log }, id: "x" },
    approve: later,
  });
  expect(first).toMatchObject({ status: "parked" });
  const unreadable = { code: "sandbox/journal-unreadable", data: { id: "x", key } };
  const durable = { storage: { operations: memory }, id: "x" };
  const again = sandbox.run(code, { ...options, durable, approve: approved });
  await expect(again).rejects.toMatchObject(unreadable);
  await expect(sandbox.resume(durable, { ...options, approve: approved })).rejects.toMatchObject(unreadable);
  await expect(settleCall({ operations: memory }, "x", 2, "released")).rejects.toMatchObject(unreadable);
  expect(calls).toBe(1);
});

it.each<[string, Spoil]>([
  ["null", nothing],
  ["no status", without("status")],
  ["no value", without("value")],
  ["no logs", without("logs")],
  ["no stats", without("stats")],
  ["no error", replaced("status", "error")],
])("should not give a recorded outcome again that is none: %s", async (_, spoil) => {
  const memory = new MemoryOperationLog();
  const log = spoiled(memory, "finish", "run", spoil);
  expect(resultOf(await sandbox.run("__result__ = 1", { durable: { storage: { operations: log }, id: "x" } }))).toBe(1);
  await expect(sandbox.resume({ storage: { operations: memory }, id: "x" })).rejects.toMatchObject({
    code: "sandbox/journal-unreadable",
  });
});

it("should end as JournalFailure when an answer is no JSON, and ask again for a decision that is none", async () => {
  const memory = new MemoryOperationLog();
  const one = tool("one", { n: { type: "integer" } }, ({ n }: { n: number }) => n);
  const pay = tool("pay", { n: { type: "integer" } }, () => "paid", { annotations: { requiresApproval: true } });
  const options = { tools: [one, pay] };
  const cut = spoiled(memory, "finish", "call:1", replaced("json", "{"));
  await sandbox.run(code, { ...options, durable: { storage: { operations: cut }, id: "cut" }, approve: later });
  const run = await sandbox.resume({ storage: { operations: memory }, id: "cut" }, { ...options, approve: approved });
  expect(run).toMatchObject({ error: { type: "JournalFailure" } });
  const odd = wrapLog(
    spoiled(memory, "finish", "approval:2", () => "yes"),
    (method, args, call) => {
      // It dies before the call is begun.
      const { key } = args[0] as { key: string };
      return method === "begin" && key === "call:2" ? Promise.reject(new Error("dies")) : call();
    },
  );
  await sandbox.run(code, { ...options, durable: { storage: { operations: odd }, id: "odd" }, approve: approved });
  let asked = 0;
  const approve = async () => ({ approved: ++asked > 0 });
  expect(
    resultOf(await sandbox.resume({ storage: { operations: memory }, id: "odd" }, { ...options, approve })),
  ).toEqual([1, "paid"]);
  expect(asked).toBe(1);
});
