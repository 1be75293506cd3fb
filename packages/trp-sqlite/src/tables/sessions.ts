import {
  type Admission,
  type AdmissionResult,
  type AdmittedCall,
  type Answer,
  type CallOutcome,
  type CallRecord,
  checkAdmission,
  checkSession,
  forgetUpTo,
  idTaken,
  type KnownCall,
  knownCall,
  type ResponseFrame,
  type SessionRecord,
  type SessionStore,
  stayingOutcome,
  type Who,
} from "@toolglot/trp-core/store";
import type { Row } from "../driver.ts";
import type { GroupCommit } from "../group-commit.ts";
import { columnText, type Transaction } from "../transaction.ts";

/** What of a session never changes, as it is kept. */
type Fixed = Omit<SessionRecord, "view" | "expectedSeq">;
type FixedCall = Omit<CallRecord, "outcome">;

/** An answer as text, made when it is given: its owner may change it afterwards. */
export interface AnswerText {
  sessionId: string;
  frameId: string;
  reply: string;
  outcomes: [callId: string, outcome: string][];
}

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
        return { ...fixed, view, expectedSeq: 1 };
      });
    },
    async read(id, { tenant, principal }) {
      return commits.read((tx) => {
        const session = findSession(tx, id)?.record;
        return session && isOwner(session, { tenant, principal }) ? session : undefined;
      });
    },
    async setView(id, from, to) {
      return commits.write((tx) => {
        const session = findSession(tx, id);
        if (session?.record.view !== from) return false;
        tx.run("UPDATE sessions SET view = ? WHERE n = ?", to, session.n);
        return true;
      });
    },
    async admit(admission) {
      checkAdmission(admission);
      const copy = { ...admission, calls: admission.calls.map((call) => ({ ...call })) };
      return commits.write((tx) => admit(tx, copy));
    },
    async answer(answer) {
      const text = answerText(answer);
      return commits.write((tx) => keepAnswer(tx, text));
    },
    async readCall(sessionId, callId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        return session && findCall(tx, session.n, callId);
      });
    },
    async callsInFlight(sessionId) {
      return commits.read((tx) => {
        const session = findSession(tx, sessionId);
        if (!session) return [];
        const sql = "SELECT record, outcome FROM calls WHERE session = ? AND outcome IS NULL ORDER BY seq, place";
        return tx.all(sql, session.n).map((row) => callOf(tx, row, sessionId));
      });
    },
  };
}

export function answerText({ sessionId, frameId, reply, outcomes }: Answer): AnswerText {
  const texts = Object.entries(outcomes).map(([callId, outcome]): [string, string] => [
    callId,
    JSON.stringify(outcome),
  ]);
  return { sessionId, frameId, reply: JSON.stringify(reply), outcomes: texts };
}

/** Writes the final answer of a frame, and the outcomes of its own calls. */
export function keepAnswer(tx: Transaction, { sessionId, frameId, reply, outcomes }: AnswerText): void {
  const session = findSession(tx, sessionId);
  if (!session) return;
  const { n } = session;
  const frame = tx.get(
    "SELECT rowid AS n, calls FROM frames WHERE session = ? AND frame_id = ?",
    n,
    columnText(frameId),
  );
  const own = frame && callIds(tx, frame, frameId);
  const kept = outcomes.filter(([callId]) => own?.includes(callId) ?? findCall(tx, n, callId)?.frameId === frameId);
  if (frame) tx.run("UPDATE frames SET reply = ? WHERE rowid = ?", reply, frame.n as number);
  for (const [callId, outcome] of kept) {
    tx.run("UPDATE calls SET outcome = ? WHERE session = ? AND call_id = ?", outcome, n, columnText(callId));
  }
}

function admit(tx: Transaction, admission: Admission): AdmissionResult {
  const { sessionId, frameId, digest, seq, calls } = admission;
  const found = findSession(tx, sessionId);
  if (!found || !isOwner(found.record, admission)) return { status: "no-session" };
  const { n, record: session } = found;
  const frame = tx.get(
    "SELECT digest, calls, reply FROM frames WHERE session = ? AND frame_id = ?",
    n,
    columnText(frameId),
  );
  if (frame) {
    if (frame.digest !== columnText(digest)) return { status: "frame-reused", session };
    const frameCalls = callIds(tx, frame, frameId);
    if (frame.reply === null) return { status: "duplicate", session, frameCalls };
    const reply = tx.parse<ResponseFrame>(frame.reply, "frames", frameId, (value) => "payload" in value);
    return { status: "duplicate", session, reply, frameCalls };
  }
  if (seq > session.expectedSeq) return { status: "gap", session };
  const known: Record<string, KnownCall> = Object.create(null);
  for (const call of calls) known[call.callId] = knownCall(findCall(tx, n, call.callId), call.digest);
  if (seq < session.expectedSeq) return { status: "stale", session, calls: known };
  const now = tx.now();
  tx.run("UPDATE sessions SET expected_seq = ? WHERE n = ?", seq + 1, n);
  const own: string[] = [];
  for (const call of calls) {
    const before = known[call.callId];
    if (before?.status === "reused" || own.includes(call.callId)) continue;
    keepCall(tx, n, call, own.length, admission, before?.status === "known" ? before.call : undefined, now);
    own.push(call.callId);
  }
  tx.run(
    "INSERT INTO frames (session, seq, frame_id, digest, calls) VALUES (?, ?, ?, ?, ?)",
    ...[n, seq, columnText(frameId), columnText(digest), JSON.stringify(own)],
  );
  const upTo = forgetUpTo(seq, admission.keepFrames);
  if (upTo > 0) {
    tx.run("DELETE FROM frames WHERE session = ? AND seq <= ?", n, upTo);
    const old = "DELETE FROM calls WHERE session = ? AND seq <= ? AND (outcome IS NOT NULL OR deadline <= ?)";
    tx.run(old, n, upTo, now);
  }
  return { status: "admitted", session: { ...session, expectedSeq: seq + 1 }, calls: known };
}

function keepCall(
  tx: Transaction,
  n: number,
  { callId, digest, operation, timeoutMs }: AdmittedCall,
  place: number,
  { sessionId, frameId, seq }: Admission,
  before: CallRecord | undefined,
  now: number,
): void {
  const deadline = now + Math.min(timeoutMs, Number.MAX_SAFE_INTEGER);
  const key = operation && { operation: { scope: operation.scope, key: operation.key } };
  const record: FixedCall = { sessionId, callId, digest, frameId, ...key, deadline };
  const outcome = stayingOutcome(before);
  tx.run(
    `INSERT INTO calls (session, call_id, seq, place, deadline, record, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session, call_id) DO UPDATE SET seq = excluded.seq, place = excluded.place, deadline = excluded.deadline,
     record = excluded.record, outcome = excluded.outcome`,
    ...[n, columnText(callId), seq, place, deadline, JSON.stringify(record)],
    outcome ? JSON.stringify(outcome) : null,
  );
}

/** A session that has not expired, with the number that its rows bear. */
function findSession(tx: Transaction, id: string): { n: number; record: SessionRecord } | undefined {
  const row = tx.get("SELECT n, expected_seq, view, record FROM sessions WHERE id = ?", columnText(id));
  if (!row) return undefined;
  const fixed = tx.parse<Fixed>(row.record, "sessions", id, isFixed);
  if (fixed.expiresAt <= tx.now()) return undefined;
  return { n: Number(row.n), record: { ...fixed, view: String(row.view), expectedSeq: Number(row.expected_seq) } };
}

function isFixed(value: Fixed): boolean {
  return typeof value.expiresAt === "number" && typeof value.tenant === "string" && Array.isArray(value.features);
}

function findCall(tx: Transaction, n: number, callId: string): CallRecord | undefined {
  const row = tx.get("SELECT record, outcome FROM calls WHERE session = ? AND call_id = ?", n, columnText(callId));
  return row && callOf(tx, row, callId);
}

function callOf(tx: Transaction, { record, outcome }: Row, key: string): CallRecord {
  const call = tx.parse<FixedCall>(record, "calls", key, (value) => typeof value.deadline === "number");
  if (outcome === null) return call;
  return { ...call, outcome: tx.parse<CallOutcome>(outcome, "calls", key, (value) => "payload" in value) };
}

function callIds(tx: Transaction, frame: Row, frameId: string): string[] {
  return tx.parse<string[]>(frame.calls, "frames", frameId, Array.isArray);
}

function isOwner(session: SessionRecord, who: Who): boolean {
  return session.tenant === who.tenant && session.principal === who.principal;
}
