import type { JsonValue, OperationKey, OperationRecord, OperationState } from "@toolglot/core";
import { type KeptOperation, operationFreeAt, rememberedOperation, tidyOperation } from "@toolglot/core/operation-log";
import type { OperationFilter } from "@toolglot/trp-core/store";
import type { Row, Value } from "../driver.ts";
import { columnText, type Transaction } from "../transaction.ts";

/** A row, with data and outcome as text until they are asked for. */
export interface Stored {
  kept: KeptOperation;
  data: string | null;
  outcome: string | null;
}

const columns = "kept, data, outcome";

/** What is still known of a key: nothing, the record alone when its outcome is to be forgotten, or all of it. */
export function findOperation(tx: Transaction, { scope, key }: OperationKey): Stored | undefined {
  const row = tx.get(
    `SELECT ${columns} FROM operations WHERE scope = ? AND key = ?`,
    columnText(scope),
    columnText(key),
  );
  if (!row) return undefined;
  const stored = storedOf(tx, row, key);
  const now = tx.now();
  if (!tidyOperation(stored.kept, now)) return undefined;
  return rememberedOperation(stored.kept, now) ? stored : { ...stored, data: null, outcome: null };
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

/** Writes a record; data and outcome stay as they were before unless given. */
export function writeOperation(
  tx: Transaction,
  kept: KeptOperation,
  before: Stored | undefined,
  { data, outcome }: { data?: string; outcome?: string },
): void {
  const { outcome: _, data: __, ...record } = kept.record;
  const { scope, key, state, fence, leaseUntil, expiresAt } = record;
  const open = state === "done" || state === "failed" ? 0 : 1;
  const freeAt = operationFreeAt(kept);
  const dueAt = expiresAt ?? (Number.isFinite(freeAt) ? freeAt : null);
  tx.run(
    `INSERT INTO operations (scope, key, state, open, fence, lease_until, due_at, ${columns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (scope, key) DO UPDATE SET state = excluded.state, open = excluded.open, fence = excluded.fence,
     lease_until = excluded.lease_until, due_at = excluded.due_at, kept = excluded.kept,
     data = excluded.data, outcome = excluded.outcome`,
    ...[columnText(scope), columnText(key), state, open, fence, leaseUntil, dueAt],
    ...[JSON.stringify({ ...kept, record }), data ?? before?.data ?? null, outcome ?? before?.outcome ?? null],
  );
}

/** Oldest claims first. */
export function listOperations(
  tx: Transaction,
  { states, leaseExpired, scopePrefix, limit }: Required<OperationFilter>,
): OperationRecord[] {
  const now = tx.now();
  const leaseUntil = leaseExpired ? now : Number.MAX_VALUE;
  const found = states.flatMap((state: OperationState) => {
    const open = state === "done" || state === "failed" ? 0 : 1;
    const sql = `SELECT ${columns} FROM operations WHERE open = ${open} AND state = ? AND lease_until <= ?
      AND (due_at IS NULL OR due_at > ?) AND substr(scope, 1, length(?)) = ? ORDER BY fence LIMIT ?`;
    const prefix = columnText(scopePrefix);
    return tx.all(sql, state, leaseUntil, now, prefix, prefix, limit).map((row) => storedOf(tx, row, state));
  });
  found.sort((one, other) => one.kept.record.fence - other.kept.record.fence);
  return found.slice(0, limit).map((stored) => recordOf(tx, stored));
}

/** Drops what is forgotten, and the outcomes of what is only known to have been. Gives whether there may be more. */
export function pruneOperations(tx: Transaction, atOnce: number): boolean {
  const now = tx.now();
  const sql = `SELECT scope, key, ${columns} FROM operations WHERE due_at <= ? LIMIT ?`;
  const due = tx.all(sql, now, atOnce);
  const tidy = due.map((row) => ({ row, kept: tidyOperation(storedOf(tx, row, String(row.key)).kept, now) }));
  for (const { row, kept } of tidy) {
    const at = [row.scope as string, row.key as string];
    if (kept) {
      // Still known, but in no list any more.
      const strip = "UPDATE operations SET state = 'forgotten', due_at = ?, data = NULL, outcome = NULL";
      tx.run(`${strip} WHERE scope = ? AND key = ?`, operationFreeAt(kept), ...at);
    } else tx.run("DELETE FROM operations WHERE scope = ? AND key = ?", ...at);
  }
  return due.length === atOnce;
}

function storedOf(tx: Transaction, { kept, data, outcome }: Row, key: string): Stored {
  return {
    kept: tx.parse<KeptOperation>(kept, "operations", key, isKept),
    data: data as string | null,
    outcome: outcome as string | null,
  };
}

function isKept({ record, ttlMs, keepMs }: KeptOperation): boolean {
  return (
    typeof record === "object" &&
    typeof record.fence === "number" &&
    typeof record.leaseUntil === "number" &&
    typeof record.fingerprint === "string" &&
    typeof ttlMs === "number" &&
    typeof keepMs === "number"
  );
}

function jsonOf(tx: Transaction, text: Value, key: string): JsonValue {
  return tx.parse<{ value: JsonValue }>(`{"value":${String(text)}}`, "operations", key, () => true).value;
}
