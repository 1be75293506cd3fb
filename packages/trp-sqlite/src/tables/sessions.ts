import {
  type Admission,
  type AdmissionResult,
  type AdmittedCall,
  type CallRecord,
  checkAdmission,
  checkSession,
  forgetUpTo,
  idTaken,
  type KnownCall,
  knownCall,
  type SessionStore,
  stayingOutcome,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { frameReply, moveReply, sameTransactionText, writeSameTransaction } from "./answers.ts";
import {
  callColumns,
  callIds,
  callOf,
  type Fixed,
  type FixedCall,
  findCall,
  findSession,
  isOwner,
  recordOf,
  type Session,
} from "./session-rows.ts";

/** Sessions in SQLite. */
export function sqliteSessions(commits: GroupCommit): SessionStore {
  return {
    async create(wanted) {
      checkSession(wanted);
      const { id, tenant, principal, agentId, view, ttlMs } = wanted;
      const features = [...wanted.features];
      return commits.write((tx) => {
        const now = tx.now();
        const fixed: Fixed = { id, tenant, principal, agentId, features, createdAt: now, expiresAt: now + ttlMs };
        const taken = tx.get("SELECT n FROM sessions WHERE id = ?", columnText(id));
        if (taken) throw idTaken("sessions.create", id);
        tx.run(
          "INSERT INTO sessions (id, expected_seq, view, expires_at, record) VALUES (?, 1, ?, ?, ?)",
          ...[columnText(id), view, fixed.expiresAt, JSON.stringify(fixed)],
        );
        tx.drop(`session ${id}`);
        return { ...fixed, view, expectedSeq: 1 };
      });
    },
    async read(id, { tenant, principal }) {
      return commits.read((tx) => {
        const session = findSession(tx, id);
        return session && isOwner(session.fixed, { tenant, principal }) ? recordOf(session) : undefined;
      });
    },
    async setView(id, from, to) {
      return commits.write((tx) => {
        const session = findSession(tx, id);
        if (session?.view !== from) return false;
        tx.run("UPDATE sessions SET view = ? WHERE n = ?", to, session.n);
        session.view = to;
        return true;
      });
    },
    async admit(admission) {
      checkAdmission(admission);
      const copy = { ...admission, calls: admission.calls.map((call) => ({ ...call })) };
      return commits.write((tx) => admit(tx, copy));
    },
    async answer(answer, { audit = [] } = {}) {
      const beside = sameTransactionText({ audit, answer });
      return commits.write((tx) => writeSameTransaction(tx, beside));
    },
    async readCall(sessionId, callId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        return session && findCall(tx, session, callId);
      });
    },
    async cancelCall(sessionId, callId) {
      return commits.write((tx) => {
        const session = findSession(tx, sessionId);
        const call = session && findCall(tx, session, callId);
        if (session === undefined || call === undefined || call.isCancelled) return call;
        const { digest, frameId, operation } = call;
        const record: FixedCall = { callId, digest, frameId, ...(operation && { operation }), isCancelled: true };
        const sql = "UPDATE calls SET record = ? WHERE session = ? AND call_id = ?";
        tx.run(sql, JSON.stringify(record), session.n, columnText(callId));
        return { ...call, isCancelled: true as const };
      });
    },
    async callsInFlight(sessionId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        if (!session) return [];
        const sql = `SELECT ${callColumns} FROM calls WHERE session = ? AND outcome IS NULL AND reply IS NULL ORDER BY seq, place`;
        return tx.all(sql, session.n).map((row) => callOf(tx, row, session, sessionId));
      });
    },
  };
}

function admit(tx: Transaction, admission: Admission): AdmissionResult {
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
  const upTo = forgetUpTo(seq, admission.keepFrames);
  if (upTo > 0) {
    tx.run("DELETE FROM frames WHERE session = ? AND seq <= ?", n, upTo);
    const old = `DELETE FROM calls WHERE session = ? AND seq <= ?
      AND (outcome IS NOT NULL OR reply IS NOT NULL OR deadline <= ?)`;
    tx.run(old, n, upTo, now);
  }
  return { status: "admitted", session: recordOf(session), calls: known };
}

/** The next seq holds at once, and is written once for all frames of a transaction. */
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
