import type { BatchItemResult, NackPayload, ResponseOf, ResultPayload, RetryHint } from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { clock, pause } from "./limits.ts";
import type { CallFacts } from "./outcome.ts";
import type { Session } from "./session.ts";
import type { Sending } from "./transmit.ts";

/** A final answer, however it came. */
export type Answered =
  | { frame_type: "RESULT"; payload: ResultPayload | BatchItemResult }
  | { frame_type: "NACK"; payload: NackPayload };

/** Asks for the outcome of a call that runs. */
export async function pollOutcome(
  connection: Connection,
  session: Session,
  call: Pick<CallFacts, "callId" | "capId">,
  hint: RetryHint | undefined,
  sending: Omit<Sending, "repeats">,
): Promise<Answered | "not-found" | "running"> {
  const { limits } = sending;
  for (let asked = 1; ; asked++) {
    const waitMs = Math.max(
      Math.min(50 * 2 ** Math.min(asked - 1, 10), 2000),
      asked === 1 ? (hint?.backoff_ms ?? 0) : 0,
    );
    if (clock() + waitMs >= limits.deadline) return "running";
    await pause(waitMs, limits);
    const query = { ...sending, waitMs: connection.requestTimeoutMs, repeats: true };
    const answer = await connection.exchange(session, "RESULT_QUERY_REQ", { call_id: call.callId }, query);
    if (answer.frame_type === "ACK" || answer.frame_type === "PARTIAL_RESULT") continue;
    const end = queryEnd(answer, call);
    if (end !== "running") return end === "stop" ? "running" : end;
  }
}

/** Reads the answer to a result query. `running`: ask again; `stop`: asking again would bring nothing better. */
export function queryEnd(
  answer: ResponseOf<"RESULT_QUERY_RES"> | ResponseOf<"NACK">,
  call: { readonly capId: string | undefined },
): Answered | "not-found" | "running" | "stop" {
  if (answer.frame_type === "NACK") return toCallError(answer.payload).retryable ? "running" : "stop";
  // A plain router may leave out what is null.
  const { status, result = null, error = null } = answer.payload;
  if (status === "NOT_FOUND") return "not-found";
  if (status === "IN_PROGRESS") return "running";
  if (result !== null) {
    const isOther = call.capId !== undefined && (result.cap_id ?? call.capId) !== call.capId;
    return isOther ? "stop" : { frame_type: "RESULT", payload: result };
  }
  if (error !== null && status === "FAILED") return { frame_type: "NACK", payload: error };
  return "stop";
}
