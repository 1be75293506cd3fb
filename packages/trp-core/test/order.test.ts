import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ResponseFrame } from "../src/frames/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import {
  ada,
  callItem,
  type Envelope,
  ledger,
  nackOf,
  newId,
  openSession,
  resultOf,
  type Session,
} from "./router-rig.ts";

interface Rig {
  router: Router;
  session: Session;
  effects: string[];
  open(): void;
}

async function rig(features?: string[], seqWaitMs = 250): Promise<Rig> {
  const book = ledger();
  const router = createRouter({
    capabilities: book.capabilities,
    allowVolatile: true,
    times: { recoverEveryMs: 0, seqWaitMs },
  });
  const session = await openSession(router, features === undefined ? {} : { features });
  return { router, session, effects: book.effects, open: book.open };
}

const read = (text: string): { cap_id: string; args: { text: string } } => ({
  cap_id: "cap.test.read.v1",
  args: { text },
});
const write = (text: string, idempotency_key: string) => ({
  cap_id: "cap.test.write.v1",
  args: { text },
  idempotency_key,
});

/** A CALL_REQ of this session whose every id is the test's to say. */
function callFrame(session: Session, item: Parameters<typeof callItem>[0], rest: Envelope = {}): object {
  const idx = { "cap.test.read.v1": 0, "cap.test.write.v1": 1, "cap.test.wait.v1": 2 }[item.cap_id] ?? 0;
  return session.frame("CALL_REQ", callItem(item, idx), rest);
}

describe("seq (TRP v0.1 draft, 8.1)", () => {
  it("as expected: admitted, and the next is one more, whatever comes of the frame", async () => {
    const { session } = await rig();
    expect(session.seq).toBe(2);
    resultOf(await session.call(read("a")));
    // Refused for its arguments, its number, its policy: the seq is taken all the same.
    expect(nackOf(await session.call({ ...read("a"), args: {} })).retry_hint.expected_seq).toBe(4);
    expect(nackOf(await session.call({ ...read("a"), idx: 77 })).retry_hint.expected_seq).toBe(5);
    expect(nackOf(await session.call({ ...write("a", "k"), idempotency_key: null })).error_code).toBe("TRP_4003");
    resultOf(await session.call(read("b"), { seq: 6 }));
  });

  it("above: ORDER_VIOLATION with the expected one, retryable, and nothing is taken (16.3)", async () => {
    const { session, effects } = await rig();
    const reply = nackOf(await session.call(read("a"), { seq: 14 }));
    expect(reply).toMatchObject({
      error_class: "ORDER_VIOLATION",
      error_code: "TRP_1002",
      retryable: true,
      dispatched: false,
      retry_hint: { expected_seq: 2 },
    });
    expect(effects).toEqual([]);
    resultOf(await session.call(read("a"), { seq: 2 }));
  });

  it("below, call known: its outcome", async () => {
    const { session, effects } = await rig();
    const item = { ...read("a"), call_id: "c" };
    const first = resultOf(await session.call(item, { seq: 2 }));
    expect(resultOf(await session.call(item, { seq: 2 }))).toEqual(first);
    expect(resultOf(await session.call(item, { seq: 1 }))).toEqual(first);
    expect(effects).toEqual(["a"]);
  });

  it("below, call known and refused: its NACK, about the frame at hand", async () => {
    const { session } = await rig();
    const item = { ...read("a"), call_id: "c", args: {} };
    nackOf(await session.call(item, { seq: 2 }));
    const again = await session.call(item, { seq: 2, frame_id: "again" });
    expect(nackOf(again)).toMatchObject({
      error_code: "TRP_2001",
      nack_of_frame_id: "again",
      nack_of_call_id: "c",
      retry_hint: { expected_seq: 3 },
    });
  });

  it("below, call known and running: ACK IN_PROGRESS", async () => {
    const { session, open } = await rig();
    const item = { cap_id: "cap.test.wait.v1", args: { text: "a" }, call_id: "c" };
    const running = session.call(item, { seq: 2 });
    const again = await session.call(item, { seq: 2, frame_id: "again" });
    expect(again).toMatchObject({
      frame_type: "ACK",
      frame_id: "res_again",
      payload: { ack_of_frame_id: "again", ack_of_call_id: "c", status: "IN_PROGRESS", expected_seq_next: 3 },
    });
    open();
    resultOf(await running);
  });

  it("below, call unknown: DUPLICATE_OR_STALE, not retryable", async () => {
    const { session, effects } = await rig();
    expect(nackOf(await session.call(read("a"), { seq: 1 }))).toMatchObject({
      error_class: "ORDER_VIOLATION",
      error_code: "TRP_1004",
      retryable: false,
      retry_hint: { expected_seq: 2 },
    });
    expect(nackOf(await session.send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: 1 }, { seq: 1 }))).toMatchObject({
      error_code: "TRP_1004",
    });
    expect(effects).toEqual([]);
  });

  it("below, another call with this id: CALL_ID_REUSED, not retryable", async () => {
    const { session, effects } = await rig();
    resultOf(await session.call({ ...read("a"), call_id: "c" }, { seq: 2 }));
    expect(nackOf(await session.call({ ...read("b"), call_id: "c" }, { seq: 2 }))).toMatchObject({
      error_class: "ORDER_VIOLATION",
      error_code: "TRP_1007",
      retryable: false,
    });
    expect(effects).toEqual(["a"]);
  });

  it("orders admission, not completion: the next frame runs while one is running", async () => {
    const { session, open, effects } = await rig();
    const slow = session.call({ cap_id: "cap.test.wait.v1", args: { text: "slow" } });
    resultOf(await session.call(read("quick")));
    open();
    resultOf(await slow);
    expect(effects).toEqual(["quick", "slow"]);
  });

  it("is not taken by a frame of wrong shape, type, version or session", async () => {
    const { router, session } = await rig();
    const wrong: object[] = [
      session.frame("CALL_REQ", {}, { seq: 2 }),
      session.frame("CALL_TREE_REQ", {}, { seq: 2 }),
      { ...session.frame("CALL_REQ", callItem(read("a")), { seq: 2 }), trp_version: "0.2" },
      session.frame("CALL_REQ", { ...callItem(read("a")), execution_mode: "LATER" }, { seq: 2 }),
      session.frame("CALL_REQ", callItem(read("a")), { seq: 2, session_id: "sess_unknown" }),
      { ...session.frame("CALL_REQ", callItem(read("a")), { seq: 2 }), extra: 1 },
    ];
    const codes = [];
    for (const frame of wrong) codes.push(nackOf(await router.handle(frame, { principal: ada })).error_code);
    expect(codes).toEqual(["TRP_2000", "TRP_5000", "TRP_1001", "TRP_2000", "TRP_1008", "TRP_2000"]);
    resultOf(await session.call(read("a"), { seq: 2 }));
  });

  it("is told in every NACK of a session that is the caller's, also for a frame that can't be read", async () => {
    const { router, session } = await rig();
    const frame = session.frame("CALL_REQ", {}, { seq: 2 });
    expect(nackOf(await router.handle(frame, { principal: ada })).retry_hint.expected_seq).toBe(2);
    expect(nackOf(await router.handle(frame, { principal: principal({ id: "eve" }) })).retry_hint).not.toHaveProperty(
      "expected_seq",
    );
  });
});

describe("frame ids", () => {
  it("the same frame again: the recorded answer, whatever its time, and nothing runs", async () => {
    const { router, session, effects } = await rig();
    const frame = callFrame(session, read("a"));
    const first = await router.handle(frame, { principal: ada });
    resultOf(first);
    resultOf(await session.call(read("b")));
    expect(await router.handle(frame, { principal: ada })).toEqual(first);
    expect(await router.handle({ ...frame, timestamp_ms: 99, trace_id: "t2" }, { principal: ada })).toEqual(first);
    expect(effects).toEqual(["a", "b"]);
  });

  it("the same frame again while it runs: ACK IN_PROGRESS, then its answer", async () => {
    const { router, session, open, effects } = await rig();
    const frame = callFrame(session, { cap_id: "cap.test.wait.v1", args: { text: "a" } });
    const running = router.handle(frame, { principal: ada });
    const again = await router.handle(frame, { principal: ada });
    expect(again).toMatchObject({ frame_type: "ACK", payload: { status: "IN_PROGRESS", expected_seq_next: 3 } });
    open();
    const answer = await running;
    resultOf(answer);
    expect(await router.handle(frame, { principal: ada })).toEqual(answer);
    expect(effects).toEqual(["a"]);
  });

  it("the same id with another body: refused, never executed, and the first answer stays", async () => {
    const { router, session, effects } = await rig();
    const frame = callFrame(session, { ...read("a"), call_id: "c" }, { frame_id: "f", seq: 2 });
    const first = await router.handle(frame, { principal: ada });
    const others = [
      callFrame(session, { ...read("b"), call_id: "c" }, { frame_id: "f", seq: 2 }),
      callFrame(session, { ...read("a"), call_id: "d" }, { frame_id: "f", seq: 2 }),
      callFrame(session, { ...read("a"), call_id: "c" }, { frame_id: "f", seq: 3 }),
      callFrame(session, { ...read("a"), call_id: "c", timeout_ms: 7 }, { frame_id: "f", seq: 2 }),
      callFrame(session, { ...read("a"), call_id: "c", attempt: 2 }, { frame_id: "f", seq: 2 }),
      callFrame(session, { ...read("a"), call_id: "c", approval_token: "x" }, { frame_id: "f", seq: 2 }),
      callFrame(session, { ...read("a"), call_id: "c", depends_on: ["x"] }, { frame_id: "f", seq: 2 }),
      session.frame("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: 1 }, { frame_id: "f", seq: 3 }),
    ];
    for (const other of others) {
      expect(nackOf(await router.handle(other, { principal: ada }))).toMatchObject({
        error_code: "TRP_2000",
        dispatched: false,
        retry_hint: { expected_seq: 3 },
      });
    }
    expect(await router.handle(frame, { principal: ada })).toEqual(first);
    expect(effects).toEqual(["a"]);
  });

  it("are remembered of admitted frames only", async () => {
    const { session } = await rig();
    nackOf(await session.call(read("a"), { seq: 9, frame_id: "f" }));
    resultOf(await session.call(read("b"), { seq: 2, frame_id: "f" }));
  });

  it.each([
    ["CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: 1 }],
    ["CAP_QUERY_REQ", { idx: 0, cap_id: "cap.test.read.v1" }],
    ["CAP_QUERY_REQ", { idx: 9, cap_id: "cap.test.read.v1" }],
    ["RESULT_QUERY_REQ", { call_id: "nothing" }],
    ["CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 2, calls: [callItem(read("a")), callItem(read("b"))] }],
  ])("%s %j: the recorded answer too", async (type, payload) => {
    const { router, session } = await rig();
    const frame = session.frame(type, payload);
    const first = await router.handle(frame, { principal: ada });
    await session.call(read("x"));
    expect(await router.handle(frame, { principal: ada })).toEqual(first);
    expect(session.seq).toBe(4);
  });

  it("win over seq, and seq over call ids", async () => {
    const { router, session } = await rig();
    const frame = callFrame(session, { ...read("a"), call_id: "c" }, { frame_id: "f", seq: 2 });
    await router.handle(frame, { principal: ada });
    // Another body under a known frame id, with a seq far above: the frame id decides.
    const both = callFrame(session, { ...read("b"), call_id: "c" }, { frame_id: "f", seq: 50 });
    expect(nackOf(await router.handle(both, { principal: ada })).error_code).toBe("TRP_2000");
    // A call id that is used, with a seq above: the seq decides.
    const above = callFrame(session, { ...read("b"), call_id: "c" }, { seq: 50 });
    expect(nackOf(await router.handle(above, { principal: ada })).error_code).toBe("TRP_1002");
  });
});

describe("call ids", () => {
  it("the same call in a new frame is a retry: one effect, one outcome", async () => {
    const { session, effects } = await rig();
    const first = resultOf(await session.call({ ...read("a"), call_id: "c" }));
    expect(resultOf(await session.call({ ...read("a"), call_id: "c", attempt: 2 }))).toEqual(first);
    const keyed = { ...write("w", "k1"), call_id: "d" };
    const done = resultOf(await session.call(keyed));
    const again = resultOf(await session.call({ ...keyed, attempt: 2, timeout_ms: 77 }));
    expect(again.result).toEqual(done.result);
    expect(effects).toEqual(["a", "w"]);
  });

  it("the same id for another call: CALL_ID_REUSED, with the seq taken and the first outcome kept", async () => {
    const { session, effects } = await rig();
    const first = resultOf(await session.call({ ...read("a"), call_id: "c" }));
    const others = [
      { ...read("b"), call_id: "c" },
      { ...write("a", "k"), call_id: "c" },
      { ...read("a"), call_id: "c", idempotency_key: "k" },
    ];
    for (const other of others) {
      expect(nackOf(await session.call(other))).toMatchObject({ error_code: "TRP_1007", retryable: false });
    }
    expect((await session.query("c")).result).toEqual(first);
    expect(effects).toEqual(["a"]);
    expect(session.seq).toBe(7);
  });

  it("a retry of a call that was refused before dispatch runs", async () => {
    const { router, session, effects } = await rig();
    const item = { cap_id: "cap.test.read.v1", idx: 9, args: { text: "a" }, call_id: "c" };
    expect(nackOf(await session.call(item)).error_code).toBe("TRP_1003");
    resultOf(await session.call({ ...item, idx: 0 }));
    expect(effects).toEqual(["a"]);
    await router.close();
  });

  it("a retry while the call runs: ACK IN_PROGRESS, with the seq taken", async () => {
    const { session, open, effects } = await rig();
    const item = { cap_id: "cap.test.wait.v1", args: { text: "a" }, call_id: "c" };
    const running = session.call(item);
    const again = await session.call(item, { frame_id: "again" });
    expect(again).toMatchObject({ frame_type: "ACK", payload: { status: "IN_PROGRESS", expected_seq_next: 4 } });
    open();
    const first = resultOf(await running);
    expect(resultOf(await session.call(item, { frame_id: "again", seq: 3 }))).toEqual(first);
    expect(effects).toEqual(["a"]);
  });

  it("are a session's own: another session may use them for another call", async () => {
    const { router, session, effects } = await rig();
    const other = await openSession(router);
    resultOf(await session.call({ ...read("a"), call_id: "c" }));
    resultOf(await other.call({ ...read("b"), call_id: "c" }));
    expect(effects).toEqual(["a", "b"]);
  });
});

describe("keys", () => {
  it("one key under two call ids: one effect, and the second says whose it is", async () => {
    const { router, session, effects } = await rig();
    const first = resultOf(await session.call({ ...write("w", "k"), call_id: "c1" }));
    const second = resultOf(await session.call({ ...write("w", "k"), call_id: "c2" }));
    expect(second).toMatchObject({ call_id: "c2", replayed_from: "c1", result: first.result });
    // From another session of the same principal, too.
    const other = await openSession(router);
    expect(resultOf(await other.call({ ...write("w", "k"), call_id: "c3" }))).toMatchObject({ replayed_from: "c1" });
    expect(effects).toEqual(["w"]);
  });

  it("are a principal's own", async () => {
    const { router, session, effects } = await rig();
    const bob = await openSession(router, { who: principal({ id: "bob" }) });
    const tenant = await openSession(router, { who: principal({ id: "ada", tenant: "other" }) });
    for (const one of [session, bob, tenant]) resultOf(await one.call(write("w", "k")));
    expect(effects).toEqual(["w", "w", "w"]);
  });

  it("the same with other arguments is a conflict, and nothing runs", async () => {
    const { session, effects } = await rig();
    resultOf(await session.call(write("w", "k")));
    expect(nackOf(await session.call(write("other", "k")))).toMatchObject({
      error_class: "NON_IDEMPOTENT_BLOCKED",
      error_code: "TRP_4004",
    });
    expect(effects).toEqual(["w"]);
  });

  it("a refusal to repeat does not undo what was told: the outcome stays", async () => {
    const book = ledger();
    const router = createRouter({ capabilities: book.capabilities, allowVolatile: true });
    const session = await openSession(router);
    const item = { ...write("w", "k"), call_id: "c" };
    const first = resultOf(await session.call(item));
    // The same call again by somebody who may not write any more.
    session.who = principal({ id: "ada", roles: ["readonly"] });
    expect(nackOf(await session.call(item)).error_code).toBe("TRP_4001");
    expect((await session.query("c")).result).toEqual(first);
    await router.close();
  });

  it.each(["frame", "call", "key"])("200 at once by the same %s: one effect, one outcome", async (by) => {
    const { router, session, effects } = await rig(["SEQ_WINDOW"]);
    const frame = callFrame(session, { ...write("w", "k"), call_id: "c" });
    const frames = Array.from({ length: 200 }, (_, at) => {
      if (by === "frame") return frame;
      if (by === "call") return { ...frame, frame_id: newId("f") };
      return callFrame(session, write("w", "k"), { seq: 2 + at, frame_id: newId("f") });
    });
    const replies = await Promise.all(frames.map((each) => router.handle(each, { principal: ada })));
    const results = replies.filter((reply) => reply.frame_type === "RESULT");
    const others = replies.filter((reply) => reply.frame_type !== "RESULT");
    expect(results.length).toBeGreaterThan(0);
    expect(new Set(results.map((reply) => JSON.stringify(resultOf(reply).result))).size).toBe(1);
    for (const other of others) {
      // By key, frames beyond the window are told to come later.
      expect(["ACK", by === "key" ? "NACK" : "ACK"]).toContain(other.frame_type);
      if (other.frame_type === "NACK") expect(other.payload.error_code).toBe("TRP_1002");
    }
    expect(effects).toEqual(["w"]);
    const after = await router.handle(frame, { principal: ada });
    if (by !== "key") expect(resultOf(after)).toMatchObject({ call_id: "c", status: "SUCCESS" });
  });
});

describe("any interleaving", () => {
  type Step = { item: number; copy: "same-frame" | "new-frame" | "retry"; lag: number };

  it("of duplicated, reordered and resent frames: one effect per call id, one final answer per frame id", async () => {
    const step = fc.record<Step>({
      item: fc.nat({ max: 5 }),
      copy: fc.constantFrom("same-frame", "new-frame", "retry"),
      lag: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), fc.boolean(), async (steps, windowed) => {
        const { router, session, effects } = await rig(windowed ? ["SEQ_WINDOW"] : [], 5);
        const items = Array.from({ length: 6 }, (_, at) => ({
          ...(at % 2 === 0 ? read(`t${at}`) : write(`t${at}`, `k${at}`)),
          call_id: `c${at}`,
        }));
        const originals = items.map((item, at) => callFrame(session, item, { seq: 2 + at, frame_id: `f${at}` }));
        const sent: Promise<{ id: string; reply: ResponseFrame }>[] = [];
        const send = (frame: object): void => {
          const { frame_id: id } = frame as { frame_id: string };
          sent.push(router.handle(frame, { principal: ada }).then((reply) => ({ id, reply })));
        };
        for (const { item, copy, lag } of steps) {
          const original = originals[item] as { frame_id: string; seq: number };
          if (copy === "same-frame") send(original);
          if (copy === "new-frame") send({ ...original, frame_id: newId("copy") });
          if (copy === "retry") send({ ...original, frame_id: newId("retry"), seq: 8 + lag });
          for (let turn = 0; turn < lag; turn++) await new Promise((resolve) => setImmediate(resolve));
        }
        // In the end every original arrives, in order.
        await Promise.all(sent);
        for (const original of originals) send(original);
        const answers = new Map<string, Set<string>>();
        for (const { id, reply } of await Promise.all(sent)) {
          const isFinal = reply.frame_type === "RESULT";
          if (isFinal) answers.set(id, (answers.get(id) ?? new Set()).add(JSON.stringify(reply.payload)));
          else expect(["ACK", "NACK"]).toContain(reply.frame_type);
        }
        for (const [id, different] of answers) if (id.startsWith("f")) expect([id, different.size]).toEqual([id, 1]);
        expect([...effects].sort()).toEqual([...new Set(effects)].sort());
        expect(effects).toHaveLength(6);
        await router.close({ graceMs: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

describe("several routers on one store", () => {
  it("serve frames of one session in any order of routers, without sharing anything else", async () => {
    const store = new MemoryStore();
    const book = ledger();
    const routers = [1, 2, 3].map(() => createRouter({ store, capabilities: book.capabilities, allowVolatile: true }));
    const session = await openSession(routers[0] as Router);
    const frame = callFrame(session, { ...write("w", "k"), call_id: "c" });
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (routers[at % 3] as Router).handle(frame, { principal: ada })),
    );
    expect(book.effects).toEqual(["w"]);
    expect(replies.every(({ frame_type }) => frame_type === "RESULT" || frame_type === "ACK")).toBe(true);
    for (const router of routers) expect(resultOf(await router.handle(frame, { principal: ada })).call_id).toBe("c");
    expect(
      nackOf(await (routers[1] as Router).handle(callFrame(session, read("a"), { seq: 9 }), { principal: ada })),
    ).toMatchObject({
      error_code: "TRP_1002",
    });
  });
});
