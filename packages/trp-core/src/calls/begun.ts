import type { OperationRecord } from "@toolglot/core";
import type { RouterStore } from "../store/types.ts";
import { busy, settledFromRecord, settledIfBegun } from "./outcome.ts";
import type { Settled } from "./types.ts";

// Another router may have begun a call that is cancelled before it starts here, or have ended one that was begun here. What
// came of it is in the record of its operation. A released operation leaves no record: then it is in the call's, where it was
// written with the release. So the operation is read first, and the call after it.

/**
 * How a call stands that was begun, whoever did; undefined when that was not so, or nobody knows. `record`: of its operation,
 * read before this is called; for a cancelled call, after it was marked, which keeps it from starting. Rejects when the store does.
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
