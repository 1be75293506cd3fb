import {
  type Admission,
  type AdmissionResult,
  type AdmittedCall,
  type CallRecord,
  forgetUpTo,
  type KnownCall,
  knownCall,
  renewUpTo,
  stayingOutcome,
} from "@toolglot/trp-core/store";
import type { Value } from "../drivers/types.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { frameReply, moveReply } from "./answers.ts";
import {
  callIds,
  type FixedCall,
  findCall,
  findSession,
  giveBack,
  isOwner,
  recordOf,
  type Session,
  takeNext,
  takeSeq,
} from "./session-rows.ts";

/** Decides whether a frame is admitted, and records it when it is. */
export function admit(tx: Transaction, admission: Admission): AdmissionResult {
  return admitNew(tx, admission) ?? admitAny(tx, admission);
}

/**
 * Admits the session's next frame when it and its only call are new, as most are: the inserts find out whether they are.
 * Undefined for all other frames; then nothing was written.
 */
function admitNew(tx: Transaction, admission: Admission): AdmissionResult | undefined {
  const { sessionId, frameId, digest, seq, calls } = admission;
  const [call, ...more] = calls;
  if (more.length > 0) return undefined;
  const session = takeNext(tx, sessionId, seq);
  if (session === undefined) return undefined;
  const isNew =
    isOwner(session.fixed, admission) &&
    (call === undefined ||
      tx.change(`${insertCall} ${unlessKnown}`, ...callValues(tx, session, call, 0, admission)) > 0);
  const own = call === undefined ? [] : [call.callId];
  const frame = [session.n, seq, columnText(frameId), columnText(digest), JSON.stringify(own)];
  if (!isNew || tx.change(`${insertFrame} ${unlessKnown}`, ...frame) === 0) {
    if (isNew && call)
      tx.run("DELETE FROM calls WHERE session = ? AND call_id = ?", session.n, columnText(call.callId));
    giveBack(tx, session, seq);
    return undefined;
  }
  const known: Record<string, KnownCall> = Object.create(null);
  if (call !== undefined) {
    known[call.callId] = { status: "new" };
    tx.held(newCall(sessionId, call.callId), () => true);
  }
  tidy(tx, session, admission);
  return { status: "admitted", session: recordOf(session), calls: known };
}

/** Returns the key of {@link Transaction.held} of a call that this transaction has admitted for the first time, not cancelled. */
export function newCall(sessionId: string, callId: string): string {
  return `new call ${sessionId} ${callId}`;
}

function admitAny(tx: Transaction, admission: Admission): AdmissionResult {
  const { sessionId, frameId, digest, seq, calls } = admission;
  const session = findSession(tx, sessionId);
  if (!session || !isOwner(session.fixed, admission)) return { status: "no-session" };
  const { n } = session;
  const sql = "SELECT seq, digest, calls, reply FROM frames WHERE session = ? AND frame_id = ?";
  const frame = tx.get(sql, n, columnText(frameId));
  if (frame) {
    if (frame.digest !== columnText(digest)) return { status: "frame-reused", session: recordOf(session) };
    const frameCalls = callIds(tx, frame, frameId);
    const reply = frameReply(tx, session, frame, frameId, frameCalls);
    return { status: "duplicate", session: recordOf(session), ...(reply && { reply }), frameCalls };
  }
  if (seq > session.expectedSeq) return { status: "gap", session: recordOf(session) };
  const known: Record<string, KnownCall> = Object.create(null);
  for (const call of calls) known[call.callId] = knownCall(findCall(tx, session, call.callId), call.digest);
  if (seq < session.expectedSeq) return { status: "stale", session: recordOf(session), calls: known };
  const own: string[] = [];
  for (const call of calls) {
    const before = known[call.callId];
    if (before?.status === "reused" || own.includes(call.callId)) continue;
    keepCall(tx, session, call, own.length, admission, before?.status === "known" ? before.call : undefined);
    own.push(call.callId);
  }
  tx.run(insertFrame, n, seq, columnText(frameId), columnText(digest), JSON.stringify(own));
  takeSeq(tx, session, seq);
  tidy(tx, session, admission);
  return { status: "admitted", session: recordOf(session), calls: known };
}

const insertFrame = "INSERT INTO frames (session, seq, frame_id, digest, calls) VALUES (?, ?, ?, ?, ?)";
const unlessKnown = "ON CONFLICT DO NOTHING";

/** Renews the call that an admitted frame asks about, and forgets what is old. */
function tidy(tx: Transaction, session: Session, { seq, asks, keepFrames }: Admission): void {
  if (asks !== undefined) renewCall(tx, session, asks, seq, renewUpTo(seq, keepFrames));
  const upTo = forgetUpTo(seq, keepFrames);
  if (upTo <= 0) return;
  tx.run("DELETE FROM frames WHERE session = ? AND seq <= ?", session.n, upTo);
  const old = `DELETE FROM calls WHERE session = ? AND seq <= ?
    AND (outcome IS NOT NULL OR reply IS NOT NULL
      OR (deadline <= ? AND json_extract(record, '$.operation') IS NULL))`;
  tx.run(old, session.n, upTo, tx.now());
}

/** Remembers a call as if it had come with the frame `seq`, when it came with a frame up to `upTo`. */
function renewCall(tx: Transaction, session: Session, callId: string, seq: number, upTo: number): void {
  const id = columnText(callId);
  const old = tx.get("SELECT 1 FROM calls WHERE session = ? AND call_id = ? AND seq <= ?", session.n, id, upTo);
  const call = old && findCall(tx, session, callId);
  if (call === undefined) return;
  // The reply of the call's own frame stays with that frame.
  moveReply(tx, session, callId, call.frameId, "frame");
  tx.run("UPDATE calls SET seq = ?, frame = NULL WHERE session = ? AND call_id = ?", seq, session.n, id);
}

function keepCall(
  tx: Transaction,
  session: Session,
  call: AdmittedCall,
  place: number,
  admission: Admission,
  before: CallRecord | undefined,
): void {
  const values = callValues(tx, session, call, place, admission, before?.isCancelled);
  if (!before) {
    tx.run(insertCall, ...values);
    return;
  }
  if (before.outcome) moveReply(tx, session, call.callId, before.frameId, "frame");
  const outcome = stayingOutcome(before);
  tx.run(replaceCall, ...values, outcome ? JSON.stringify(outcome) : null);
}

function callValues(
  tx: Transaction,
  { n }: Session,
  { callId, digest, operation, timeoutMs }: AdmittedCall,
  place: number,
  { frameId, seq, calls }: Admission,
  isCancelled: true | undefined = undefined,
): Value[] {
  const deadline = tx.now() + Math.min(timeoutMs, Number.MAX_SAFE_INTEGER);
  const key = operation && { operation: { scope: operation.scope, key: operation.key } };
  const record: FixedCall = { callId, digest, frameId, ...key, ...(isCancelled && { isCancelled }) };
  const frame = calls.length === 1 ? columnText(frameId) : null;
  return [n, columnText(callId), seq, place, deadline, frame, JSON.stringify(record)];
}

const insertCall = `INSERT INTO calls (session, call_id, seq, place, deadline, frame, record)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const replaceCall = `INSERT INTO calls (session, call_id, seq, place, deadline, frame, record, outcome)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session, call_id) DO UPDATE SET seq = excluded.seq, place = excluded.place, deadline = excluded.deadline,
  frame = excluded.frame, record = excluded.record, outcome = excluded.outcome, reply = NULL`;
