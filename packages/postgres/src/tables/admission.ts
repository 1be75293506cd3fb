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
import type { Transaction, Value } from "../database/transaction.ts";
import { findFrame, unfold } from "./frame-rows.ts";
import { type FixedCall, isOwner, lockCalls, lockSession, recordOf, replyOf, type Session } from "./session-rows.ts";

/** Decides whether a frame is admitted, and records it when it is. */
export async function admit(tx: Transaction, admission: Admission): Promise<AdmissionResult> {
  const { sessionId, frameId, digest, seq, calls } = admission;
  const session = await lockSession(tx, sessionId);
  if (!session || !isOwner(session.fixed, admission)) return { status: "no-session" };
  const { n } = session;
  const frame = await findFrame(tx, session, frameId);
  if (frame) {
    if (frame.digest !== digest) return { status: "frame-reused", session: recordOf(session) };
    const reply = frame.reply === null ? undefined : replyOf(tx, frame.reply, "frames", frameId);
    return { status: "duplicate", session: recordOf(session), ...(reply && { reply }), frameCalls: frame.calls };
  }
  if (seq > session.expectedSeq) return { status: "gap", session: recordOf(session) };
  const found = await lockCalls(
    tx,
    session,
    calls.map(({ callId }) => callId),
  );
  const known: Record<string, KnownCall> = Object.create(null);
  for (const call of calls) known[call.callId] = knownCall(found.get(call.callId), call.digest);
  if (seq < session.expectedSeq) return { status: "stale", session: recordOf(session), calls: known };
  const own: string[] = [];
  for (const call of calls) {
    const before = known[call.callId];
    if (before?.status === "reused" || own.includes(call.callId)) continue;
    await keepCall(tx, session, call, own.length, admission, before?.status === "known" ? before.call : undefined);
    own.push(call.callId);
  }
  // The only call of a frame holds the frame, too.
  if (calls.length !== 1 || own.length === 0) {
    const sql = "INSERT INTO @frames (session, seq, frame_id, digest, calls) VALUES ($1, $2, $3, $4, $5)";
    await tx.change(sql, n, seq, columnText(frameId), columnText(digest), JSON.stringify(own));
  }
  await tx.change("UPDATE @sessions SET expected_seq = $1 WHERE n = $2", seq + 1, n);
  session.expectedSeq = seq + 1;
  await tidy(tx, session, admission);
  return { status: "admitted", session: recordOf(session), calls: known };
}

/** Whether {@link tidy} has something to do after an admission. */
export function isToTidy({ seq, asks, keepFrames }: Admission): boolean {
  return asks !== undefined || forgetUpTo(seq, keepFrames) > 0;
}

/** Renews the call that an admitted frame asks about, and forgets what is old. */
async function tidy(tx: Transaction, session: Session, { seq, asks, keepFrames }: Admission): Promise<void> {
  if (asks !== undefined) await renewCall(tx, session, asks, seq, renewUpTo(seq, keepFrames));
  const upTo = forgetUpTo(seq, keepFrames);
  if (upTo <= 0) return;
  await tx.change("DELETE FROM @frames WHERE session = $1 AND seq <= $2", session.n, upTo);
  const old = `DELETE FROM @calls WHERE session = $1 AND seq <= $2
    AND (outcome IS NOT NULL OR reply IS NOT NULL OR (deadline <= $3 AND strpos(record, ',"operation":{') = 0))`;
  await tx.change(old, session.n, upTo, await tx.now());
  const fold = `UPDATE @calls SET frame = NULL, frame_digest = NULL
    WHERE session = $1 AND seq <= $2 AND frame IS NOT NULL`;
  await tx.change(fold, session.n, upTo);
}

/** Remembers a call as if it had come with the frame `seq`, when it came with a frame up to `upTo`. */
async function renewCall(tx: Transaction, session: Session, callId: string, seq: number, upTo: number): Promise<void> {
  const id = columnText(callId);
  const old = "SELECT 1 FROM @calls WHERE session = $1 AND call_id = $2 AND seq <= $3";
  if ((await tx.get(old, session.n, id, upTo)) === undefined) return;
  // What brought the call stays where it is.
  await unfold(tx, session, callId);
  await tx.change("UPDATE @calls SET seq = $1 WHERE session = $2 AND call_id = $3", seq, session.n, id);
}

async function keepCall(
  tx: Transaction,
  session: Session,
  call: AdmittedCall,
  place: number,
  admission: Admission,
  before: CallRecord | undefined,
): Promise<void> {
  if (before) await unfold(tx, session, call.callId);
  const outcome = before && stayingOutcome(before);
  const deadline = (await tx.now()) + timeoutOf(call);
  const { seq } = admission;
  const values: Value[] = [session.n, columnText(call.callId), seq, place, deadline, ...frameOf(admission)];
  await tx.change(
    keepSql,
    ...values,
    fixedText(call, admission, before?.isCancelled),
    outcome ? JSON.stringify(outcome) : null,
  );
}

const keepSql = `INSERT INTO @calls (session, call_id, seq, place, deadline, frame, frame_digest, record, outcome)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (session, call_id) DO UPDATE SET seq = excluded.seq, place = excluded.place, deadline = excluded.deadline,
  frame = excluded.frame, frame_digest = excluded.frame_digest, record = excluded.record, outcome = excluded.outcome,
  reply = NULL`;

/** Returns the columns of the frame that is in the row of its only call. */
function frameOf({ frameId, digest, calls }: Admission): [string | null, string | null] {
  return calls.length === 1 ? [columnText(frameId), columnText(digest)] : [null, null];
}

/** Returns what of a call never changes, as JSON. */
export function fixedText(
  { callId, digest, operation }: AdmittedCall,
  { frameId }: Admission,
  isCancelled: true | undefined = undefined,
): string {
  const key = operation && { operation: { scope: operation.scope, key: operation.key } };
  const record: FixedCall = { callId, digest, frameId, ...key, ...(isCancelled && { isCancelled }) };
  return JSON.stringify(record);
}

/** Whole milliseconds that a column can express. */
export function timeoutOf({ timeoutMs }: AdmittedCall): number {
  return Math.ceil(Math.min(timeoutMs, 1e15));
}
