import { sleep } from "@toolglot/internal";
import { describe, expect, it, vi } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability, ProgressUpdate } from "../src/catalog/types.ts";
import type { ResponseFrame, ResponseOf } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, callItem, ledger, nackOf, openSession, resultOf, type Session } from "./router-rig.ts";

/** A capability that says what it is told, and ends when it is told. */
function controlled(effect: "pure" | "keyed" | "opaque" = "keyed") {
  const runs: { progress(update: ProgressUpdate | string): void; end(value?: unknown): void; attempt: number }[] = [];
  const capability: AnyCapability = defineCapability({
    capId: "cap.test.long.v1",
    name: "long",
    description: "Takes long.",
    riskTier: "LOW",
    ioClass: effect === "pure" ? "READ" : "WRITE",
    effect,
    args: { text: "string" },
    execute: ({ text }, { progress, attempt, signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        runs.push({ progress, attempt, end: (value = text) => resolve(value) });
      }),
  });
  return { runs, capability };
}

async function rig(options: RouterOptions = {}, effect?: "pure" | "keyed" | "opaque") {
  const book = ledger();
  const long = controlled(effect);
  const store = options.store ?? new MemoryStore();
  const make = (more: RouterOptions = {}) =>
    createRouter({
      allowVolatile: true,
      ...options,
      store,
      ...more,
      capabilities: [...book.capabilities, long.capability, ...(options.capabilities ?? [])],
    });
  const router = make();
  return { ...book, ...long, store, make, router, session: await openSession(router, { features: ["RESULT_FAILED"] }) };
}

const item = (call_id = "c1", key: string | null = "key-1") => ({
  ...{ cap_id: "cap.test.long.v1", call_id, args: { text: "slow" }, idempotency_key: key },
  ...{ execution_mode: "ASYNC" as const },
});

function ackOf(reply: ResponseFrame): ResponseOf<"ACK">["payload"] {
  if (reply.frame_type !== "ACK") throw new Error(`no ACK: ${JSON.stringify(reply)}`);
  return reply.payload;
}

async function events(session: Session, after_event_id: number, call_id = "c1"): Promise<ResponseFrame> {
  return await session.send("RESULT_QUERY_REQ", { call_id, after_event_id });
}

const seen = (reply: ResponseFrame): unknown =>
  reply.frame_type === "PARTIAL_RESULT"
    ? reply.payload.events.map(({ event_id, message }) => [event_id, message])
    : reply.frame_type;

describe("an ASYNC call (TRP v0.1 draft, 6.2.2)", () => {
  it("is accepted with an ACK once it has started, and its result can be asked for", async () => {
    const { session, runs } = await rig();
    const ack = ackOf(await session.call(item()));
    expect(ack).toMatchObject({ ack_of_call_id: "c1", status: "ACCEPTED", expected_seq_next: 3 });
    expect(ack.retry_hint).toEqual({ action: "RESULT_QUERY" });
    expect(runs).toHaveLength(1);
    expect(await session.query("c1")).toMatchObject({ status: "IN_PROGRESS", result: null, last_event_id: 0 });
    runs[0]?.end({ rows: 3 });
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    expect(await session.query("c1")).toMatchObject({ result: { status: "SUCCESS", result: { data: { rows: 3 } } } });
  });

  it("is in progress for a copy of its frame, and for the same call in a new one; then it is its outcome", async () => {
    const { session, runs, router } = await rig();
    const idx = (await session.sync()).find(({ name }) => name === "long")?.idx;
    const frame = session.frame("CALL_REQ", callItem(item(), idx));
    const copy = () => router.handle(structuredClone(frame), { principal: ada });
    expect(ackOf(await copy()).status).toBe("ACCEPTED");
    expect(ackOf(await copy()).status).toBe("IN_PROGRESS");
    expect(ackOf(await session.call(item())).status).toBe("IN_PROGRESS");
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    expect(resultOf(await copy()).status).toBe("SUCCESS");
    expect(resultOf(await session.call(item())).status).toBe("SUCCESS");
    expect(runs).toHaveLength(1);
  });

  it("is refused at once with a NACK, and nothing is accepted", async () => {
    const { session, runs, effects } = await rig();
    expect(nackOf(await session.call({ ...item(), args: {} }))).toMatchObject({ error_code: "TRP_2001" });
    expect(nackOf(await session.call(item("c2", null)))).toMatchObject({ error_code: "TRP_4003", dispatched: false });
    const mail = { ...item("c3"), cap_id: "cap.test.mail.v1" };
    expect(nackOf(await session.call(mail))).toMatchObject({ error_code: "TRP_4002" });
    expect([...runs, ...effects]).toEqual([]);
  });

  it("needs no key when it is pure, and may be sent again", async () => {
    const { session, runs } = await rig({}, "pure");
    expect(ackOf(await session.call(item("c1", null))).status).toBe("ACCEPTED");
    expect(ackOf(await session.call(item("c1", null))).status).toBe("IN_PROGRESS");
    expect(ackOf(await session.call(item("c2", null))).status).toBe("ACCEPTED");
    expect(runs).toHaveLength(2);
    for (const run of runs) run.end();
    await vi.waitFor(async () => expect((await session.query("c2")).status).toBe("SUCCESS"));
    expect(resultOf(await session.call(item("c1", null)))).toMatchObject({ status: "SUCCESS", replayed_from: "c1" });
  });

  it("needs a key when it is not pure, though a SYNC call of it needs none", async () => {
    const touch = defineCapability({
      ...{ capId: "cap.test.touch.v1", name: "touch", description: "Touches.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "idempotent", args: { text: "string" } },
      execute: () => "touched",
    });
    const { session } = await rig({ capabilities: [touch] });
    const call = { cap_id: "cap.test.touch.v1", args: { text: "a" } };
    expect(resultOf(await session.call(call)).status).toBe("SUCCESS");
    const refused = nackOf(await session.call({ ...call, execution_mode: "ASYNC" } as typeof call));
    expect(refused).toMatchObject({ error_code: "TRP_4003", message: expect.stringContaining("ASYNC") });
  });

  it("tells a failure, and an unknown outcome, as a SYNC call does", async () => {
    const { session, runs } = await rig({}, "opaque");
    ackOf(await session.call({ ...item(), timeout_ms: 20 }));
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("UNKNOWN"));
    expect(await session.query("c1")).toMatchObject({ result: { error: { error_code: "TRP_3004" } } });
    expect(runs).toHaveLength(1);
  });

  it("is waited for by close, which refuses new ones", async () => {
    const { session, runs, router } = await rig();
    ackOf(await session.call(item()));
    let isClosed = false;
    const closing = router.close().then(() => {
      isClosed = true;
    });
    expect(nackOf(await session.call(item("c2", "key-2"))).error_code).toBe("TRP_5003");
    expect(isClosed).toBe(false);
    runs[0]?.end();
    await closing;
    expect(await session.router.store.operations.list({ states: ["done"] })).toHaveLength(1);
  });

  it("is found however many frames ask for it, or for others, before its end and after it", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    ackOf(await session.call(item("c2", "key-2")));
    for (let n = 0; n < 1_200; n++) expect((await session.query("c1")).status).toBe("IN_PROGRESS");
    runs[1]?.end("other");
    runs[0]?.end("done");
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    for (let n = 0; n < 1_000; n++) expect((await session.query("c1")).status).toBe("SUCCESS");
    // Nobody has asked for this one until now.
    expect(await session.query("c2")).toMatchObject({ status: "SUCCESS", result: { result: { data: "other" } } });
  });

  it("is taken over by any router when its own one dies, and goes on with its numbers", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const { session, runs, make } = await rig({ store, times: { leaseMs: 60_000, recoverEveryMs: 0 } });
    ackOf(await session.call(item()));
    runs[0]?.progress("of the first");
    await vi.waitFor(async () => expect(seen(await events(session, 0))).toEqual([[1, "of the first"]]));
    // The first router stands still for longer than its lease.
    now += 120_000;
    const second = make();
    const there: Session = await openSession(second, { resume: session.id, sync: false });
    expect(await there.query("c1")).toMatchObject({ status: "IN_PROGRESS" });
    const recovering = second.recover();
    await vi.waitFor(() => expect(runs).toHaveLength(2));
    expect(runs[1]?.attempt).toBe(2);
    runs[0]?.progress("late");
    runs[1]?.progress("of the second");
    runs[1]?.end("done");
    expect(await recovering).toMatchObject({ rerun: 1 });
    expect(seen(await events(there, 1))).toEqual([[2, "of the second"]]);
    expect(await there.query("c1")).toMatchObject({ status: "SUCCESS", result: { result: { data: "done" } } });
    // The first router wakes up: what it has done doesn't count.
    runs[0]?.end("stale");
    await sleep(5);
    expect(await there.query("c1")).toMatchObject({ result: { result: { data: "done" } } });
  });
});

describe("PARTIAL_RESULT (TRP v0.1 draft, 6.2.5 and 18.3)", () => {
  it("has what was said after a number, as often as it is asked for", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    expect(seen(await events(session, 0))).toBe("RESULT_QUERY_RES");
    runs[0]?.progress("one");
    runs[0]?.progress({ message: "two", stage: "load", data: { rows: [1, 2] } });
    await vi.waitFor(async () => expect(seen(await events(session, 0))).toHaveLength(2));
    const reply = await events(session, 0);
    expect(reply).toMatchObject({
      frame_type: "PARTIAL_RESULT",
      payload: {
        ...{ call_id: "c1", status: "IN_PROGRESS", next_after_event_id: 2, last_event_id: 2, terminal: false },
        ...{ events_truncated: false, first_retained_event_id: 1, final_available: false },
        events: [
          { event_id: 1, kind: "PROGRESS", stage: "", message: "one", attempt: 1 },
          { event_id: 2, kind: "PROGRESS", stage: "load", message: "two", data: { rows: [1, 2] } },
        ],
      },
    });
    expect(seen(await events(session, 2))).toBe("RESULT_QUERY_RES");
    expect((await session.query("c1")).last_event_id).toBe(2);
    runs[0]?.progress("three");
    runs[0]?.end();
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    // What was said before the end is there as soon as the end is.
    expect(await events(session, 2)).toMatchObject({
      payload: { events: [{ event_id: 3 }], status: "SUCCESS", terminal: true, final_available: true },
    });
    expect(await events(session, 3)).toMatchObject({ frame_type: "RESULT_QUERY_RES", payload: { status: "SUCCESS" } });
    const without = await session.send("RESULT_QUERY_REQ", {
      call_id: "c1",
      after_event_id: 0,
      include_partials: false,
    });
    expect(without.frame_type).toBe("RESULT_QUERY_RES");
  });

  it("comes in pages, and the last one alone is terminal", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    for (let n = 1; n <= 250; n++) runs[0]?.progress(String(n));
    runs[0]?.end();
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    const found: unknown[] = [];
    for (let after = 0, isOver = false; !isOver; ) {
      const reply = await events(session, after);
      if (reply.frame_type !== "PARTIAL_RESULT") throw new Error(reply.frame_type);
      found.push(...(seen(reply) as unknown[]));
      expect(reply.payload.status).toBe(reply.payload.terminal ? "SUCCESS" : "IN_PROGRESS");
      after = reply.payload.next_after_event_id;
      isOver = reply.payload.terminal;
    }
    expect(found).toEqual(Array.from({ length: 250 }, (_, index) => [index + 1, String(index + 1)]));
  });

  it("says that the oldest are gone, when there were too many", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    for (let n = 1; n <= 2_000; n++) runs[0]?.progress(String(n));
    runs[0]?.end();
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    const reply = await events(session, 0);
    expect(reply).toMatchObject({
      payload: { events_truncated: true, first_retained_event_id: 1_489, last_event_id: 2_000 },
    });
    expect((seen(reply) as unknown[])[0]).toEqual([1_489, "1489"]);
  });

  it("comes before the answer to who listens, with and without a key, SYNC too", async () => {
    const counting = defineCapability({
      ...{ capId: "cap.test.count.v1", name: "count", description: "Counts.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: { to: "integer" } },
      async *execute({ to }) {
        for (let n = 1; n <= to; n++) yield n === 2 ? "the second" : { n };
      },
    });
    const { session, router } = await rig({ capabilities: [counting] });
    for (const idempotency_key of [null, "key-of-count"]) {
      const heard: ResponseFrame[] = [];
      const idx = (await session.sync()).find(({ name }) => name === "count")?.idx;
      const call = callItem({ cap_id: "cap.test.count.v1", args: { to: 3 }, idempotency_key }, idx);
      const frame = session.frame("CALL_REQ", call);
      const reply = await router.handle(frame, {
        principal: ada,
        onPartial(part) {
          heard.push(part);
          throw new Error("a listener's own mistake");
        },
      });
      expect(resultOf(reply).result?.data).toEqual({ n: 3 });
      const events = heard.flatMap((part) => (part.frame_type === "PARTIAL_RESULT" ? part.payload.events : []));
      expect(events).toMatchObject([
        { event_id: 1, message: "", data: { n: 1 } },
        { event_id: 2, message: "the second" },
      ]);
      expect(heard[0]).toMatchObject({ frame_id: `res_${frame.frame_id}`, seq: frame.seq, session_id: session.id });
    }
  });

  it("takes whatever a capability says, and keeps it small", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const odd: unknown[] = [undefined, null, 7, { message: 7, stage: {}, data: circle }, "x".repeat(9_000), "\ud800"];
    odd.push({ data: "y".repeat(100_000) }, { data: 1n });
    for (const update of odd) runs[0]?.progress(update as string);
    runs[0]?.end();
    await vi.waitFor(async () => expect((await session.query("c1")).status).toBe("SUCCESS"));
    const reply = await events(session, 0);
    if (reply.frame_type !== "PARTIAL_RESULT") throw new Error(reply.frame_type);
    expect(reply.payload.events).toHaveLength(odd.length);
    expect(JSON.stringify(reply.payload.events).length).toBeLessThan(25_000);
    expect(reply.payload.events[5]?.message).toBe("\ufffd");
  });

  it("is not told of another call with the same key", async () => {
    const { session, runs } = await rig();
    ackOf(await session.call(item()));
    runs[0]?.progress("a secret of the first");
    await vi.waitFor(async () => expect(seen(await events(session, 0))).toHaveLength(1));
    nackOf(await session.call({ ...item("c2"), args: { text: "other" } }));
    expect(seen(await events(session, 0, "c2"))).toBe("RESULT_QUERY_RES");
    expect(await session.query("c2")).toMatchObject({ last_event_id: 0 });
    runs[0]?.end();
  });
});
