import { columnText } from "@toolglot/internal";
import { outcomeOf } from "@toolglot/trp-core/store";
import type { Value } from "../drivers/types.ts";
import type { Transaction } from "../transaction.ts";
import { type FixedCall, replyOf, type Session } from "./session-rows.ts";

/** A frame that a session remembers. */
interface Frame {
  digest: Value;
  /** The calls that it brought, without those whose id was another call's. */
  calls: string[];
  /** JSON. */
  reply: Value;
  /** Whether its only row is that of its only call. */
  isFolded: boolean;
}

export function findFrame(tx: Transaction, { n }: Session, frameId: string): Frame | undefined {
  const id = columnText(frameId);
  const row = tx.get("SELECT digest, calls, reply FROM frames WHERE session = ? AND frame_id = ?", n, id);
  if (row) {
    const calls = tx.parse<string[]>(row.calls, "frames", frameId, Array.isArray);
    return { digest: row.digest as Value, calls, reply: row.reply as Value, isFolded: false };
  }
  const call = tx.get("SELECT frame_digest, record, reply FROM calls WHERE session = ? AND frame = ?", n, id);
  if (!call) return undefined;
  const { callId } = fixedOf(tx, call.record, frameId);
  return { digest: call.frame_digest as Value, calls: [callId], reply: call.reply as Value, isFolded: true };
}

/**
 * Writes the frame that is in a call's row into a row of its own, with its reply; the call keeps its outcome. For a call that
 * from now on is another frame's, or that is remembered longer than its frame.
 */
export function unfold(tx: Transaction, { n }: Session, callId: string): void {
  const id = columnText(callId);
  const sql =
    "SELECT seq, frame, frame_digest, record, reply FROM calls WHERE session = ? AND call_id = ? AND frame IS NOT NULL";
  const call = tx.get(sql, n, id);
  if (!call) return;
  const { seq, frame, frame_digest: digest, reply } = call as Record<string, Value>;
  const write = "UPDATE calls SET frame = NULL, frame_digest = NULL WHERE session = ? AND call_id = ?";
  tx.run(write, n, id);
  if (typeof reply === "string") {
    const outcome = JSON.stringify(outcomeOf(replyOf(tx, reply, "calls", callId)));
    tx.run("UPDATE calls SET outcome = ?, reply = NULL WHERE session = ? AND call_id = ?", outcome, n, id);
  }
  const insert = "INSERT INTO frames (session, seq, frame_id, digest, calls, reply) VALUES (?, ?, ?, ?, ?, ?)";
  const calls = JSON.stringify([fixedOf(tx, call.record, callId).callId]);
  tx.run(insert, n, seq as Value, frame as Value, digest as Value, calls, reply as Value);
}

function fixedOf(tx: Transaction, record: Value | undefined, key: string): FixedCall {
  return tx.parse<FixedCall>(record, "calls", key, (value) => typeof value.callId === "string");
}
