import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { boss, deleteId, gate, mail, mailId, noteId, opener, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

describe("draft 14.1: audit", () => {
  it("14.1 each call leaves all fields: trace, session, epoch, seq, call, idx, cap, key, decision, attempt, latency, status", async () => {
    const { call, router, session } = await open();
    await call(
      noteId,
      { text: "very private words" },
      { call_id: "c", idempotency_key: "order-4711", attempt: 3 },
      { trace_id: "trc_x" },
    );
    const rows = (await router.audit.read()).map(({ entry }) => entry);
    const outcome = rows.find(({ kind }) => kind === "outcome");
    expect(outcome).toMatchObject({
      tenant: "default",
      principal: "agent-1",
      trace_id: "trc_x",
      session_id: session.id,
      catalog_epoch: session.epoch,
      seq: 1,
      call_id: "c",
      idx: 2,
      cap_id: noteId,
      policy_decision: "allow",
      attempt: 3,
      latency_ms: expect.any(Number),
      result_status: "SUCCESS",
      error_class: null,
      error_code: null,
    });
  });

  it("14.1 the key is hashed; arguments and results are not in it", async () => {
    const { call, router } = await open();
    await call(noteId, { text: "very private words" }, { idempotency_key: "order-4711" });
    const rows = await router.audit.read();
    const text = JSON.stringify(rows);
    expect(text).not.toContain("order-4711");
    expect(text).not.toContain("private words");
    const keys = new Set(rows.map(({ entry }) => entry.idempotency_key));
    expect(keys.size).toBe(1);
    for (const key of keys) {
      expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
      // Not over the key alone: keys are guessable, and those of two tenants must not look alike.
      expect(key).not.toBe(`sha256:${createHash("sha256").update("order-4711").digest("hex")}`);
    }
  });

  it("14.1 the same key of another tenant hashes to something else", async () => {
    const first = await open();
    const second = await first.open({ tenant: "elsewhere", id: "agent-1", roles: [], canDelete: false });
    await first.call(noteId, { text: "a" }, { idempotency_key: "k" });
    await second.call(noteId, { text: "a" }, { idempotency_key: "k" });
    const rows = (await first.router.audit.read()).map(({ entry }) => entry);
    const keyOf = (tenant: string) => rows.find((entry) => entry.tenant === tenant)?.idempotency_key;
    expect(keyOf("default")).not.toBe(keyOf("elsewhere"));
  });

  it("14.1 a call without a key has null", async () => {
    const { call, router } = await open();
    await call(searchId, { query: "a" });
    for (const { entry } of await router.audit.read()) expect(entry.idempotency_key).toBeNull();
  });

  it("14.1 refusals are there, with class, code and decision", async () => {
    const { call, router } = await open();
    await call(deleteId, { id: "1" }, { call_id: "denied", idempotency_key: "k" });
    await call(mailId, mail, { call_id: "waiting", idempotency_key: "k" });
    const rows = (await router.audit.read()).map(({ entry }) => entry);
    expect(rows).toContainEqual(
      expect.objectContaining({
        call_id: "denied",
        policy_decision: "deny",
        result_status: "REFUSED",
        error_class: "POLICY_DENIED",
        error_code: "TRP_4001",
      }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({
        call_id: "waiting",
        policy_decision: "approve",
        result_status: "REFUSED",
        error_code: "TRP_4002",
      }),
    );
  });

  it("14.1 arguments that don't fit are there, too: every call is", async () => {
    const { call, router } = await open();
    await call(searchId, {}, { call_id: "bad" });
    await call(noteId, { text: "a" }, { call_id: "keyless" });
    const rows = (await router.audit.read()).map(({ entry }) => entry);
    for (const [call_id, error_code] of [
      ["bad", "TRP_2001"],
      ["keyless", "TRP_4003"],
    ])
      expect(rows).toContainEqual(expect.objectContaining({ call_id, error_code, result_status: "REFUSED" }));
  });

  it("14.1 the decision is written before anything runs, with its proof, which the RESULT has too (draft, 18.5)", async () => {
    let rowsAtStart: unknown[] = [];
    const spy = {
      capId: "cap.test.spy.v1",
      name: "spy",
      description: "Looks",
      riskTier: "MEDIUM" as const,
      ioClass: "WRITE" as const,
      effect: "opaque" as const,
      args: {},
      execute: async () => {
        rowsAtStart = (await router.audit.read()).map(({ entry }) => entry);
        return 1;
      },
    };
    const { call, router } = await open({ more: [spy] });
    const { payload } = await call(spy.capId, {}, { idx: 5, call_id: "c", idempotency_key: "k" });
    expect(rowsAtStart).toEqual([
      expect.objectContaining({
        kind: "decision",
        call_id: "c",
        result_status: "STARTED",
        policy_rule: payload.policy_proof.rule,
        policy_version: payload.policy_proof.policy_version,
        policy_digest: payload.policy_proof.digest,
      }),
    ]);
  });

  it("14.1 failures have their class and code", async () => {
    const waiting = gate();
    const { call, router } = await open({ more: [waiting] });
    await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 });
    const rows = (await router.audit.read()).map(({ entry }) => entry);
    expect(rows).toContainEqual(
      expect.objectContaining({
        kind: "outcome",
        result_status: "FAILED",
        error_class: "TRANSIENT",
        error_code: "TRP_3001",
      }),
    );
  });

  it("14.1 who approved is there", async () => {
    const { call, router } = await open();
    const refused = await call(mailId, mail, { idempotency_key: "k" });
    await router.approvals.approve(boss, refused.payload.retry_hint.approval_id);
    await call(mailId, mail, { idempotency_key: "k" });
    const rows = (await router.audit.read()).map(({ entry }) => entry);
    expect(rows).toContainEqual(
      expect.objectContaining({ kind: "approval", result_status: "APPROVED", decided_by: "boss-1" }),
    );
  });

  it("14.1 the log is a chain that tells when a row was changed", async () => {
    const { call, router } = await open();
    for (let n = 0; n < 5; n++) await call(noteId, { text: "a" }, { idempotency_key: `k${n}` });
    const rows = await router.audit.read();
    expect(rows.map(({ index }) => index)).toEqual(rows.map((_, n) => n + 1));
    for (const [n, row] of rows.entries()) expect(row.prevHash).toBe(rows[n - 1]?.hash ?? "0".repeat(64));
    expect(await router.audit.verify()).toMatchObject({ ok: true, rows: rows.length, head: rows.at(-1)?.hash });
  });
});

describe("draft 14.2: events", () => {
  const types = (events: { type: string }[]) => events.map(({ type }) => type);

  it("14.2 catalog.synced", async () => {
    const { sync, events, session } = await open();
    await sync();
    expect(events).toContainEqual(expect.objectContaining({ type: "catalog.synced", sessionId: session.id }));
  });

  it("14.2 call.accepted, call.executed, call.succeeded, in this order", async () => {
    const { call, events } = await open();
    await call(searchId, { query: "a" }, { call_id: "c" }, { trace_id: "trc_x" });
    const ofCall = events.filter(({ type }) => type.startsWith("call."));
    expect(types(ofCall)).toEqual(["call.accepted", "call.executed", "call.succeeded"]);
    for (const event of ofCall)
      expect(event).toMatchObject({ callId: "c", capId: searchId, traceId: "trc_x", principal: "agent-1" });
  });

  it("14.2 call.policy_denied", async () => {
    const { call, events } = await open();
    await call(deleteId, { id: "1" }, { idempotency_key: "k" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "call.policy_denied", capId: deleteId, code: "TRP_4001" }),
    );
    expect(types(events)).not.toContain("call.executed");
  });

  it("14.2 call.failed and call.retry_suggested", async () => {
    const waiting = gate();
    const { call, events } = await open({ more: [waiting] });
    await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "call.failed", errorClass: "TRANSIENT", code: "TRP_3001" }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "call.retry_suggested", code: "TRP_3001", backoffMs: expect.any(Number) }),
    );
  });

  it("14.2 call.retry_suggested for what was refused and may be tried again", async () => {
    const { call, events } = await open();
    await call(searchId, { query: "a" }, { depends_on: ["nobody"] });
    expect(events).toContainEqual(expect.objectContaining({ type: "call.retry_suggested", code: "TRP_1005" }));
  });

  it("14.2 a replay says that it is one", async () => {
    const { call, events } = await open();
    await call(noteId, { text: "a" }, { idempotency_key: "k" });
    await call(noteId, { text: "a" }, { idempotency_key: "k" });
    expect(events.filter(({ type }) => type === "call.succeeded")).toMatchObject([
      { replayed: false },
      { replayed: true },
    ]);
    expect(types(events).filter((type) => type === "call.executed")).toHaveLength(1);
  });

  it("14.2 a listener that throws disturbs nothing", async () => {
    const { call, router, events } = await open();
    router.subscribe(() => {
      throw new Error("listener");
    });
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
    expect(types(events)).toContain("call.succeeded");
  });
});
