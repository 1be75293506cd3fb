import { verifyRows } from "../audit/chain.ts";
import type { AuditRow } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import type { AuditReport } from "./types.ts";

type Audited = Pick<RouterStore, "audit" | "durability">;

/** Rows of the audit log, in order of their index. */
export function readAudit({ audit }: Audited, range?: { after?: number; limit?: number }): Promise<AuditRow[]> {
  return audit.read(range);
}

const pageSize = 1_000;

/** Reads the whole audit log and checks every hash, a page at a time. Rejects when the store does. */
export async function verifyAudit({ audit, durability }: Audited): Promise<AuditReport> {
  let last: { index: number; hash: string } | undefined;
  let rows = 0;
  for (;;) {
    const page = await audit.read({ limit: pageSize, ...(last === undefined ? {} : { after: last.index }) });
    const [first] = page;
    // A store in memory keeps the newest rows only: what it holds is checked.
    if (last === undefined && durability === "none" && first !== undefined) {
      last = { index: first.index - 1, hash: first.prevHash };
    }
    const report = verifyRows(page, last);
    rows += page.length;
    if (!report.ok || page.length < pageSize) return { ...report, rows };
    last = page.at(-1);
  }
}
