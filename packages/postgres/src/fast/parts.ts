import { columnText } from "@toolglot/internal";
import { type Admission, renewUpTo } from "@toolglot/trp-core/store";
import { fixedText, frameOf, timeoutOf } from "../tables/admission.ts";
import type { AnswerText, SameTransactionText } from "../tables/answers.ts";
import type { Parameters } from "./parameters.ts";

// Parts of the statements that calls are made of: data-modifying WITH queries. Each has its condition in its WHERE, so that either all
// of them write or none; which it was, the last SELECT tells.

/**
 * `s` takes the next seq of a session and `b` writes the frame, when the frame is the next one and it and its only call are new. The
 * row of the session is locked by its update, and each admission changes its seq: who waited for the row finds another seq.
 * `reply`: the frame's answer, when it is written at once.
 */
export function admissionParts(
  p: Parameters,
  admission: Admission,
  view: string | undefined,
  writeId: number,
  reply?: string,
): string[] {
  const { sessionId, tenant, principal, frameId, digest, seq } = admission;
  const [call] = admission.calls;
  const [id, next, frame] = [
    p.add(columnText(sessionId), "text"),
    p.add(seq, "bigint"),
    p.add(columnText(frameId), "text"),
  ];
  const known = [
    `EXISTS (SELECT 1 FROM @frames f WHERE f.session = s.n AND f.frame_id = ${frame})`,
    `EXISTS (SELECT 1 FROM @calls c WHERE c.session = s.n AND c.frame = ${frame})`,
  ];
  const callId = call && p.add(columnText(call.callId), "text");
  if (callId !== undefined) {
    known.push(`EXISTS (SELECT 1 FROM @calls c WHERE c.session = s.n AND c.call_id = ${callId})`);
  }
  const asExpected = view === undefined ? "" : `AND s.view = ${p.add(columnText(view), "text")}`;
  const take = `s AS (UPDATE @sessions s SET expected_seq = ${next} + 1 FROM t
    WHERE s.id = ${id} AND s.tenant = ${p.add(columnText(tenant), "text")} AND s.principal = ${p.add(columnText(principal), "text")}
    AND s.expected_seq = ${next} AND s.expires_at > t.now ${asExpected} AND NOT (${known.join(" OR ")})
    RETURNING s.n, s.view, s.record)`;
  if (call === undefined) {
    const bring = `b AS (INSERT INTO @frames (session, frame_id, seq, digest, calls)
      SELECT s.n, ${frame}, ${next}, ${p.add(columnText(digest), "text")}, '[]' FROM s)`;
    return [take, bring];
  }
  const [, frameDigest] = frameOf(admission);
  const bring = `b AS (INSERT INTO @calls (session, call_id, seq, place, deadline, frame, frame_digest, record, reply, write_id)
    SELECT s.n, ${callId}, ${next}, 0, t.now + ${p.add(timeoutOf(call), "bigint")}, ${frame}, ${p.add(frameDigest, "text")},
    ${p.add(fixedText(call, admission), "text")}, ${p.add(reply ?? null, "text")}, ${p.add(writeId, "bigint")} FROM s, t)`;
  return [take, bring];
}

/** Adds audit rows and events when `source` has a row. */
export function stagedParts(p: Parameters, { audit, events }: SameTransactionText, source: string): string[] {
  const parts: string[] = [];
  if (audit.length > 0) {
    parts.push(`a AS (INSERT INTO @audit_new (at, entry)
      SELECT t.now, entry FROM ${source}, t, unnest(${p.add(audit, "text[]")}) AS entry)`);
  }
  if (events.length > 0) {
    parts.push(`e AS (INSERT INTO @outbox_new (at, event)
      SELECT t.now, event FROM ${source}, t, unnest(${p.add(events, "text[]")}) AS event)`);
  }
  return parts;
}

/** An answer that is the outcome of its frame's only call, as most are. */
export interface PlainAnswer extends AnswerText {
  reply: string;
  callId: string;
}

export function isPlain(answer: AnswerText | undefined): answer is PlainAnswer {
  return answer?.reply !== undefined && answer.callId !== undefined;
}

/** `k` finds the call of a plain answer, when its row is also its frame's and needs no renewal. */
export function answeredCall(p: Parameters, { sessionId, frameId, callId }: PlainAnswer): string {
  return `k AS (SELECT c.session, c.call_id FROM @sessions s JOIN @calls c ON c.session = s.n, t
    WHERE s.id = ${p.add(columnText(sessionId), "text")} AND s.expires_at > t.now AND c.call_id = ${p.add(columnText(callId), "text")}
    AND c.frame = ${p.add(columnText(frameId), "text")} AND c.seq > s.expected_seq + ${renewUpTo(-1)})`;
}

/** `c` writes a plain answer into the row of `k`, when `source` has a row. */
export function answerPart(p: Parameters, { reply }: PlainAnswer, source: string, writeId: number): string {
  return `c AS (UPDATE @calls c SET reply = ${p.add(reply, "text")}, outcome = NULL, write_id = ${p.add(writeId, "bigint")}
    FROM ${source} WHERE c.session = k.session AND c.call_id = k.call_id AND c.frame IS NOT NULL RETURNING 1)`;
}
