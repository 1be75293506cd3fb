import { describe, expect, it } from "vitest";
import type { ResponseFrame } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router, RouterOptions } from "../src/router/types.ts";
import { createFrameQueue, createSessions } from "../src/sessions/sessions.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, helloFrame, ledger, nackOf, openSession, resultOf } from "./router-rig.ts";

function makeRouter(options: RouterOptions = {}): Router {
  return createRouter({ capabilities: ledger().capabilities, allowVolatile: true, ...options });
}

const hello = (router: Router, payload: object, who = ada): Promise<ResponseFrame> =>
  router.handle(helloFrame(payload), { principal: who });

describe("HELLO (TRP v0.1 draft, 6.1.1 and 16.1)", () => {
  it("opens a session: id, epoch, seq and features, with seq null in the envelope", async () => {
    const reply = await hello(makeRouter(), {});
    expect(reply).toMatchObject({
      trp_version: "0.1",
      frame_type: "HELLO_RES",
      trace_id: "trace",
      seq: null,
      payload: {
        server_version: "0.1",
        retry_budget: 3,
        seq_start: 1,
        features: ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL", "ASYNC"],
      },
    });
    if (reply.frame_type !== "HELLO_RES") throw new Error("no hello");
    expect(reply.payload.session_id).toMatch(/^sess_[A-Za-z0-9_-]{22}$/);
    expect(reply.session_id).toBe(reply.payload.session_id);
    expect(reply.payload.catalog_epoch).toBe(reply.catalog_epoch);
    expect(reply.payload).not.toHaveProperty("in_flight");
  });

  it("grants what is asked for and known, in an order of its own", async () => {
    const reply = await hello(makeRouter(), { features: ["SEQ_WINDOW", "TELEPATHY", "RESULT_FAILED", "CALL_TREE"] });
    expect(reply.payload).toMatchObject({
      features: ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL", "ASYNC", "RESULT_FAILED", "SEQ_WINDOW"],
    });
  });

  it("refuses a client of other versions", async () => {
    const reply = await hello(makeRouter(), { supported_versions: ["0.2", "1.0"] });
    expect(nackOf(reply)).toMatchObject({ error_class: "SCHEMA_MISMATCH", error_code: "TRP_1001", retryable: false });
    // A later version beside ours is fine.
    expect((await hello(makeRouter(), { supported_versions: ["0.2", "0.1"] })).frame_type).toBe("HELLO_RES");
  });

  it("says so as a part, too: a replaced parser may let another version through", async () => {
    const store = new MemoryStore();
    const registry = { epoch: async () => 1, openView: async () => "view" };
    const sessions = createSessions({ store, registry, times: { sessionTtlMs: 1_000, seqWaitMs: 0 } });
    const answer = await sessions.hello({ agent_id: "a", supported_versions: ["9"] }, ada);
    expect(answer).toMatchObject({ code: "TRP_1001" });
  });

  it("gives each hello a session of its own", async () => {
    const router = makeRouter();
    const [one, two] = await Promise.all([openSession(router), openSession(router)]);
    expect(one.id).not.toBe(two.id);
  });
});

describe("resume", () => {
  it("gives the next seq, the epoch, the features and what is in flight", async () => {
    const book = ledger();
    const router = makeRouter({ capabilities: book.capabilities });
    const session = await openSession(router, { features: ["RESULT_FAILED"] });
    const running = session.call({ cap_id: "cap.test.wait.v1", args: { text: "a" }, call_id: "running" });
    resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "b" }, call_id: "done" }));
    const reply = await hello(router, { resume_session_id: session.id });
    expect(reply.payload).toMatchObject({
      session_id: session.id,
      seq_start: 4,
      features: expect.arrayContaining(["RESULT_FAILED"]),
      in_flight: ["running"],
    });
    book.open();
    resultOf(await running);
    const later = await openSession(router, { resume: session.id, sync: false });
    expect(later.seq).toBe(4);
    resultOf(await later.call({ cap_id: "cap.test.read.v1", args: { text: "c" } }));
  });

  it("works on another router of the same store, with the numbers of the catalog as they were", async () => {
    const store = new MemoryStore();
    const book = ledger();
    const session = await openSession(makeRouter({ store, capabilities: book.capabilities }));
    const other = await openSession(makeRouter({ store, capabilities: book.capabilities }), {
      resume: session.id,
      sync: false,
    });
    const call = { cap_id: "cap.test.write.v1", idx: 1, args: { text: "x" }, idempotency_key: "k" };
    expect(resultOf(await other.call(call))).toMatchObject({ status: "SUCCESS", idx: 1 });
    expect(book.effects).toEqual(["x"]);
  });

  it("answers alike for unknown, foreign and expired sessions", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const router = makeRouter({ store, times: { sessionTtlMs: 1_000 } });
    const session = await openSession(router);
    const ask = async (id: string, who = ada): Promise<object> => {
      const { nack_of_frame_id: _, ...rest } = nackOf(await hello(router, { resume_session_id: id }, who));
      return rest;
    };
    const unknown = await ask("sess_unknown");
    expect(unknown).toMatchObject({
      error_class: "INTERNAL_ERROR",
      error_code: "TRP_1008",
      retryable: false,
      retry_hint: { action: "NEW_SESSION" },
    });
    expect(await ask(session.id, principal({ id: "eve" }))).toEqual(unknown);
    expect(await ask(session.id, principal({ id: "ada", tenant: "other" }))).toEqual(unknown);
    now += 1_001;
    expect(await ask(session.id)).toEqual(unknown);
    const late = await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } });
    expect(nackOf(late).error_code).toBe("TRP_1008");
  });
});

describe("a session of another principal", () => {
  it.each([
    ["CALL_REQ", { call_id: "c", idx: 0, cap_id: "cap.test.read.v1", timeout_ms: 1_000, args: { text: "a" } }],
    ["CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: 1 }],
    ["CAP_QUERY_REQ", { idx: 0, cap_id: "cap.test.read.v1" }],
    ["RESULT_QUERY_REQ", { call_id: "mine" }],
    [
      "CALL_BATCH_REQ",
      {
        batch_id: "b",
        max_concurrency: 1,
        calls: [{ call_id: "c", idx: 0, cap_id: "cap.test.read.v1", timeout_ms: 1_000, args: { text: "a" } }],
      },
    ],
  ])("looks unknown to %s, and takes no harm", async (type, payload) => {
    const book = ledger();
    const router = makeRouter({ capabilities: book.capabilities });
    const session = await openSession(router);
    resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "mine" }, call_id: "mine" }));
    for (const eve of [
      principal({ id: "eve", roles: ["approver"], canDelete: true }),
      principal({ id: "ada", tenant: "x" }),
    ]) {
      const reply = await router.handle(session.frame(type, payload, { seq: 3 }), { principal: eve });
      expect(nackOf(reply)).toMatchObject({ error_code: "TRP_1008" });
      expect(nackOf(reply).retry_hint).not.toHaveProperty("expected_seq");
    }
    expect(book.effects).toEqual(["mine"]);
    resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "still" } }));
  });
});

describe("SEQ_WINDOW", () => {
  it("frames that come too early wait for those before them, and are answered in any order", async () => {
    const book = ledger();
    const router = makeRouter({ capabilities: book.capabilities });
    const session = await openSession(router, { features: ["SEQ_WINDOW"] });
    const frames = Array.from({ length: 20 }, (_, at) =>
      session.call({ cap_id: "cap.test.read.v1", args: { text: `t${21 - at}` } }, { seq: 21 - at }),
    );
    for (const reply of await Promise.all(frames)) resultOf(reply);
    expect(book.effects).toHaveLength(20);
    expect((await hello(router, { resume_session_id: session.id })).payload).toMatchObject({ seq_start: 22 });
  });

  it("waits no longer than the time, and not for frames beyond the window", async () => {
    const router = makeRouter({ times: { seqWaitMs: 30 } });
    const session = await openSession(router, { features: ["SEQ_WINDOW"] });
    for (const seq of [3, 65, 66, 1_000]) {
      const reply = await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } }, { seq });
      expect(nackOf(reply)).toMatchObject({ error_code: "TRP_1002", retry_hint: { expected_seq: 2 } });
    }
    resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } }, { seq: 2 }));
  });

  it("is woken by what another router admits", async () => {
    const store = new MemoryStore();
    const book = ledger();
    const one = makeRouter({ store, capabilities: book.capabilities });
    const two = makeRouter({ store, capabilities: book.capabilities });
    const session = await openSession(one, { features: ["SEQ_WINDOW"] });
    const early = two.handle(
      session.frame(
        "CALL_REQ",
        { call_id: "b", idx: 0, cap_id: "cap.test.read.v1", timeout_ms: 1_000, args: { text: "b" } },
        { seq: 3 },
      ),
      { principal: ada },
    );
    resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } }, { seq: 2 }));
    resultOf(await early);
    expect(book.effects).toEqual(["a", "b"]);
  });

  it("without the feature, nothing waits", async () => {
    const router = makeRouter({ times: { seqWaitMs: 2_147_483_647 } });
    const session = await openSession(router);
    expect(nackOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } }, { seq: 3 })).error_code).toBe(
      "TRP_1002",
    );
  });

  it("doesn't let more wait than it says", async () => {
    const queue = createFrameQueue(2);
    const until = performance.now() + 60_000;
    const waiting = [queue.wait("s", 5, until), queue.wait("s", 6, until)];
    expect(await queue.wait("s", 7, until)).toBe(false);
    expect(await queue.wait("s", 7, performance.now() - 1)).toBe(false);
    queue.admitted("other", 9);
    queue.admitted("s", 6);
    expect(await Promise.all(waiting)).toEqual([true, true]);
    // There is room again; this one wakes up by itself, to ask the store.
    expect(await queue.wait("s", 7, until)).toBe(true);
  });
});
