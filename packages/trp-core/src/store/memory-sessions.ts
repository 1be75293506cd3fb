import { checkSession, idTaken } from "./checks.ts";
import { copyJson } from "./copy-json.ts";
import type { KeptSession, MemoryTables } from "./memory-tables.ts";
import { checkAdmission, forgetUpTo, knownCall, stayingOutcome } from "./session-rules.ts";
import type {
  Admission,
  AdmissionResult,
  AdmittedCall,
  Answer,
  CallRecord,
  KnownCall,
  SessionRecord,
  SessionStore,
  Who,
} from "./types.ts";

/** Sessions of a `MemoryStore`. */
export class MemorySessions implements SessionStore {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async create(session: Parameters<SessionStore["create"]>[0]): Promise<SessionRecord> {
    const now = this.#tables.enter();
    checkSession(session);
    const { id, tenant, principal, agentId, features, view, ttlMs } = session;
    if (this.#tables.sessions.has(id)) throw idTaken("sessions.create", id);
    const record: SessionRecord = {
      ...{ id, tenant, principal, agentId, features: [...features], view },
      expectedSeq: 1,
      createdAt: now,
      expiresAt: now + ttlMs,
    };
    this.#tables.added(now);
    this.#tables.sessions.set(id, { record, frames: new Map(), calls: new Map() });
    return copySession(record);
  }

  async read(id: string, who: Who): Promise<SessionRecord | undefined> {
    const record = this.#tables.session(id, this.#tables.enter())?.record;
    return record && isOwner(record, who) ? copySession(record) : undefined;
  }

  async setView(id: string, from: string, to: string): Promise<boolean> {
    const record = this.#tables.session(id, this.#tables.enter())?.record;
    if (!record || record.view !== from) return false;
    record.view = to;
    return true;
  }

  async admit(admission: Admission): Promise<AdmissionResult> {
    const now = this.#tables.enter();
    checkAdmission(admission);
    const { sessionId, frameId, digest, seq, calls } = admission;
    const session = this.#tables.session(sessionId, now);
    if (!session || !isOwner(session.record, admission)) return { status: "no-session" };
    const { record } = session;
    const frame = session.frames.get(frameId);
    if (frame) {
      if (frame.digest !== digest) return { status: "frame-reused", session: copySession(record) };
      const reply = frame.reply && { reply: copyJson(frame.reply) };
      return { status: "duplicate", session: copySession(record), ...reply, frameCalls: [...frame.calls] };
    }
    if (seq > record.expectedSeq) return { status: "gap", session: copySession(record) };
    const known: Record<string, KnownCall> = Object.create(null);
    for (const { callId, digest } of calls) {
      known[callId] = knownCall(copyCall(session.calls.get(callId)?.record), digest);
    }
    if (seq < record.expectedSeq) return { status: "stale", session: copySession(record), calls: known };
    record.expectedSeq = seq + 1;
    const brought: string[] = [];
    for (const call of calls) {
      if (known[call.callId]?.status === "reused" || brought.includes(call.callId)) continue;
      brought.push(call.callId);
      keepCall(session, call, admission, now);
    }
    session.frames.set(frameId, { digest, seq, calls: brought });
    forget(session, forgetUpTo(seq, admission.keepFrames), now);
    return { status: "admitted", session: copySession(record), calls: known };
  }

  async answer(answer: Answer): Promise<void> {
    const now = this.#tables.enter();
    this.prepare(answer, now)();
  }

  /** Copies the answer; what is returned then keeps it, and can't fail. */
  prepare({ sessionId, frameId, reply, outcomes }: Answer, now: number): () => void {
    const keptReply = copyJson(reply);
    const kept = Object.entries(outcomes).map(([callId, outcome]) => {
      // A RESULT and the outcome of its call are mostly one object.
      const payload = outcome.payload === reply.payload ? keptReply.payload : copyJson(outcome.payload);
      return [callId, { ...outcome, payload } as typeof outcome] as const;
    });
    return () => {
      const session = this.#tables.session(sessionId, now);
      if (!session) return;
      const frame = session.frames.get(frameId);
      if (frame) frame.reply = keptReply;
      for (const [callId, outcome] of kept) {
        const call = session.calls.get(callId)?.record;
        if (call && (frame ? frame.calls.includes(callId) : call.frameId === frameId)) call.outcome = outcome;
      }
    };
  }

  async readCall(sessionId: string, callId: string): Promise<CallRecord | undefined> {
    return copyCall(this.#tables.session(sessionId, this.#tables.enter())?.calls.get(callId)?.record);
  }

  async callsInFlight(sessionId: string): Promise<CallRecord[]> {
    const session = this.#tables.session(sessionId, this.#tables.enter());
    const open: CallRecord[] = [];
    for (const { record } of session?.calls.values() ?? []) if (!record.outcome) open.push(copyCall(record));
    return open;
  }
}

function isOwner(record: SessionRecord, who: Who): boolean {
  return record.tenant === who.tenant && record.principal === who.principal;
}

function keepCall(session: KeptSession, call: AdmittedCall, { sessionId, frameId, seq }: Admission, now: number): void {
  const { callId, digest, operation, timeoutMs } = call;
  const before = session.calls.get(callId);
  const outcome = stayingOutcome(before?.record);
  const record: CallRecord = { sessionId, callId, digest, frameId, deadline: now + timeoutMs };
  if (operation) record.operation = { scope: operation.scope, key: operation.key };
  if (outcome) record.outcome = outcome;
  // Put at the end: the map is in order of seq.
  if (before) session.calls.delete(callId);
  session.calls.set(callId, { seq, record });
}

function forget({ frames, calls }: KeptSession, upTo: number, now: number): void {
  if (upTo <= 0) return;
  for (const [id, { seq }] of frames) {
    if (seq > upTo) break;
    frames.delete(id);
  }
  for (const [id, { seq, record }] of calls) {
    if (seq > upTo) break;
    if (record.outcome || record.deadline <= now) calls.delete(id);
  }
}

function copySession(record: SessionRecord): SessionRecord {
  return { ...record, features: [...record.features] };
}

function copyCall<Call extends CallRecord | undefined>(record: Call): Call {
  return copyJson(record);
}
