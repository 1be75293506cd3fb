import { createHash } from "node:crypto";
import type { JsonValue, OperationKey, OperationRecord, OperationState, Settlement } from "@toolglot/core";
import {
  type KeptOperation,
  operationFreeAt,
  rememberedOperation,
  standingOperation,
  tidyOperation,
} from "@toolglot/core/operation-log";
import { columnText, textOfColumn } from "@toolglot/internal";
import { approvalMemoryMs, isUnsettled, type OperationFilter } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Reader, Row, Transaction, Value } from "../database/transaction.ts";

/** A row, with data and outcome as text until they are asked for. */
export interface Stored {
  /** Undefined: the row only keeps the place of an operation that an approval waits for. */
  kept: KeptOperation | undefined;
  data: string | null;
  outcome: string | null;
}

/** What a step writes beside the record, as JSON. */
export interface Texts {
  data?: string;
  outcome?: string;
  effectId?: string;
}

/** The state of a row that keeps a place. */
const placeState = "none";

/** The id of an operation's row. */
export function operationId({ scope, key }: OperationKey): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([scope, key]))
    .digest();
}

const recordColumns = `scope, key, fingerprint, state, fence, owner, lease_until, claimed_at, started_at, finished_at, expires_at,
  reason, settled, ttl_ms, keep_ms`;
const columns = `${recordColumns}, data, outcome`;
const openStates = "state IN ('claimed', 'started', 'in-doubt')";

/** Reads an operation and locks its row. The result is as of `tx.now()` afterwards. */
export async function lockOperation(tx: Transaction, of: OperationKey): Promise<Stored | undefined> {
  const row = await tx.get(`SELECT ${columns} FROM @operations WHERE id = $1 FOR UPDATE`, operationId(of));
  return row && storedOf(row);
}

/** Reads an operation. */
export async function findOperation(reader: Reader, of: OperationKey): Promise<Stored | undefined> {
  const row = await reader.get(`SELECT ${columns} FROM @operations WHERE id = $1`, operationId(of));
  return row && storedOf(row);
}

/** Returns what is still known: nothing, the record alone when its outcome is to be forgotten, or all of it. */
export function knownAt(stored: Stored | undefined, now: number): Stored | undefined {
  if (!stored?.kept || !tidyOperation(stored.kept, now)) return undefined;
  return rememberedOperation(stored.kept, now) ? stored : { ...stored, data: null, outcome: null };
}

/** Returns an operation with this effect of which nobody knows what came of it: one in doubt first, then the oldest. */
export async function unsettledOperation(reader: Reader, effectId: string, now: number): Promise<Stored | undefined> {
  const sql = `SELECT ${columns} FROM @operations WHERE effect_id = $1 AND ${openStates}
    AND (state = 'in-doubt' OR lease_until <= $2) ORDER BY state <> 'in-doubt', fence`;
  for (const row of await reader.all(sql, columnText(effectId), now)) {
    const stored = storedOf(row);
    if (stored.kept && isUnsettled(stored.kept.record, now)) return stored;
  }
  return undefined;
}

/** The record with its data and outcome. */
export function recordOf(
  reader: Pick<Reader, "parse">,
  kept: KeptOperation,
  { data, outcome }: Omit<Stored, "kept">,
): OperationRecord {
  const { record } = kept;
  return {
    ...record,
    ...(data !== null && { data: jsonOf(reader, data, record.key) }),
    ...(outcome !== null && { outcome: jsonOf(reader, outcome, record.key) }),
  };
}

/** Returns the columns of a record but its data and outcome, in the order of `written`. */
function valuesOf(kept: KeptOperation): Value[] {
  const { fingerprint, state, fence, owner, leaseUntil, claimedAt, startedAt, finishedAt, expiresAt, reason, settled } =
    kept.record;
  const freeAt = operationFreeAt(kept);
  return [
    columnText(fingerprint),
    state,
    fence,
    columnText(owner),
    Math.ceil(leaseUntil),
    claimedAt,
    startedAt ?? null,
    finishedAt ?? null,
    expiresAt === undefined ? null : Math.ceil(expiresAt),
    reason === undefined ? null : columnText(reason),
    settled === undefined ? null : JSON.stringify(settled),
    Math.ceil(kept.ttlMs),
    Math.ceil(kept.keepMs),
    expiresAt === undefined ? (Number.isFinite(freeAt) ? Math.ceil(freeAt) : null) : Math.ceil(expiresAt),
  ];
}

const written = `fingerprint, state, fence, owner, lease_until, claimed_at, started_at, finished_at, expires_at, reason, settled,
  ttl_ms, keep_ms, due_at`;
const parameters = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14";
const insertSql = `INSERT INTO @operations (${written}, id, data, outcome, effect_id, scope, key)
  VALUES (${parameters}, $15, $16, $17, $18, $19, $20) ON CONFLICT (id) DO NOTHING`;
/** `write_id` tells who has begun or ended this claim, for as long as it is the same claim. */
const updateSql = `UPDATE @operations SET (${written}) = (${parameters}), data = coalesce($16, data),
  outcome = coalesce($17, outcome), effect_id = coalesce($18, effect_id), write_id = CASE WHEN fence = $3 THEN write_id END
  WHERE id = $15`;
const replaceSql = `UPDATE @operations SET (${written}) = (${parameters}), data = $16, outcome = $17, effect_id = $18,
  write_id = NULL WHERE id = $15`;

/** Returns the parameters of a statement that writes a record. */
function parametersOf(kept: KeptOperation, { data, outcome, effectId }: Texts): Value[] {
  const effect = effectId === undefined ? null : columnText(effectId);
  return [...valuesOf(kept), operationId(kept.record), data ?? null, outcome ?? null, effect];
}

/** Writes the record of a key that has no row. False when it has got one meanwhile. */
export async function insertRow(tx: Transaction, kept: KeptOperation, texts: Texts): Promise<boolean> {
  const { scope, key } = kept.record;
  return (await tx.change(insertSql, ...parametersOf(kept, texts), columnText(scope), columnText(key))) > 0;
}

/** Writes a record in place of all that its row held. */
export async function replaceRow(tx: Transaction, kept: KeptOperation, texts: Texts): Promise<void> {
  await tx.change(replaceSql, ...parametersOf(kept, texts));
  await dropParts(tx, [operationId(kept.record)]);
}

/** Writes a record, with its data or its outcome when they are given; what isn't stays as it was. */
export async function updateRow(tx: Transaction, kept: KeptOperation, texts: Texts): Promise<void> {
  await tx.change(updateSql, ...parametersOf(kept, texts));
}

/** Makes a row that keeps the place of an operation, and locks it. False when there is a row already. */
export async function keepPlace(tx: Transaction, { scope, key }: OperationKey, until: number): Promise<boolean> {
  const sql = `INSERT INTO @operations
    (id, scope, key, fingerprint, state, fence, owner, lease_until, claimed_at, ttl_ms, keep_ms, due_at)
    VALUES ($1, $2, $3, '', '${placeState}', 0, '', 0, 0, 0, 0, $4) ON CONFLICT (id) DO NOTHING`;
  return (await tx.change(sql, operationId({ scope, key }), columnText(scope), columnText(key), until)) > 0;
}

/** Drops operations with their partial results, whose rows are locked. Where an approval waits for one, a place is kept. */
export async function dropOperations(tx: Transaction, ids: readonly Uint8Array[], retryAt: number): Promise<void> {
  const drop = `DELETE FROM @operations o WHERE id = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM @approvals a WHERE a.operation = o.id)`;
  const empty = `UPDATE @operations SET state = '${placeState}', fence = 0, fingerprint = '', owner = '', lease_until = 0,
    started_at = NULL, finished_at = NULL, expires_at = NULL, reason = NULL, settled = NULL, data = NULL, outcome = NULL,
    effect_id = NULL, due_at = $2 WHERE id = ANY($1)`;
  if ((await tx.change(drop, ids)) < ids.length) await tx.change(empty, ids, retryAt);
  await dropParts(tx, ids);
}

async function dropParts(tx: Transaction, ids: readonly Uint8Array[]): Promise<void> {
  await tx.change("DELETE FROM @parts WHERE operation = ANY($1)", ids);
}

/** How long after its approvals' expiry a place is looked at again. Milliseconds. */
export const placeMs: number = approvalMemoryMs;

/** Drops what is forgotten, and the outcomes of what is only known to have been. Returns whether there may be more. */
export async function pruneOperations(tx: Transaction, atOnce: number): Promise<boolean> {
  const now = await tx.now();
  const sql = `SELECT id, ${recordColumns}, NULL AS data, NULL AS outcome FROM @operations WHERE due_at <= $1
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
  const due = await tx.all(sql, now, atOnce);
  const gone: Uint8Array[] = [];
  const stripped: { id: Uint8Array; dueAt: number }[] = [];
  for (const row of due) {
    const { kept } = storedOf(row);
    const tidy = kept && tidyOperation(kept, now);
    if (tidy === undefined) gone.push(row.id as Uint8Array);
    else stripped.push({ id: row.id as Uint8Array, dueAt: Math.ceil(operationFreeAt(tidy)) });
  }
  if (gone.length > 0) await dropOperations(tx, gone, now + placeMs);
  if (stripped.length > 0) {
    const strip = `UPDATE @operations o SET due_at = s.due_at, data = NULL, outcome = NULL
      FROM unnest($1::bytea[], $2::bigint[]) AS s (id, due_at) WHERE o.id = s.id`;
    const ids = stripped.map(({ id }) => id);
    await tx.change(
      strip,
      ids,
      stripped.map(({ dueAt }) => dueAt),
    );
    await dropParts(tx, ids);
  }
  return due.length === atOnce;
}

/** Looked at in one transaction. */
const pieceSize = 500;

/** Oldest claims first. A piece at a time: there may be many that are not asked for. */
export async function listOperations(
  database: Database,
  { states, leaseExpired, scopePrefix, limit }: Required<OperationFilter>,
): Promise<OperationRecord[]> {
  const found: OperationRecord[] = [];
  for (const state of new Set(states)) {
    const own: OperationRecord[] = [];
    for (let above: number | undefined = -1; above !== undefined && own.length < limit; ) {
      const from: number = above;
      const piece = await database.read(async (reader) => {
        const now = await reader.now();
        const open = isOpen(state) ? `${openStates} AND` : "";
        const sql = `SELECT ${columns} FROM @operations WHERE ${open} state = $1 AND fence > $2
          AND (NOT $3 OR lease_until <= $4) AND (due_at IS NULL OR due_at > $4) AND starts_with(scope, $5)
          ORDER BY fence LIMIT $6`;
        const size = Math.min(pieceSize, limit - own.length);
        const rows = await reader.all(sql, state, from, leaseExpired, now, columnText(scopePrefix), size);
        const records = rows.flatMap((row) => {
          const stored = storedOf(row);
          return stored.kept ? recordOf(reader, stored.kept, stored) : [];
        });
        return { records, last: rows.length < size ? undefined : Number(rows.at(-1)?.fence) };
      });
      own.push(...piece.records);
      above = piece.last;
    }
    found.push(...own);
  }
  return found.sort((one, other) => one.fence - other.fence).slice(0, limit);
}

/** Returns all that is remembered, without data and outcomes, in order of their fences. */
export async function scanOperations(
  database: Database,
  after: number,
  limit: number,
): Promise<{ records: OperationRecord[]; last?: number }> {
  return await database.read(async (reader) => {
    const sql = `SELECT ${recordColumns}, NULL AS data, NULL AS outcome FROM @operations
      WHERE fence > $1 ORDER BY fence LIMIT $2`;
    const rows = await reader.all(sql, after, limit);
    const now = await reader.now();
    const records = rows.flatMap((row) => standingOperation(storedOf(row).kept, now) ?? []);
    return rows.length < limit ? { records } : { records, last: Number(rows.at(-1)?.fence) };
  });
}

function isOpen(state: OperationState): boolean {
  return state === "claimed" || state === "started" || state === "in-doubt";
}

function storedOf(row: Row): Stored {
  const { data, outcome } = row as Record<"data" | "outcome", string | null>;
  return { kept: row.state === placeState ? undefined : keptOf(row), data, outcome };
}

function keptOf(row: Row): KeptOperation {
  const text = (column: string): string => textOfColumn(row[column] as string);
  const record: OperationRecord = {
    scope: text("scope"),
    key: text("key"),
    fingerprint: text("fingerprint"),
    state: row.state as OperationState,
    fence: Number(row.fence),
    owner: text("owner"),
    leaseUntil: Number(row.lease_until),
    claimedAt: Number(row.claimed_at),
  };
  if (row.started_at !== null) record.startedAt = Number(row.started_at);
  if (row.finished_at !== null) record.finishedAt = Number(row.finished_at);
  if (row.expires_at !== null) record.expiresAt = Number(row.expires_at);
  if (row.reason !== null) record.reason = text("reason");
  if (row.settled !== null) record.settled = JSON.parse(row.settled as string) as Settlement;
  return { record, ttlMs: Number(row.ttl_ms), keepMs: Number(row.keep_ms) };
}

function jsonOf(reader: Pick<Reader, "parse">, text: string, key: string): JsonValue {
  return reader.parse<{ value: JsonValue }>(`{"value":${text}}`, "operations", key, () => true).value;
}
