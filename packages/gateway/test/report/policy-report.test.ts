import { MemoryStore } from "@toolglot/trp-core";
import type { AuditEntry } from "@toolglot/trp-core/store";
import { describe, expect, it } from "vitest";
import { policyReport } from "../../src/report/policy-report.ts";

const plain: AuditEntry = {
  kind: "outcome",
  tenant: "default",
  principal: "agent",
  trace_id: "",
  session_id: "",
  catalog_epoch: 0,
  seq: 0,
  call_id: "",
  idx: 0,
  cap_id: "cap.mcp.shop.refund.v1",
  idempotency_key: null,
  policy_decision: "allow",
  policy_rule: "medium-allowed",
  policy_version: "1",
  policy_digest: null,
  attempt: 1,
  latency_ms: 1,
  result_status: "SUCCESS",
  error_class: null,
  error_code: null,
};

describe("the report about the policy", () => {
  it("counts by rule, server and tool, and says what observing would have done", async () => {
    const clock = { now: Date.UTC(2026, 10, 1) };
    const store = new MemoryStore({ now: () => clock.now });
    const add = async (...entries: Partial<AuditEntry>[]): Promise<void> => {
      await store.audit.append(entries.map((entry) => ({ ...plain, ...entry })));
      clock.now += 86_400_000;
    };
    await add({}, {}, { kind: "decision", result_status: "STARTED" });
    const asked = { policy_decision: "approve", policy_rule: "high-needs-approval" } as const;
    await add({ ...asked, result_status: "REFUSED", error_code: "TRP_4002" }, { ...asked });
    await add({ kind: "approval", policy_decision: "approve", policy_rule: null, result_status: "APPROVED" });
    await add({ policy_decision: "deny", policy_rule: "no", result_status: "REFUSED", error_code: "TRP_4001" });
    await add(
      { policy_rule: "would-deny:no", cap_id: "cap.mcp.files.write-abcdef.v2" },
      { policy_rule: "would-approve:high-needs-approval", cap_id: "cap.own.v1" },
      { policy_decision: null, policy_rule: null, result_status: "REFUSED", error_code: "TRP_2001" },
    );
    const { lines, rows } = await policyReport(store);
    expect(rows).toBe(10);
    const facts = lines.map((line) => [
      `${line.applied ? "" : "would "}${line.decision} ${line.rule}`,
      `${line.server}/${line.tool}`,
      line.calls,
      line.asked,
      line.refused,
      line.last.slice(0, 10),
    ]);
    expect(facts).toEqual([
      ["allow medium-allowed", "shop/refund", 2, 0, 0, "2026-11-01"],
      ["approve high-needs-approval", "shop/refund", 2, 1, 0, "2026-11-02"],
      ["would approve high-needs-approval", "/cap.own.v1", 1, 0, 0, "2026-11-05"],
      ["would deny no", "files/write-abcdef", 1, 0, 0, "2026-11-05"],
      ["deny no", "shop/refund", 1, 0, 1, "2026-11-04"],
    ]);
    const late = await policyReport(store, { since: Date.UTC(2026, 10, 5) });
    expect(late.lines.map(({ applied }) => applied)).toEqual([false, false]);
    expect(late.since).toBe("2026-11-05T00:00:00.000Z");
  });

  it("reads the log in pages, each row once", async () => {
    const store = new MemoryStore();
    for (let page = 0; page < 5; page++) {
      await store.audit.append(Array.from({ length: 500 }, (_, at) => ({ ...plain, policy_rule: `r${at % 7}` })));
    }
    const limits: (number | undefined)[] = [];
    const audit: typeof store.audit = {
      ...store.audit,
      read: async (range) => {
        limits.push(range?.limit);
        return store.audit.read(range);
      },
    };
    const { rows, lines } = await policyReport({ audit });
    expect(rows).toBe(2_500);
    expect(lines.reduce((sum, { calls }) => sum + calls, 0)).toBe(2_500);
    expect(limits).toEqual([1_000, 1_000, 1_000]);
  });

  it("refuses options that it doesn't know", async () => {
    await expect(policyReport(new MemoryStore(), { form: 1 } as never)).rejects.toThrow(TypeError);
  });
});
