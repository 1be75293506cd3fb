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
import { columnText, type Transaction } from "../transaction.ts";
import { frameReply, moveReply } from "./answers.ts";
import { callIds, type FixedCall, findCall, findSession, isOwner, recordOf, type Session } from "./session-rows.ts";

/** Decides whether a frame is admitted, and records it when it is. */
export function admit(tx: Transaction, admission: Admission): AdmissionResult {
  const { sessionId, frameId, digest, seq, calls, asks, keepFrames } = admission;
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
  const now = tx.now();
  const own: string[] = [];
  for (const call of calls) {
    const before = known[call.callId];
    if (before?.status === "reused" || own.includes(call.callId)) continue;
    keepCall(tx, session, call, own.length, admission, before?.status === "known" ? before.call : undefined, now);
    own.push(call.callId);
  }
  tx.run(
    "INSERT INTO frames (session, seq, frame_id, digest, calls) VALUES (?, ?, ?, ?, ?)",
    ...[n, seq, columnText(frameId), columnText(digest), JSON.stringify(own)],
  );
  takeSeq(tx, session, seq);
  if (asks !== undefined) renewCall(tx, session, asks, seq, renewUpTo(seq, keepFrames));
  const upTo = forgetUpTo(seq, keepFrames);
  if (upTo > 0) {
    tx.run("DELETE FROM frames WHERE session = ? AND seq <= ?", n, upTo);
    const old = `DELETE FROM calls WHERE session = ? AND seq <= ?
      AND (outcome IS NOT NULL OR reply IS NOT NULL
        OR (deadline <= ? AND json_extract(record, '$.operation') IS NULL))`;
    tx.run(old, n, upTo, now);
  }
  return { status: "admitted", session: recordOf(session), calls: known };
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

/** Sets the next seq at once, but writes it only once for all frames of a transaction. */
function takeSeq(tx: Transaction, session: Session, seq: number): void {
  session.expectedSeq = seq + 1;
  tx.defer(`seq ${session.n}`, () => {
    tx.run("UPDATE sessions SET expected_seq = ? WHERE n = ?", session.expectedSeq, session.n);
  });
}

function keepCall(
  tx: Transaction,
  session: Session,
  { callId, digest, operation, timeoutMs }: AdmittedCall,
  place: number,
  { frameId, seq, calls }: Admission,
  before: CallRecord | undefined,
  now: number,
): void {
  const { n } = session;
  const deadline = now + Math.min(timeoutMs, Number.MAX_SAFE_INTEGER);
  const key = operation && { operation: { scope: operation.scope, key: operation.key } };
  const record: FixedCall = { callId, digest, frameId, ...key, ...(before?.isCancelled && { isCancelled: true }) };
  const frame = calls.length === 1 ? columnText(frameId) : null;
  const values = [n, columnText(callId), seq, place, deadline, frame, JSON.stringify(record)];
  if (!before) {
    tx.run(insertCall, ...values);
    return;
  }
  if (before.outcome) moveReply(tx, session, callId, before.frameId, "frame");
  const outcome = stayingOutcome(before);
  tx.run(replaceCall, ...values, outcome ? JSON.stringify(outcome) : null);
}

const insertCall = `INSERT INTO calls (session, call_id, seq, place, deadline, frame, record)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const replaceCall = `INSERT INTO calls (session, call_id, seq, place, deadline, frame, record, outcome)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session, call_id) DO UPDATE SET seq = excluded.seq, place = excluded.place, deadline = excluded.deadline,
  frame = excluded.frame, record = excluded.record, outcome = excluded.outcome, reply = NULL`;
