import { ToolglotError } from "@toolglot/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Settled } from "../src/calls/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { outcomes, rig } from "./calls-rig.ts";

// Time stands still but when a test lets it pass.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const leaseMs = 9_000;
const overrides = { times: { leaseMs, keyTtlMs: 86_400_000, keyMemoryMs: 86_400_000 } };
const key = { idempotency_key: "k", timeout_ms: 600_000 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const gone = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")));
  });
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

it("holds its lease for as long as it runs, and nobody takes over", async () => {
  const world = new World();
  const store = new MemoryStore();
  const capabilities = [note(world, { before: () => pause(50_000) })];
  const first = rig({ store, capabilities, overrides });
  const second = rig({ store, capabilities, overrides });
  const running = first.run(add("x", key));
  for (let turn = 0; turn < 49; turn++) {
    await pass(1_000);
    expect((await second.run(add("x", key))).kind).toBe("in-progress");
    expect(await second.recover()).toEqual({ rerun: 0, probed: 0, inDoubt: 0, leftAlone: 0 });
  }
  await pass(1_000);
  expect((await running).kind).toBe("success");
  expect(world.ledger).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it("aborts what runs when its lease can't be renewed in time, and tells what the record says", async () => {
  const world = new World();
  const store = new MemoryStore();
  const aborted: { at?: number; reason?: unknown } = {};
  const capabilities = [
    note(world, {
      before: ({ signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.at = Date.now();
            aborted.reason = signal.reason;
            reject(new Error("stopped"));
          });
        }),
    }),
  ];
  const first = rig({ store, capabilities, overrides });
  const began = Date.now();
  // Cut off: renewals neither succeed nor fail.
  Object.assign(store.operations, { renew: () => new Promise<boolean>(() => {}) });
  const running = first.run(add("x", key));
  await pass(leaseMs + leaseMs / 3 + 1);
  expect((aborted.at ?? 0) - began).toBeLessThanOrEqual(leaseMs + leaseMs / 3);
  expect(String(aborted.reason)).toContain("lease");
  const second = rig({ store, capabilities, overrides });
  expect((await second.run(add("x", key))).kind).toBe("unknown");
  expect((await running).kind).toBe("unknown");
  expect(world.ledger).toEqual([]);
});

it("calls it no failure when it lost its lease and broke off what may be run again: it goes on elsewhere", async () => {
  const world = new World();
  const store = new MemoryStore();
  const capabilities = [
    note(world, { effect: "keyed", before: ({ signal, attempt }) => (attempt > 1 ? undefined : gone(signal)) }),
  ];
  const first = rig({ store, capabilities, overrides });
  const { renew } = store.operations;
  Object.assign(store.operations, { renew: () => new Promise<boolean>(() => {}) });
  const running = first.run(add("x", key));
  await pass(leaseMs + leaseMs / 3 + 1);
  const settled = await running;
  expect(settled.kind, JSON.stringify(settled)).toBe("in-progress");
  Object.assign(store.operations, { renew });
  const second = rig({ store, capabilities, overrides });
  expect(await second.recover()).toMatchObject({ rerun: 1 });
  expect((await first.run(add("x", key))).kind).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("aborts what runs when somebody else holds the operation now", async () => {
  const world = new World();
  const store = new MemoryStore();
  const capabilities = [
    note(world, { effect: "keyed", before: ({ signal, attempt }) => (attempt > 1 ? undefined : gone(signal)) }),
  ];
  const first = rig({ store, capabilities, overrides });
  const running = first.run(add("x", key));
  await pass(0);
  const [record] = await store.operations.list({ states: ["started"] });
  await store.operations.abandon({ scope: record?.scope as string, key: "k", fence: record?.fence as number });
  expect((await rig({ store, capabilities, overrides }).run(add("x", key))).kind).toBe("success");
  await pass(leaseMs / 3);
  // The one that was given up tells what the other has done.
  expect(await running).toMatchObject({ kind: "success", result: { data: { attempt: 2 } } });
  expect(world.ledger).toHaveLength(1);
});

it("outlasts renewals that fail as long as the lease holds", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world, { before: () => pause(20_000) })], overrides });
  const renew = store.operations.renew.bind(store.operations);
  let asked = 0;
  Object.assign(store.operations, {
    renew: async (...parameters: Parameters<typeof renew>) => {
      asked += 1;
      if (asked % 2 === 1) throw new ToolglotError("trp/store-locked", "busy");
      return renew(...parameters);
    },
  });
  const running = router.run(add("x", key));
  await pass(20_000);
  expect((await running).kind).toBe("success");
  expect(asked).toBeGreaterThan(3);
});

it("never tells success that was not committed", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world)], overrides });
  const finish = store.operations.finish.bind(store.operations);
  let attempts = 0;
  const down = async (): Promise<boolean> => {
    attempts += 1;
    throw new ToolglotError("trp/store-locked", "busy");
  };
  Object.assign(store.operations, { finish: down, renew: down });
  const told: Settled[] = [];
  void router.run(add("x", key)).then((settled) => told.push(settled));
  await pass(leaseMs - 1);
  expect(told).toEqual([]);
  await pass(leaseMs);
  expect(told).toMatchObject([{ kind: "unknown", fault: { code: "TRP_3004" } }]);
  expect(attempts).toBeGreaterThan(10);
  expect(world.ledger).toHaveLength(1);
  Object.assign(store.operations, { finish });
  // Nobody knows, and it stays so.
  expect(await router.run(add("x", key))).toMatchObject({ kind: "unknown" });
  expect(world.ledger).toHaveLength(1);
});

it("finishes when the store comes back while the lease holds", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world)], overrides });
  const finish = store.operations.finish.bind(store.operations);
  let failures = 5;
  Object.assign(store.operations, {
    finish: async (...parameters: Parameters<typeof finish>) => {
      if (failures-- > 0) throw new ToolglotError("trp/store-locked", "busy");
      return finish(...parameters);
    },
  });
  const running = router.run(add("x", key));
  await pass(2_000);
  expect((await running).kind).toBe("success");
  expect(await outcomes(router)).toEqual(["SUCCESS"]);
});

it("does not retry a write that is malformed", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world)], overrides });
  let attempts = 0;
  Object.assign(store.operations, {
    finish: async () => {
      attempts += 1;
      throw new TypeError("no such state");
    },
  });
  expect((await router.run(add("x", key))).kind).toBe("unknown");
  expect(attempts).toBe(1);
});

it("begins nothing that was held up until its lease was over", async () => {
  const world = new World();
  const store = new MemoryStore();
  const capabilities = [note(world)];
  const slow = rig({
    store,
    capabilities,
    overrides: {
      ...overrides,
      failpoint: async (name) => {
        if (name !== "after-start") return;
        // A process that is stopped renews nothing.
        vi.setSystemTime(Date.now() + leaseMs + 1);
        await rig({ store, capabilities, overrides }).run(add("x", key));
      },
    },
  });
  expect((await slow.run(add("x", key))).kind).toBe("unknown");
  expect(world.executions).toBe(0);
});

it("goes on when it was held up, and nobody has taken over", async () => {
  const world = new World();
  const store = new MemoryStore();
  const slow = rig({
    store,
    capabilities: [note(world)],
    overrides: {
      ...overrides,
      failpoint: (name) => {
        if (name === "after-start") vi.setSystemTime(Date.now() + leaseMs + 1);
      },
    },
  });
  expect((await slow.run(add("x", key))).kind).toBe("success");
  expect(world.ledger).toHaveLength(1);
});
