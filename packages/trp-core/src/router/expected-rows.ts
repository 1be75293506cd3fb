import { auditKey } from "../audit/logger.ts";
import type { AuditEntry } from "../audit/types.ts";
import { familyOf, operationOf, ownerOf, tenantWide } from "../calls/keys.ts";
import type { RouterStore } from "../store/types.ts";

/** The rows that the operations of a store must have in its audit log. */
export interface ExpectedRows {
  /** How many operations there are. */
  readonly size: number;
  /** Notes a row of the log. */
  found(entry: AuditEntry): void;
  /** What was not found, in words. */
  missing(): string | undefined;
}

interface Expected {
  isBegun: boolean;
  /** How its end must be in the log; a doubt need not. */
  end: "SUCCESS" | "FAILED" | undefined;
  startedAt: number;
}

const pieceSize = 1_000;

/** What was begun has a row that says so, and what is over one about its end: they were written in one transaction. */
export async function expectedRows({ operations }: Pick<RouterStore, "operations">): Promise<ExpectedRows> {
  const expected = new Map<string, Expected>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { records, last }: Awaited<ReturnType<typeof operations.scan>> = await operations.scan(after, pieceSize);
    for (const { scope, key, state, startedAt } of records) {
      const owner = ownerOf(scope);
      // Others may keep operations of their own in the same store.
      if (owner === undefined || startedAt === undefined) continue;
      const end = state === "done" ? "SUCCESS" : state === "failed" ? "FAILED" : undefined;
      expected.set(`${scope} ${auditKey(owner.tenant, key)}`, { isBegun: false, end, startedAt });
    }
    after = last;
  }
  return {
    size: expected.size,
    found({ tenant, principal, cap_id, idempotency_key: key, result_status: status }) {
      if (key === null) return;
      const of = (owner: string): Expected | undefined => {
        const { scope } = operationOf({ tenant, principal: owner }, familyOf(cap_id), "");
        return expected.get(`${scope} ${key}`);
      };
      const rows = of(principal) ?? of(tenantWide);
      if (rows === undefined) return;
      if (status === "STARTED") rows.isBegun = true;
      if (status === rows.end) rows.end = undefined;
    },
    missing() {
      for (const [id, { isBegun, end, startedAt }] of expected) {
        if (isBegun && end === undefined) continue;
        const what = isBegun ? `the row about its end (${end})` : "the row about its start";
        return `an operation that was started at ${new Date(startedAt).toISOString()} has no row: ${what} is missing, key ${id.slice(-71)}`;
      }
      return undefined;
    },
  };
}
