import { columnText, textOfColumn } from "@toolglot/internal";
import { outcomeOf } from "@toolglot/trp-core/store";
import type { Reader, Transaction } from "../database/transaction.ts";
import { type FixedCall, replyOf, type Session } from "./session-rows.ts";

/** A frame that a session remembers. A frame with a single call is in that call's row, until it needs one of its own. */
interface Frame {
  digest: string;
  /** The calls that it brought, without those whose id was another call's. */
  calls: string[];
  /** JSON. */
  reply: string | null;
  /** Whether its only row is that of its only call. */
  isFolded: boolean;
}

export async function findFrame(reader: Reader, { n }: Session, frameId: string): Promise<Frame | undefined> {
  const sql = `SELECT digest, calls, reply, NULL AS record FROM @frames WHERE session = $1 AND frame_id = $2
    UNION ALL SELECT frame_digest, NULL, reply, record FROM @calls WHERE session = $1 AND frame = $2`;
  const row = await reader.get(sql, n, columnText(frameId));
  if (!row) return undefined;
  const isFolded = row.record !== null;
  const calls = isFolded
    ? [fixedOf(reader, row.record, frameId).callId]
    : reader.parse<string[]>(row.calls, "frames", frameId, Array.isArray);
  return { digest: textOfColumn(row.digest as string), calls, reply: row.reply as string | null, isFolded };
}

/**
 * Writes the frame that is in a call's row into a row of its own, with its reply; the call keeps its outcome. For a call that
 * from now on is another frame's, or that is remembered longer than its frame.
 */
export async function unfold(tx: Transaction, { n }: Session, callId: string): Promise<void> {
  const id = columnText(callId);
  const sql = `SELECT seq, frame, frame_digest, record, reply FROM @calls
    WHERE session = $1 AND call_id = $2 AND frame IS NOT NULL FOR UPDATE`;
  const call = await tx.get(sql, n, id);
  if (!call) return;
  const { seq, frame, frame_digest: digest, reply } = call as Record<string, string | null>;
  const outcome = reply == null ? null : JSON.stringify(outcomeOf(replyOf(tx, reply, "calls", callId)));
  const write = `UPDATE @calls SET frame = NULL, frame_digest = NULL, outcome = coalesce($3, outcome), reply = NULL
    WHERE session = $1 AND call_id = $2`;
  await tx.change(write, n, id, outcome);
  const insert = "INSERT INTO @frames (session, seq, frame_id, digest, calls, reply) VALUES ($1, $2, $3, $4, $5, $6)";
  const calls = JSON.stringify([fixedOf(tx, call.record, callId).callId]);
  await tx.change(insert, n, seq ?? null, frame ?? null, digest ?? null, calls, reply ?? null);
}

function fixedOf(reader: Reader, record: unknown, key: string): FixedCall {
  return reader.parse<FixedCall>(record, "calls", key, (value) => typeof value.callId === "string");
}
