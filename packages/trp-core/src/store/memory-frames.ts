import { copyJson, orRejected } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { ResponseFrame } from "../frames/types.ts";
import { checkSession, idTaken } from "./checks.ts";
import type {
  Admission,
  AdmissionResult,
  AdmittedCall,
  Answer,
  CallOutcome,
  CallRecord,
  FrameStore,
  KnownCall,
  SameTransaction,
  SessionRecord,
  Who,
} from "./frame-types.ts";
import type { KeptCall, KeptSession, MemoryTables } from "./memory-tables.ts";
import {
  checkAdmission,
  forgetUpTo,
  knownCall,
  outcomeOf,
  renewUpTo,
  stayingOutcome,
  staysAnswered,
} from "./session-rules.ts";

/** Sessions of a `MemoryStore`. */
export class MemoryFrames implements FrameStore {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async create(session: Parameters<FrameStore["create"]>[0]): Promise<SessionRecord> {
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

  admit(admission: Admission): MaybePromise<AdmissionResult> {
    return orRejected(() => this.#admit(admission));
  }

  #admit(admission: Admission): AdmissionResult {
    const now = this.#tables.enter();
    checkAdmission(admission);
    const { sessionId, frameId, digest, seq, calls, asks, keepFrames } = admission;
    const session = this.#tables.session(sessionId, now);
    if (!session || !isOwner(session.record, admission)) return { status: "no-session" };
    const { record } = session;
    const frame = session.frames.get(frameId);
    if (frame) {
      if (frame.digest !== digest) return { status: "frame-reused", session: copySession(record) };
      const reply = frame.reply && { reply: copyReply(frame.reply) };
      return { status: "duplicate", session: copySession(record), ...reply, frameCalls: [...frame.calls] };
    }
    if (seq > record.expectedSeq) return { status: "gap", session: copySession(record) };
    const known = knownCalls(session, admission);
    if (seq < record.expectedSeq) return { status: "stale", session: copySession(record), calls: known };
    record.expectedSeq = seq + 1;
    const brought: string[] = [];
    for (const call of calls) {
      const { callId } = call;
      const isReused = session.calls.has(callId) && known[callId]?.status === "reused";
      if (isReused || brought.includes(callId)) continue;
      brought.push(callId);
      keepCall(session, call, admission, now);
    }
    session.frames.set(frameId, { digest, seq, calls: brought });
    if (asks !== undefined) renew(session, asks, seq, renewUpTo(seq, keepFrames));
    forget(session, forgetUpTo(seq, keepFrames), now);
    return { status: "admitted", session: copySession(record), calls: known };
  }

  answer(
    answer: Answer,
    rows: Pick<SameTransaction, "audit" | "events"> & { ifAdmitted?: string } = {},
  ): MaybePromise<undefined | "not-admitted"> {
    return orRejected(() => this.#answer(answer, rows));
  }

  #answer(
    answer: Answer,
    rows: Pick<SameTransaction, "audit" | "events"> & { ifAdmitted?: string },
  ): undefined | "not-admitted" {
    const now = this.#tables.enter();
    const { audit, events, ifAdmitted } = rows;
    // No admission of this store is pending.
    if (ifAdmitted !== undefined) return "not-admitted";
    this.prepare(answer, now)();
    if (events !== undefined) this.#tables.prepareRows(rows, now)();
    else if (audit !== undefined) this.#tables.audit.append(audit, now);
    return undefined;
  }

  /** Copies the answer; what is returned then keeps it, and can't fail. */
  prepare(answer: Answer, now: number): () => void {
    const { sessionId, frameId, reply, outcomes } = answer;
    const keptReply = reply && copyReply(reply);
    const kept = outcomes.map(([callId, outcome]) => {
      const { payload } = outcome;
      // The reply and the outcome of its call are mostly one object.
      const own = keptReply && payload === reply.payload ? keptReply.payload : copyJson(payload);
      return { callId, outcome: { ...outcome, payload: own } as CallOutcome };
    });
    return () => {
      const session = this.#tables.session(sessionId, now);
      if (!session) return;
      const frame = session.frames.get(frameId);
      if (frame && keptReply) {
        const found = frame.reply && outcomeOf(frame.reply);
        if (!staysAnswered(found, outcomeOf(keptReply))) frame.reply = keptReply;
      }
      for (const { callId, outcome } of kept) {
        const call = session.calls.get(callId);
        if (call && (frame ? frame.calls.includes(callId) : call.frameId === frameId)) {
          if (!staysAnswered(call.outcome, outcome)) call.outcome = outcome;
          const last = session.record.expectedSeq - 1;
          renew(session, callId, last, renewUpTo(last));
        }
      }
    };
  }

  async readCall(sessionId: string, callId: string): Promise<CallRecord | undefined> {
    const session = this.#tables.session(sessionId, this.#tables.enter());
    return callRecord(sessionId, callId, session?.calls.get(callId));
  }

  async cancelCall(sessionId: string, callId: string): Promise<CallRecord | undefined> {
    const session = this.#tables.session(sessionId, this.#tables.enter());
    const call = session?.calls.get(callId);
    if (call !== undefined) call.isCancelled = true;
    return callRecord(sessionId, callId, call);
  }

  /** For another method's transaction. */
  isCancelled({ sessionId, callId }: { sessionId: string; callId: string }, now: number): boolean {
    return this.#tables.session(sessionId, now)?.calls.get(callId)?.isCancelled === true;
  }

  async callsInFlight(sessionId: string): Promise<CallRecord[]> {
    const session = this.#tables.session(sessionId, this.#tables.enter());
    const open: CallRecord[] = [];
    for (const [callId, call] of session?.calls ?? []) {
      if (!call.outcome) open.push(callRecord(sessionId, callId, call));
    }
    return open;
  }
}

function isOwner(record: SessionRecord, who: Who): boolean {
  return record.tenant === who.tenant && record.principal === who.principal;
}

const nothing: Record<string, KnownCall> = Object.freeze(Object.create(null));

/** Returns what was known of a frame's calls. */
function knownCalls(
  { calls: kept }: KeptSession,
  { sessionId, calls, knownOnly }: Admission,
): Record<string, KnownCall> {
  let known: Record<string, KnownCall> | undefined;
  for (const { callId, digest } of calls) {
    const found = kept.get(callId);
    // A property of a name that the engine has never seen costs far more than the look-up.
    if (found === undefined && knownOnly) continue;
    known ??= Object.create(null) as Record<string, KnownCall>;
    known[callId] = knownCall(callRecord(sessionId, callId, found), digest);
  }
  return known ?? nothing;
}

function keepCall(session: KeptSession, call: AdmittedCall, { frameId, seq }: Admission, now: number): void {
  const { callId, digest, operation, timeoutMs } = call;
  const before = session.calls.get(callId);
  // Put at the end: the map is in order of seq.
  if (before) session.calls.delete(callId);
  session.calls.set(callId, {
    seq,
    digest,
    frameId,
    operation: operation && { scope: operation.scope, key: operation.key },
    deadline: now + timeoutMs,
    outcome: stayingOutcome(before),
    isCancelled: before?.isCancelled === true,
  });
}

/** Remembers a call as if the frame of `seq` had brought it, when what brought it was `upTo` at most. */
function renew({ calls }: KeptSession, callId: string, seq: number, upTo: number): void {
  const call = calls.get(callId);
  if (call === undefined || call.seq > upTo) return;
  // Put at the end: the map is in order of seq.
  calls.delete(callId);
  calls.set(callId, { ...call, seq });
}

function forget({ frames, calls }: KeptSession, upTo: number, now: number): void {
  if (upTo <= 0) return;
  for (const [id, { seq }] of frames) {
    if (seq > upTo) break;
    frames.delete(id);
  }
  for (const [id, { seq, outcome, deadline, operation }] of calls) {
    if (seq > upTo) break;
    if (outcome || (deadline <= now && operation === undefined)) calls.delete(id);
  }
}

function copySession(record: SessionRecord): SessionRecord {
  return { ...record, features: [...record.features] };
}

/** {@link copyJson} of a reply; for results, the most frequent ones, in a fifth of its time. */
function copyReply(reply: ResponseFrame): ResponseFrame {
  if (reply.frame_type !== "RESULT") return copyJson(reply);
  const { result, error, usage, policy_proof } = reply.payload;
  // All other members are plain values.
  const payload = { ...reply.payload, usage: { ...usage } };
  if (result) {
    const { data, artifacts, warnings } = result;
    payload.result = {
      ...result,
      data: copyJson(data),
      artifacts: artifacts.length === 0 ? [] : copyJson(artifacts),
      warnings: warnings.length === 0 ? [] : copyJson(warnings),
    };
  }
  if (error) payload.error = copyJson(error);
  if (policy_proof) payload.policy_proof = { ...policy_proof };
  return { ...reply, payload };
}

/** Returns a copy of what is kept of a call. */
function callRecord<Kept extends KeptCall | undefined>(
  sessionId: string,
  callId: string,
  call: Kept,
): CallRecord | Extract<Kept, undefined> {
  if (call === undefined) return call as Extract<Kept, undefined>;
  const { digest, frameId, operation, deadline, outcome, isCancelled } = call;
  const record: CallRecord = { sessionId, callId, digest, frameId, deadline };
  if (operation) record.operation = { ...operation };
  if (outcome) record.outcome = copyJson(outcome);
  if (isCancelled) record.isCancelled = true;
  return record;
}
