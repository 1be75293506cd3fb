import type { JsonValue } from "@toolglot/core";

/** The nine classes of the TRP v0.1 draft (12.1). */
export type ErrorClass =
  | "TRANSIENT"
  | "ORDER_VIOLATION"
  | "CATALOG_MISMATCH"
  | "SCHEMA_MISMATCH"
  | "POLICY_DENIED"
  | "APPROVAL_REQUIRED"
  | "NON_IDEMPOTENT_BLOCKED"
  | "EXECUTOR_ERROR"
  | "INTERNAL_ERROR";

/** Every code of a router; `errorCodes` has the meaning of each. */
export type TrpCode =
  | "TRP_1001"
  | "TRP_1002"
  | "TRP_1003"
  | "TRP_1004"
  | "TRP_1005"
  | "TRP_1006"
  | "TRP_1007"
  | "TRP_1008"
  | "TRP_2000"
  | "TRP_2001"
  | "TRP_2002"
  | "TRP_2003"
  | "TRP_2004"
  | "TRP_2005"
  | "TRP_2006"
  | "TRP_2007"
  | "TRP_2008"
  | "TRP_3001"
  | "TRP_3002"
  | "TRP_3003"
  | "TRP_3004"
  | "TRP_3005"
  | "TRP_4001"
  | "TRP_4002"
  | "TRP_4003"
  | "TRP_4004"
  | "TRP_4005"
  | "TRP_4006"
  | "TRP_4007"
  | "TRP_4008"
  | "TRP_5000"
  | "TRP_5001"
  | "TRP_5003";

/** The frame was taken, and its answer is not there yet (6.2.2). Not a final answer. */
export interface AckPayload {
  ack_of_frame_id: string;
  ack_of_call_id: string | null;
  status: "ACCEPTED" | "IN_PROGRESS" | "DUPLICATE";
  /** The next seq of the session. */
  expected_seq_next: number;
  /** How long to wait before asking again, when the call is in progress. */
  retry_hint?: RetryHint;
}

/** What helps the client to do better (8.3). */
export interface RetryHint {
  /** The next seq of the session. */
  expected_seq?: number;
  /** Not before so many milliseconds. */
  backoff_ms?: number;
  /** Up to so many milliseconds more, at random. */
  jitter_ms?: number;
  /** Attempts in all. */
  max_attempts?: number;
  /** What to do first. */
  action?: "SYNC_CATALOG" | "CAP_QUERY" | "REQUEST_APPROVAL" | "NEW_SESSION" | "RESULT_QUERY" | "FIX_ARGUMENTS";
  /** The approval record that waits for a decision. */
  approval_id?: string;
  /** When it lapses, milliseconds since the epoch. */
  approval_expires_at_ms?: number;
  /** The protocol versions that the router speaks, when the frame's is none of them. */
  supported_versions?: string[];
  /** With TRP_3004, when the outcome is that of an operation under another key: call with this one to follow it. */
  idempotency_key?: string;
}

/** An error as data, the same in a NACK, a failed item and a RESULT. */
export interface FaultPayload {
  /** What may be done about it. */
  error_class: ErrorClass;
  error_code: TrpCode;
  /** About this case. It repeats at most 40 characters of a value, and no keys or tokens. */
  message: string;
  /** Whether the same call may be sent again without asking anybody. */
  retryable: boolean;
  retry_hint: RetryHint;
  /** One line for the model: what to do now. */
  fix: string;
  /** Whether the capability was started. False: nothing was executed. */
  dispatched: boolean;
}

/** Refused, or, without the feature `RESULT_FAILED`, failed: see `dispatched` (6.2.3). */
export interface NackPayload extends FaultPayload {
  /** Null when it could not be read. */
  nack_of_frame_id: string | null;
  /** Null when it is about no single call. */
  nack_of_call_id: string | null;
}

/** What a model reads of a result (13.1). */
export interface ShapedResult {
  /** One line. */
  summary: string;
  /** What fits the budget; what was cut is named in `warnings`. */
  data: JsonValue;
  /** What was too big, whole. */
  artifacts: ArtifactRef[];
  warnings: string[];
}

/** A handle on something too big for the answer; read it with `cap.trp.artifact.read.v1`. */
export interface ArtifactRef {
  artifact_id: string;
  media_type: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
  /** Milliseconds since the epoch. */
  expires_at_ms: number;
  /** Where in `data` it was: a JSON pointer. */
  path?: string;
}

/** Why a call was let through, for audits. */
export interface PolicyProof {
  /** `sha256:` and hex over the canonical inputs of the decision. */
  digest: string;
  /** Name of the rule that decided. */
  rule: string;
  policy_version: string;
  decision: "allow" | "deny" | "approve";
}

/** Where the time of a call went, in milliseconds. */
export interface CallUsage {
  /** In all. */
  router_ms: number;
  /** From canonical to native arguments. */
  adapter_ms: number;
  /** In the capability. */
  executor_ms: number;
  /** Of a capability with several adapters: the one that ran last. */
  adapter?: string;
  /** Those that failed before it. */
  failed_adapters?: string[];
}

/** It was started, and ended so (6.2.4). */
export interface ResultPayload {
  call_id: string;
  idx: number;
  cap_id: string;
  /** UNKNOWN: it is not known whether the effect happened. */
  status: "SUCCESS" | "FAILED" | "UNKNOWN";
  /** Null unless SUCCESS. */
  result: ShapedResult | null;
  /** Unless SUCCESS. */
  error?: FaultPayload;
  usage: CallUsage;
  policy_proof?: PolicyProof;
  /** The `call_id` under which the effect happened, when this answer repeats that one's outcome: nothing was done now. */
  replayed_from?: string;
  /** When that call ended, milliseconds since the epoch. */
  replayed_at_ms?: number;
}

/** The outcome of one item of a batch; a failed one carries its error beside it. */
export interface BatchItemResult extends Partial<FaultPayload> {
  call_id: string;
  status: "SUCCESS" | "FAILED" | "UNKNOWN";
  result?: ShapedResult;
  usage?: CallUsage;
  policy_proof?: PolicyProof;
  /** As in a RESULT. */
  replayed_from?: string;
  /** As in a RESULT. */
  replayed_at_ms?: number;
}

/** How the calls of a batch ended: SUCCESS when all did, FAILED when none did (6.2.6). */
export interface CallBatchResPayload {
  batch_id: string;
  status: "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED";
  /** In the order of the request. */
  results: BatchItemResult[];
}

/** How the calls of a graph ended, as those of a batch. */
export interface CallDagResPayload {
  dag_id: string;
  status: "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED";
  /** In the order of the request. */
  results: BatchItemResult[];
}

/** How a call stands. `result` with SUCCESS, and with FAILED and UNKNOWN where the answer was a RESULT; `error` where it was a NACK. */
export interface ResultQueryResPayload {
  call_id: string;
  status: "NOT_FOUND" | "IN_PROGRESS" | "SUCCESS" | "FAILED" | "UNKNOWN";
  result: ResultPayload | null;
  error: NackPayload | null;
  /** 0: there were no partial results. */
  last_event_id: number;
}

/**
 * Partial results of a call (6.2.5): the answer to a result query with `after_event_id` as long as there are newer ones,
 * and sent before the answer of a call whose sender listens. What the call comes to is never in it.
 */
export interface PartialResultPayload {
  call_id: string;
  status: ResultQueryResPayload["status"];
  events: PartialResultEvent[];
  /** Ask with this one next time. */
  next_after_event_id: number;
  /** Events between `after_event_id` and `first_retained_event_id` are gone. */
  events_truncated: boolean;
  first_retained_event_id: number | null;
  last_event_id: number;
  /** No more will come. */
  terminal: boolean;
  /** The result can be asked for. */
  final_available: boolean;
}

/** One partial result. */
export interface PartialResultEvent {
  /** From 1, in order, over all attempts at the call. */
  event_id: number;
  /** This router: `PROGRESS`. */
  kind: string;
  /** A word for programs; may be empty. */
  stage: string;
  /** For people and models; may be empty. */
  message: string;
  /** This router: `data`, which is JSON, `attempt` and `timestamp_ms`. */
  [more: string]: unknown;
}
