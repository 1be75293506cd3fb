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
import type { Transaction } from "../database/transaction.ts";
import { findFrame, unfold } from "./frame-rows.ts";
import { lockCalls, lockSession, replyOf, type Session } from "./session-rows.ts";

/** An answer as texts. They are made at once, because the caller may change the answer afterwards. */
export interface AnswerText {
  sessionId: string;
  frameId: string;
  reply: string | undefined;
  /** The call whose outcome is the reply. Its outcome is in no other text. */
  callId: string | undefined;
  outcomes: readonly (readonly [callId: string, outcome: string])[];
}

function answerText({ sessionId, frameId, reply, outcomes }: Answer): AnswerText {
  const [only] = outcomes;
  const own = outcomes.length === 1 && only !== undefined && reply !== undefined && isReply(only[1], reply);
  return {
    sessionId,
    frameId,
    reply: reply === undefined ? undefined : JSON.stringify(reply),
    callId: own ? only[0] : undefined,
    outcomes: own ? [] : outcomes.map(([callId, outcome]) => [callId, JSON.stringify(outcome)]),
  };
}

/** What is written in the same transaction as a step, as texts. They are made when the step is requested. */
export interface SameTransactionText {
  audit: readonly string[];
  events: readonly string[];
  answer: AnswerText | undefined;
}

export function sameTransactionText(together: SameTransaction | undefined): SameTransactionText {
  const { audit = [], answer, events = [] } = together ?? {};
  return {
    audit: audit.map(entryText),
    events: events.map((event) => JSON.stringify(event)),
    answer: answer && answerText(answer),
  };
}

/** Characters of it. */
export function textLength(texts: SameTransactionText | undefined): number {
  let total = texts?.answer?.reply?.length ?? 0;
  for (const { length } of texts?.audit ?? []) total += length;
  for (const { length } of texts?.events ?? []) total += length;
  return total;
}

/** Locks what {@link writeSameTransaction} needs, before anything else: all transactions lock sessions first. */
export async function lockFor(tx: Transaction, ...texts: SameTransactionText[]): Promise<void> {
  const ids = new Set(texts.flatMap(({ answer }) => answer?.sessionId ?? []));
  for (const id of [...ids].sort()) await lockSession(tx, id);
}

export async function writeSameTransaction(
  tx: Transaction,
  { audit, events, answer }: SameTransactionText,
): Promise<void> {
  if (audit.length > 0) {
    const sql = "INSERT INTO @audit_new (at, entry) SELECT $1, entry FROM unnest($2::text[]) AS entry";
    await tx.change(sql, await tx.now(), audit);
  }
  if (events.length > 0) {
    const sql = "INSERT INTO @outbox_new (at, event) SELECT $1, event FROM unnest($2::text[]) AS event";
    await tx.change(sql, await tx.now(), events);
  }
  if (audit.length + events.length > 0) tx.noteStaged(audit.length + events.length);
  if (answer) await keepAnswer(tx, answer);
}

/** Writes the final answer of a frame, and the outcomes of its own calls. */
async function keepAnswer(tx: Transaction, { sessionId, frameId, reply, callId, outcomes }: AnswerText): Promise<void> {
  const session = await lockSession(tx, sessionId);
  if (!session) return;
  if (callId === undefined || reply === undefined) {
    await keepTexts(tx, session, frameId, reply, outcomes);
    return;
  }
  const last = session.expectedSeq - 1;
  const sql = `UPDATE @calls SET reply = $1, outcome = NULL
    WHERE session = $2 AND call_id = $3 AND frame = $4 AND seq > $5 AND reply IS NULL AND outcome IS NULL`;
  const values = [reply, session.n, columnText(callId), columnText(frameId), renewUpTo(last)];
  if ((await tx.change(sql, ...values)) > 0) return;
  const outcome = JSON.stringify(outcomeOf(JSON.parse(reply) as ResponseFrame));
  await keepTexts(tx, session, frameId, reply, [[callId, outcome]]);
}

/** Writes the answer into the frame's row, and each outcome into its call's row. */
async function keepTexts(
  tx: Transaction,
  session: Session,
  frameId: string,
  reply: string | undefined,
  outcomes: AnswerText["outcomes"],
): Promise<void> {
  const { n } = session;
  const last = session.expectedSeq - 1;
  let frame = await findFrame(tx, session, frameId);
  // The answer to the frame is not the outcome of its call.
  if (reply !== undefined && frame?.isFolded) {
    await unfold(tx, session, frame.calls[0] as string);
    frame = await findFrame(tx, session, frameId);
  }
  const ids = outcomes.map(([callId]) => callId);
  const found = await lockCalls(tx, session, ids);
  const kept = outcomes.filter(([callId]) => frame?.calls.includes(callId) ?? found.get(callId)?.frameId === frameId);
  const replied = frame?.reply ? replyOf(tx, frame.reply, "frames", frameId) : undefined;
  if (reply !== undefined && !staysAnswered(replied && outcomeOf(replied), outcomeOf(JSON.parse(reply)))) {
    await tx.change(
      "UPDATE @frames SET reply = $1 WHERE session = $2 AND frame_id = $3",
      reply,
      n,
      columnText(frameId),
    );
  }
  for (const [callId, outcome] of kept) {
    await unfold(tx, session, callId);
    const text = staysAnswered(found.get(callId)?.outcome, JSON.parse(outcome)) ? null : outcome;
    const write = `UPDATE @calls SET outcome = coalesce($1, outcome), reply = NULL,
      seq = CASE WHEN seq > $2 THEN seq ELSE $3 END WHERE session = $4 AND call_id = $5`;
    await tx.change(write, text, renewUpTo(last), last, n, columnText(callId));
  }
}
