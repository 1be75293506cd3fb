import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import type { AuditEntry } from "../src/audit/types.ts";
import { type AuditSubject, createRouter, defineCapability, type RouterOptions } from "../src/index.ts";
import { boss, nackOf, openSession, resultOf, type Session } from "./router-rig.ts";
import { storeUnderTest } from "./store-kinds.ts";

const mail = defineCapability({
  capId: "cap.test.mail.v1",
  name: "mail",
  description: "Sends a mail.",
  riskTier: "HIGH",
  ioClass: "WRITE",
  effect: "opaque",
  args: { to: "string" },
  execute: ({ to }) => {
    if (to === "nobody") throw new ToolError("no such person");
    if (to === "lost") throw new Error("the connection was lost");
    return "sent";
  },
});

async function world(
  auditFields: NonNullable<RouterOptions["auditFields"]>,
): Promise<{ session: Session; rows(): Promise<AuditEntry[]> }> {
  const router = createRouter({
    store: await storeUnderTest(),
    allowVolatile: true,
    capabilities: [mail],
    auditFields,
  });
  const session = await openSession(router);
  return { session, rows: async () => (await router.audit.read()).map(({ entry }) => entry) };
}

/** Calls it, has it approved, and calls it again. */
async function approvedCall({ router, call }: Session, to: string): Promise<ReturnType<Session["call"]>> {
  const item = { cap_id: mail.capId, call_id: `call-${to}`, idempotency_key: `key-${to}`, args: { to } };
  nackOf(await call(item));
  const [request] = await router.approvals.list(boss, { status: "pending" });
  await router.approvals.approve(boss, request?.id ?? "");
  return call({ ...item, call_id: `again-${to}` });
}

it("has the host's own fields in every row: of a decision, an outcome, an approval and a resolution", async () => {
  const subjects: AuditSubject[] = [];
  const { session, rows } = await world((subject) => {
    subjects.push(subject);
    return { server: "mail", of: subject.callId ?? "nobody", by: subject.agentId ?? "a person" };
  });
  resultOf(await approvedCall(session, "ada"));
  await approvedCall(session, "lost");
  const { operations, audit } = session.router;
  const [doubted] = await operations.inDoubt(boss);
  if (doubted === undefined) throw new Error("nothing is in doubt");
  await operations.resolve(boss, doubted, { state: "not-applied" });
  nackOf(await session.call({ cap_id: "cap.test.none.v1", call_id: "unknown" }));
  const found = (await rows()).map((entry) => {
    const { kind, server, of, by } = entry as AuditEntry & Record<"server" | "of" | "by", string>;
    return [kind, server, of, by].join(" ");
  });
  expect(found).toEqual([
    "outcome mail call-ada agent",
    "approval mail nobody a person",
    "decision mail again-ada agent",
    "outcome mail again-ada agent",
    "outcome mail call-lost agent",
    "approval mail nobody a person",
    "decision mail again-lost agent",
    "outcome mail again-lost agent",
    "resolution mail again-lost a person",
    "outcome mail unknown agent",
  ]);
  expect(new Set(subjects.map(({ key }) => key))).toEqual(new Set(["key-ada", "key-lost", undefined]));
  expect(subjects.every(({ tenant, principal }) => tenant === "default" && principal === "ada")).toBe(true);
  expect(await audit.verify()).toMatchObject({ ok: true, rows: 10 });
});

it("keeps the draft's fields, and is disturbed by nothing that a host does", async () => {
  const { session, rows } = await world(({ callId }) => {
    if (callId === "call-ada") throw new Error("a fault of the host");
    return { result_status: "SUCCESS", decided_by: "nobody", plain: 7 as unknown as string, odd: "\ud800" };
  });
  await approvedCall(session, "ada");
  const [refused, approval, decision, outcome] = await rows();
  expect(refused).toMatchObject({ result_status: "REFUSED", call_id: "call-ada" });
  expect(refused).not.toHaveProperty("odd");
  expect(approval).toMatchObject({ result_status: "APPROVED", decided_by: "boss" });
  expect(decision).toMatchObject({ result_status: "STARTED", odd: "\ud800" });
  expect(outcome).toMatchObject({ result_status: "SUCCESS" });
  expect(outcome).not.toHaveProperty("plain");
  expect(await session.router.audit.verify()).toMatchObject({ ok: true });
});
