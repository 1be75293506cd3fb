import { afterEach, describe, expect, it } from "vitest";
import { issueApprovalToken } from "../../src/index.ts";
import { gate, mail, mailId, noteId, opener, queryId, searchId, secret, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 6.2.1: CALL_REQ", () => {
  it("6.2.1 the draft's own example runs, with an approval", async () => {
    const { send, done } = await open();
    const reply = await send("CALL_REQ", {
      call_id: "call_00012",
      idempotency_key: "idem_9a3f",
      idx: 1,
      cap_id: mailId,
      depends_on: [],
      attempt: 1,
      timeout_ms: 15000,
      approval_token: issueApprovalToken({ secret, capId: mailId, args: mail, ttlMs: 60_000, now: start }),
      args: mail,
    });
    expect(reply).toMatchObject({
      frame_type: "RESULT",
      payload: {
        call_id: "call_00012",
        idx: 1,
        cap_id: mailId,
        status: "SUCCESS",
        result: { summary: "Email sent successfully", data: { message_id: "msg_abc123" } },
      },
    });
    expect(done).toEqual([["mail", mail]]);
  });

  it("6.2.1 call_id is required and unique in the session", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, { call_id: undefined })).payload.error_code).toBe("TRP_2000");
    expect((await call(searchId, { query: "a" }, { call_id: "c" })).frame_type).toBe("RESULT");
    expect((await call(searchId, { query: "b" }, { call_id: "c" })).payload).toMatchObject({
      error_class: "ORDER_VIOLATION",
      error_code: "TRP_1007",
      retryable: false,
    });
  });

  it("6.2.1 idempotency_key is required for WRITE and HIGH, optional for READ and LOW", async () => {
    const { call } = await open();
    expect((await call(noteId, { text: "a" })).payload.error_code).toBe("TRP_4003");
    expect((await call(mailId, mail)).payload.error_code).toBe("TRP_4003");
    expect((await call(searchId, { query: "a" }, { idempotency_key: null })).frame_type).toBe("RESULT");
    expect((await call(searchId, { query: "a" }, { idempotency_key: "k" })).frame_type).toBe("RESULT");
  });

  it("6.2.1 idx and cap_id are both required", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, { idx: undefined })).payload.error_code).toBe("TRP_2000");
    expect((await call(searchId, { query: "a" }, { cap_id: undefined })).payload.error_code).toBe("TRP_2000");
  });

  it("6.2.1 depends_on may name calls that are completed", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, { depends_on: ["first"] })).payload.error_code).toBe("TRP_1005");
    await call(searchId, { query: "a" }, { call_id: "first" });
    expect((await call(searchId, { query: "b" }, { depends_on: ["first"] })).frame_type).toBe("RESULT");
    expect((await call(searchId, { query: "b" }, { depends_on: "first" })).payload.error_code).toBe("TRP_2003");
  });

  it("6.2.1 attempt is 1 at first and at least that", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, { attempt: 1 })).frame_type).toBe("RESULT");
    expect((await call(searchId, { query: "a" }, { attempt: 4 })).frame_type).toBe("RESULT");
    for (const attempt of [0, -1, 1.5, "1"])
      expect((await call(searchId, { query: "a" }, { attempt })).payload.error_code).toBe("TRP_2000");
  });

  it("6.2.1 timeout_ms ends a call", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    const reply = await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 });
    expect(reply.payload).toMatchObject({ error_class: "TRANSIENT", error_code: "TRP_3001", retryable: true });
    expect((await call(searchId, { query: "a" }, { timeout_ms: 0 })).payload.error_code).toBe("TRP_2002");
  });

  it("6.2.1 approval_token may be required for high risk: without it a NACK", async () => {
    const { call, done } = await open();
    expect(await call(mailId, mail, { idempotency_key: "k" })).toMatchObject({
      frame_type: "NACK",
      payload: { error_class: "APPROVAL_REQUIRED", error_code: "TRP_4002" },
    });
    expect(done).toEqual([]);
  });

  it("6.2.1 args are canonical: the router maps them to the tool's", async () => {
    const { call, done } = await open();
    await call(searchId, { query: "a", top_k: 3 });
    expect(done).toEqual([["search", { q: "a", limit: 3 }]]);
    expect((await call(searchId, { q: "a" })).payload.error_code).toBe("TRP_2001");
  });
});

describe("draft 6.2.2: ACK", () => {
  it("6.2.2 has ack_of_frame_id, ack_of_call_id, status and expected_seq_next, and is no success", async () => {
    const waiting = gate({ riskTier: "MEDIUM", ioClass: "WRITE", effect: "idempotent" });
    const { call, frame, raw, session } = await open({ more: [waiting] });
    const first = call(waiting.capId, {}, { idx: 5, call_id: "c1", idempotency_key: "k" });
    await waiting.entered();
    const second = frame("CALL_REQ", {
      call_id: "c2",
      idempotency_key: "k",
      idx: 5,
      cap_id: waiting.capId,
      timeout_ms: 5000,
      args: {},
    });
    expect(await raw(second)).toMatchObject({
      frame_type: "ACK",
      frame_id: `res_${second.frame_id}`,
      payload: {
        ack_of_frame_id: second.frame_id,
        ack_of_call_id: "c2",
        status: "IN_PROGRESS",
        expected_seq_next: session.seq + 1,
      },
    });
    waiting.open();
    expect((await first).frame_type).toBe("RESULT");
  });
});

describe("draft 6.2.3: NACK", () => {
  it("6.2.3 has nack_of_frame_id, nack_of_call_id, class, code, message, retryable and retry_hint", async () => {
    const { frame, raw } = await open();
    const sent = frame(
      "CALL_REQ",
      { call_id: "call_00012", idx: 0, cap_id: searchId, timeout_ms: 1000, args: { query: "a" } },
      { seq: 14 },
    );
    expect((await raw(sent)).payload).toMatchObject({
      nack_of_frame_id: sent.frame_id,
      nack_of_call_id: "call_00012",
      error_class: "ORDER_VIOLATION",
      error_code: "TRP_1002",
      message: expect.stringMatching(/\S/),
      retryable: true,
      retry_hint: { expected_seq: 1, backoff_ms: expect.any(Number) },
    });
  });

  it("6.2.3 has a fix line for the model, and says that nothing was started", async () => {
    const { call } = await open();
    for (const reply of [
      await call(searchId, {}),
      await call(noteId, { text: "a" }),
      await call(mailId, mail, { idempotency_key: "k" }),
      await call(searchId, { query: "a" }, { idx: 9 }),
    ]) {
      expect(reply.payload.fix).toMatch(/^\S[^\n]*$/);
      expect(reply.payload.dispatched).toBe(false);
    }
  });
});

describe("draft 6.2.4: RESULT", () => {
  it("6.2.4 has call_id, idx, cap_id, status, result and usage", async () => {
    const { call } = await open();
    const { payload } = await call(searchId, { query: "a" }, { call_id: "c" });
    expect(payload).toMatchObject({
      call_id: "c",
      idx: 0,
      cap_id: searchId,
      status: "SUCCESS",
      result: { summary: expect.stringMatching(/\S/), data: { items: [{ title: "a" }], total: 1 } },
    });
    for (const time of ["router_ms", "adapter_ms", "executor_ms"])
      expect(payload.usage[time]).toBeGreaterThanOrEqual(0);
  });

  it("6.2.4 low-level fields stay out when the capability shapes its result", async () => {
    const noisy = {
      capId: "cap.test.noisy.v1",
      name: "noisy",
      description: "Returns headers",
      riskTier: "LOW" as const,
      ioClass: "READ" as const,
      effect: "pure" as const,
      args: {},
      execute: () => ({ headers: { "x-request-id": "abc" }, raw: "GIF89a", value: 1 }),
      shape: (value: unknown) => ({ summary: "one", data: { value: (value as { value: number }).value } }),
    };
    const { call } = await open({ more: [noisy] });
    const { payload } = await call(noisy.capId, {}, { idx: 5 });
    expect(payload.result).toEqual({ summary: "one", data: { value: 1 }, artifacts: [], warnings: [] });
  });
});

describe("draft 6.2.6: CALL_BATCH_REQ and CALL_BATCH_RES", () => {
  const item = (call_id: string, args: Record<string, string>, more: Record<string, unknown> = {}) => ({
    call_id,
    idempotency_key: null,
    idx: 0,
    cap_id: searchId,
    attempt: 1,
    timeout_ms: 8000,
    args,
    ...more,
  });

  it("6.2.6 the draft's own example: one frame, results in order", async () => {
    const { send, done } = await open();
    const reply = await send("CALL_BATCH_REQ", {
      batch_id: "batch_001",
      mode: "PARALLEL",
      max_concurrency: 4,
      calls: [item("call_101", { query: "TRP protocol draft" }), item("call_102", { query: "PTC Anthropic" })],
    });
    expect(reply).toMatchObject({
      frame_type: "CALL_BATCH_RES",
      payload: {
        batch_id: "batch_001",
        status: "SUCCESS",
        results: [
          { call_id: "call_101", status: "SUCCESS", result: { data: { items: [{ title: "TRP protocol draft" }] } } },
          { call_id: "call_102", status: "SUCCESS", result: { data: { items: [{ title: "PTC Anthropic" }] } } },
        ],
      },
    });
    expect(done).toHaveLength(2);
  });

  it("6.2.6 a failed item has error_class, error_code and retryable; the batch is a PARTIAL_SUCCESS", async () => {
    const waiting = gate();
    const { send } = await open({ more: [waiting] });
    const reply = await send("CALL_BATCH_REQ", {
      batch_id: "b",
      mode: "PARALLEL",
      max_concurrency: 4,
      calls: [
        item("call_101", { query: "a" }),
        item("call_102", {}, { idx: 5, cap_id: waiting.capId, timeout_ms: 20 }),
      ],
    });
    expect(reply.payload).toMatchObject({
      status: "PARTIAL_SUCCESS",
      results: [
        { call_id: "call_101", status: "SUCCESS" },
        { call_id: "call_102", status: "FAILED", error_class: "TRANSIENT", error_code: "TRP_3001", retryable: true },
      ],
    });
  });

  it("6.2.6 all items failed: FAILED", async () => {
    const { send } = await open();
    const calls = [item("a", {}), item("b", {})];
    const reply = await send("CALL_BATCH_REQ", { batch_id: "b", mode: "PARALLEL", max_concurrency: 4, calls });
    expect(reply.payload.status).toBe("FAILED");
  });

  it("6.2.6 policy is applied to each item", async () => {
    const { send, done } = await open();
    const calls = [
      item("a", mail as never, { idx: 1, cap_id: mailId, idempotency_key: "k" }),
      item("b", { query: "x" }),
    ];
    const reply = await send("CALL_BATCH_REQ", { batch_id: "b", mode: "PARALLEL", max_concurrency: 4, calls });
    expect(reply.payload.results).toMatchObject([{ status: "FAILED", error_code: "TRP_4002" }, { status: "SUCCESS" }]);
    expect(done.map(([name]) => name)).toEqual(["search"]);
  });

  it("6.2.6 PARALLEL runs up to max_concurrency side by side", async () => {
    const waiting = gate();
    const { send } = await open({ more: [waiting] });
    const calls = ["a", "b", "c"].map((id) => item(id, {}, { idx: 5, cap_id: waiting.capId }));
    const reply = send("CALL_BATCH_REQ", { batch_id: "b", mode: "PARALLEL", max_concurrency: 2, calls });
    await waiting.entered(2);
    waiting.open();
    await waiting.entered(3);
    waiting.open();
    const { results } = (await reply).payload;
    // `count` is what had been started when a call ended: the third was not, when the first two did.
    expect(results.map(({ result }: { result: { data: { count: number } } }) => result.data.count)).toEqual([2, 2, 3]);
  });

  it("6.2.6 SEQUENTIAL runs one after the other", async () => {
    const { send, done } = await open();
    const calls = ["a", "b", "c"].map((query) => item(query, { query }));
    await send("CALL_BATCH_REQ", { batch_id: "b", mode: "SEQUENTIAL", max_concurrency: 4, calls });
    expect(done).toEqual([
      ["search", { q: "a", limit: 10 }],
      ["search", { q: "b", limit: 10 }],
      ["search", { q: "c", limit: 10 }],
    ]);
  });

  it("6.2.6 batch_id, calls and a max_concurrency of at least 1 are required; mode is one of two", async () => {
    const { send } = await open();
    const good = { batch_id: "b", mode: "PARALLEL", max_concurrency: 4, calls: [item("a", { query: "x" })] };
    for (const change of [
      { batch_id: undefined },
      { calls: undefined },
      { max_concurrency: undefined },
      { max_concurrency: 0 },
      { mode: "BOTH" },
    ])
      expect(
        (await send("CALL_BATCH_REQ", { ...good, ...change } as never)).payload.error_class,
        JSON.stringify(change),
      ).toBe("SCHEMA_MISMATCH");
    expect((await send("CALL_BATCH_REQ", good)).frame_type).toBe("CALL_BATCH_RES");
  });

  it("6.2.6 keyed items run once, however often the batch is sent", async () => {
    const { send, done } = await open();
    const calls = [item("a", { text: "x" }, { idx: 2, cap_id: noteId, idempotency_key: "k" })];
    await send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 1, calls });
    const again = await send("CALL_BATCH_REQ", {
      batch_id: "b",
      max_concurrency: 1,
      calls: [{ ...calls[0], call_id: "a2" }] as never,
    });
    expect(again.payload.results).toMatchObject([{ call_id: "a2", status: "SUCCESS", replayed_from: "a" }]);
    expect(done).toHaveLength(1);
  });

  it("6.2.6 items may depend on each other", async () => {
    const { send, done } = await open();
    const calls = [item("after", { query: "2" }, { depends_on: ["before"] }), item("before", { query: "1" })];
    const reply = await send("CALL_BATCH_REQ", { batch_id: "b", mode: "PARALLEL", max_concurrency: 4, calls });
    expect(reply.payload.status).toBe("SUCCESS");
    expect(done.map(([, args]) => (args as { q: string }).q)).toEqual(["1", "2"]);
  });

  it("6.2.6 a medium read in a batch needs its key, too", async () => {
    const { send } = await open();
    const calls = [item("a", { sql: "select 1" }, { idx: 3, cap_id: queryId })];
    const reply = await send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 1, calls });
    expect(reply.payload.results[0].error_code).toBe("TRP_4003");
  });
});
