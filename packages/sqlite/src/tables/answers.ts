import { type Answer, entryText, type ResponseFrame, renewUpTo, type SameTransaction } from "@toolglot/trp-core/store";
import type { Row } from "../drivers/types.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { writeEvents } from "./outbox.ts";
import { isReply, outcomeOf } from "./reply-outcome.ts";
import { callIds, findCall, findSession, replyOf, type Session } from "./session-rows.ts";

/** An answer as texts. They are made at once, because the caller may change the answer afterwards. */
export type AnswerText = readonly [
  sessionId: string,
  frameId: string,
  reply: string | undefined,
  /** The call whose outcome is the reply. Its outcome is in no other text. */
  callId: string | undefined,
  outcomes: readonly (readonly [callId: string, outcome: string])[],
];

function answerText({ sessionId, frameId, reply, outcomes }: Answer): AnswerText {
  const entries = Object.entries(outcomes);
  const texts = (): [string, string][] => entries.map(([callId, outcome]) => [callId, JSON.stringify(outcome)]);
  if (reply === undefined) return [sessionId, frameId, undefined, undefined, texts()];
  const text = JSON.stringify(reply);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isReply(only[1], reply)) {
    return [sessionId, frameId, text, only[0], []];
  }
  return [sessionId, frameId, text, undefined, texts()];
}

/** Writes the final answer of a frame, and the outcomes of its own calls. */
function keepAnswer(tx: Transaction, answer: AnswerText): void {
  const [sessionId, frameId, reply, callId, outcomes] = answer;
  if (callId !== undefined && reply !== undefined && keepReply(tx, sessionId, frameId, callId, reply)) return;
  const session = findSession(tx, sessionId);
  if (!session) return;
  if (callId === undefined || reply === undefined) {
    keepTexts(tx, session, frameId, reply, outcomes);
    return;
  }
  const outcome = JSON.stringify(outcomeOf(JSON.parse(reply) as ResponseFrame));
  keepTexts(tx, session, frameId, reply, [[callId, outcome]]);
}

/** Writes a reply that is the outcome of its call, too. False when call, frame or session are not as they mostly are. */
function keepReply(tx: Transaction, sessionId: string, frameId: string, callId: string, reply: string): boolean {
  const frame = columnText(frameId);
  const id = columnText(callId);
  // A session of this transaction may have a seq that is not written yet.
  const session = tx.peek<Session>(`session ${sessionId}`);
  if (session !== undefined && session.fixed.expiresAt <= tx.now()) return false;
  const old = session && renewUpTo(session.expectedSeq - 1);
  return old === undefined
    ? tx.change(replyInAny, reply, columnText(sessionId), tx.now(), id, frame, renewUpTo(-1)) > 0
    : tx.change(replyInKnown, reply, session?.n as number, id, frame, old) > 0;
}

// The seq is compared because the session may have forgotten the frame, and another frame may have its id now.
const ofFrame = `call_id = ? AND frame = ?
  AND seq = (SELECT f.seq FROM frames f WHERE f.session = calls.session AND f.frame_id = calls.frame)`;
const replyInKnown = `UPDATE calls SET reply = ?, outcome = NULL WHERE session = ? AND ${ofFrame} AND seq > ?`;
const replyInAny = `UPDATE calls SET reply = ?, outcome = NULL
  WHERE session = (SELECT n FROM sessions WHERE id = ? AND expires_at > ?) AND ${ofFrame}
  AND seq > (SELECT expected_seq FROM sessions WHERE n = calls.session) + ?`;

/** Writes the answer into the frame's row, and each outcome into its call's row. */
function keepTexts(
  tx: Transaction,
  session: Session,
  frameId: string,
  reply: string | undefined,
  outcomes: AnswerText[4],
): void {
  const { n } = session;
  const last = session.expectedSeq - 1;
  const old = renewUpTo(last);
  const sql = "SELECT rowid AS n, calls FROM frames WHERE session = ? AND frame_id = ?";
  const frame = tx.get(sql, n, columnText(frameId));
  const own = frame && callIds(tx, frame, frameId);
  const kept = outcomes.filter(
    ([callId]) => own?.includes(callId) ?? findCall(tx, session, callId)?.frameId === frameId,
  );
  if (frame) {
    // An earlier reply may be stored in the call's row, as its outcome, too. The call keeps the outcome; the frame's
    // row gets the earlier reply only when there is no new one.
    const to = reply === undefined ? "frame" : undefined;
    if (own?.length === 1) moveReply(tx, session, own[0] as string, frameId, to);
    if (reply !== undefined) tx.run("UPDATE frames SET reply = ? WHERE rowid = ?", reply, frame.n as number);
  }
  for (const [callId, outcome] of kept) {
    const write = `UPDATE calls SET outcome = ?, reply = NULL, frame = iif(seq > ?, frame, NULL), seq = iif(seq > ?, seq, ?)
      WHERE session = ? AND call_id = ?`;
    tx.run(write, outcome, old, old, last, n, columnText(callId));
  }
}

/**
 * Removes the reply of a frame from its call's row, which keeps the outcome. With `to`, it moves to the frame's row.
 */
export function moveReply(
  tx: Transaction,
  { n }: Session,
  callId: string,
  frameId: string,
  to: "frame" | undefined,
): void {
  const id = columnText(callId);
  const frame = columnText(frameId);
  const found = tx.get("SELECT seq, reply FROM calls WHERE session = ? AND call_id = ? AND frame = ?", n, id, frame);
  if (typeof found?.reply !== "string") return;
  const outcome = outcomeOf(replyOf(tx, found.reply, "calls", callId));
  const sql = "UPDATE calls SET outcome = ?, reply = NULL WHERE session = ? AND call_id = ?";
  tx.run(sql, JSON.stringify(outcome), n, id);
  if (to === undefined) return;
  const move = "UPDATE frames SET reply = ? WHERE session = ? AND frame_id = ? AND seq = ?";
  tx.run(move, found.reply, n, frame, found.seq as number);
}

export function frameReply(
  tx: Transaction,
  { n }: Session,
  frame: Row,
  frameId: string,
  [callId, ...more]: string[],
): ResponseFrame | undefined {
  if (callId !== undefined && more.length === 0) {
    const sql = "SELECT reply FROM calls WHERE session = ? AND call_id = ? AND frame = ? AND seq = ?";
    const reply = tx.get(sql, n, columnText(callId), columnText(frameId), frame.seq as number)?.reply;
    if (typeof reply === "string") return replyOf(tx, reply, "calls", callId);
  }
  return frame.reply === null ? undefined : replyOf(tx, frame.reply, "frames", frameId);
}

/** What is written in the same transaction as a step, as texts. They are made when the step is requested. */
export type SameTransactionText = readonly [
  audit: readonly string[],
  events: readonly string[],
  answer: AnswerText | undefined,
];

const nothing: SameTransactionText = [[], [], undefined];

export function sameTransactionText(together: SameTransaction | undefined): SameTransactionText {
  if (together === undefined) return nothing;
  const { audit = [], answer, events = [] } = together;
  return [audit.map(entryText), events.map((event) => JSON.stringify(event)), answer && answerText(answer)];
}

export function writeSameTransaction(tx: Transaction, [audit, events, answer]: SameTransactionText): void {
  tx.audit(audit);
  writeEvents(tx, events);
  if (answer) keepAnswer(tx, answer);
}
