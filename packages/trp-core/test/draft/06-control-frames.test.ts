import { afterEach, describe, expect, it } from "vitest";
import { principal } from "../../src/identity/principal.ts";
import { agent, boss, deleteId, envelope, mailId, noteId, opener, queryId, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 6.1.1: HELLO_REQ and HELLO_RES", () => {
  const hello = (payload: Record<string, unknown>) => ({
    ...envelope("HELLO_REQ"),
    payload: { agent_id: "agent_claude_ptc", supported_versions: ["0.1"], resume_session_id: null, ...payload },
  });

  it("6.1.1 HELLO_RES has session_id, server_version, catalog_epoch, retry_budget, seq_start, features", async () => {
    const { raw } = await open();
    const reply = await raw(hello({}));
    expect(reply).toMatchObject({ frame_type: "HELLO_RES", seq: null });
    expect(reply.payload).toMatchObject({
      session_id: expect.stringMatching(/^\S{16,}$/),
      server_version: "0.1",
      catalog_epoch: expect.any(Number),
      seq_start: 1,
    });
    expect(reply.payload.retry_budget).toBeGreaterThan(0);
    expect(reply.payload.features).toEqual(expect.arrayContaining(["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL"]));
  });

  it("6.1.1 agent_id is required", async () => {
    const { raw } = await open();
    expect((await raw(hello({ agent_id: undefined }))).frame_type).toBe("NACK");
    expect((await raw(hello({ agent_id: "" }))).frame_type).toBe("NACK");
  });

  it("6.1.1 supported_versions negotiates: one in common is enough, none is refused", async () => {
    const { raw } = await open();
    expect((await raw(hello({ supported_versions: ["0.3", "0.1"] }))).payload.server_version).toBe("0.1");
    expect((await raw(hello({ supported_versions: ["0.3"] }))).payload.error_code).toBe("TRP_1001");
    expect((await raw(hello({ supported_versions: "0.1" }))).payload.error_code).toBe("TRP_2000");
  });

  it("6.1.1 resume_session_id gives the session back to who opened it, and to nobody else", async () => {
    const { raw, session, call } = await open();
    await call(searchId, { query: "a" });
    const resumed = await raw(hello({ resume_session_id: session.id }));
    expect(resumed.payload).toMatchObject({ session_id: session.id, seq_start: 2, in_flight: [] });
    expect((await raw(hello({ resume_session_id: session.id }), boss)).payload.error_code).toBe("TRP_1008");
    expect((await raw(hello({ resume_session_id: "sess_unknown" }))).payload.error_code).toBe("TRP_1008");
  });

  it("6.1.1 every session has an id of its own", async () => {
    const { raw } = await open();
    const ids = new Set<string>();
    for (let n = 0; n < 20; n++) ids.add((await raw(hello({}))).payload.session_id);
    expect(ids.size).toBe(20);
  });
});

describe("draft 6.1.2: CATALOG_SYNC_REQ and CATALOG_SYNC_RES", () => {
  it("6.1.2 the alias table has idx, cap_id, name, desc, risk_tier, io_class, arg_template, schema_digest", async () => {
    const { sync } = await open();
    const { payload } = await sync();
    expect(payload.catalog_epoch).toEqual(expect.any(Number));
    expect(payload.ttl_sec).toBe(600);
    expect(payload.alias_table[0]).toEqual({
      idx: 0,
      cap_id: searchId,
      name: "web_search",
      desc: expect.stringContaining("Web search over public internet"),
      risk_tier: "LOW",
      io_class: "READ",
      arg_template: { query: "string", top_k: "int?" },
      schema_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(payload.alias_table[1]).toMatchObject({
      idx: 1,
      cap_id: mailId,
      risk_tier: "HIGH",
      io_class: "WRITE",
      arg_template: { to: "email", subject: "string", body: "string" },
    });
    const ids = payload.alias_table.map(({ cap_id }: { cap_id: string }) => cap_id);
    expect(ids.slice(2, 4)).toEqual([noteId, queryId]);
    // Never allowed to who may not delete, so it is not offered.
    expect(ids).not.toContain(deleteId);
  });

  it("6.1.2 mode FULL gives the whole table, DELTA may", async () => {
    const { send, session } = await open();
    const full = await send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: session.epoch });
    const delta = await send("CATALOG_SYNC_REQ", { mode: "DELTA", known_epoch: session.epoch });
    expect(delta.payload).toEqual(full.payload);
  });

  it("6.1.2 known_epoch is a number or null", async () => {
    const { send } = await open();
    expect((await send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: 42 })).frame_type).toBe("CATALOG_SYNC_RES");
    expect((await send("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: "42" })).payload.error_code).toBe("TRP_2000");
    expect((await send("CATALOG_SYNC_REQ", { mode: "HALF", known_epoch: null })).payload.error_code).toBe("TRP_2000");
  });

  it("6.1.2 a call by idx needs cap_id too, and both must mean the same", async () => {
    const { call, done } = await open();
    expect((await call(searchId, { query: "a" }, { cap_id: undefined })).payload.error_code).toBe("TRP_2000");
    expect((await call(searchId, { query: "a" }, { idx: 1 })).payload.error_code).toBe("TRP_1003");
    expect(done).toEqual([]);
  });
});

describe("draft 6.1.3: CAP_QUERY_REQ and CAP_QUERY_RES", () => {
  it("6.1.3 gives the canonical schema, policy hints and examples", async () => {
    const { send } = await open();
    const { payload } = await send("CAP_QUERY_REQ", { idx: 1, cap_id: mailId, include_examples: true });
    expect(payload).toMatchObject({
      idx: 1,
      cap_id: mailId,
      canonical_schema: {
        type: "object",
        required: ["to", "subject", "body"],
        properties: {
          to: { type: "string", format: "email" },
          subject: { type: "string", maxLength: 200 },
          body: { type: "string", maxLength: 20000 },
        },
      },
      policy_hints: { requires_approval: true, idempotency_required: true },
      examples: [{ args: { to: "a@example.com", subject: "hello", body: "test" } }],
    });
  });

  it("6.1.3 examples only when they are asked for", async () => {
    const { send } = await open();
    expect((await send("CAP_QUERY_REQ", { idx: 1, cap_id: mailId, include_examples: false })).payload.examples).toEqual(
      [],
    );
    expect((await send("CAP_QUERY_REQ", { idx: 1, cap_id: mailId })).payload.examples).toEqual([]);
  });

  it("6.1.3 hints follow risk and io class", async () => {
    const { send } = await open();
    const hints = async (idx: number, cap_id: string) =>
      (await send("CAP_QUERY_REQ", { idx, cap_id })).payload.policy_hints;
    expect(await hints(0, searchId)).toEqual({ requires_approval: false, idempotency_required: false });
    expect(await hints(2, noteId)).toEqual({ requires_approval: false, idempotency_required: true });
    expect(await hints(3, queryId)).toEqual({ requires_approval: false, idempotency_required: true });
    const eraser = await (await open()).open(principal({ id: "eraser", canDelete: true }), {});
    const { payload } = await eraser.send("CAP_QUERY_REQ", { idx: 4, cap_id: deleteId });
    expect(payload.policy_hints).toEqual({ requires_approval: true, idempotency_required: true });
  });

  it("6.1.3 the digest is that of the catalog", async () => {
    const { send, sync } = await open();
    const { payload } = await sync();
    const query = await send("CAP_QUERY_REQ", { idx: 1, cap_id: mailId });
    expect(query.payload.schema_digest).toBe(payload.alias_table[1].schema_digest);
  });

  it("6.1.3 idx and cap_id are checked like those of a call", async () => {
    const { send } = await open();
    for (const payload of [
      { idx: 0, cap_id: mailId },
      { idx: 99, cap_id: mailId },
      { idx: 1, cap_id: "cap.nobody.v1" },
    ])
      expect((await send("CAP_QUERY_REQ", payload)).payload).toMatchObject({
        error_class: "CATALOG_MISMATCH",
        retry_hint: { action: "SYNC_CATALOG" },
      });
    expect((await send("CAP_QUERY_REQ", { idx: 0 })).payload.error_code).toBe("TRP_2000");
  });

  it("6.1.3 in a session of somebody else it answers nothing", async () => {
    const { frame, raw } = await open();
    expect(
      (await raw(frame("CAP_QUERY_REQ", { idx: 1, cap_id: mailId }), { ...agent, id: "agent-2" })).payload.error_code,
    ).toBe("TRP_1008");
  });
});
