import { MemoryStore } from "@toolglot/trp-core";
import { type AuditEntry, type AuditRow, verifyRows } from "@toolglot/trp-core/store";
import { expect, it } from "vitest";
import { exportAudit, exportedUpTo } from "../../src/report/audit-export.ts";

const entry: AuditEntry = {
  ...{ kind: "outcome", tenant: "default", principal: "agent", trace_id: "", session_id: "", catalog_epoch: 0 },
  ...{ seq: 0, call_id: "", idx: 0, cap_id: "cap.mcp.shop.refund.v1", idempotency_key: null, policy_decision: "allow" },
  ...{ policy_rule: "r", policy_version: "1", policy_digest: null, attempt: 1, latency_ms: 1 },
  ...{ result_status: "SUCCESS", error_class: null, error_code: null },
};

it("writes rows with their hashes up to a date, and notes how far", async () => {
  const clock = { now: 1_000 };
  const store = new MemoryStore({ now: () => clock.now });
  for (let page = 0; page < 3; page++) {
    await store.audit.append(Array.from({ length: 800 }, () => entry));
    clock.now += 1_000;
  }
  expect(await exportedUpTo(store)).toBeUndefined();
  const texts: string[] = [];
  const write = (text: string): void => void texts.push(text);
  const first = await exportAudit(store, { before: 2_000, write });
  expect(first).toMatchObject({ rows: 800, last: { index: 800, at: 1_000 } });
  expect(await exportedUpTo(store)).toEqual(first.last);
  texts.length = 0;
  const all = await exportAudit(store, { write });
  const rows = texts.join("").trimEnd().split("\n");
  const report = verifyRows(rows.map((row) => JSON.parse(row) as AuditRow));
  expect(report).toMatchObject({ ok: true, rows: 2_400, head: all.last?.hash });
  // What was exported once stays so.
  await exportAudit(store, { before: 2_000, write });
  expect(await exportedUpTo(store)).toEqual(all.last);
  expect(await exportAudit(store, { before: 0, write })).toEqual({ rows: 0 });
});

it("notes nothing when a row could not be written", async () => {
  const store = new MemoryStore();
  await store.audit.append([entry]);
  const full = async (): Promise<never> => {
    throw new Error("no space");
  };
  await expect(exportAudit(store, { write: full })).rejects.toThrow("no space");
  expect(await exportedUpTo(store)).toBeUndefined();
});
