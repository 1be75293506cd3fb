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
  it("does not ask for a repetition once the call is cancelled, whatever it had answered before", async () => {
    const { router } = rig("opaque", "obeys", {
      capabilities: [
        defineCapability({
          ...{ capId: "cap.test.job.v1", name: "job", description: "Works.", riskTier: "LOW", effect: "opaque" },
          ioClass: "WRITE",
          args: { text: "string" },
          execute: () => {
            throw new CapabilityError("full", { outcome: "not-applied" });
          },
        }),
      ],
    });
    const session = await open(router);
    expect(resultOf(await session.call(job()))).toMatchObject({ status: "FAILED", error: { retryable: true } });
    expect(await cancel(session)).toBe("FAILED");
    const again = resultOf(await session.call(job()));
    expect(again).toMatchObject({ status: "FAILED", error: { message: "full", retryable: false } });
    expect(again.error?.fix).toContain("make a new call");
  });

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
      const { router, log, make } = rig("keyed", stop);
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
      // Sent again, here or through another router, it is told the same: it was begun.
      for (const again of [session, await open(make(), session.id)]) {
        const reply = await again.call(job(), { seq: session.seq });
        session.seq += 1;
        expect([reply.frame_type, resultOf(reply).status]).toEqual(["RESULT", status]);
      }
      expect(log.filter((line) => line.startsWith("begin"))).toHaveLength(1);
    }
  });

  it("leaves a call alone that came behind it, of which it says that there is none", async () => {
    const { router, log, go, store } = rig("probe");
    const session = await open(router);
    const cancelCall = store.sessions.cancelCall.bind(store.sessions);
    let goOn = (): void => {};
    const behind = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const looked = vi.spyOn(store.sessions, "cancelCall").mockImplementationOnce(async (...call) => {
      const found = await cancelCall(...call);
      await behind;
      return found;
    });
    const cancelled = cancel(session);
    await vi.waitFor(() => expect(looked).toHaveBeenCalled());
    const [answer] = await started(session, log);
    goOn();
    expect(await cancelled).toBe("NOT_FOUND");
    go();
    expect(resultOf((await answer) as ResponseFrame).status).toBe("SUCCESS");
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
      times: { leaseMs: 600, recoverEveryMs: 0 },
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

  it("does not stay begun once its caller was answered: after a lease it is in doubt", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const { make, log } = rig("keyed", "obeys", { store, times: { leaseMs: 60_000, recoverEveryMs: 0 } });
    const one = make();
    const session = await open(one);
    const [running] = await started(session, log);
    expect(await cancel(session)).toBe("CANCELLING");
    expect(resultOf((await running) as ResponseFrame)).toMatchObject({ error: { error_code: "TRP_3005" } });
    const states = async (): Promise<string[]> =>
      (await store.operations.list({ states: ["started", "in-doubt"] })).map(({ state }) => state);
    // Until then its caller may change its mind.
    expect([await one.recover(), await states()]).toMatchObject([{ inDoubt: 0, rerun: 0 }, ["started"]]);
    now += 120_000;
    expect([await one.recover(), await states()]).toMatchObject([{ inDoubt: 1, rerun: 0 }, ["in-doubt"]]);
    expect(log).toHaveLength(1);
  });

  it.each(["keyed", "opaque", "probe"] as const)(
    "is never told not to have run while another router runs it, or has begun it and died (%s)",
    async (effect) => {
      let now = 1_000_000;
      const store = new MemoryStore({ now: () => now });
      const options = { store, times: { leaseMs: 60_000, recoverEveryMs: 0 } };
      const { make, log, router, go } = rig(effect, "ignores", options);
      const session = await open(router);
      const [running] = await started(session, log);
      const second = make();
      const there = await open(second, session.id);
      await there.sync();
      expect(await cancel(there)).toBe("CANCELLING");
      // The same call in a new frame, through the other one, which may not have its capability any more.
      expect((await there.call(job())).payload).toMatchObject({ status: "IN_PROGRESS" });
      second.registry.unregister("cap.test.job.v1");
      expect((await there.call(job())).payload).toMatchObject({ status: "IN_PROGRESS" });
      go();
      expect(resultOf((await running) as ResponseFrame).status).toBe("SUCCESS");
      expect(resultOf(await there.call(job())).status).toBe("SUCCESS");

      const other = rig(effect, "ignores", options);
      const gone = await open(other.router);
      await started(gone, other.log, job("c2"));
      now += 120_000;
      const heir = await open(other.make(), gone.id);
      await heir.sync();
      expect(await cancel(heir, "c2")).toBe(effect === "opaque" ? "UNKNOWN" : "CANCELLING");
      const { payload } = await heir.call(job("c2"));
      expect(payload).toMatchObject({ status: effect === "opaque" ? "UNKNOWN" : "IN_PROGRESS" });
    },
  );

  it("is told that it changed nothing, when a probe says so to another router, which took it for dead", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const { make, log, router, go } = rig("probe", "ignores", {
      ...{ store, times: { leaseMs: 60_000, recoverEveryMs: 0 } },
    });
    const session = await open(router);
    const [answer] = await started(session, log);
    const second = make();
    const there = await open(second, session.id);
    await there.sync();
    now += 120_000;
    expect(await cancel(there)).toBe("CANCELLING");
    expect(await second.recover()).toMatchObject({ probed: 1, inDoubt: 0 });
    // Nothing but the call knows of it any more.
    expect(await store.operations.list({ states: ["claimed", "started", "done", "failed", "in-doubt"] })).toEqual([]);
    const error = { error_code: "TRP_3005", dispatched: true, message: expect.stringContaining("changed nothing") };
    expect(await there.query("c1")).toMatchObject({ status: "FAILED", result: { status: "FAILED", error } });
    // Its parts are gone, too: who has read some has read all.
    const { payload } = await there.send("RESULT_QUERY_REQ", { call_id: "c1", after_event_id: 2 });
    expect(payload).toMatchObject({ status: "FAILED", last_event_id: 2 });
    expect(resultOf(await there.call(job()))).toMatchObject({ status: "FAILED", error });
    expect(await cancel(there)).toBe("FAILED");
    expect(log).toEqual(["begin c1"]);
    // The first router only stood still, and has nothing else to tell.
    go();
    expect(resultOf((await answer) as ResponseFrame)).toMatchObject({ status: "FAILED", error });
    expect(await there.query("c1")).toMatchObject({ status: "FAILED", result: { status: "FAILED", error } });
  });

  it("is told what its operation came to, when another attempt at it still waits", async () => {
    let hold: Promise<void> | undefined;
    let letGo = (): void => {};
    const policy = {
      version: "slow",
      evaluate: async () => {
        await hold;
        return { decision: "allow", rule: "all", reason: "" } as const;
      },
    };
    const { make, log, router, go } = rig("keyed", "ignores", { times: { leaseMs: 60_000, recoverEveryMs: 0 } });
    const session = await open(router);
    const there = await open(make({ policy }), session.id);
    await there.sync();
    session.seq = there.seq;
    // The second attempt waits before its start, while the first begins and ends.
    hold = new Promise((resolve) => {
      letGo = resolve;
    });
    const [running] = await started(session, log);
    there.seq = session.seq;
    const second = there.call(job("c1", { attempt: 2 }));
    await delay(5);
    expect(await cancel(there)).toBe("CANCELLING");
    go();
    expect(resultOf((await running) as ResponseFrame).status).toBe("SUCCESS");
    expect(await cancel(there)).toBe("SUCCESS");
    letGo();
    expect(resultOf(await second).status).toBe("SUCCESS");
    expect(log).toEqual(["begin c1", "end c1"]);
  });

  it("says of a call without a key what it can know through another router", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const { make, log, router } = rig("pure", "ignores", { store });
    const session = await open(router);
    const plain = job("c1", { idempotency_key: null });
    await started(session, log, plain);
    const there = await open(make(), session.id);
    await there.sync();
    await cancel(there);
    expect((await there.call(plain)).payload).toMatchObject({ status: "IN_PROGRESS" });
    now += 60_000;
    const told = { status: "FAILED", error: { error_code: "TRP_3005", dispatched: true } };
    expect((await there.call(plain)).payload).toMatchObject(told);
    expect(await there.query("c1")).toMatchObject({ status: "FAILED", result: told });
  });

  it("does not say of a call without a key that nothing was done, while another router may be running it", async () => {
    const { make, log, go, router } = rig("pure", "ignores");
    const session = await open(router);
    const plain = job("c1", { idempotency_key: null });
    const [first] = await started(session, log, plain);
    // The other router has no place for it.
    const second = make({ limits: { callsInFlight: 1 } });
    const there = await open(second, session.id);
    await there.sync();
    const [_blocker] = await started(there, log, job("c2", { idempotency_key: null }));
    const again = there.call(plain);
    await delay(5);
    expect(await cancel(there)).toBe("CANCELLING");
    expect((await again).payload).toMatchObject({ status: "IN_PROGRESS" });
    go();
    expect(resultOf((await first) as ResponseFrame).status).toBe("SUCCESS");
    expect(await there.query("c1")).toMatchObject({ status: "SUCCESS" });
    expect(log.filter((line) => line === "begin c1")).toHaveLength(1);
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
