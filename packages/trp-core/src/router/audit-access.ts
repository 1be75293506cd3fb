import { checkKeys } from "@toolglot/internal";
import { verifyRows } from "../audit/chain.ts";
import type { AuditReport, AuditRow, VerifyOptions } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import { type ExpectedRows, expectedRows } from "./expected-rows.ts";

type Audited = Pick<RouterStore, "audit" | "durability" | "operations">;

/** Rows of the audit log, in order of their index. */
export async function readAudit({ audit }: Audited, range?: { after?: number; limit?: number }): Promise<AuditRow[]> {
  checkKeys("audit.read", range, "after limit");
  return audit.read(range);
}

const pageSize = 1_000;

/**
 * Reads the whole audit log and checks it, a page at a time: every hash, a head that was noted elsewhere, and that each
 * operation in the store has its rows. Rejects when the store does.
 */
export async function verifyAudit(store: Audited, options: VerifyOptions = {}): Promise<AuditReport> {
  checkKeys("verify", options, "expect");
  const { expect } = options;
  checkExpected(expect);
  const { audit, durability } = store;
  // Before the rows: those of an operation are written with it.
  const expected = await expectedRows(store);
  const operations = expected.size;
  let last: { index: number; hash: string } | undefined;
  let rows = 0;
  let isWhole = true;
  let isNoted = false;
  for (;;) {
    const page = await audit.read({ limit: pageSize, ...(last === undefined ? {} : { after: last.index }) });
    const [first] = page;
    // A store in memory keeps the newest rows only: what it holds is checked.
    if (last === undefined && durability === "none" && first !== undefined) {
      last = { index: first.index - 1, hash: first.prevHash };
      isWhole = first.index === 1;
    }
    const report = verifyRows(page, last);
    rows += page.length;
    const end = { ...report, rows, operations };
    const noted = page.find(({ index }) => index === expect?.index);
    if (noted !== undefined && noted.hash !== expect?.hash) {
      const problem = `row ${noted.index} is not the one that was noted`;
      return broken({ ...end, brokenAt: report.brokenAt ?? noted.index, problem: report.problem ?? problem });
    }
    if (!report.ok) return broken(end);
    isNoted ||= noted !== undefined;
    for (const { entry } of page) expected.found(entry);
    last = page.at(-1) ?? last;
    if (page.length === pageSize) continue;
    const brokenAt = (last?.index ?? 0) + 1;
    if (expect !== undefined && !isNoted) {
      return broken({ ...end, brokenAt, problem: `row ${expect.index}, which was noted, is not in the log` });
    }
    const missing = isWhole ? expected.missing() : undefined;
    if (missing !== undefined) return broken({ ...end, brokenAt, problem: missing });
    return { ...end, trust: trustIn(isWhole ? expected : undefined, isNoted ? expect : undefined) };
  }
}

function broken(report: Omit<AuditReport, "trust" | "ok">): AuditReport {
  return { ...report, ok: false, trust: "The log can't be trusted: something was taken out, changed or put in." };
}

/** How far a log that holds can be trusted. */
function trustIn(rows: ExpectedRows | undefined, noted: VerifyOptions["expect"]): string {
  const parts = ["Every row follows from the one before it."];
  if (rows !== undefined) parts.push(`Each of the ${rows.size} operations in the store has its rows.`);
  parts.push(
    noted === undefined
      ? "Whoever can write the store could have made all of it anew: note the head elsewhere, and expect it next time."
      : `Row ${noted.index} is the one that was noted: up to it nothing was changed since.`,
  );
  return parts.join(" ");
}

function checkExpected(expected: VerifyOptions["expect"]): void {
  if (expected === undefined) return;
  const { index, hash } = expected ?? {};
  if (!(Number.isSafeInteger(index) && index > 0) || typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new TypeError("verify: expect must be { index, hash } of a row: a whole number from 1, and 64 hex digits");
  }
}
