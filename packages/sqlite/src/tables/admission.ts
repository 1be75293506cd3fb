import { columnText } from "@toolglot/internal";
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
import type { Transaction } from "../transaction.ts";
import { findFrame, unfold } from "./frame-rows.ts";
import {
  type FixedCall,
  findCall,
  findSession,
  giveBack,
  isOwner,
  recordOf,
  replyOf,
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
  const { sessionId, frameId, digest, seq, calls, knownOnly } = admission;
  const [call, ...more] = calls;
  if (more.length > 0) return undefined;
  const session = takeNext(tx, sessionId, seq);
  if (session === undefined) return undefined;
  const { n } = session;
  const id = columnText(frameId);
  const isNew = (): boolean =>
    call === undefined
      ? tx.change(`${intoFrames} ${frameIfNew}`, n, seq, id, columnText(digest), "[]", n, id) > 0
      : tx.change(`${intoCalls} ${callIfNew}`, ...callValues(tx, session, call, 0, admission), n, id) > 0;
  if (!isOwner(session.fixed, admission) || !isNew()) {
    giveBack(tx, session, seq);
    return undefined;
  }
  const known: Record<string, KnownCall> = Object.create(null);
  if (call !== undefined) {
    if (!knownOnly) known[call.callId] = { status: "new" };
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
  const frame = findFrame(tx, session, frameId);
  if (frame) {
    if (frame.digest !== columnText(digest)) return { status: "frame-reused", session: recordOf(session) };
    const reply = frame.reply === null ? undefined : replyOf(tx, frame.reply, "frames", frameId);
    return { status: "duplicate", session: recordOf(session), ...(reply && { reply }), frameCalls: frame.calls };
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
  // The only call of a frame holds the frame, too.
  if (calls.length !== 1 || own.length === 0) {
    tx.run(
      `${intoFrames} VALUES (?, ?, ?, ?, ?)`,
      n,
      seq,
      columnText(frameId),
      columnText(digest),
      JSON.stringify(own),
    );
  }
  takeSeq(tx, session, seq);
  tidy(tx, session, admission);
  return { status: "admitted", session: recordOf(session), calls: known };
}

const intoFrames = "INSERT INTO frames (session, seq, frame_id, digest, calls)";
const frameIfNew = `SELECT ?, ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM calls WHERE session = ? AND frame = ?) ON CONFLICT DO NOTHING`;

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
  const fold =
    "UPDATE calls SET frame = NULL, frame_digest = NULL WHERE session = ? AND seq <= ? AND frame IS NOT NULL";
  tx.run(fold, session.n, upTo);
}

/** Remembers a call as if it had come with the frame `seq`, when it came with a frame up to `upTo`. */
function renewCall(tx: Transaction, session: Session, callId: string, seq: number, upTo: number): void {
  const id = columnText(callId);
  const old = tx.get("SELECT 1 FROM calls WHERE session = ? AND call_id = ? AND seq <= ?", session.n, id, upTo);
  if (old === undefined) return;
  // What brought the call stays where it is.
  unfold(tx, session, callId);
  tx.run("UPDATE calls SET seq = ? WHERE session = ? AND call_id = ?", seq, session.n, id);
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
    tx.run(`${intoCalls} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
    return;
  }
  unfold(tx, session, call.callId);
  const outcome = stayingOutcome(before);
  tx.run(replaceCall, ...values, outcome ? JSON.stringify(outcome) : null);
}

function callValues(
  tx: Transaction,
  { n }: Session,
  { callId, digest, operation, timeoutMs }: AdmittedCall,
  place: number,
  { frameId, digest: frameDigest, seq, calls }: Admission,
  isCancelled: true | undefined = undefined,
): Value[] {
  const deadline = tx.now() + Math.min(timeoutMs, Number.MAX_SAFE_INTEGER);
  const key = operation && { operation: { scope: operation.scope, key: operation.key } };
  const record: FixedCall = { callId, digest, frameId, ...key, ...(isCancelled && { isCancelled }) };
  const frame = calls.length === 1 ? [columnText(frameId), columnText(frameDigest)] : [null, null];
  return [n, columnText(callId), seq, place, deadline, ...frame, JSON.stringify(record)];
}

const callFields = "session, call_id, seq, place, deadline, frame, frame_digest, record";
const intoCalls = `INSERT INTO calls (${callFields})`;
const callIfNew = `SELECT ?, ?, ?, ?, ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM frames WHERE session = ? AND frame_id = ?) ON CONFLICT DO NOTHING`;
const replaceCall = `INSERT INTO calls (${callFields}, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (session, call_id) DO UPDATE SET seq = excluded.seq, place = excluded.place, deadline = excluded.deadline,
  frame = excluded.frame, frame_digest = excluded.frame_digest, record = excluded.record, outcome = excluded.outcome,
  reply = NULL`;
