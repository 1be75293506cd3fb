import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunOptions } from "../src/calls/dependencies.ts";
import { type Batch, type BatchEntry, batchPayload, checkBatch, runBatch } from "../src/calls/running/batch.ts";
import type { DependencyState } from "../src/calls/running/depends-on.ts";
import type { Settled } from "../src/calls/types.ts";
import { fault } from "../src/frames/fault.ts";
import { add, look, note, World } from "./calls-capabilities.ts";
import { gate, type ItemInput, type Rig, rig } from "./calls-rig.ts";

const usage = { router_ms: 1, adapter_ms: 0, executor_ms: 1 };
const success = (data: unknown = null): Settled => ({
  kind: "success",
  result: { summary: "ok", data: data as null, artifacts: [], warnings: [] },
  usage,
});
const failed: Settled = { kind: "failed", fault: fault("TRP_3002", "no", { dispatched: true }), usage };

/** Entries by their call id; `ends` says how each ends, and `order` gets when each was begun. */
function entries(
  plan: Record<string, string[]>,
  order: string[] = [],
  ends: Record<string, Settled | (() => Promise<Settled>)> = {},
): BatchEntry[] {
  return Object.entries(plan).map(([callId, dependsOn]) => ({
    callId,
    dependsOn,
    run: async () => {
      order.push(callId);
      const end = ends[callId] ?? success(callId);
      return typeof end === "function" ? end() : end;
    },
  }));
}

function run(list: BatchEntry[], more: Partial<Batch> = {}): Promise<Settled[]> {
  return runBatch({
    entries: list,
    mode: "PARALLEL",
    maxConcurrency: 4,
    onError: "continue",
    earlier: async () => "unknown",
    ...more,
  });
}

const told = (ends: Settled[]): string[] => ends.map((end) => ("fault" in end ? end.fault.code : end.kind));

it("runs calls side by side, at most so many at once, and tells them in order (6.2.6)", async () => {
  let running = 0;
  let most = 0;
  const ends = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [
      `c${index}`,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 9 - index));
        running -= 1;
        return success(index);
      },
    ]),
  );
  const plan = Object.fromEntries(Object.keys(ends).map((callId) => [callId, []]));
  const settled = await run(entries(plan, [], ends), { maxConcurrency: 3 });
  expect(most).toBe(3);
  expect(settled.map((end) => (end as { result: { data: unknown } }).result.data)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

it("runs SEQUENTIAL calls in order of the request, one at a time", async () => {
  const order: string[] = [];
  let running = 0;
  const slow = async (): Promise<Settled> => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    return success();
  };
  await run(entries({ c: [], a: [], b: [] }, order, { a: slow, b: slow, c: slow }), {
    mode: "SEQUENTIAL",
    maxConcurrency: 8,
  });
  expect(order).toEqual(["c", "a", "b"]);
});

it("begins a call when what it depends on has succeeded", async () => {
  const order: string[] = [];
  await run(entries({ last: ["left", "right"], left: ["first"], right: ["first"], first: [] }, order));
  expect(order[0]).toBe("first");
  expect(order.at(-1)).toBe("last");
  const sequential: string[] = [];
  await run(entries({ b: ["a"], a: [] }, sequential), { mode: "SEQUENTIAL" });
  expect(sequential).toEqual(["a", "b"]);
});

it("does not begin what depends on a call that failed, was refused, or is unknown in its outcome", async () => {
  for (const end of [
    failed,
    { kind: "refused", fault: fault("TRP_4002") },
    { kind: "unknown", fault: fault("TRP_3004"), usage },
  ] as Settled[]) {
    const order: string[] = [];
    const settled = await run(entries({ a: [], b: ["a"], c: ["b"], d: [] }, order, { a: end }));
    expect(order).toEqual(["a", "d"]);
    expect(told(settled).slice(1)).toEqual(["TRP_1006", "TRP_1006", "success"]);
    expect(settled[1]).toMatchObject({ fault: { errorClass: "ORDER_VIOLATION", dispatched: false } });
  }
});

it("looks for what is not in the batch among earlier calls of the session", async () => {
  const states: Record<string, DependencyState> = { done: "succeeded", bad: "failed", open: "unfinished" };
  const settled = await run(entries({ a: ["done"], b: ["bad"], c: ["open"], d: ["nowhere"] }), {
    earlier: async (callId) => states[callId] ?? "unknown",
  });
  expect(told(settled)).toEqual(["success", "TRP_1006", "TRP_1005", "TRP_1005"]);
});

it("goes on after a failure, or starts no more with on_error stop", async () => {
  const plan = { a: [], b: [], c: [], d: [] };
  const going: string[] = [];
  expect(told(await run(entries(plan, going, { b: failed }), { mode: "SEQUENTIAL" }))).toEqual([
    "success",
    "TRP_3002",
    "success",
    "success",
  ]);
  const stopping: string[] = [];
  const settled = await run(entries(plan, stopping, { b: failed }), { mode: "SEQUENTIAL", onError: "stop" });
  expect(told(settled)).toEqual(["success", "TRP_3002", "TRP_1006", "TRP_1006"]);
  expect(stopping).toEqual(["a", "b"]);
});

it("lets calls that run come to their end after a stop", async () => {
  const hold = gate();
  const order: string[] = [];
  const running = run(
    entries({ slow: [], bad: [], never: [] }, order, {
      slow: async () => {
        await hold.passed;
        return success();
      },
      bad: failed,
    }),
    { maxConcurrency: 2, onError: "stop" },
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  hold.open();
  expect(told(await running)).toEqual(["success", "TRP_3002", "TRP_1006"]);
  expect(order).toEqual(["slow", "bad"]);
});

it("takes what is known already as it is", async () => {
  const order: string[] = [];
  const [a, b] = entries({ a: [], b: ["a"] }, order) as [BatchEntry, BatchEntry];
  const settled = await run([{ ...a, known: success("before") }, b]);
  expect(order).toEqual(["b"]);
  expect(settled[0]).toMatchObject({ kind: "success", result: { data: "before" } });
});

it("refuses a call id twice and a cycle, and nothing else", () => {
  const call = (call_id: string, depends_on: string[] = []) => ({ call_id, depends_on });
  expect(checkBatch([call("a"), call("b", ["a"]), call("c", ["elsewhere"])])).toBeUndefined();
  expect(checkBatch([call("a"), call("a")])).toMatchObject({ code: "TRP_2004" });
  expect(checkBatch([call("a", ["a"])])).toMatchObject({ code: "TRP_1005" });
  expect(checkBatch([call("a", ["b"]), call("b", ["c"]), call("c", ["a"]), call("d")])).toMatchObject({
    code: "TRP_1005",
  });
});

it("finds a cycle exactly when no order fits, for any dependencies", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const plan = fc.array(fc.uniqueArray(fc.constantFrom(...ids)), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(plan, (lists) => {
      const calls = ids.map((call_id, index) => ({ call_id, depends_on: lists[index] as string[] }));
      const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
        (calls.find((call) => call.call_id === from)?.depends_on ?? []).some((next) => {
          if (next === to) return true;
          if (seen.has(next)) return false;
          seen.add(next);
          return reaches(next, to, seen);
        });
      expect(checkBatch(calls) !== undefined).toBe(ids.some((callId) => reaches(callId, callId)));
    }),
  );
});

it("begins every call once, after all it depends on, within the limit, for any plan", async () => {
  const size = 7;
  const shape = fc.tuple(
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
    fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(shape, async ([lists, shuffled, maxConcurrency, sequential, bad]) => {
      const plan: Record<string, string[]> = {};
      // Depends only on lower numbers, so there is no cycle; the request's order is another.
      for (const index of shuffled) {
        plan[`c${index}`] = [...new Set((lists[index] as number[]).filter((other) => other < index))].map(
          (other) => `c${other}`,
        );
      }
      const order: string[] = [];
      let running = 0;
      const ends: Record<string, () => Promise<Settled>> = {};
      for (const callId of Object.keys(plan)) {
        ends[callId] = async () => {
          running += 1;
          expect(running).toBeLessThanOrEqual(sequential ? 1 : maxConcurrency);
          for (const needed of plan[callId] as string[]) expect(order.indexOf(needed)).toBeGreaterThanOrEqual(0);
          await Promise.resolve();
          running -= 1;
          return bad.includes(Number(callId.slice(1))) ? failed : success();
        };
      }
      const list = entries(plan, order, ends);
      const settled = await run(list, { maxConcurrency, mode: sequential ? "SEQUENTIAL" : "PARALLEL" });
      expect(new Set(order).size).toBe(order.length);
      for (const [index, entry] of list.entries()) {
        const begun = order.includes(entry.callId);
        expect(told(settled)[index] === "TRP_1006").toBe(!begun);
        const blocked = entry.dependsOn.some((callId) => {
          const at = list.findIndex((other) => other.callId === callId);
          return settled[at]?.kind !== "success";
        });
        expect(begun).toBe(!blocked);
      }
    }),
  );
});

it("answers with a status over all, and the fields of a failed item", () => {
  expect(batchPayload("b", ["x", "y"], [success(1), success(2)])).toMatchObject({ batch_id: "b", status: "SUCCESS" });
  expect(batchPayload("b", ["x"], [failed])).toMatchObject({ status: "FAILED" });
  const mixed = batchPayload(
    "b",
    ["x", "y", "z", "w"],
    [
      success(1),
      failed,
      { kind: "unknown", fault: fault("TRP_3004"), usage },
      { kind: "in-progress", retryAfterMs: 100 },
    ],
  );
  expect(mixed.status).toBe("PARTIAL_SUCCESS");
  expect(mixed.results[0]).toEqual({
    call_id: "x",
    status: "SUCCESS",
    result: { summary: "ok", data: 1, artifacts: [], warnings: [] },
    usage,
  });
  expect(mixed.results[1]).toMatchObject({
    call_id: "y",
    status: "FAILED",
    error_class: "EXECUTOR_ERROR",
    error_code: "TRP_3002",
    retryable: false,
    message: "no",
    fix: expect.any(String),
    retry_hint: {},
    dispatched: true,
  });
  expect(mixed.results[2]).toMatchObject({ status: "UNKNOWN", error_code: "TRP_3004" });
  expect(mixed.results[3]).toMatchObject({
    status: "FAILED",
    error_class: "TRANSIENT",
    error_code: "TRP_3003",
    retryable: true,
    retry_hint: { backoff_ms: 100 },
  });
});

function through(router: Rig, items: (ItemInput & { call_id: string })[]): BatchEntry[] {
  return items.map((item) => ({
    callId: item.call_id,
    dependsOn: [],
    run: (options: RunOptions) => router.run(item, options),
  }));
}

it("does a key that is twice in a batch once, and answers twice", async () => {
  for (const mode of ["PARALLEL", "SEQUENTIAL"] as const) {
    const world = new World();
    const wait = () => new Promise((resolve) => setTimeout(resolve, 5));
    const router = rig({ capabilities: [note(world, { before: wait })] });
    const key = { idempotency_key: "same" };
    const settled = await run(
      through(router, [
        { ...add("x", key), call_id: "one" },
        { ...add("x", key), call_id: "two" },
      ]),
      { mode },
    );
    expect(settled.map((end) => end.kind)).toEqual(["success", "success"]);
    expect(settled.filter((end) => "replayedFrom" in end)).toHaveLength(1);
    expect(world.ledger).toHaveLength(1);
  }
});

it("fails arguments, keys, policy and approval item by item, and runs the rest", async () => {
  const world = new World();
  const router = rig({
    capabilities: [
      note(world),
      note(world, { more: { capId: "cap.high.add.v1", riskTier: "HIGH" } }),
      note(world, { more: { capId: "cap.critical.add.v1", riskTier: "CRITICAL" } }),
      look(),
    ],
  });
  const settled = await run(
    through(router, [
      { ...add("x", { idempotency_key: "k1" }), call_id: "ok" },
      { ...add("x", { idempotency_key: "k2", args: { wrong: true } }), call_id: "arguments" },
      { ...add("x"), call_id: "key" },
      { ...add("x", { idempotency_key: "k3" }), cap_id: "cap.critical.add.v1", call_id: "policy" },
      { ...add("x", { idempotency_key: "k4" }), cap_id: "cap.high.add.v1", call_id: "approval" },
      { cap_id: "cap.note.read.v1", call_id: "read" },
    ]),
  );
  expect(told(settled)).toEqual(["success", "TRP_2001", "TRP_4003", "TRP_4001", "TRP_4002", "success"]);
  expect(world.ledger).toHaveLength(1);
});

it("waits for a key that is busy elsewhere, until the item's own time is up", async () => {
  const world = new World();
  const hold = gate();
  const router = rig({ capabilities: [note(world, { before: () => hold.passed })] });
  const elsewhere = router.run(add("x", { idempotency_key: "k" }));
  const settled = await run(through(router, [{ ...add("x", { idempotency_key: "k", timeout_ms: 30 }), call_id: "c" }]));
  expect(batchPayload("b", ["c"], settled).results[0]).toMatchObject({ status: "FAILED", error_code: "TRP_3003" });
  const waiting = run(through(router, [{ ...add("x", { idempotency_key: "k" }), call_id: "c" }]));
  hold.open();
  expect((await waiting)[0]).toMatchObject({ kind: "success", replayedFrom: expect.any(String) });
  expect((await elsewhere).kind).toBe("success");
});
