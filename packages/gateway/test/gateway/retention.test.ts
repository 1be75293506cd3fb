import { readFileSync } from "node:fs";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { principal } from "@toolglot/trp-core";
import { type AuditRow, verifyRows } from "@toolglot/trp-core/store";
import { expect, it } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { makeRouter } from "../../src/gateway/make-router.ts";
import { exportAudit, loadConfig } from "../../src/index.ts";
import { rig } from "../rig.ts";

const day = 86_400_000;
const ada = principal({ id: "ada", roles: ["approver"] });

it("deletes the audit rows that are both old and exported", async () => {
  let time = Date.now();
  const store = await storeUnderTest({ now: () => time });
  const noted = (await scratchFolder()).at("head.json");
  const text = JSON.stringify({ gateway: { retention: { auditDays: 30 }, audit: { head: noted } } });
  const { settings, policy } = await loadConfig({ files: [{ name: "keep.json", text }] });
  const router = makeRouter({
    ...{ settings, store, policy, secret: "key", tool: () => undefined, options: { allowVolatile: true } },
    onError: (error) => expect.unreachable(String(error)),
  });
  const { call, agentPrincipal } = await rig(store, router);

  const head = (): { index: number; hash: string } => JSON.parse(readFileSync(noted, "utf8"));
  /** Pays an order back, once a person has approved it, and returns the newest row. */
  const pay = async (order: string): Promise<number> => {
    await call({ order }, { key: order });
    const [asked] = await router.approvals.list(agentPrincipal, { status: "pending" });
    await router.approvals.approve(ada, asked?.id ?? "");
    expect((await call({ order }, { key: order })).payload).toMatchObject({ status: "SUCCESS" });
    await router.audit.checkpoint();
    return head().index;
  };
  const exported = async (): Promise<AuditRow[]> => {
    let lines = "";
    const write = (more: string): void => {
      lines += more;
    };
    await exportAudit(store, { write });
    return lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditRow);
  };
  const first = async (): Promise<number | undefined> => {
    await store.prune();
    return (await router.audit.read({ limit: 1 }))[0]?.index;
  };

  const firstPaid = await pay("1");
  time += 31 * day;
  const secondPaid = await pay("2");
  expect(await first(), "old, but not exported").toBe(1);

  const rows = await exported();
  const before = head();
  await pay("3");
  expect(await first(), "exported, but only the first is old").toBe(firstPaid);
  expect(await router.audit.verify()).toMatchObject({ ok: true, from: firstPaid });
  expect(await router.audit.verify({ expect: before })).toMatchObject({ ok: true });
  expect(await router.audit.verify({ expect: head() })).toMatchObject({ ok: true });
  // What was exported goes on with what is left.
  const left = await router.audit.read();
  expect(verifyRows([...rows.filter(({ index }) => index < firstPaid), ...left])).toMatchObject({ ok: true });

  time += 31 * day;
  await pay("4");
  expect(await first(), "the third is old, but not exported").toBe(secondPaid);
  expect(await router.audit.verify({ expect: before })).toMatchObject({ ok: true, from: secondPaid });
  await router.close();
  expect(await router.audit.verify({ expect: head() })).toMatchObject({ ok: true });
});
