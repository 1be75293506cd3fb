import type { OperationKey, OperationRecord } from "@toolglot/core";
import type { CallOutcome } from "../../store/frame-types.ts";
import type { RouterOperationLog, RouterStore } from "../../store/types.ts";
import { busy, settledFromRecord, settledIfBegun } from "../outcome.ts";
import type { Settled } from "../types.ts";

// What the store knows of an operation, besides what it answers to a start.

/** Reads what stands in the way of a call. That somebody settled a doubt as not applied does not: the key is free. */
export async function readOperation(
  operations: Pick<RouterOperationLog, "read">,
  key: OperationKey,
  effectId?: string,
): Promise<OperationRecord | undefined> {
  const record = await operations.read(key, effectId);
  return record?.state === "released" ? undefined : record;
}

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

/**
 * Returns the outcome of an operation in doubt, for a call that was answered `UNKNOWN`, after a person
 * has settled it. `gone`: the store no longer has the operation, because the person settled it as not applied, or
 * because its outcome has expired. Undefined while nobody has settled it, and for calls with another outcome.
 */
export async function afterDoubt(
  operations: Pick<RouterStore["operations"], "read">,
  outcome: CallOutcome | undefined,
): Promise<Settled | "gone" | undefined> {
  const doubt = outcome?.type === "RESULT" ? outcome.doubt : undefined;
  if (doubt === undefined) return undefined;
  const record = await readOperation(operations, doubt);
  // An operation in doubt is never claimed. So a higher fence means that this attempt was settled and a new one
  // followed.
  if (record?.fence !== doubt.fence) return "gone";
  const settled = settledFromRecord(record);
  return settled?.kind === "unknown" ? undefined : settled;
}
