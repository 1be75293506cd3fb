/** A frame as it is on the wire. */
// biome-ignore lint/suspicious/noExplicitAny: an agent reads what comes, without our types.
export type Frame = Record<string, any>;

/**
 * What a router can say of a call. `not-run`: cancelled, and nothing was executed. `stopped`: cancelled while it ran.
 * `denied`: a person was asked, and said no.
 */
export type Told = "success" | "unknown" | "failed" | "not-run" | "stopped" | "denied";

/** What was said, and of a success the receipt. */
export interface Said {
  told: Told;
  /** Of a RESULT: the call that was started, which may be another one with the same key. */
  callId?: string;
  receipt?: number;
  code?: string;
}

/** Pairs of statements about one call of which one is a lie. What is unknown may be found out. */
export const contrary: readonly (readonly [Told, Told])[] = [
  ["success", "not-run"],
  ["success", "stopped"],
  ["success", "failed"],
  ["success", "denied"],
  ["not-run", "stopped"],
  ["not-run", "unknown"],
  ["not-run", "failed"],
  ["denied", "unknown"],
  ["denied", "failed"],
];

/** The end that a frame tells; undefined when it tells none, or something that may be tried again. */
export function saidBy({ frame_type, payload }: Frame): Said | undefined {
  switch (frame_type) {
    case "RESULT":
      return saidByResult(payload);
    case "NACK":
      return payload.nack_of_call_id === null ? undefined : saidByNack(payload);
    case "RESULT_QUERY_RES":
      if (payload.result !== null) return saidByResult(payload.result);
      return payload.error === null ? undefined : saidByNack(payload.error);
    case "CANCEL_RES":
      if (payload.status === "CANCELLED") return { told: "not-run" };
      return payload.status === "UNKNOWN" ? { told: "unknown" } : undefined;
    default:
      return undefined;
  }
}

function saidByResult({ call_id, replayed_from: callId = call_id, status, result, error }: Frame): Said | undefined {
  if (status === "SUCCESS") return { told: "success", callId, receipt: result.data.receipt };
  return status === "UNKNOWN" ? { told: "unknown", callId } : saidByNack(error);
}

/** Whether a record of a call says that nothing of it was executed. */
export function saysNothingRan({ payload: { error, result } }: Frame): boolean {
  return result === null && error?.dispatched === false;
}

/** What was refused before it started, or may be tried again, is tried again; the rest is an end. */
function saidByNack({ error_code, error_class, dispatched, retryable, message }: Frame): Said | undefined {
  if (error_code === "TRP_3005") return { told: dispatched ? "stopped" : "not-run" };
  if (error_code === "TRP_4002") return undefined;
  if (error_code === "TRP_4001" && String(message).startsWith("Approval was denied")) return { told: "denied" };
  if (retryable || error_class === "ORDER_VIOLATION" || error_class === "INTERNAL_ERROR") return undefined;
  return { told: "failed", code: error_code };
}
