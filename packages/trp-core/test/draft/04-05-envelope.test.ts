import { afterEach, describe, expect, it } from "vitest";
import { agent, opener, searchId, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 4: request and response frames", () => {
  it("4 every frame gets exactly one answer, of the type that belongs to it", async () => {
    const { send, call } = await open();
    expect((await send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: null })).frame_type).toBe("CATALOG_SYNC_RES");
    expect((await send("CAP_QUERY_REQ", { idx: 0, cap_id: searchId })).frame_type).toBe("CAP_QUERY_RES");
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
    expect((await send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 1, calls: [] })).frame_type).toMatch(
      /^CALL_BATCH_RES|NACK$/,
    );
    expect((await send("RESULT_QUERY_REQ", { call_id: "call_0" })).frame_type).toBe("RESULT_QUERY_RES");
    expect((await call(searchId, {})).frame_type).toBe("NACK");
  });
});

describe("draft 5: the envelope", () => {
  const fields = [
    "catalog_epoch",
    "frame_id",
    "frame_type",
    "payload",
    "seq",
    "session_id",
    "timestamp_ms",
    "trace_id",
    "trp_version",
  ];

  it("5 all frames share one outer structure: requests need each field", async () => {
    const { frame, raw, done } = await open();
    for (const field of fields) {
      const { [field]: _, ...rest } = frame("CALL_REQ", {
        call_id: "c",
        idx: 0,
        cap_id: searchId,
        timeout_ms: 1000,
        args: { query: "a" },
      });
      expect(await raw(rest), field).toMatchObject({ frame_type: "NACK", payload: { retryable: false } });
    }
    expect(done).toEqual([]);
  });

  it("5 all frames share one outer structure: answers have these fields and no others", async () => {
    const { send, call } = await open();
    for (const reply of [
      await send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: null }),
      await call(searchId, { query: "a" }),
      await call(searchId, {}),
      await send("RESULT_QUERY_REQ", { call_id: "none" }),
    ])
      expect(Object.keys(reply).sort()).toEqual(fields);
  });

  it('5.1 trp_version is "0.1" in answers, and another one is refused', async () => {
    const { frame, raw, session } = await open();
    const reply = await raw(frame("RESULT_QUERY_REQ", { call_id: "x" }, { trp_version: "0.2" }));
    expect(reply).toMatchObject({ trp_version: "0.1", payload: { error_code: "TRP_1001" } });
    expect((await raw(frame("RESULT_QUERY_REQ", { call_id: "x" }))).trp_version).toBe("0.1");
    expect(session.seq).toBe(1);
  });

  it("5.1 frame_type says what the frame is, and an unknown one is refused", async () => {
    const { frame, raw } = await open();
    expect((await raw(frame("CALL", {}))).payload.error_code).toBe("TRP_5000");
    expect((await raw(frame("RESULT", {}))).payload.error_code).toBe("TRP_5000");
  });

  it("5.1 session_id is assigned at HELLO and stands in every answer", async () => {
    const { session, call } = await open();
    expect(session.id).toMatch(/^\S{16,}$/);
    expect((await call(searchId, { query: "a" })).session_id).toBe(session.id);
    expect((await call(searchId, { query: "a" }, {}, { session_id: "sess_other" })).payload.error_code).toBe(
      "TRP_1008",
    );
  });

  it("5.1 session_id is reused by a resume", async () => {
    const first = await open();
    await first.call(searchId, { query: "a" });
    const again = await first.open(agent, { resume_session_id: first.session.id });
    expect(again.session).toEqual({ id: first.session.id, epoch: first.session.epoch, seq: 2 });
    expect((await again.call(searchId, { query: "a" })).frame_type).toBe("RESULT");
  });

  it("5.1 frame_id is for removing duplicates: the same frame again gets the same answer", async () => {
    const { frame, raw, done } = await open();
    const sent = frame("CALL_REQ", { call_id: "c", idx: 0, cap_id: searchId, timeout_ms: 1000, args: { query: "a" } });
    const first = await raw(sent);
    expect(first).toMatchObject({ frame_type: "RESULT", frame_id: `res_${sent.frame_id}` });
    expect(await raw(sent)).toEqual(first);
    expect(done).toHaveLength(1);
  });

  it("5.1 trace_id may be shared by the frames of a task, and is copied into answers and audit", async () => {
    const { call, router } = await open();
    for (const query of ["a", "b"])
      expect((await call(searchId, { query }, {}, { trace_id: "trc_task" })).trace_id).toBe("trc_task");
    const rows = await router.audit.read();
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ entry }) => entry.trace_id))).toEqual(new Set(["trc_task"]));
  });

  it("5.1 timestamp_ms is the sender's clock, and nothing is counted from it", async () => {
    const { call } = await open();
    const reply = await call(searchId, { query: "a" }, {}, { timestamp_ms: 1 });
    expect(reply.frame_type).toBe("RESULT");
    expect(reply.timestamp_ms).toBe(start);
    expect((await call(searchId, { query: "a" }, {}, { timestamp_ms: 9_999_999_999_999 })).frame_type).toBe("RESULT");
  });

  it("5.1 catalog_epoch is the client's: one that the router never gave is a mismatch", async () => {
    const { call, session } = await open();
    const reply = await call(searchId, { query: "a" }, {}, { catalog_epoch: session.epoch + 1000 });
    expect(reply).toMatchObject({ catalog_epoch: session.epoch + 1000, payload: { error_code: "TRP_1003" } });
  });

  it("5.1 seq rises by one with every frame of the session", async () => {
    const { call, send, sync } = await open();
    expect((await sync()).seq).toBe(1);
    expect((await call(searchId, { query: "a" })).seq).toBe(2);
    expect((await send("CAP_QUERY_REQ", { idx: 0, cap_id: searchId })).seq).toBe(3);
    expect((await send("RESULT_QUERY_REQ", { call_id: "none" })).seq).toBe(4);
    expect((await call(searchId, { query: "a" }, {}, { seq: 4 })).payload.error_code).toBe("TRP_1004");
    expect((await call(searchId, { query: "a" }, {}, { seq: 6 })).payload.error_code).toBe("TRP_1002");
  });

  it("5.1 payload holds what the frame is about, and is strict", async () => {
    const { frame, raw } = await open();
    for (const payload of [null, [], "x", { call_id: "c", extra: 1 }])
      expect((await raw(frame("CALL_REQ", payload as never))).payload.error_code, JSON.stringify(payload)).toBe(
        "TRP_2000",
      );
  });

  it("5.2 auth_context may be there, and only takes rights away", async () => {
    const { call, open: another } = await open();
    expect(
      (await call(searchId, { query: "a" }, {}, { auth_context: { user: "root", roles: ["admin"] } })).frame_type,
    ).toBe("RESULT");
    const reader = await another({ ...agent, id: "reader", roles: ["readonly"] });
    const widened = await reader.call(
      "cap.note.add.v1",
      { text: "a" },
      { idempotency_key: "k" },
      { auth_context: { roles: [] } },
    );
    expect(widened.payload.error_code).toBe("TRP_4001");
  });

  it("5.2 sdk_version may be there", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, {}, { sdk_version: "toolglot 0.1" })).frame_type).toBe("RESULT");
    expect((await call(searchId, { query: "a" }, {}, { sdk_version: null })).frame_type).toBe("RESULT");
  });

  it("5.2 compression and signature are reserved: only null", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, {}, { compression: null, signature: null })).frame_type).toBe(
      "RESULT",
    );
    expect((await call(searchId, { query: "a" }, {}, { compression: "gzip" })).payload.error_code).toBe("TRP_2000");
    expect((await call(searchId, { query: "a" }, {}, { signature: "x" })).payload.error_code).toBe("TRP_2000");
  });
});
