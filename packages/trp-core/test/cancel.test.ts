import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability, Effect } from "../src/catalog/types.ts";
import type { CallItem, ResponseFrame } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, nackOf, openSession, resultOf, type Session } from "./router-rig.ts";

/** What a capability does when it is asked to stop. */
type Stop = "obeys" | "ignores" | "finishes" | "undoes";

function rig(effect: Effect, stop: Stop = "obeys", options: RouterOptions = {}) {
  const log: string[] = [];
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const capability: AnyCapability = defineCapability({
    ...{ capId: "cap.test.job.v1", name: "job", description: "Works.", riskTier: "LOW", effect },
    ioClass: effect === "pure" ? ("READ" as const) : ("WRITE" as const),
    args: { text: "string" },
    async execute({ text }, { signal }) {
      log.push(`begin ${text}`);
      const stopped = new Promise<string>((resolve, reject) => {
        signal.addEventListener("abort", () => {
          if (stop === "obeys") reject(signal.reason);
          if (stop === "undoes") reject(new CapabilityError("undone", { outcome: "not-applied" }));
          if (stop === "finishes") setTimeout(() => resolve("just done"), 10);
        });
      });
      const end = await Promise.race([gate.then(() => "done"), stopped]);
      log.push(`end ${text}`);
      return end;
    },
    ...(effect === "probe" && { probe: () => ({ state: "not-applied" as const }) }),
  });
  const store = new MemoryStore();
  const make = (more: RouterOptions = {}) =>
    createRouter({ allowVolatile: true, store, capabilities: [capability], ...options, ...more });
  return { log, go, store, make, router: make() };
}

const open = (router: ReturnType<typeof createRouter>, resume?: string) =>
  openSession(router, {
    features: ["CANCEL", "RESULT_FAILED"],
    ...(resume === undefined ? {} : { resume, sync: false }),
  });

const job = (call_id = "c1", more: Partial<CallItem> = {}) => ({
  ...{ cap_id: "cap.test.job.v1", call_id, args: { text: call_id }, idempotency_key: `key-${call_id}` },
  ...more,
});

async function cancel(session: Session, call_id = "c1"): Promise<string> {
  const reply = await session.send("CANCEL_REQ", { call_id });
  if (reply.frame_type !== "CANCEL_RES") throw new Error(JSON.stringify(reply.payload));
  expect(reply.payload.call_id).toBe(call_id);
  return reply.payload.status;
}

async function started(session: Session, log: string[], item = job()): Promise<Promise<ResponseFrame>[]> {
  // In a list, since a promise in a promise would be waited for.
  const answer = [session.call(item)];
  await vi.waitFor(() => expect(log).toContain(`begin ${item.call_id}`));
  return answer;
}

describe("CANCEL", () => {
  it("is part of the protocol only in a session that asked for it", async () => {
    const { router } = rig("keyed");
    const plain = await openSession(router);
    const refused = nackOf(await plain.send("CANCEL_REQ", { call_id: "c1" }, { seq: plain.seq }));
    expect(refused).toMatchObject({ error_code: "TRP_5000", retry_hint: { expected_seq: plain.seq } });
    expect((await plain.query("c1")).status).toBe("NOT_FOUND");
    const session = await open(router);
    expect(await cancel(session)).toBe("NOT_FOUND");
    const resumed = await open(router, session.id);
    expect(await cancel(resumed)).toBe("NOT_FOUND");
  });

  it.each<[Effect, string]>([
    ["pure", "FAILED"],
    ["idempotent", "FAILED"],
    ["keyed", "FAILED"],
    ["probe", "FAILED"],
    ["opaque", "UNKNOWN"],
  ])("stops a call of effect %s that runs: %s", async (effect, status) => {
    const { router, log } = rig(effect);
    const session = await open(router);
    const [answer] = await started(session, log);
    expect(await cancel(session)).toBe("CANCELLING");
    const result = resultOf((await answer) as ResponseFrame);
    expect(result.status).toBe(status);
    if (effect !== "opaque" && effect !== "probe") {
      expect(result.error).toMatchObject({ error_code: "TRP_3005", dispatched: true, retryable: false });
    }
    expect(await session.query("c1")).toMatchObject({ status });
    expect(await cancel(session)).toBe(status);
    expect(log).toEqual(["begin c1"]);
  });

  it("tells a success when the capability was too late to stop, and that it had no effect when it says so", async () => {
    for (const [stop, status] of [
      ["finishes", "SUCCESS"],
      ["undoes", "FAILED"],
    ] as const) {
      const { router, log } = rig("keyed", stop);
      const session = await open(router);
      const [answer] = await started(session, log);
      expect(await cancel(session)).toBe("CANCELLING");
      const result = resultOf((await answer) as ResponseFrame);
      expect(result.status).toBe(status);
      if (status === "FAILED")
        expect(result.error).toMatchObject({
          error_code: "TRP_3005",
          message: expect.stringContaining("changed nothing"),
        });
      expect(await cancel(session)).toBe(status);
    }
  });

  it("stops a call without a key", async () => {
    const { router, log } = rig("pure");
    const session = await open(router);
    const [answer] = await started(session, log, job("c1", { idempotency_key: null }));
    expect(await cancel(session)).toBe("CANCELLING");
    expect(resultOf((await answer) as ResponseFrame)).toMatchObject({
      status: "FAILED",
      error: { error_code: "TRP_3005" },
    });
  });

  it("keeps a call that waits for a place from ever starting", async () => {
    for (const key of [null, "key-c2"]) {
      const { router, log, go } = rig("pure", "obeys", { limits: { callsInFlight: 1 } });
      const session = await open(router);
      const [first] = await started(session, log);
      const waiting = session.call(job("c2", { idempotency_key: key }));
      await delay(5);
      expect(await cancel(session, "c2")).toBe("CANCELLED");
      const refused = nackOf(await waiting);
      expect(refused).toMatchObject({ error_code: "TRP_3005", dispatched: false, retryable: false });
      // For good: also when it is sent again.
      expect(nackOf(await session.call(job("c2", { idempotency_key: key })))).toMatchObject({ error_code: "TRP_3005" });
      expect(await cancel(session, "c2")).toBe("CANCELLED");
      go();
      expect(resultOf((await first) as ResponseFrame).status).toBe("SUCCESS");
      expect(log).toEqual(["begin c1", "end c1"]);
    }
  });

  it("keeps a call from starting that another router has, and stops one that runs there", async () => {
    let hold = (): void => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const options: RouterOptions = {
      times: { leaseMs: 60 },
      // Asked before the start: as long as it thinks, the call has not started.
      policy: {
        version: "slow",
        evaluate: async () => {
          await held;
          return { decision: "allow", rule: "all", reason: "" };
        },
      },
    };
    const { make, log, go } = rig("keyed", "obeys", options);
    const [one, two] = [
      make(),
      make({ policy: { version: "fast", evaluate: () => ({ decision: "allow", rule: "all", reason: "" }) } }),
    ];
    const session = await open(one);
    const there = await open(two, session.id);
    const answer = session.call(job());
    await delay(5);
    there.seq = session.seq;
    expect(await cancel(there)).toBe("CANCELLING");
    hold();
    expect(nackOf(await answer)).toMatchObject({ error_code: "TRP_3005", dispatched: false });
    expect(log).toEqual([]);
    there.seq = session.seq = there.seq;
    const [running] = await started(session, log, job("c2"));
    there.seq = session.seq;
    expect(await cancel(there, "c2")).toBe("CANCELLING");
    expect(resultOf((await running) as ResponseFrame)).toMatchObject({
      status: "FAILED",
      error: { error_code: "TRP_3005" },
    });
    go();
    expect(log).toEqual(["begin c2"]);
  });

  it("is not run again by recovery, and what nobody knows is said", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    for (const [effect, status] of [
      ["pure", "FAILED"],
      ["keyed", "UNKNOWN"],
    ] as const) {
      const { make, log } = rig(effect, "ignores", { store, times: { leaseMs: 60_000, recoverEveryMs: 0 } });
      const session = await open(make());
      await started(session, log, job(effect, { execution_mode: "ASYNC" } as Partial<CallItem>));
      const second = make();
      const there = await open(second, session.id);
      there.seq = session.seq;
      now += 120_000;
      expect(await cancel(there, effect)).toBe("CANCELLING");
      expect(await second.recover()).toMatchObject({ rerun: 0, leftAlone: 0 });
      expect((await there.query(effect)).status).toBe(status);
      expect(log).toHaveLength(1);
    }
  });

  it("cancels one item of a batch alone", async () => {
    const { router, log, go } = rig("keyed");
    const session = await open(router);
    const rows = await session.sync();
    const idx = rows.find(({ name }) => name === "job")?.idx ?? 0;
    const calls = ["c1", "c2"].map((id) => ({ ...job(id), idx, timeout_ms: 5_000 }));
    const answer = session.send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 2, calls });
    await vi.waitFor(() => expect(log).toHaveLength(2));
    expect(await cancel(session, "c1")).toBe("CANCELLING");
    go();
    expect((await answer).payload).toMatchObject({
      status: "PARTIAL_SUCCESS",
      results: [{ status: "FAILED", error_code: "TRP_3005" }, { status: "SUCCESS" }],
    });
  });

  it("answers the same frame again with the same words, and ignores other principals", async () => {
    const { router, log, go } = rig("keyed");
    const session = await open(router);
    const [answer] = await started(session, log);
    const stranger = { ...ada, id: "eve" };
    const frame = session.frame("CANCEL_REQ", { call_id: "c1" }, { seq: session.seq });
    expect(nackOf(await router.handle(frame, { principal: stranger })).error_code).toBe("TRP_1008");
    go();
    expect(resultOf((await answer) as ResponseFrame).status).toBe("SUCCESS");
    const first = await router.handle(frame, { principal: ada });
    expect(first.payload).toEqual({ call_id: "c1", status: "SUCCESS" });
    expect(await router.handle(frame, { principal: ada })).toEqual(first);
  });
});
