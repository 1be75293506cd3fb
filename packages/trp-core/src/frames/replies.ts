import { flat } from "@toolglot/internal";
import { type Fault, faultPayload } from "./fault.ts";
import type { AckPayload, NackPayload, RetryHint } from "./results.ts";
import { type RequestFrame, type ResponseFrame, type ResponseOf, trpVersion } from "./types.ts";

/** What is known of a request frame when it is answered; null for what could not be read. */
export interface FrameHead {
  frameId: string | null;
  traceId: string | null;
  sessionId: string | null;
  catalogEpoch: number | null;
  seq: number | null;
  /** Of a single call or a result query. */
  callId: string | null;
}

/** The head of a frame of which nothing could be read: broken JSON, for example. */
export const emptyHead: Readonly<FrameHead> = {
  frameId: null,
  traceId: null,
  sessionId: null,
  catalogEpoch: null,
  seq: null,
  callId: null,
};

/** Stands for an id that could not be read, in fields that can't be null. */
const unknownId = "unknown";

/** The head of a frame that was read. */
export function headOf(frame: RequestFrame): FrameHead {
  return {
    frameId: frame.frame_id,
    traceId: frame.trace_id,
    sessionId: frame.session_id,
    catalogEpoch: frame.catalog_epoch,
    seq: frame.seq,
    callId: "call_id" in frame.payload ? frame.payload.call_id : null,
  };
}

/** When and at which catalog an answer is given. */
export interface ReplyOptions {
  /** Milliseconds since the epoch: the answer's `timestamp_ms`. */
  now: number;
  /** Default: the request's own. */
  catalogEpoch?: number;
}

/**
 * The answer to a frame: `frame_id` is `res_` and the request's, `trace_id`, `session_id` and `seq` are the request's.
 * A `HELLO_RES` names the session and the epoch of its payload.
 */
export function replyTo<Type extends ResponseFrame["frame_type"]>(
  head: FrameHead,
  type: Type,
  payload: ResponseOf<Type>["payload"],
  options: ReplyOptions,
): ResponseOf<Type> {
  const hello = type === "HELLO_RES" ? (payload as ResponseOf<"HELLO_RES">["payload"]) : undefined;
  const reply = {
    trp_version: trpVersion,
    frame_type: type,
    session_id: hello?.session_id ?? head.sessionId,
    frame_id: flat(`res_${head.frameId ?? unknownId}`),
    trace_id: head.traceId ?? unknownId,
    timestamp_ms: options.now,
    catalog_epoch: options.catalogEpoch ?? hello?.catalog_epoch ?? head.catalogEpoch,
    seq: head.seq,
    payload,
  };
  return reply as unknown as ResponseOf<Type>;
}

/** Refuses a frame (TRP v0.1 draft, 6.2.3). `expectedSeq`: the next seq, when the session is known. */
export function nack(
  head: FrameHead,
  fault: Fault,
  options: { now: number; expectedSeq?: number },
): ResponseOf<"NACK"> {
  const payload: NackPayload = {
    nack_of_frame_id: head.frameId,
    nack_of_call_id: head.callId,
    ...faultPayload(fault),
  };
  if (options.expectedSeq !== undefined) {
    payload.retry_hint = { expected_seq: options.expectedSeq, ...payload.retry_hint };
  }
  return replyTo(head, "NACK", payload, { now: options.now });
}

/** Creates the ACK of a known call without an outcome (TRP v0.1 draft, 6.2.2). */
export function ack(
  head: FrameHead,
  status: AckPayload["status"],
  options: { now: number; expectedSeq: number; retryHint?: RetryHint },
): ResponseOf<"ACK"> {
  const payload: AckPayload = {
    ack_of_frame_id: head.frameId ?? unknownId,
    ack_of_call_id: head.callId,
    status,
    expected_seq_next: options.expectedSeq,
  };
  if (options.retryHint !== undefined) payload.retry_hint = options.retryHint;
  return replyTo(head, "ACK", payload, { now: options.now });
}
