import type { JsonValue, OperationKey, OperationRecord, OperationState, Settlement } from "@toolglot/core";
import {
  type KeptOperation,
  operationFreeAt,
  rememberedOperation,
  standingOperation,
  tidyOperation,
} from "@toolglot/core/operation-log";
import { columnText } from "@toolglot/internal";
import { isUnsettled, type OperationFilter } from "@toolglot/trp-core/store";
import type { Row, Value } from "../drivers/types.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { StartedOperation, Transaction } from "../transaction.ts";

/** A row, with data and outcome as text until they are asked for. */
export interface Stored {
  /** The row's number in its table; good for one transaction. */
  n: number;
  kept: KeptOperation;
  data: string | null;
  outcome: string | null;
}

const columns = "rowid AS n, kept, data, outcome";

/** What is still known of a key: nothing, the record alone when its outcome is to be forgotten, or all of it. */
export function findOperation(tx: Transaction, { scope, key }: OperationKey): Stored | undefined {
  return find(tx, wholeRow, scope, key);
}

/** Returns the same without data and outcome, for steps that only write them. */
export function findRecord(tx: Transaction, { scope, key }: OperationKey): Stored | undefined {
  return find(tx, recordAlone, scope, key);
}

// Whole, since statements are found by their text.
const wholeRow = `SELECT ${columns} FROM operations WHERE scope = ? AND key = ?`;
const recordAlone = `SELECT rowid AS n, kept, NULL AS data, NULL AS outcome FROM operations WHERE scope = ? AND key = ?`;
const written = "state = ?, open = ?, fence = ?, lease_until = ?, due_at = ?, kept = ?";
const writeRecord = `UPDATE operations SET ${written} WHERE rowid = ?`;
const writeData = `UPDATE operations SET ${written}, data = ? WHERE rowid = ?`;
const writeOutcome = `UPDATE operations SET ${written}, outcome = ? WHERE rowid = ?`;

function find(tx: Transaction, sql: string, scope: string, key: string): Stored | undefined {
  const row = tx.get(sql, columnText(scope), columnText(key));
  if (!row) return undefined;
  const stored = storedOf(tx, row, scope, key);
  const now = tx.now();
  if (!tidyOperation(stored.kept, now)) return undefined;
  return rememberedOperation(stored.kept, now) ? stored : { ...stored, data: null, outcome: null };
}

/** Returns an operation with this effect of which nobody knows what came of it: one in doubt first, then the oldest. */
export function unsettledOperation(tx: Transaction, effectId: string): Stored | undefined {
  const now = tx.now();
  const sql = `SELECT scope, key, ${columns} FROM operations WHERE open = 1 AND effect_id = ?
    AND (state = 'in-doubt' OR lease_until <= ?) ORDER BY state <> 'in-doubt', fence`;
  for (const row of tx.all(sql, columnText(effectId), now)) {
    const stored = storedOf(tx, row);
    if (isUnsettled(stored.kept.record, now)) return stored;
  }
  return undefined;
}

/** The record with its data and outcome. */
export function recordOf(tx: Transaction, { kept, data, outcome }: Stored): OperationRecord {
  const { record } = kept;
  return {
    ...record,
    ...(data !== null && { data: jsonOf(tx, data, record.key) }),
    ...(outcome !== null && { outcome: jsonOf(tx, outcome, record.key) }),
  };
}

export interface Texts {
  data?: string;
  outcome?: string;
  effectId?: string;
}

/** 0 for the states that have an end. */
const openOf = (state: OperationState): 0 | 1 => (["done", "failed", "released"].includes(state) ? 0 : 1);

/** Returns the columns that repeat what is in the record, in the order of `written`. */
function valuesOf(kept: KeptOperation): Value[] {
  const { state, fence, leaseUntil, expiresAt } = kept.record;
  const open = openOf(state);
  const freeAt = operationFreeAt(kept);
  const dueAt = expiresAt ?? (Number.isFinite(freeAt) ? freeAt : null);
  return [state, open, fence, leaseUntil, dueAt, keptText(kept)];
}

function newValues(kept: KeptOperation, { data, outcome, effectId }: Texts): Value[] {
  const { scope, key } = kept.record;
  const effect = effectId === undefined ? null : columnText(effectId);
  return [...valuesOf(kept), columnText(scope), columnText(key), data ?? null, outcome ?? null, effect];
}

const intoOperations = `INTO operations
  (state, open, fence, lease_until, due_at, kept, scope, key, data, outcome, effect_id)`;
const insertNew = `INSERT ${intoOperations} SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM approvals WHERE scope = ? AND key = ?)
  AND NOT EXISTS (SELECT 1 FROM operations WHERE open = 1 AND effect_id = ? AND lease_until <= ?)
  AND NOT EXISTS (SELECT 1 FROM operations WHERE state = 'in-doubt' AND effect_id = ?)
  ON CONFLICT (scope, key) DO NOTHING RETURNING rowid AS n`;

/**
 * Writes an operation when the store knows nothing of its key: no operation, no approval, and no unsettled operation with
 * its effect (unless `again`). Whether that is so is found out by the write itself. False when it is not.
 */
export function insertOperation(tx: Transaction, kept: KeptOperation, texts: Texts, again: boolean): boolean {
  const values = newValues(kept, texts);
  const { scope, key } = kept.record;
  const effect = again ? null : (values.at(-1) as Value);
  const row = tx.write(insertNew, ...values, columnText(scope), columnText(key), effect, tx.now(), effect);
  if (row === undefined) return false;
  tx.noteStarted(scope, key, { n: Number(row.n), kept });
  return true;
}

/** Writes a record, with its data or its outcome when it is given; what isn't stays as it was `before`. */
export function writeOperation(tx: Transaction, kept: KeptOperation, before: Stored | undefined, texts: Texts): void {
  if (!before) {
    tx.run(`INSERT OR REPLACE ${intoOperations} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...newValues(kept, texts));
    return;
  }
  const { data, outcome, effectId } = texts;
  const values = valuesOf(kept);
  if (effectId !== undefined) {
    tx.run("UPDATE operations SET effect_id = ? WHERE rowid = ?", columnText(effectId), before.n);
  }
  if (data !== undefined) tx.run(writeData, ...values, data, before.n);
  else if (outcome !== undefined) tx.run(writeOutcome, ...values, outcome, before.n);
  else tx.run(writeRecord, ...values, before.n);
}

/** Writes a record with its outcome, unless another has changed it. */
export function writeIfSame(tx: Transaction, kept: KeptOperation, before: StartedOperation, texts: Texts): boolean {
  const values = [...valuesOf(kept), texts.outcome ?? null, before.n, keptText(before.kept)];
  return tx.change(`${writeOutcome} AND kept = ?`, ...values) > 0;
}

/** Looked at in one transaction. */
const pieceSize = 500;

/** Oldest claims first. A piece at a time: there may be many that are not asked for. */
export async function listOperations(
  commits: GroupCommit,
  { states, leaseExpired, scopePrefix, limit }: Required<OperationFilter>,
): Promise<OperationRecord[]> {
  const found: { fence: number; record: OperationRecord }[] = [];
  for (const state of states) {
    const own: typeof found = [];
    for (let above: number | undefined = -1; above !== undefined && own.length < limit; ) {
      const from: number = above;
      const piece = await commits.read((tx) => {
        const now = tx.now();
        const rows = tx.all(pieceOf(state), state, from, pieceSize);
        const wanted = rows.filter(
          (row) =>
            Number(row.lease_until) <= (leaseExpired ? now : Number.MAX_VALUE) &&
            (row.due_at === null || Number(row.due_at) > now) &&
            String(row.scope).startsWith(columnText(scopePrefix)),
        );
        const records = wanted.slice(0, limit - own.length).map((row) => {
          const stored = storedOf(tx, row);
          return { fence: stored.kept.record.fence, record: recordOf(tx, stored) };
        });
        return { records, last: rows.length < pieceSize ? undefined : Number(rows.at(-1)?.fence) };
      });
      own.push(...piece.records);
      above = piece.last;
    }
    found.push(...own);
  }
  found.sort((one, other) => one.fence - other.fence);
  return found.slice(0, limit).map(({ record }) => record);
}

function pieceOf(state: OperationState): string {
  const open = openOf(state);
  return `SELECT scope, key, fence, lease_until, due_at, ${columns} FROM operations
    WHERE open = ${open} AND state = ? AND fence > ? ORDER BY fence LIMIT ?`;
}

/** Returns all that is remembered, without data and outcomes, in order of their rows. */
export function scanOperations(
  tx: Transaction,
  after: number,
  limit: number,
): { records: OperationRecord[]; last?: number } {
  const sql = `SELECT scope, key, rowid AS n, kept, NULL AS data, NULL AS outcome FROM operations
    WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  const rows = tx.all(sql, after, limit);
  const now = tx.now();
  const records = rows.flatMap((row) => standingOperation(storedOf(tx, row).kept, now) ?? []);
  return rows.length < limit ? { records } : { records, last: Number(rows.at(-1)?.n) };
}

/** Drops what is forgotten, and the outcomes of what is only known to have been. Returns whether there may be more. */
export function pruneOperations(tx: Transaction, atOnce: number): boolean {
  const now = tx.now();
  const sql = `SELECT scope, key, ${columns} FROM operations WHERE due_at <= ? LIMIT ?`;
  const due = tx.all(sql, now, atOnce);
  const tidy = due.map((row) => ({ row, n: Number(row.n), kept: tidyOperation(storedOf(tx, row).kept, now) }));
  for (const { row, n, kept } of tidy) {
    dropParts(tx, String(row.scope), String(row.key));
    if (kept) {
      // Still known, but in no list any more.
      const strip = "UPDATE operations SET state = 'forgotten', due_at = ?, data = NULL, outcome = NULL";
      tx.run(`${strip} WHERE rowid = ?`, operationFreeAt(kept), n);
    } else tx.run("DELETE FROM operations WHERE rowid = ?", n);
  }
  return due.length === atOnce;
}

/** Drops the partial results of an operation. */
export function dropParts(tx: Transaction, scope: string, key: string): void {
  tx.run("DELETE FROM parts WHERE scope = ? AND key = ?", scope, key);
}

/** Scope and key are those that were asked for, or the columns'. */
function storedOf(tx: Transaction, row: Row, scope = String(row.scope), key = String(row.key)): Stored {
  return {
    n: Number(row.n),
    kept: keptOf(tx.parse<Kept>(row.kept, "operations", key, isKept), scope, key),
    data: row.data as string | null,
    outcome: row.outcome as string | null,
  };
}

/** A record without data and outcome, as its column has it: by place, since every call reads and writes some. */
type Kept = [
  fingerprint: string,
  state: OperationState,
  fence: number,
  owner: string,
  leaseUntil: number,
  claimedAt: number,
  startedAt: number | null,
  finishedAt: number | null,
  expiresAt: number | null,
  reason: string | null,
  ttlMs: number,
  keepMs: number,
  /** When their columns can't express them. */
  scope?: string | null,
  key?: string | null,
  /** Of few operations. */
  settled?: Settlement,
];

function keptText({ record, ttlMs, keepMs }: KeptOperation): string {
  const { scope, key, fingerprint, state, fence, owner, leaseUntil, claimedAt } = record;
  const { startedAt = null, finishedAt = null, expiresAt = null, reason = null, settled } = record;
  const kept: Kept = [
    fingerprint,
    state,
    fence,
    owner,
    leaseUntil,
    claimedAt,
    startedAt,
    finishedAt,
    expiresAt,
    reason,
    ttlMs,
    keepMs,
  ];
  if (columnText(scope) !== scope || columnText(key) !== key) kept.push(scope, key);
  else if (settled) kept.push(null, null);
  if (settled) kept.push(settled);
  return JSON.stringify(kept);
}

function keptOf(kept: Kept, scope: string, key: string): KeptOperation {
  const [fingerprint, state, fence, owner, leaseUntil, claimedAt, startedAt, finishedAt, expiresAt, reason] = kept;
  const [asked, named] = [kept[12] ?? scope, kept[13] ?? key];
  const record: OperationRecord = { scope: asked, key: named, fingerprint, state, fence, owner, leaseUntil, claimedAt };
  if (startedAt !== null) record.startedAt = startedAt;
  if (finishedAt !== null) record.finishedAt = finishedAt;
  if (expiresAt !== null) record.expiresAt = expiresAt;
  if (reason !== null) record.reason = reason;
  if (kept[14]) record.settled = kept[14];
  return { record, ttlMs: kept[10], keepMs: kept[11] };
}

function isKept(kept: Kept): boolean {
  if (!Array.isArray(kept)) return false;
  const numbers = [kept[2], kept[4], kept[5], kept[10], kept[11]];
  return typeof kept[0] === "string" && numbers.every((number) => typeof number === "number");
}

function jsonOf(tx: Transaction, text: Value, key: string): JsonValue {
  return tx.parse<{ value: JsonValue }>(`{"value":${String(text)}}`, "operations", key, () => true).value;
}
