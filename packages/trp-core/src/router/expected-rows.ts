import { auditKey } from "../audit/logger.ts";
import type { AuditRow } from "../audit/types.ts";
import { familyOf, operationOf, ownerOf, tenantWide } from "../calls/keyed/keys.ts";
import type { RouterStore } from "../store/types.ts";

/** Compares the operations of a store with its audit rows. Both are written in one transaction, so they must agree. */
export interface ExpectedRows {
  /** How many operations the store has. */
  readonly size: number;
  /** Takes the next row of the log. */
  found(row: AuditRow): void;
  /** The first disagreement, in words. `since`: rows from before this time were dropped. */
  problem(since?: number): string | undefined;
}

interface Expected {
  isBegun: boolean;
  /** The end that a row must report. Undefined when none needs to, as for an operation in doubt. */
  end: "SUCCESS" | "FAILED" | undefined;
  startedAt: number;
  isDone: boolean;
  /** Whether a row after its last start reports a success. */
  saysDone: boolean;
}

/** An operation that rows report, but that the store does not have. */
interface Unknown {
  at: number;
  /** The store must have it until this time. */
  until: number;
}

/** The options of the comparison. */
interface Comparison {
  /** Only rows up to this one are certainly older than the operations that were read, and so must agree with them. */
  upTo: number;
  /** How long the store remembers an operation after its end. Milliseconds. */
  keyTtlMs: number;
}

const pieceSize = 1_000;
/** Tolerance, because one transaction reads the clock twice. Milliseconds. */
const slackMs = 1_000;

/**
 * Reads the operations of the store, to compare them with the audit rows by these rules:
 *
 * - A started operation has a row about its start, and an ended one also has a row about its end.
 * - When rows report a start without an end, or a success that is not older than `keyTtlMs`, the store has the
 *   operation.
 * - When a row reports a success, the operation in the store has succeeded.
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
      // The same store may also hold operations that are not a router's.
      if (owner === undefined || startedAt === undefined) continue;
      const end = state === "done" ? "SUCCESS" : state === "failed" ? "FAILED" : undefined;
      const id = `${scope} ${auditKey(owner.tenant, key)}`;
      expected.set(id, { isBegun: false, end, startedAt, isDone: state === "done", saysDone: false });
    }
    after = last;
  }
  const now = store.now();
  const unknown = new Map<string, Unknown>();

  /** Notes a row whose operation is not in the store. */
  function note(id: string, { at, entry }: AuditRow): void {
    const { kind, result_status: status } = entry;
    if (status === "STARTED") unknown.set(id, { at, until: Number.POSITIVE_INFINITY });
    const before = unknown.get(id);
    if (before === undefined || status === "STARTED") return;
    // A failure may have set the key free. Rows of other kinds, such as refusals and replays, change nothing.
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
