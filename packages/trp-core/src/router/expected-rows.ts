import { auditKey } from "../audit/logger.ts";
import type { AuditRow } from "../audit/types.ts";
import { familyOf, operationOf, ownerOf, tenantWide } from "../calls/keys.ts";
import type { RouterStore } from "../store/types.ts";

/** What operations and audit rows of a store say of each other: both were written in one transaction. */
export interface ExpectedRows {
  /** How many operations there are. */
  readonly size: number;
  /** Notes a row of the log, in their order. */
  found(row: AuditRow): void;
  /** What does not fit, in words. `since`: rows from before this time were dropped. */
  problem(since?: number): string | undefined;
}

interface Expected {
  isBegun: boolean;
  /** How its end must be in the log; a doubt need not. */
  end: "SUCCESS" | "FAILED" | undefined;
  startedAt: number;
  isDone: boolean;
  /** A row says that it succeeded, since it was begun last. */
  saysDone: boolean;
}

/** What rows say of an operation that the store does not have. */
interface Unknown {
  at: number;
  /** Until when the store must have it. */
  until: number;
}

/** How these rows and operations are to be compared. */
interface Comparison {
  /** What rows up to this one say must be true of the operations. */
  upTo: number;
  /** How long operations are remembered from their end. */
  keyTtlMs: number;
}

const pieceSize = 1_000;
/** The clock is read twice for one transaction. */
const slackMs = 1_000;

/**
 * Reads the operations. What was begun has a row that says so, and what is over one about its end; what rows say was
 * begun, and is not over or was done a short time ago, has an operation; and what rows call a success is one.
 */
export async function expectedRows(
  store: Pick<RouterStore, "operations" | "now">,
  { upTo, keyTtlMs }: Comparison,
): Promise<ExpectedRows> {
  const { operations } = store;
  const expected = new Map<string, Expected>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { records, last }: Awaited<ReturnType<typeof operations.scan>> = await operations.scan(after, pieceSize);
    for (const { scope, key, state, startedAt } of records) {
      const owner = ownerOf(scope);
      // Others may keep operations of their own in the same store.
      if (owner === undefined || startedAt === undefined) continue;
      const end = state === "done" ? "SUCCESS" : state === "failed" ? "FAILED" : undefined;
      const id = `${scope} ${auditKey(owner.tenant, key)}`;
      expected.set(id, { isBegun: false, end, startedAt, isDone: state === "done", saysDone: false });
    }
    after = last;
  }
  const now = store.now();
  const unknown = new Map<string, Unknown>();

  /** Of a row whose operation is not in the store. */
  function note(id: string, { at, entry }: AuditRow): void {
    const { kind, result_status: status } = entry;
    if (status === "STARTED") unknown.set(id, { at, until: Number.POSITIVE_INFINITY });
    const before = unknown.get(id);
    if (before === undefined || status === "STARTED") return;
    // A failure may have set the key free. Others may be refused, or get the outcome again, while it stands.
    if (status === "FAILED" || kind === "resolution") unknown.delete(id);
    if (status !== "SUCCESS" || before.until < Number.POSITIVE_INFINITY) return;
    if (at + keyTtlMs - slackMs <= now) unknown.delete(id);
    else unknown.set(id, { at: before.at, until: at + keyTtlMs });
  }

  return {
    size: expected.size,
    found(row) {
      const { tenant, principal, cap_id, idempotency_key: key, result_status: status } = row.entry;
      if (key === null) return;
      const idOf = (owner: string): string =>
        `${operationOf({ tenant, principal: owner }, familyOf(cap_id), "").scope} ${key}`;
      const own = idOf(principal);
      const rows = expected.get(own) ?? expected.get(idOf(tenantWide));
      if (rows === undefined) {
        if (row.index <= upTo || unknown.has(own)) note(own, row);
        return;
      }
      if (status === "STARTED") {
        rows.isBegun = true;
        rows.saysDone = false;
      }
      if (status === rows.end) rows.end = undefined;
      if (status === "SUCCESS" && row.index <= upTo) rows.saysDone = true;
    },
    problem(since = Number.NEGATIVE_INFINITY) {
      for (const [id, { isBegun, end, startedAt, isDone, saysDone }] of expected) {
        const name = `an operation that was started at ${new Date(startedAt).toISOString()}`;
        const key = `key ${id.slice(-71)}`;
        if (saysDone && !isDone) return `${name} has not succeeded, and a row says that it has, ${key}`;
        if (startedAt <= since || (isBegun && end === undefined)) continue;
        const what = isBegun ? `the row about its end (${end})` : "the row about its start";
        return `${name} has no row: ${what} is missing, ${key}`;
      }
      for (const [id, { at, until }] of unknown) {
        if (until <= now) continue;
        const what = until < Number.POSITIVE_INFINITY ? "has succeeded" : "is not over";
        const time = new Date(at).toISOString();
        return `an operation that was started at ${time} is not in the store: by its rows it ${what}, key ${id.slice(-71)}`;
      }
      return undefined;
    },
  };
}
