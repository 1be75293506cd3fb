import { columnText, textOfColumn } from "@toolglot/internal";
import {
  type CallOutcome,
  type CallRecord,
  outcomeOf,
  type ResponseFrame,
  type SessionRecord,
  type Who,
} from "@toolglot/trp-core/store";
import type { Reader, Row, Transaction } from "../database/transaction.ts";

/** What of a session never changes, as it is kept. */
export type Fixed = Omit<SessionRecord, "view" | "expectedSeq">;
/** What of a call is in no other column. */
export type FixedCall = Omit<CallRecord, "outcome" | "sessionId" | "deadline">;

/** A session in one transaction. */
export interface Session {
  n: number;
  fixed: Fixed;
  view: string;
  expectedSeq: number;
}

const columns = "n, expected_seq, view, record";

/** Reads a session that has not expired, and locks its row. */
export async function lockSession(tx: Transaction, id: string): Promise<Session | undefined> {
  return await sessionAt(tx, id, "FOR NO KEY UPDATE");
}

/** Reads a session that has not expired. */
export async function findSession(reader: Reader, id: string): Promise<Session | undefined> {
  return await sessionAt(reader, id, "");
}

async function sessionAt(reader: Reader, id: string, lock: string): Promise<Session | undefined> {
  const row = await reader.get(`SELECT ${columns} FROM @sessions WHERE id = $1 ${lock}`, columnText(id));
  if (!row) return undefined;
  const fixed = reader.parse<Fixed>(row.record, "sessions", id, isFixed);
  if (fixed.expiresAt <= (await reader.now())) return undefined;
  return { n: Number(row.n), fixed, view: textOfColumn(row.view as string), expectedSeq: Number(row.expected_seq) };
}

function isFixed(value: Fixed): boolean {
  return typeof value.expiresAt === "number" && typeof value.tenant === "string" && Array.isArray(value.features);
}

/** Returns a copy for the caller. */
export function recordOf({ fixed, view, expectedSeq }: Session): SessionRecord {
  return { ...fixed, features: [...fixed.features], view, expectedSeq };
}

export const callColumns = "call_id, deadline, record, outcome, reply";

export async function findCall(reader: Reader, session: Session, callId: string): Promise<CallRecord | undefined> {
  return (await callsAt(reader, session, [callId], "")).get(callId);
}

/** Reads calls of a session, by their ids, and locks their rows: the lock of the session does not keep others from answering them. */
export async function lockCalls(
  tx: Transaction,
  session: Session,
  callIds: readonly string[],
): Promise<Map<string, CallRecord>> {
  return await callsAt(tx, session, callIds, "FOR UPDATE");
}

async function callsAt(
  reader: Reader,
  session: Session,
  callIds: readonly string[],
  lock: string,
): Promise<Map<string, CallRecord>> {
  const sql = `SELECT ${callColumns} FROM @calls WHERE session = $1 AND call_id = ANY($2) ${lock}`;
  const rows = callIds.length === 0 ? [] : await reader.all(sql, session.n, callIds.map(columnText));
  const calls = rows.map((row) => callOf(reader, row, session));
  return new Map(calls.map((call) => [call.callId, call]));
}

export function callOf(reader: Reader, row: Row, { fixed }: Session): CallRecord {
  const key = String(row.call_id);
  const call = reader.parse<FixedCall>(row.record, "calls", key, (value) => typeof value.frameId === "string");
  const { callId, digest, frameId, operation, isCancelled } = call;
  const record: CallRecord = { sessionId: fixed.id, callId, digest, frameId, deadline: Number(row.deadline) };
  if (operation) record.operation = operation;
  if (isCancelled) record.isCancelled = true;
  if (row.reply !== null) record.outcome = outcomeOf(replyOf(reader, row.reply, "calls", key));
  else if (row.outcome !== null) {
    record.outcome = reader.parse<CallOutcome>(row.outcome, "calls", key, (value) => "payload" in value);
  }
  return record;
}

export function replyOf(reader: Reader, text: unknown, table: string, key: string): ResponseFrame {
  return reader.parse<ResponseFrame>(text, table, key, (value) => "payload" in value);
}

export function isOwner(session: Fixed, who: Who): boolean {
  return session.tenant === who.tenant && session.principal === who.principal;
}
