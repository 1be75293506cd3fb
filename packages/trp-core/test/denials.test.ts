import { describe, expect, it } from "vitest";
import { issueApprovalToken } from "../src/approvals/token.ts";
import { defaultPolicy } from "../src/policy/decide.ts";
import type { PolicyEngine } from "../src/policy/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { boss, ledger, nackOf, openSession, resultOf } from "./router-rig.ts";

const secret = "0123456789abcdef";
const mail = (key: string, more = {}) => ({
  cap_id: "cap.test.mail.v1",
  args: { text: "hello" },
  idempotency_key: key,
  ...more,
});

async function denied(policy: PolicyEngine = defaultPolicy()) {
  const clock = { now: 1_800_000_000_000 };
  const book = ledger();
  const router = createRouter({
    capabilities: book.capabilities,
    store: new MemoryStore({ now: () => clock.now }),
    allowVolatile: true,
    approvalSecrets: [secret],
    policy,
  });
  const session = await openSession(router);
  expect(nackOf(await session.call(mail("k"))).error_code).toBe("TRP_4002");
  const [request] = await router.approvals.list(boss);
  const id = request?.id ?? "";
  await router.approvals.deny(boss, id, "not this one");
  const { capId, args } = { capId: "cap.test.mail.v1", args: { text: "hello" } };
  const token = () => issueApprovalToken({ secret, capId, args, ttlMs: 60_000, now: clock.now });
  return { ...book, clock, router, session, id, token };
}

describe("what a person has denied", () => {
  it("no token starts, and the denial is told with its comment", async () => {
    const { session, effects, token, id } = await denied();
    const nack = nackOf(await session.call(mail("k", { approval_token: token() })));
    expect(nack).toMatchObject({ error_code: "TRP_4001", dispatched: false, retry_hint: { approval_id: id } });
    expect(nack.message).toContain("not this one");
    expect(effects).toEqual([]);
  });

  it("a token starts under another key: that is another operation, and the token was not spent", async () => {
    const { session, effects, token } = await denied();
    const approval_token = token();
    await session.call(mail("k", { approval_token }));
    expect(resultOf(await session.call(mail("k2", { approval_token }))).status).toBe("SUCCESS");
    expect(effects).toEqual(["hello"]);
  });

  it("stays denied when the policy asks no more", async () => {
    let asks = true;
    const usual = defaultPolicy();
    const { session, effects } = await denied({
      version: "changing",
      evaluate: (input) =>
        asks ? usual.evaluate(input) : { decision: "allow", rule: "all", reason: "everything is allowed" },
    });
    asks = false;
    expect(nackOf(await session.call(mail("k"))).error_code).toBe("TRP_4001");
    expect(resultOf(await session.call(mail("k2"))).status).toBe("SUCCESS");
    expect(effects).toEqual(["hello"]);
  });

  it("can be asked for anew when its time is over: the new decision names the denial, in words and in the audit log", async () => {
    const { router, session, clock, effects, id, token } = await denied();
    clock.now += 15 * 60_000;
    expect(nackOf(await session.call(mail("k", { approval_token: token() }))).error_code).toBe("TRP_4001");
    expect(nackOf(await session.call(mail("k"))).error_code).toBe("TRP_4002");
    const [request] = await router.approvals.list(boss, { status: "pending" });
    if (request === undefined) throw new Error("nothing waits");
    expect(request.deniedBefore).toMatchObject({ id, by: "boss" });
    expect(router.approvals.render(request)).toContain(`Denied before: request ${id}, by "boss"`);
    expect(nackOf(await session.call(mail("k", { approval_token: token() }))).error_code).toBe("TRP_4001");
    await router.approvals.approve(boss, request.id);
    expect(resultOf(await session.call(mail("k"))).status).toBe("SUCCESS");
    expect(effects).toEqual(["hello"]);
    const rows = (await router.audit.read()).map(({ entry }) => entry).filter(({ kind }) => kind === "approval");
    expect(rows).toMatchObject([
      { result_status: "DENIED", approval_id: id },
      { result_status: "APPROVED", approval_id: request.id, denied_before: id },
    ]);
  });
});

describe("requests that wait", () => {
  it("are bounded for each principal, with a code of its own", async () => {
    const router = createRouter({ capabilities: ledger().capabilities, allowVolatile: true, pendingApprovals: 2 });
    const session = await openSession(router);
    for (const key of ["a", "b", "a"]) expect(nackOf(await session.call(mail(key))).error_code).toBe("TRP_4002");
    expect(nackOf(await session.call(mail("c")))).toMatchObject({
      error_code: "TRP_4008",
      error_class: "POLICY_DENIED",
      retryable: false,
      dispatched: false,
    });
    const other = await openSession(router, { who: { ...session.who, id: "eve" } });
    expect(nackOf(await other.call(mail("c"))).error_code).toBe("TRP_4002");
    const waiting = await router.approvals.list(boss, { status: "pending" });
    await router.approvals.deny(boss, waiting.find(({ requester }) => requester === session.who.id)?.id ?? "");
    expect(nackOf(await session.call(mail("c"))).error_code).toBe("TRP_4002");
  });

  it("are 200 unless told", async () => {
    const router = createRouter({ capabilities: ledger().capabilities, allowVolatile: true });
    const session = await openSession(router);
    const codes: string[] = [];
    for (let n = 0; n < 205; n++) codes.push(nackOf(await session.call(mail(`k${n}`))).error_code);
    expect([codes.indexOf("TRP_4008"), codes.at(-1)]).toEqual([200, "TRP_4008"]);
    expect(await router.approvals.list(boss, { limit: 100_000 })).toHaveLength(200);
    expect(() => createRouter({ pendingApprovals: 0 })).toThrow(TypeError);
  });

  it("come page by page", async () => {
    const router = createRouter({ capabilities: ledger().capabilities, allowVolatile: true });
    const session = await openSession(router);
    for (let n = 0; n < 25; n++) await session.call(mail(`k${n}`));
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await router.approvals.list(boss, { limit: 10, ...(before === undefined ? {} : { before }) });
      seen.push(...page.map(({ operation }) => operation.key));
      before = page.at(-1)?.id;
      if (page.length < 10) break;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `k${24 - n}`));
  });
});
