import { checkKeys } from "@toolglot/internal";
import { verifyRows } from "../audit/chain.ts";
import type { AuditCheckpoint, AuditReport, AuditRow, CheckpointVerifier, VerifyOptions } from "../audit/types.ts";
import type { RouterStore } from "../store/types.ts";
import { type ExpectedRows, expectedRows } from "./expected-rows.ts";
import { type TrustedCheckpoints, trustedCheckpoints } from "./trusted-checkpoints.ts";

type Audited = Pick<RouterStore, "audit" | "durability" | "now" | "operations">;

/** Rows of the audit log, in order of their index. */
export async function readAudit({ audit }: Audited, range?: { after?: number; limit?: number }): Promise<AuditRow[]> {
  checkKeys("audit.read", range, "after:number limit:number");
  return audit.read(range);
}

/** Checkpoints, in order of their index. */
export async function readCheckpoints(
  { audit }: Audited,
  range?: { after?: number; limit?: number },
): Promise<AuditCheckpoint[]> {
  checkKeys("audit.checkpoints", range, "after:number limit:number");
  return audit.checkpoints(range);
}

const pageSize = 1_000;

/**
 * Reads the whole audit log and checks it, one page after another: every hash, every checkpoint, the row in `expect`,
 * and whether operations and rows agree. Rejects when the store does.
 */
export async function verifyAudit(
  store: Audited,
  times: { keyTtlMs: number },
  options: VerifyOptions = {},
): Promise<AuditReport> {
  checkKeys("verify", options, "expect:object keys:object[]");
  const { expect, keys } = options;
  checkExpected(expect);
  checkVerifiers(keys);
  const { audit, durability } = store;
  const trusted = await stableCheckpoints(audit, keys);
  const { newest, from } = trusted;
  const { row: head } = await audit.head();
  // The operations are read before the rows, so that every operation found has its rows by then.
  const expected = await expectedRows(store, { upTo: head?.index ?? 0, keyTtlMs: times.keyTtlMs });
  const found = { operations: expected.size, checkpoints: trusted.count, ...(newest && { checkpoint: newest }) };
  let last: { index: number; hash: string } | undefined;
  let rows = 0;
  let isWhole = true;
  let isNoted = false;
  let begins: { index: number; at: number } | undefined;
  for (;;) {
    const page = await audit.read({ limit: pageSize, ...(last === undefined ? {} : { after: last.index }) });
    const [first] = page;
    if (last === undefined && first !== undefined && first.index > 1) {
      begins = first;
      // The log begins late. A store in memory keeps only the newest rows; other stores drop rows as checkpoints allow.
      isWhole = durability !== "none";
      const least = isWhole ? Math.min(from, first.index) : first.index;
      if (least > 1) last = { index: least - 1, hash: first.prevHash };
    }
    const report = verifyRows(page, last);
    rows += page.length;
    const end = { ...report, rows, ...found, ...(begins && { from: begins.index }) };
    const noted = page.find(({ index }) => index === expect?.index);
    if (noted !== undefined && noted.hash !== expect?.hash) {
      const problem = `row ${noted.index} is not the one that was noted`;
      return broken({ ...end, brokenAt: report.brokenAt ?? noted.index, problem: report.problem ?? problem });
    }
    if (!report.ok) return broken(end);
    const wrong = trusted.wrongIn(page);
    if (wrong !== undefined) return broken({ ...end, brokenAt: wrong.index, problem: wrong.problem });
    isNoted ||= noted !== undefined;
    for (const row of page) expected.found(row);
    last = page.at(-1) ?? last;
    if (page.length === pageSize) continue;
    const brokenAt = (last?.index ?? 0) + 1;
    const ending = trusted.problemAtEnd(last?.index ?? 0);
    if (ending !== undefined) return broken({ ...end, brokenAt, problem: ending });
    if (expect !== undefined && !isNoted) {
      const start = begins && expect.index < begins.index ? `, which begins with row ${begins.index}` : "";
      return broken({ ...end, brokenAt, problem: `row ${expect.index}, which was noted, is not in the log${start}` });
    }
    const missing = isWhole ? expected.problem(begins?.at) : undefined;
    if (missing !== undefined) return broken({ ...end, brokenAt, problem: missing });
    const noting = last && { last: { index: last.index, hash: last.hash } };
    const trust = trustIn(isWhole ? expected : undefined, isNoted ? expect : undefined, end, keys !== undefined);
    return { ...end, ...noting, trust };
  }
}

/**
 * Reads the checkpoints. Reads them again when a prune has dropped rows meanwhile, because a newer checkpoint allows
 * it.
 */
async function stableCheckpoints(
  audit: RouterStore["audit"],
  keys: VerifyOptions["keys"],
): Promise<TrustedCheckpoints> {
  const found = await trustedCheckpoints(audit, keys);
  const [first] = await audit.read({ limit: 1 });
  return first === undefined || first.index <= found.from ? found : await trustedCheckpoints(audit, keys);
}

function broken(report: Omit<AuditReport, "trust" | "ok">): AuditReport {
  return { ...report, ok: false, trust: "The log can't be trusted: something was taken out, changed or put in." };
}

/** Returns in words how far a log without a fault can be trusted. */
function trustIn(
  operations: ExpectedRows | undefined,
  noted: VerifyOptions["expect"],
  { checkpoint, from }: Pick<AuditReport, "checkpoint" | "from">,
  isSigned: boolean,
): string {
  const parts = ["Every row follows from the one before it."];
  if (from !== undefined) parts.push(`The log begins with row ${from}: those before were dropped for their age.`);
  if (operations !== undefined) parts.push(`Each of the ${operations.size} operations in the store has its rows.`);
  if (noted !== undefined)
    parts.push(`Row ${noted.index} is the one that was noted: up to it nothing was changed since.`);
  if (isSigned && checkpoint !== undefined) {
    const time = new Date(checkpoint.at).toISOString();
    parts.push(
      `Row ${checkpoint.index} was signed at ${time}: up to it nothing was changed by anybody without the key. ` +
        "What was signed later may have been cut off with its checkpoints, unless its row was noted elsewhere.",
    );
  } else if (noted === undefined) {
    parts.push(
      "Whoever can write the store could have made all of it anew: note the head elsewhere, and expect it next time.",
    );
  }
  return parts.join(" ");
}

function checkVerifiers(keys: VerifyOptions["keys"]): void {
  if (keys === undefined) return;
  const isVerifier = (given: CheckpointVerifier): boolean =>
    typeof given?.key === "string" && typeof given.verify === "function";
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isVerifier)) return;
  throw new TypeError("verify: keys must be a list of verifiers; checkpointVerifier makes one of a public key");
}

function checkExpected(expected: VerifyOptions["expect"]): void {
  if (expected === undefined) return;
  const { index, hash } = expected ?? {};
  if (!(Number.isSafeInteger(index) && index > 0) || typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new TypeError("verify: expect must be { index, hash } of a row: a whole number from 1, and 64 hex digits");
  }
}
