import { columnText, textOfColumn } from "@toolglot/internal";
import {
  type CallOutcome,
  type CallRecord,
  outcomeOf,
  type ResponseFrame,
  type SessionRecord,
  type Who,
} from "@toolglot/trp-core/store";
import type { Row, Value } from "../drivers/types.ts";
import type { Transaction } from "../transaction.ts";

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

/** A session that has not expired, with the number that its rows bear. */
export function findSession(tx: Transaction, id: string): Session | undefined {
  const session = tx.held(`session ${id}`, () => readSession(tx, id));
  return session && session.fixed.expiresAt > tx.now() ? session : undefined;
}

/**
 * Takes the next seq of a session for a frame that has it: reads the session and writes the seq in one statement.
 * Undefined when the seq is not the session's next, or there is no such session. See {@link giveBack}.
 */
export function takeNext(tx: Transaction, id: string, seq: number): Session | undefined {
  const held = tx.peek<Session>(`session ${id}`);
  if (held !== undefined) {
    if (held.expectedSeq !== seq || held.fixed.expiresAt <= tx.now()) return undefined;
    takeSeq(tx, held, seq);
    return held;
  }
  const row = tx.write(takeSql, seq + 1, columnText(id), seq, tx.now());
  return row && tx.held(`session ${id}`, () => sessionOf(tx, row, id));
}

const sessionColumns = "n, expected_seq, view, record";
const takeSql = `UPDATE sessions SET expected_seq = ? WHERE id = ? AND expected_seq = ? AND expires_at > ?
  RETURNING ${sessionColumns}`;

/** Makes a seq that was taken the next one again. */
export function giveBack(tx: Transaction, session: Session, seq: number): void {
  takeSeq(tx, session, seq - 1);
}

/** Sets the next seq at once, but writes it only once for all frames of a transaction. */
export function takeSeq(tx: Transaction, session: Session, seq: number): void {
  session.expectedSeq = seq + 1;
  tx.defer(`seq ${session.n}`, () => {
    tx.run("UPDATE sessions SET expected_seq = ? WHERE n = ?", session.expectedSeq, session.n);
  });
}

function readSession(tx: Transaction, id: string): Session | undefined {
  const row = tx.get(`SELECT ${sessionColumns} FROM sessions WHERE id = ?`, columnText(id));
  return row && sessionOf(tx, row, id);
}

function sessionOf(tx: Transaction, row: Row, id: string): Session {
  const fixed = tx.parse<Fixed>(row.record, "sessions", id, isFixed);
  return { n: Number(row.n), fixed, view: textOfColumn(String(row.view)), expectedSeq: Number(row.expected_seq) };
}

function isFixed(value: Fixed): boolean {
  return typeof value.expiresAt === "number" && typeof value.tenant === "string" && Array.isArray(value.features);
}

/** Returns a copy for the caller. */
export function recordOf({ fixed, view, expectedSeq }: Session): SessionRecord {
  return { view, expectedSeq, ...fixed, features: [...fixed.features] };
}

export const callColumns = "deadline, record, outcome, reply";
const callById = `SELECT ${callColumns} FROM calls WHERE session = ? AND call_id = ?`;

export function findCall(tx: Transaction, session: Session, callId: string): CallRecord | undefined {
  const row = tx.get(callById, session.n, columnText(callId));
  return row && callOf(tx, row, session, callId);
}

export function callOf(tx: Transaction, row: Row, { fixed }: Session, key: string): CallRecord {
  const call = tx.parse<FixedCall>(row.record, "calls", key, (value) => typeof value.frameId === "string");
  const { callId, digest, frameId, operation, isCancelled } = call;
  const record: CallRecord = { sessionId: fixed.id, callId, digest, frameId, deadline: Number(row.deadline) };
  if (operation) record.operation = operation;
  if (isCancelled) record.isCancelled = true;
  if (row.reply !== null) record.outcome = outcomeOf(replyOf(tx, row.reply, "calls", key));
  else if (row.outcome !== null) {
    record.outcome = tx.parse<CallOutcome>(row.outcome, "calls", key, (value) => "payload" in value);
  }
  return record;
}

export function replyOf(tx: Transaction, text: Value | undefined, table: string, key: string): ResponseFrame {
  return tx.parse<ResponseFrame>(text, table, key, (value) => "payload" in value);
}

export function isOwner(session: Fixed, who: Who): boolean {
  return session.tenant === who.tenant && session.principal === who.principal;
}
