import { columnText } from "@toolglot/internal";
import {
  type Answer,
  entryText,
  isReply,
  outcomeOf,
  type ResponseFrame,
  renewUpTo,
  type SameTransaction,
  staysAnswered,
} from "@toolglot/trp-core/store";
import type { Transaction } from "../transaction.ts";
import { findFrame, unfold } from "./frame-rows.ts";
import { writeEvents } from "./outbox.ts";
import { findCall, findSession, replyOf, type Session } from "./session-rows.ts";

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
  const texts = (): [string, string][] => outcomes.map(([callId, outcome]) => [callId, JSON.stringify(outcome)]);
  if (reply === undefined) return [sessionId, frameId, undefined, undefined, texts()];
  const text = JSON.stringify(reply);
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined && isReply(only[1], reply)) {
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

/**
 * Writes a reply that is the outcome of its call, too. False when call, frame or session are not as they mostly are: the call has an
 * answer already.
 */
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

const replyInKnown = `UPDATE calls SET reply = ?, outcome = NULL
  WHERE session = ? AND call_id = ? AND frame = ? AND seq > ? AND reply IS NULL AND outcome IS NULL`;
const replyInAny = `UPDATE calls SET reply = ?, outcome = NULL
  WHERE session = (SELECT n FROM sessions WHERE id = ? AND expires_at > ?) AND call_id = ? AND frame = ?
  AND seq > (SELECT expected_seq FROM sessions WHERE n = calls.session) + ? AND reply IS NULL AND outcome IS NULL`;

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
  const frame = findFrame(tx, session, frameId);
  const calls = outcomes.flatMap(([callId, outcome]) => {
    const call = findCall(tx, session, callId);
    const isOwn = frame?.calls.includes(callId) ?? call?.frameId === frameId;
    return isOwn && call ? [{ callId, outcome, found: call.outcome }] : [];
  });
  const replied = typeof frame?.reply === "string" ? replyOf(tx, frame.reply, "frames", frameId) : undefined;
  // The answer to the frame is not the outcome of its call.
  if (reply !== undefined && frame?.isFolded) unfold(tx, session, frame.calls[0] as string);
  if (reply !== undefined && !staysAnswered(replied && outcomeOf(replied), outcomeOf(JSON.parse(reply)))) {
    tx.run("UPDATE frames SET reply = ? WHERE session = ? AND frame_id = ?", reply, n, columnText(frameId));
  }
  for (const { callId, outcome, found } of calls) {
    unfold(tx, session, callId);
    const stays = staysAnswered(found, JSON.parse(outcome));
    const write = `UPDATE calls SET outcome = iif(?, outcome, ?), reply = NULL, seq = iif(seq > ?, seq, ?)
      WHERE session = ? AND call_id = ?`;
    tx.run(write, stays ? 1 : 0, outcome, old, last, n, columnText(callId));
  }
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
