import type { OperationRecord } from "@toolglot/core";
import type { RouterStore } from "../../store/types.ts";
import { busy, settledFromRecord, settledIfBegun } from "../outcome.ts";
import type { Settled } from "../types.ts";

// A call can be cancelled before it starts here although another router has begun it. Another router can also have
// ended a call that was begun here. The outcome is then in the record of the operation. A released operation leaves no
// record, but the release writes the outcome into the record of the call. So the operation must be read first, and then
// the call.

/**
 * Returns the state of a call that any router has begun. Undefined when no router has, or when the store holds no answer.
 * `record` is the operation's record and must be read before this function is called. For a cancelled call it must be
 * read after the call was marked as cancelled, because from then on the call can't start. Rejects when the store does.
 */
export async function begunAnyway(
  sessions: RouterStore["sessions"],
  call: { sessionId: string; callId: string },
  record: OperationRecord | undefined,
): Promise<Settled | undefined> {
  if (record?.startedAt !== undefined) return settledFromRecord(record) ?? busy();
  const { outcome } = (await sessions.readCall(call.sessionId, call.callId)) ?? {};
  return settledIfBegun(outcome);
}
