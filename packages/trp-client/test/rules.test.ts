import { ToolglotError } from "@toolglot/core";
import type { RequestFrame } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { clientError, createClient } from "../src/index.ts";
import { nack, reply, result, row, script } from "./scripted.ts";

// The rules of the agent's side: TRP v0.1 draft, 15.

const payload = (frame: RequestFrame | undefined) => frame?.payload as unknown as Record<string, unknown>;

it("numbers frames without a gap and gives the epoch of its catalog (15.1, 1 and 2)", async () => {
  const { trp, all } = script();
  await trp.callByCap("cap.read.v1");
  await trp.callByCap("cap.read.v1");
  expect(all.map(({ frame_type, seq, catalog_epoch }) => [frame_type, seq, catalog_epoch])).toEqual([
    ["HELLO_REQ", null, null],
    ["CATALOG_SYNC_REQ", 1, 5],
    ["CALL_REQ", 2, 5],
    ["CALL_REQ", 3, 5],
  ]);
  expect(all[0]).toMatchObject({ session_id: null, sdk_version: expect.any(String) });
  expect(payload(all[2])).toMatchObject({
    idx: 0,
    cap_id: "cap.read.v1",
    idempotency_key: null,
    attempt: 1,
    timeout_ms: 15_000,
    depends_on: [],
    approval_token: null,
    execution_mode: "SYNC",
    schema_digest: "sha256:cap.read.v1",
    args: {},
  });
  expect(new Set(all.map(({ frame_id }) => frame_id)).size).toBe(4);
});

it("goes on after a catalog mismatch with the same capability (15.1, 3)", async () => {
  const made = script();
  made.answers = [
    (frame) => {
      made.rows = [row(4, "cap.read.v1")];
      const mismatch = nack("TRP_1003", "CATALOG_MISMATCH", {
        retryable: true,
        retry_hint: { action: "SYNC_CATALOG" },
      });
      return typeof mismatch === "function" ? undefined : reply(frame, mismatch.type, mismatch.payload);
    },
    result(),
  ];
  const done = await made.trp.callByCap("cap.read.v1");
  expect(done).toMatchObject({ status: "success", attempts: 2 });
  expect(made.sent.map((frame) => [payload(frame).idx, payload(frame).call_id, payload(frame).attempt])).toEqual([
    [0, done.callId, 1],
    [4, done.callId, 2],
  ]);
});

it.each([
  ["digest", { schema_digest: "sha256:other" }],
  ["risk", { risk_tier: "HIGH" }],
  ["class", { io_class: "WRITE" }],
])("does not go on by itself when the capability's %s changed", async (_what, change) => {
  const made = script();
  await made.trp.catalog();
  made.rows = [row(0, "cap.read.v1", change)];
  made.answers = [nack("TRP_1003", "CATALOG_MISMATCH", { retryable: true })];
  const end = await made.trp.callByCap("cap.read.v1");
  expect(end).toMatchObject({ status: "refused", error: { code: "TRP_1003", errorClass: "CATALOG_MISMATCH" } });
  expect(made.sent).toHaveLength(1);
});

it("gives a catalog that never agrees up", async () => {
  const made = script();
  made.answers = [nack("TRP_1003", "CATALOG_MISMATCH", { retryable: true })];
  expect(await made.trp.callByCap("cap.read.v1")).toMatchObject({ status: "refused", error: { code: "TRP_1003" } });
  expect(made.sent.length).toBeLessThan(10);
});

it("refuses what the catalog doesn't have, after a second look", async () => {
  const made = script();
  await made.trp.catalog();
  made.rows = [...made.rows, row(2, "cap.new.v1")];
  expect((await made.trp.callByCap("cap.new.v1")).status).toBe("success");
  expect(await made.trp.callByCap("cap.none.v1")).toMatchObject({
    status: "refused",
    dispatched: false,
    error: { code: "TRP_1003" },
  });
  expect(made.sent).toHaveLength(1);
});

it("refuses a capability that is another than the caller knows", async () => {
  const { trp, sent } = script();
  const request = { capId: "cap.read.v1", schemaDigest: "sha256:old" };
  expect(await trp.call(request)).toMatchObject({ status: "refused", error: { code: "TRP_1003" } });
  expect(sent).toEqual([]);
});

it("sends a call that was out of order again, with the expected number and the same key (15.1, 4)", async () => {
  const made = script();
  const disordered = (expected: number) =>
    nack("TRP_1002", "ORDER_VIOLATION", { retryable: true, retry_hint: { expected_seq: expected } });
  made.answers = [disordered(1), nack("TRP_1004", "ORDER_VIOLATION", { retry_hint: { expected_seq: 9 } }), result()];
  const done = await made.trp.callByCap("cap.write.v1");
  expect(done).toMatchObject({ status: "success", attempts: 1 });
  expect(made.sent.map(({ seq }) => seq)).toEqual([2, 2, 9]);
  expect(new Set(made.sent.map(({ frame_id }) => frame_id)).size).toBe(3);
  for (const frame of made.sent) {
    expect(payload(frame)).toMatchObject({ idempotency_key: done.key, call_id: done.callId });
  }
  expect((await made.trp.callByCap("cap.read.v1")).status).toBe("success");
  expect(made.sent.at(-1)?.seq).toBe(10);
});

it("tells a router that never agrees on the order", async () => {
  const made = script();
  made.answers = [
    nack("TRP_1002", "ORDER_VIOLATION", { retryable: true, retry_hint: { expected_seq: 1, backoff_ms: 1 } }),
  ];
  const end = await made.trp.callByCap("cap.read.v1", {}, { deadlineMs: 300 });
  expect(end).toMatchObject({ status: "refused", error: { code: "TRP_1002" } });
});

it("repeats what is transient, with growing pauses, as often as the router allows (15.1, 5; 8.3)", async () => {
  const made = script();
  made.answers = [nack("TRP_5003", "TRANSIENT", { retryable: true, retry_hint: { backoff_ms: 2 } })];
  const end = await made.trp.callByCap("cap.write.v1");
  expect(end).toMatchObject({
    status: "refused",
    dispatched: false,
    attempts: 4,
    error: { code: "TRP_5003", fix: "fix of TRP_5003" },
  });
  expect(made.sent.map((frame) => payload(frame).attempt)).toEqual([1, 2, 3, 4]);
  expect(new Set(made.sent.map((frame) => payload(frame).idempotency_key)).size).toBe(1);
  const pauses = made.events.flatMap((event) => (event.type === "retry" ? [event.waitMs] : []));
  expect(pauses).toHaveLength(3);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2);
});

it("heeds max_attempts", async () => {
  const made = script();
  made.answers = [nack("TRP_5003", "TRANSIENT", { retryable: true, retry_hint: { max_attempts: 2 } })];
  expect(await made.trp.callByCap("cap.read.v1")).toMatchObject({ attempts: 2 });
});

it("stops before a pause that would pass the deadline", async () => {
  const made = script();
  made.answers = [nack("TRP_4006", "TRANSIENT", { retryable: true, retry_hint: { backoff_ms: 5000 } })];
  expect(await made.trp.callByCap("cap.read.v1", {}, { deadlineMs: 100 })).toMatchObject({
    status: "refused",
    attempts: 1,
    error: { code: "TRP_4006" },
  });
});

it.each(["SCHEMA_MISMATCH", "POLICY_DENIED", "APPROVAL_REQUIRED", "NON_IDEMPOTENT_BLOCKED"])(
  "tells %s as it is, and does not repeat it (8.2; 15.2, 2)",
  async (errorClass) => {
    const made = script();
    const hint = { approval_id: "apr_1", approval_expires_at_ms: 5 };
    made.answers = [nack("TRP_4002", errorClass, { retry_hint: hint })];
    const end = await made.trp.callByCap("cap.write.v1");
    expect(end).toMatchObject({
      status: "refused",
      attempts: 1,
      dispatched: false,
      error: { errorClass, retryHint: hint },
    });
    expect(made.sent).toHaveLength(1);
  },
);

it("refuses a call without a key where one is needed, before it is sent (15.1, 6)", async () => {
  const { trp, sent } = script({ keys: "explicit" });
  await expect(trp.callByCap("cap.write.v1")).rejects.toMatchObject({
    code: "trp-client/key-required",
    data: { outcome: "not-sent", capId: "cap.write.v1" },
  });
  await expect(trp.batch([{ capId: "cap.read.v1" }, { capId: "cap.write.v1" }])).rejects.toMatchObject({
    code: "trp-client/key-required",
  });
  expect(sent).toEqual([]);
  expect((await trp.callByCap("cap.read.v1")).status).toBe("success");
  expect((await trp.callByCap("cap.write.v1", {}, { key: "mine" })).key).toBe("mine");
});

it("repeats a started call only where that is safe", async () => {
  const transient = { retryable: true, dispatched: true };
  const read = script();
  read.answers = [nack("TRP_3001", "TRANSIENT", transient), result()];
  expect(await read.trp.callByCap("cap.read.v1")).toMatchObject({ status: "success", attempts: 2 });
  const keyed = script();
  keyed.answers = [nack("TRP_3001", "TRANSIENT", transient), result()];
  expect(await keyed.trp.callByCap("cap.write.v1")).toMatchObject({ status: "success", attempts: 2 });
  const failed = script();
  const fault = {
    error_class: "TRANSIENT",
    error_code: "TRP_3002",
    message: "m",
    retryable: true,
    retry_hint: {},
    fix: "",
    dispatched: true,
  };
  failed.answers = [result({ status: "FAILED", result: null, error: fault }), result()];
  expect(await failed.trp.callByCap("cap.write.v1")).toMatchObject({ status: "success", attempts: 2 });
  const untold = script();
  untold.answers = [nack("TRP_3001", "TRANSIENT", { retryable: true, dispatched: undefined })];
  expect(await untold.trp.callByCap("cap.write.v1")).toMatchObject({
    status: "unknown",
    attempts: 1,
    dispatched: true,
  });
});

it("never repeats an unknown outcome", async () => {
  const made = script();
  const fault = {
    error_class: "EXECUTOR_ERROR",
    error_code: "TRP_3004",
    message: "m",
    retryable: true,
    retry_hint: {},
    fix: "",
    dispatched: true,
  };
  made.answers = [result({ status: "UNKNOWN", result: null, error: fault })];
  expect(await made.trp.callByCap("cap.write.v1")).toMatchObject({
    status: "unknown",
    dispatched: true,
    attempts: 1,
    error: { code: "TRP_3004" },
  });
  expect(made.sent).toHaveLength(1);
});

const ack = (frame: RequestFrame) =>
  reply(frame, "ACK", {
    ack_of_frame_id: frame.frame_id,
    ack_of_call_id: payload(frame).call_id,
    status: "IN_PROGRESS",
    expected_seq_next: (frame.seq ?? 0) + 1,
    retry_hint: { backoff_ms: 1 },
  });

const known =
  (status: string, more: Record<string, unknown> = {}) =>
  (frame: RequestFrame) =>
    reply(frame, "RESULT_QUERY_RES", {
      call_id: payload(frame).call_id,
      status,
      result: null,
      error: null,
      last_event_id: 0,
      ...more,
    });

const finished = (frame: RequestFrame) => {
  const call = { call_id: payload(frame).call_id, idx: 1, cap_id: "cap.write.v1" };
  const shaped = { summary: "late", data: null, artifacts: [], warnings: [] };
  const outcome = {
    ...call,
    status: "SUCCESS",
    result: shaped,
    usage: { router_ms: 0, adapter_ms: 0, executor_ms: 0 },
  };
  return known("SUCCESS", { result: outcome })(frame);
};

it("waits for a call in progress, and asks for its outcome", async () => {
  const made = script();
  made.answers = [ack, known("IN_PROGRESS"), ack, finished];
  const end = await made.trp.callByCap("cap.write.v1");
  expect(end).toMatchObject({ status: "success", attempts: 1, result: { summary: "late" } });
  expect(made.sent.map(({ frame_type: type }) => type)).toEqual(["CALL_REQ", ...new Array(3).fill("RESULT_QUERY_REQ")]);
});

it("sends a call the router lost again, under the same key", async () => {
  const made = script();
  made.answers = [ack, known("NOT_FOUND"), result()];
  const end = await made.trp.callByCap("cap.write.v1");
  expect(end).toMatchObject({ status: "success", attempts: 2 });
  expect(payload(made.sent[0]).idempotency_key).toBe(payload(made.sent[2]).idempotency_key);
});

it("says unknown of a call that still runs at the deadline", async () => {
  const made = script();
  made.answers = [ack, known("IN_PROGRESS")];
  expect(await made.trp.callByCap("cap.write.v1", {}, { deadlineMs: 80 })).toMatchObject({
    status: "unknown",
    dispatched: true,
    error: { code: "TRP_3003", retryHint: { action: "RESULT_QUERY" } },
  });
});

it("opens a new session when the old one is gone, and notes whose outcome that leaves open", async () => {
  const made = script();
  made.answers = [nack("TRP_1008", "INTERNAL_ERROR"), result(), known("NOT_FOUND")];
  const end = await made.trp.callByCap("cap.write.v1", {}, { callId: "mine" });
  expect(end).toMatchObject({ status: "success", attempts: 2 });
  expect(made.sent.map(({ session_id, seq }) => [session_id, seq])).toEqual([
    ["sess_1", 2],
    ["sess_2", 2],
  ]);
  expect(payload(made.sent[0])).toMatchObject({ idempotency_key: end.key, call_id: "mine" });
  expect(payload(made.sent[1])).toMatchObject({ idempotency_key: end.key, call_id: "mine" });
  expect(made.events).toContainEqual({ type: "session-lost", sessionId: "sess_1", calls: ["mine"] });
  expect(await made.trp.result("mine")).toEqual({ status: "lost" });
});

it("gives up on a router that keeps no session", async () => {
  const made = script();
  made.answers = [nack("TRP_1008", "INTERNAL_ERROR")];
  await expect(made.trp.callByCap("cap.write.v1")).rejects.toMatchObject({ code: "trp-client/no-answer" });
  await expect(made.trp.result("x")).rejects.toMatchObject({ code: "trp-client/no-answer" });
  expect(made.sent.length).toBeLessThan(20);
});

it("resumes a session, or opens a new one when that is gone", async () => {
  const hellos: unknown[] = [];
  const trp = createClient({
    agentId: "t",
    resumeSessionId: "sess_old",
    transport: {
      async send(frame) {
        hellos.push(frame.payload);
        if (payload(frame).resume_session_id !== null) {
          const gone = nack("TRP_1008", "INTERNAL_ERROR");
          return typeof gone === "function" ? gone(frame) : reply(frame, gone.type, gone.payload);
        }
        return reply(frame, "HELLO_RES", {
          session_id: "sess_new",
          server_version: "0.1",
          catalog_epoch: 1,
          retry_budget: 3,
          seq_start: 1,
          features: [],
        });
      },
      close: () => undefined,
    },
  });
  expect((await trp.hello()).sessionId).toBe("sess_new");
  expect(hellos).toMatchObject([{ resume_session_id: "sess_old" }, { resume_session_id: null }]);
});

it("has one frame on its way at a time without SEQ_WINDOW, and at most 64 with it", async () => {
  for (const [features, most] of [
    [["CALL"], 1],
    [["CALL", "SEQ_WINDOW"], 64],
  ] as const) {
    const made = script();
    made.hello = { retry_budget: 3, features };
    let running = 0;
    let peak = 0;
    const answer = result();
    made.answers = [
      async (frame) => {
        peak = Math.max(peak, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return typeof answer === "function" ? answer(frame) : undefined;
      },
    ];
    const ends = await Promise.all(Array.from({ length: 150 }, () => made.trp.callByCap("cap.read.v1")));
    expect(ends.every(({ status }) => status === "success")).toBe(true);
    expect(peak).toBe(most);
    expect(new Set(made.sent.map(({ seq }) => seq)).size).toBe(150);
  }
});

it("sends the very same frame again when its answer was lost", async () => {
  const made = script();
  made.answers = [
    () => Promise.reject(clientError("trp-client/no-answer", "lost")),
    () => Promise.reject(new Error("a transport of somebody's own")),
    () => ({ not: "a frame" }),
    result(),
  ];
  expect(await made.trp.callByCap("cap.write.v1")).toMatchObject({ status: "success", attempts: 1 });
  expect(made.sent).toHaveLength(4);
  expect(new Set(made.sent.map((frame) => JSON.stringify(frame))).size).toBe(1);
});

it("rejects with what is needed to ask or try again, when no answer comes", async () => {
  const made = script({ retry: { baseMs: 1, maxRetries: 1 } });
  made.answers = [() => Promise.reject(clientError("trp-client/no-answer", "lost"))];
  const error = await made.trp.callByCap("cap.write.v1").catch((reason: unknown) => reason);
  expect(ToolglotError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: "trp-client/no-answer",
    data: { outcome: "unknown", capId: "cap.write.v1", key: expect.any(String), callId: expect.any(String) },
  });
  expect(made.sent).toHaveLength(2);
});

it("stops at the caller's signal, and lets others go on", async () => {
  const made = script();
  await made.trp.catalog();
  made.answers = [() => new Promise(() => undefined), result()];
  const controller = new AbortController();
  const stopped = made.trp.callByCap("cap.write.v1", {}, { signal: controller.signal });
  while (made.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const other = made.trp.callByCap("cap.read.v1");
  controller.abort(new Error("enough"));
  await expect(stopped).rejects.toMatchObject({ code: "trp-client/aborted", data: { outcome: "unknown" } });
  expect((await other).status).toBe("success");
  await expect(made.trp.callByCap("cap.read.v1", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "trp-client/aborted",
    data: { outcome: "not-sent" },
  });
});

it("settles everything when it is closed", async () => {
  const made = script();
  await made.trp.catalog();
  made.answers = [() => new Promise(() => undefined)];
  const calls = Array.from({ length: 100 }, () => made.trp.callByCap("cap.read.v1"));
  const ends = Promise.allSettled(calls);
  await made.trp.close();
  for (const end of await ends)
    expect(end).toMatchObject({ status: "rejected", reason: { code: "trp-client/closed" } });
  await expect(made.trp.callByCap("cap.read.v1")).rejects.toMatchObject({ code: "trp-client/closed" });
  await expect(made.trp.hello()).resolves.toBeDefined();
});

it("reads the catalog again when its time is over", async () => {
  const made = script();
  made.ttlSec = 0.01;
  await made.trp.callByCap("cap.read.v1");
  await new Promise((resolve) => setTimeout(resolve, 20));
  await made.trp.callByCap("cap.read.v1");
  expect(made.all.filter(({ frame_type: type }) => type === "CATALOG_SYNC_REQ")).toHaveLength(2);
});

it("reads the catalog again after a digest that was out of date", async () => {
  const made = script();
  await made.trp.catalog();
  made.answers = [nack("TRP_2007", "SCHEMA_MISMATCH"), result()];
  made.rows = [row(0, "cap.read.v1", { schema_digest: "sha256:new" })];
  expect(await made.trp.callByCap("cap.read.v1")).toMatchObject({ status: "refused", error: { code: "TRP_2007" } });
  expect((await made.trp.callByCap("cap.read.v1")).status).toBe("success");
  expect(payload(made.sent[1]).schema_digest).toBe("sha256:new");
});

it("sends nothing beyond the plain draft to a router that granted nothing beyond it", async () => {
  const made = script();
  made.hello = { retry_budget: 3, features: ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL"] };
  await made.trp.callByCap("cap.read.v1");
  expect(payload(made.sent[0])).not.toHaveProperty("schema_digest");
  expect(made.sent[0]).not.toHaveProperty("sdk_version");
});

it("reads one catalog for all who ask at once", async () => {
  const { trp, all } = script();
  await Promise.all([trp.catalog(), trp.catalog(), trp.callByCap("cap.read.v1"), trp.callByCap("cap.write.v1")]);
  expect(all.filter(({ frame_type: type }) => type === "CATALOG_SYNC_REQ")).toHaveLength(1);
  expect(all.filter(({ frame_type: type }) => type === "HELLO_REQ")).toHaveLength(1);
});

it("sends token, dependencies, trace and identity as they were given", async () => {
  const { trp, sent } = script({ authContext: { role: "readonly" } });
  const request = { capId: "cap.write.v1", approvalToken: "appr1.x.y", dependsOn: ["c1"], timeoutMs: 50, callId: "c2" };
  await trp.call(request, { traceId: "trc_mine" });
  expect(sent[0]).toMatchObject({ trace_id: "trc_mine", auth_context: { role: "readonly" } });
  expect(payload(sent[0])).toMatchObject({
    approval_token: "appr1.x.y",
    depends_on: ["c1"],
    timeout_ms: 50,
    call_id: "c2",
  });
});

it("throws for what can't be sent", async () => {
  const { trp } = script();
  await expect(trp.callByCap("")).rejects.toThrow(TypeError);
  await expect(trp.call({ capId: "cap.read.v1", args: [] as never })).rejects.toThrow("must be an object");
  await expect(trp.call({ capId: "cap.read.v1", timeoutMs: 0 })).rejects.toThrow("timeoutMs");
  await expect(trp.call({ capId: "cap.read.v1", key: "" })).rejects.toThrow("key");
  await expect(trp.call({ capId: "cap.read.v1", idx: -1 })).rejects.toThrow("idx");
  await expect(trp.callByCap("cap.read.v1", {}, { deadlineMs: 0 })).rejects.toThrow("deadlineMs");
  await expect(trp.batch([])).rejects.toThrow("at least one");
  await expect(trp.batch([{ capId: "cap.read.v1" }], { maxConcurrency: 0 })).rejects.toThrow("maxConcurrency");
  const transport = { send: async () => undefined, close: () => undefined };
  expect(() => createClient({ transport, agentId: "" })).toThrow(TypeError);
  expect(() => createClient({ transport: {} as never, agentId: "a" })).toThrow(TypeError);
  expect(() => createClient({ transport, agentId: "a", keys: "never" as never })).toThrow(TypeError);
  expect(() => createClient({ transport, agentId: "a", retry: { baseMs: -1 } })).toThrow(TypeError);
});
