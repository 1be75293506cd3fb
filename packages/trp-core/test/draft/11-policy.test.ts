import { afterEach, describe, expect, it } from "vitest";
import { issueApprovalToken, principal } from "../../src/index.ts";
import { agent, boss, deleteId, mail, mailId, noteId, opener, queryId, searchId, secret, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const deleter = principal({ id: "deleter-1", roles: ["analyst"], canDelete: true });
const reader = principal({ id: "reader-1", roles: ["readonly"] });
const token = (init: Partial<Parameters<typeof issueApprovalToken>[0]> = {}) =>
  issueApprovalToken({ secret, capId: mailId, args: mail, ttlMs: 60_000, now: start, ...init });

describe("draft 11.1: risk", () => {
  it("11.1 LOW is allowed", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
  });

  it("11.1 MEDIUM is allowed with a key", async () => {
    const { call } = await open();
    expect((await call(queryId, { sql: "x" }, { idempotency_key: "k" })).frame_type).toBe("RESULT");
    expect((await call(noteId, { text: "x" }, { idempotency_key: "k" })).frame_type).toBe("RESULT");
  });

  it("11.1 HIGH needs an approval", async () => {
    const { call } = await open();
    expect((await call(mailId, mail, { idempotency_key: "k" })).payload.error_class).toBe("APPROVAL_REQUIRED");
    expect((await call(mailId, mail, { idempotency_key: "k", approval_token: token() })).frame_type).toBe("RESULT");
  });

  it("11.1 CRITICAL needs the right to delete and an approval", async () => {
    const first = await open();
    expect((await first.call(deleteId, { id: "1" }, { idempotency_key: "k" })).payload.error_class).toBe(
      "POLICY_DENIED",
    );
    const second = await first.open(deleter);
    expect((await second.call(deleteId, { id: "1" }, { idempotency_key: "k" })).payload.error_class).toBe(
      "APPROVAL_REQUIRED",
    );
    const approval_token = token({ capId: deleteId, args: { id: "1" } });
    expect((await second.call(deleteId, { id: "1" }, { idempotency_key: "k", approval_token })).frame_type).toBe(
      "RESULT",
    );
    // The right is the principal's: a token does not give it.
    const other = token({ capId: deleteId, args: { id: "1" } });
    expect(
      (await first.call(deleteId, { id: "1" }, { idempotency_key: "k2", approval_token: other })).payload.error_class,
    ).toBe("POLICY_DENIED");
    expect(first.done).toHaveLength(1);
  });
});

describe("draft 11.2: approval tokens", () => {
  it("11.2 no token, APPROVAL_REQUIRED, a token from outside, the same call again", async () => {
    const { call, done } = await open();
    const refused = await call(mailId, mail, { call_id: "c", idempotency_key: "k" });
    expect(refused.payload).toMatchObject({
      error_class: "APPROVAL_REQUIRED",
      error_code: "TRP_4002",
      retryable: false,
    });
    const reply = await call(mailId, mail, { call_id: "c", idempotency_key: "k", attempt: 2, approval_token: token() });
    expect(reply).toMatchObject({ frame_type: "RESULT", payload: { call_id: "c", status: "SUCCESS" } });
    expect(done).toHaveLength(1);
  });

  it("11.2 a person approves in the router, and the call needs no token then", async () => {
    const { call, router, done } = await open();
    const refused = await call(mailId, mail, { idempotency_key: "k" });
    const [approval] = await router.approvals.list(boss, { status: "pending" });
    expect(approval).toMatchObject({
      id: refused.payload.retry_hint.approval_id,
      requester: "agent-1",
      capId: mailId,
      args: mail,
      status: "pending",
    });
    await router.approvals.approve(boss, approval?.id ?? "");
    expect((await call(mailId, mail, { idempotency_key: "k" })).frame_type).toBe("RESULT");
    expect(done).toHaveLength(1);
  });

  it("11.2 the approver is shown capability, risk, requester and every argument", async () => {
    const { call, router } = await open();
    await call(mailId, mail, { idempotency_key: "k" });
    const [approval] = await router.approvals.list(boss);
    const text = approval ? router.approvals.render(approval) : "";
    for (const part of [mailId, "HIGH", "agent-1", "a@example.com", "hello", "test"]) expect(text).toContain(part);
  });

  it.each([
    ["other arguments", { args: { ...mail, body: "other" } }],
    ["another capability", { capId: deleteId }],
    ["another secret", { secret: "guess" }],
    ["a time that is over", { now: start - 120_000 }],
    ["the requester's own name", { sub: "agent-1" }],
  ])("11.2 a token for %s is none", async (_, change) => {
    const { call, done } = await open();
    const reply = await call(mailId, mail, { idempotency_key: "k", approval_token: token(change) });
    expect(reply.payload).toMatchObject({ error_class: "APPROVAL_REQUIRED", dispatched: false });
    expect(done).toEqual([]);
  });

  it("11.2 a token is spent once, and its own call may repeat it", async () => {
    const { call, done } = await open();
    const approval_token = token();
    expect((await call(mailId, mail, { idempotency_key: "k", approval_token })).frame_type).toBe("RESULT");
    expect((await call(mailId, mail, { idempotency_key: "k", approval_token })).frame_type).toBe("RESULT");
    expect((await call(mailId, mail, { idempotency_key: "k2", approval_token })).payload.error_class).toBe(
      "APPROVAL_REQUIRED",
    );
    expect(done).toHaveLength(1);
  });

  it("11.2 who asked can't approve, nor who has no right to", async () => {
    const requester = principal({ id: "vain-1", roles: ["approver"] });
    const first = await open();
    const second = await first.open(requester);
    await second.call(mailId, mail, { idempotency_key: "k" });
    const [approval] = await first.router.approvals.list(boss);
    const id = approval?.id ?? "";
    await expect(first.router.approvals.approve(requester, id)).rejects.toMatchObject({
      code: "trp/approval-own-request",
    });
    await expect(first.router.approvals.approve(agent, id)).rejects.toMatchObject({ code: "trp/approval-not-allowed" });
    const elsewhere = principal({ id: "boss-1", tenant: "elsewhere", roles: ["approver"] });
    await expect(first.router.approvals.approve(elsewhere, id)).rejects.toMatchObject({
      code: "trp/approval-not-found",
    });
    expect((await second.call(mailId, mail, { idempotency_key: "k" })).payload.error_class).toBe("APPROVAL_REQUIRED");
  });
});

describe("draft 11.3: least privilege", () => {
  it("11.3 who calls comes from the transport; auth_context can't widen it", async () => {
    const first = await open();
    const session = await first.open(reader);
    for (const auth_context of [
      null,
      { roles: [] },
      { role: "admin" },
      { roles: ["admin", "approver"], can_delete: true },
    ])
      expect(
        (await session.call(noteId, { text: "a" }, { idempotency_key: "k" }, { auth_context })).payload.error_class,
      ).toBe("POLICY_DENIED");
    expect(first.done).toEqual([]);
  });

  it("11.3 readonly refuses WRITE and leaves READ", async () => {
    const first = await open();
    const session = await first.open(reader);
    expect((await session.call(noteId, { text: "a" }, { idempotency_key: "k" })).payload.error_code).toBe("TRP_4001");
    expect((await session.call(searchId, { query: "a" })).frame_type).toBe("RESULT");
  });

  it("11.3 idx alone gives no right", async () => {
    const hidden = {
      capId: "cap.test.admin.v1",
      name: "admin",
      description: "For admins",
      riskTier: "LOW" as const,
      ioClass: "READ" as const,
      effect: "pure" as const,
      args: {},
      roles: ["admin"],
      execute: () => "secret",
    };
    const { call } = await open({ more: [hidden] });
    for (let idx = 0; idx < 10; idx++)
      expect((await call(hidden.capId, {}, { idx })).payload.error_code).toBe("TRP_1003");
  });

  it("11.3 one principal's session is not another's", async () => {
    const { frame, raw, done } = await open();
    const sent = frame("CALL_REQ", { call_id: "c", idx: 0, cap_id: searchId, timeout_ms: 1000, args: { query: "a" } });
    for (const who of [boss, { ...agent, id: "agent-2" }, { ...agent, tenant: "elsewhere" }])
      expect((await raw(sent, who)).payload.error_code).toBe("TRP_1008");
    expect(done).toEqual([]);
  });

  it("11.3 the policy is asked again right before the start", async () => {
    const phases: string[] = [];
    const { call, done } = await open({
      policy: {
        version: "7",
        evaluate: ({ phase }) => {
          phases.push(phase);
          return { decision: phase === "start" ? "deny" : "allow", rule: "night", reason: "closed for the night" };
        },
      },
    });
    const reply = await call(noteId, { text: "a" }, { idempotency_key: "k" });
    expect(reply.payload).toMatchObject({ error_class: "POLICY_DENIED", dispatched: false });
    expect(phases).toEqual(["admission", "start"]);
    expect(done).toEqual([]);
  });

  it("11.3 a policy that breaks denies", async () => {
    const { call, done } = await open({
      policy: {
        version: "1",
        evaluate: () => {
          throw new Error("no connection to the policy server at 10.0.0.1");
        },
      },
    });
    const reply = await call(searchId, { query: "a" });
    expect(reply.frame_type).toBe("NACK");
    expect(JSON.stringify(reply)).not.toContain("10.0.0.1");
    expect(done).toEqual([]);
  });
});
