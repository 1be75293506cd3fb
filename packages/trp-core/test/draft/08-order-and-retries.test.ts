import { afterEach, describe, expect, it } from "vitest";
import { gate, mail, mailId, noteId, opener, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 8.1: seq", () => {
  it("8.1 rises by one in a session, whatever the frames are", async () => {
    const { call, sync, session } = await open();
    expect(session.seq).toBe(1);
    expect((await call(searchId, { query: "a" }, {}, { seq: 1 })).frame_type).toBe("RESULT");
    expect((await sync()).seq).toBe(2);
    expect((await call(searchId, { query: "a" }, {}, { seq: 3 })).frame_type).toBe("RESULT");
  });

  it("8.1 seq below expected with a known call_id gives its outcome", async () => {
    const { call, done } = await open();
    const first = await call(searchId, { query: "a" }, { call_id: "c" });
    const again = await call(searchId, { query: "a" }, { call_id: "c", attempt: 2 }, { seq: 1 });
    expect(again).toMatchObject({ frame_type: "RESULT", seq: 1, payload: { call_id: "c", status: "SUCCESS" } });
    expect(again.payload.result).toEqual(first.payload.result);
    expect(done).toHaveLength(1);
  });

  it("8.1 seq below expected with a call that runs gives an ACK", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    const first = call(waiting.capId, {}, { idx: 5, call_id: "c" });
    await waiting.entered();
    const again = await call(waiting.capId, {}, { idx: 5, call_id: "c" }, { seq: 1 });
    expect(again).toMatchObject({ frame_type: "ACK", payload: { ack_of_call_id: "c", expected_seq_next: 2 } });
    waiting.open();
    expect((await first).payload.result.data).toEqual({ count: 1 });
  });

  it("8.1 seq below expected with an unknown call_id gives NACK DUPLICATE_OR_STALE", async () => {
    const { call, done } = await open();
    await call(searchId, { query: "a" });
    const stale = await call(searchId, { query: "b" }, { call_id: "other" }, { seq: 1 });
    expect(stale).toMatchObject({
      frame_type: "NACK",
      payload: {
        error_class: "ORDER_VIOLATION",
        error_code: "TRP_1004",
        retryable: false,
        retry_hint: { expected_seq: 2 },
      },
    });
    expect(done).toHaveLength(1);
  });

  it("8.1 seq above expected gives NACK ORDER_VIOLATION with expected_seq, and executes nothing", async () => {
    const { call, done } = await open();
    expect(await call(searchId, { query: "a" }, {}, { seq: 2 })).toMatchObject({
      frame_type: "NACK",
      payload: {
        error_class: "ORDER_VIOLATION",
        error_code: "TRP_1002",
        retryable: true,
        retry_hint: { expected_seq: 1 },
      },
    });
    expect(done).toEqual([]);
  });

  it("8.1 seq orders admission, not completion", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    const slow = call(waiting.capId, {}, { idx: 5 });
    await waiting.entered();
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
    waiting.open();
    expect((await slow).frame_type).toBe("RESULT");
  });

  it("8.1 a seq of another session means nothing here", async () => {
    const first = await open();
    const second = await first.open({ tenant: "default", id: "agent-1", roles: ["analyst"], canDelete: false });
    await first.call(searchId, { query: "a" });
    await first.call(searchId, { query: "a" });
    expect((await second.call(searchId, { query: "a" }, {}, { seq: 1 })).frame_type).toBe("RESULT");
  });

  it("8.1 frames of one seq race: one is admitted", async () => {
    const { frame, raw, done } = await open();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        raw(
          frame(
            "CALL_REQ",
            { call_id: `c${n}`, idx: 0, cap_id: searchId, timeout_ms: 5000, args: { query: `${n}` } },
            { seq: 1 },
          ),
        ),
      ),
    );
    expect(replies.filter(({ frame_type }) => frame_type === "RESULT")).toHaveLength(1);
    expect(replies.filter(({ payload }) => payload.error_code === "TRP_1004")).toHaveLength(19);
    expect(done).toHaveLength(1);
  });
});

describe("draft 8.2: what may be tried again", () => {
  it("8.2 TRANSIENT, ORDER_VIOLATION and CATALOG_MISMATCH are retryable", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    expect((await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 })).payload).toMatchObject({
      error_class: "TRANSIENT",
      retryable: true,
    });
    expect((await call(searchId, { query: "a" }, {}, { seq: 99 })).payload).toMatchObject({
      error_class: "ORDER_VIOLATION",
      retryable: true,
    });
    expect((await call(searchId, { query: "a" }, { idx: 2 })).payload).toMatchObject({
      error_class: "CATALOG_MISMATCH",
      retryable: true,
    });
  });

  it("8.2 SCHEMA_MISMATCH, POLICY_DENIED, APPROVAL_REQUIRED and NON_IDEMPOTENT_BLOCKED are not", async () => {
    const { call } = await open();
    for (const [errorClass, reply] of [
      ["SCHEMA_MISMATCH", await call(searchId, {})],
      ["POLICY_DENIED", await call("cap.record.delete.v1", { id: "1" }, { idempotency_key: "k" })],
      ["APPROVAL_REQUIRED", await call(mailId, mail, { idempotency_key: "k" })],
      ["NON_IDEMPOTENT_BLOCKED", await call(noteId, { text: "a" })],
    ] as const)
      expect(reply.payload).toMatchObject({ error_class: errorClass, retryable: false });
  });

  it("8.2 a retry of a call with the next attempt runs what was only refused", async () => {
    const { call, done } = await open();
    await call(searchId, { query: "a" }, { call_id: "c", depends_on: ["first"] });
    await call(searchId, { query: "1" }, { call_id: "first" });
    const retry = await call(searchId, { query: "a" }, { call_id: "c", depends_on: ["first"], attempt: 2 });
    expect(retry).toMatchObject({ frame_type: "RESULT", payload: { call_id: "c" } });
    expect(done).toHaveLength(2);
  });

  it("8.2 a retry of what was done gives the recorded outcome", async () => {
    const { call, done } = await open();
    const first = await call(noteId, { text: "a" }, { call_id: "c", idempotency_key: "k" });
    const retry = await call(noteId, { text: "a" }, { call_id: "c", idempotency_key: "k", attempt: 2 });
    expect(retry.payload.result).toEqual(first.payload.result);
    expect(done).toHaveLength(1);
  });

  it("8.2 HELLO tells the retry budget", async () => {
    const { raw } = await open();
    const reply = await raw({
      trp_version: "0.1",
      frame_type: "HELLO_REQ",
      session_id: null,
      frame_id: "f",
      trace_id: "t",
      timestamp_ms: 1,
      catalog_epoch: null,
      seq: null,
      payload: { agent_id: "a", supported_versions: ["0.1"] },
    });
    expect(reply.payload.retry_budget).toBeGreaterThanOrEqual(1);
  });
});

describe("draft 8.3: hints for backing off", () => {
  it("8.3 retry_hint has backoff_ms, jitter_ms and max_attempts when it may be tried again", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    const { retry_hint } = (await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 })).payload;
    expect(retry_hint.backoff_ms).toBeGreaterThan(0);
    expect(retry_hint.jitter_ms).toBeGreaterThanOrEqual(0);
    expect(retry_hint.max_attempts).toBeGreaterThanOrEqual(1);
  });

  it("8.3 retry_hint has expected_seq", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, {}, { seq: 5 })).payload.retry_hint.expected_seq).toBe(1);
    expect((await call(searchId, {}, {}, { seq: 1 })).payload.retry_hint.expected_seq).toBe(2);
  });

  it("8.3 a rate says how long to wait", async () => {
    const { call } = await open({
      policy: {
        version: "1",
        evaluate: () => ({ decision: "deny", rule: "rate", reason: "too many", retryAfterMs: 1234 }),
      },
    });
    expect((await call(searchId, { query: "a" })).payload).toMatchObject({
      error_class: "TRANSIENT",
      error_code: "TRP_4006",
      retryable: true,
      retry_hint: { backoff_ms: 1234 },
    });
  });
});
