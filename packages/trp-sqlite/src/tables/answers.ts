import { type Answer, entryText, type ResponseFrame, type SameTransaction } from "@toolglot/trp-core/store";
import type { Row } from "../driver.ts";
import { columnText, type Transaction } from "../transaction.ts";
import { callIds, findCall, findSession, outcomeOf, replyOf, type Session } from "./session-rows.ts";

/** An answer as text, made when it is given: its owner may change it afterwards. */
interface AnswerText {
  sessionId: string;
  frameId: string;
  reply: string;
  /** The call that the reply is the outcome of: it is in no other text. */
  callId?: string;
  outcomes: [callId: string, outcome: string][];
}

function answerText({ sessionId, frameId, reply, outcomes }: Answer): AnswerText {
  const entries = Object.entries(outcomes);
  const text = JSON.stringify(reply);
  const [only] = entries;
  if (entries.length === 1 && only?.[1].payload === reply.payload && only[1].type === reply.frame_type) {
    return { sessionId, frameId, reply: text, callId: only[0], outcomes: [] };
  }
  const texts = entries.map(([callId, outcome]): [string, string] => [callId, JSON.stringify(outcome)]);
  return { sessionId, frameId, reply: text, outcomes: texts };
}

/** Writes the final answer of a frame, and the outcomes of its own calls. */
function keepAnswer(tx: Transaction, answer: AnswerText): void {
  const { sessionId, frameId, reply, callId } = answer;
  const session = findSession(tx, sessionId);
  if (!session) return;
  if (callId === undefined) {
    keepTexts(tx, session, answer);
    return;
  }
  const frame = columnText(frameId);
  // By seq: a frame of this id may have been forgotten, and the id be another's now.
  const sql = `UPDATE calls SET reply = ?, outcome = NULL WHERE session = ? AND call_id = ? AND frame = ?
    AND seq = (SELECT seq FROM frames WHERE session = ? AND frame_id = ?)`;
  if (tx.change(sql, reply, session.n, columnText(callId), frame, session.n, frame) > 0) return;
  const outcome = JSON.stringify(outcomeOf(JSON.parse(reply) as ResponseFrame));
  keepTexts(tx, session, { ...answer, outcomes: [[callId, outcome]] });
}

/** The answer in the frame's row, each outcome in the call's. */
function keepTexts(tx: Transaction, session: Session, { frameId, reply, outcomes }: AnswerText): void {
  const { n } = session;
  const sql = "SELECT rowid AS n, calls FROM frames WHERE session = ? AND frame_id = ?";
  const frame = tx.get(sql, n, columnText(frameId));
  const own = frame && callIds(tx, frame, frameId);
  const kept = outcomes.filter(
    ([callId]) => own?.includes(callId) ?? findCall(tx, session, callId)?.frameId === frameId,
  );
  if (frame) {
    // An earlier answer, which is one call's outcome as well, stays that alone.
    if (own?.length === 1) moveReply(tx, session, own[0] as string, frameId, undefined);
    tx.run("UPDATE frames SET reply = ? WHERE rowid = ?", reply, frame.n as number);
  }
  for (const [callId, outcome] of kept) {
    const write = "UPDATE calls SET outcome = ?, reply = NULL WHERE session = ? AND call_id = ?";
    tx.run(write, outcome, n, columnText(callId));
  }
}

/** Takes the answer of a frame out of its call's row, where the outcome stays; and into the frame's, if wanted. */
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

/** What is written in the same transaction as a step, as text; made when the step is asked for. */
export interface SameTransactionText {
  audit: string[];
  answer: AnswerText | undefined;
}

export function sameTransactionText({ audit = [], answer }: SameTransaction = {}): SameTransactionText {
  return { audit: audit.map(entryText), answer: answer && answerText(answer) };
}

export function writeSameTransaction(tx: Transaction, { audit, answer }: SameTransactionText): void {
  tx.audit(audit);
  if (answer) keepAnswer(tx, answer);
}
