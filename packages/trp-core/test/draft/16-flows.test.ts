import { afterEach, describe, expect, it } from "vitest";
import { issueApprovalToken } from "../../src/index.ts";
import { agent, envelope, mail, mailId, noteId, opener, type Reply, searchId, secret, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 16: the typical flows", () => {
  it("16.1 hello, then catalog sync", async () => {
    const { raw } = await open();
    const hello = await raw({
      ...envelope("HELLO_REQ"),
      payload: { agent_id: "agent_claude_ptc", supported_versions: ["0.1"], resume_session_id: null },
    });
    expect(hello.frame_type).toBe("HELLO_RES");
    const sync = await raw({
      ...envelope("CATALOG_SYNC_REQ"),
      session_id: hello.payload.session_id,
      catalog_epoch: hello.payload.catalog_epoch,
      seq: hello.payload.seq_start,
      payload: { mode: "FULL", known_epoch: hello.payload.catalog_epoch },
    });
    expect(sync).toMatchObject({
      frame_type: "CATALOG_SYNC_RES",
      session_id: hello.payload.session_id,
      seq: 1,
      payload: { catalog_epoch: hello.payload.catalog_epoch },
    });
    expect(sync.payload.alias_table.length).toBeGreaterThanOrEqual(5);
  });

  it("16.2 one call: order, catalog, arguments, policy, tool, RESULT", async () => {
    const { sync, call, done } = await open();
    const table = (await sync()).payload.alias_table as { idx: number; cap_id: string }[];
    const idx = table.find(({ cap_id }) => cap_id === noteId)?.idx;
    const reply = await call(noteId, { text: "a" }, { idx, call_id: "call_1", idempotency_key: "idem_1" });
    expect(reply).toMatchObject({
      frame_type: "RESULT",
      seq: 2,
      payload: { call_id: "call_1", cap_id: noteId, idx, status: "SUCCESS" },
    });
    expect(done).toEqual([["note", { text: "a" }]]);
  });

  it("16.3 out of order: NACK with expected_seq, then the right one", async () => {
    const { call, frame, raw, session, done } = await open();
    for (let n = 0; n < 12; n++) await call(searchId, { query: `${n}` });
    expect(session.seq).toBe(13);
    const payload = { call_id: "call_14", idx: 0, cap_id: searchId, timeout_ms: 5000, args: { query: "x" } };
    const refused = await raw(frame("CALL_REQ", payload, { seq: 14 }));
    expect(refused.payload).toMatchObject({ error_class: "ORDER_VIOLATION", retry_hint: { expected_seq: 13 } });
    expect((await raw(frame("CALL_REQ", payload, { seq: refused.payload.retry_hint.expected_seq }))).frame_type).toBe(
      "RESULT",
    );
    expect(done).toHaveLength(13);
  });

  it("16.4 index drift: the call is refused, synced, chosen anew", async () => {
    const first = await open();
    await first.sync();
    // What the agent means by 2 is another capability in the session of today.
    first.router.registry.unregister(searchId);
    const today = await first.open(agent);
    const rowsOf = (reply: Reply) => reply.payload.alias_table as { idx: number; cap_id: string }[];
    const at2 = rowsOf(await today.sync()).find(({ idx }) => idx === 2)?.cap_id;
    expect(at2).not.toBe(noteId);
    const refused = await today.call(noteId, { text: "a" }, { idx: 2, idempotency_key: "k" });
    expect(refused.payload).toMatchObject({
      error_class: "CATALOG_MISMATCH",
      retryable: true,
      retry_hint: { action: "SYNC_CATALOG" },
    });
    expect(first.done).toEqual([]);
    const idx = rowsOf(await today.sync()).find(({ cap_id }) => cap_id === noteId)?.idx;
    expect((await today.call(noteId, { text: "a" }, { idx, idempotency_key: "k" })).frame_type).toBe("RESULT");
    expect(first.done).toEqual([["note", { text: "a" }]]);
  });

  it("16.5 approval: refused, signed outside, sent again, executed", async () => {
    const { call, done } = await open();
    const refused = await call(mailId, mail, { call_id: "c", idempotency_key: "k" });
    expect(refused).toMatchObject({ frame_type: "NACK", payload: { error_class: "APPROVAL_REQUIRED" } });
    expect(done).toEqual([]);
    const approval_token = issueApprovalToken({
      secret,
      capId: mailId,
      args: mail,
      ttlMs: 300_000,
      sub: "boss-1",
      now: start,
    });
    const reply = await call(mailId, mail, { call_id: "c", attempt: 2, idempotency_key: "k", approval_token });
    expect(reply).toMatchObject({ frame_type: "RESULT", payload: { call_id: "c", status: "SUCCESS" } });
    expect(done).toEqual([["mail", mail]]);
  });
});
