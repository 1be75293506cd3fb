import type { JsonObject, JsonSchemaObject, JsonValue } from "@toolglot/core";
import type { ErrorClass, TrpCode } from "../errors/types.ts";

/** The protocol version of every frame. */
export const trpVersion = "0.1";

/** How much damage a capability can do (TRP v0.1 draft, 11.1). */
export type RiskTier = "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";

/** Whether a capability changes anything. */
export type IoClass = "READ" | "WRITE";

/** What both sides of a frame share (TRP v0.1 draft, 5). */
export interface Envelope<Type extends string, Payload> {
  trp_version: "0.1";
  frame_type: Type;
  /** Null only in `HELLO_REQ`, and in a NACK that answers something without one. */
  session_id: string | null;
  frame_id: string;
  trace_id: string;
  /** Of the sender's clock, milliseconds since the epoch. For logs only: no deadline is counted from it. */
  timestamp_ms: number;
  /** Null in `HELLO_REQ`. */
  catalog_epoch: number | null;
  /** From 1. Null in `HELLO_REQ` and `HELLO_RES`. */
  seq: number | null;
  payload: Payload;
}

/** Fields that a request may carry besides (5.2). */
export interface ReservedFields {
  /** Can only narrow what the transport says about the caller: `role` and `roles` intersect with the principal's. */
  auth_context?: JsonObject | null;
  sdk_version?: string | null;
  /** Reserved: only null is accepted. */
  compression?: null;
  /** Reserved: only null is accepted. */
  signature?: null;
}

/** Names of what a router may offer beyond the plain draft. */
export type Feature =
  | "CATALOG_SYNC"
  | "CALL"
  | "CALL_BATCH"
  | "APPROVAL"
  | "ASYNC"
  | "CATALOG_DELTA"
  | "CALL_DAG"
  | "CANCEL"
  | "RESULT_FAILED"
  | "SEQ_WINDOW";

export interface HelloReqPayload {
  agent_id: string;
  supported_versions: string[];
  resume_session_id?: string | null;
  /** Asks for features that are not granted to everybody. A plain router refuses this field. */
  features?: string[] | null;
}

export interface HelloResPayload {
  session_id: string;
  server_version: "0.1";
  catalog_epoch: number;
  /** How many retries in a row a client should spend. */
  retry_budget: number;
  /** The next seq that is expected: 1 in a new session. */
  seq_start: number;
  features: Feature[];
  /** Only in the answer to a resume: what is known to be running, by `call_id`. */
  in_flight?: string[];
}

export interface CatalogSyncReqPayload {
  mode: "FULL" | "DELTA";
  known_epoch: number | null;
}

/** A row of the alias table (6.1.2). */
export interface AliasRow {
  idx: number;
  cap_id: string;
  name: string;
  desc: string;
  risk_tier: RiskTier;
  io_class: IoClass;
  /** Argument name to type, as `"query": "string"`, `"top_k": "int?"`. */
  arg_template: Record<string, string>;
  /** `sha256:` and hex, over schema, risk, effect and adapter version. */
  schema_digest: string;
}

export interface CatalogSyncResPayload {
  catalog_epoch: number;
  alias_table: AliasRow[];
  ttl_sec: number;
}

export interface CapQueryReqPayload {
  idx: number;
  cap_id: string;
  include_examples?: boolean;
}

export interface CapQueryResPayload {
  idx: number;
  cap_id: string;
  canonical_schema: JsonSchemaObject;
  policy_hints: { requires_approval: boolean; idempotency_required: boolean };
  examples: { args: JsonObject }[];
  schema_digest: string;
}

/** One call, as an item of a batch; a `CALL_REQ` payload has `execution_mode` too (6.2.1). */
export interface CallItem {
  call_id: string;
  idempotency_key?: string | null;
  idx: number;
  cap_id: string;
  depends_on?: string[];
  attempt?: number;
  timeout_ms: number;
  approval_token?: string | null;
  /** What the caller believes to be the capability's digest; checked when present. */
  schema_digest?: string | null;
  args: JsonObject;
}

export interface CallReqPayload extends CallItem {
  execution_mode?: "SYNC" | "ASYNC";
}

export interface CallBatchReqPayload {
  batch_id: string;
  mode?: "PARALLEL" | "SEQUENTIAL";
  max_concurrency: number;
  /** After a failed item: go on with those that don't depend on it (default), or start no more. */
  on_error?: "continue" | "stop";
  calls: CallItem[];
}

export interface ResultQueryReqPayload {
  call_id: string;
  after_event_id?: number | null;
  include_partials?: boolean;
}

export interface AckPayload {
  ack_of_frame_id: string;
  ack_of_call_id: string | null;
  status: "ACCEPTED" | "IN_PROGRESS" | "DUPLICATE";
  expected_seq_next: number;
  /** How long to wait before asking again, when the call is in progress. */
  retry_hint?: RetryHint;
}

/** What helps the client to do better (8.3). */
export interface RetryHint {
  expected_seq?: number;
  backoff_ms?: number;
  jitter_ms?: number;
  max_attempts?: number;
  action?: "SYNC_CATALOG" | "CAP_QUERY" | "REQUEST_APPROVAL" | "NEW_SESSION" | "RESULT_QUERY" | "FIX_ARGUMENTS";
  /** The approval record that waits for a decision. */
  approval_id?: string;
  /** When it lapses, milliseconds since the epoch. */
  approval_expires_at_ms?: number;
  /** The protocol versions that the router speaks, when the frame's is none of them. */
  supported_versions?: string[];
}

/** An error as data, the same in a NACK, a failed item and a RESULT. */
export interface FaultPayload {
  error_class: ErrorClass;
  error_code: TrpCode;
  message: string;
  retryable: boolean;
  retry_hint: RetryHint;
  /** One line for the model: what to do now. */
  fix: string;
  /** Whether the capability was started. False: nothing was executed. */
  dispatched: boolean;
}

export interface NackPayload extends FaultPayload {
  nack_of_frame_id: string | null;
  nack_of_call_id: string | null;
}

/** What a model reads of a result (13.1). */
export interface ShapedResult {
  summary: string;
  data: JsonValue;
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
  rule: string;
  policy_version: string;
  decision: "allow" | "deny" | "approve";
}

export interface Usage {
  router_ms: number;
  adapter_ms: number;
  executor_ms: number;
}

export interface ResultPayload {
  call_id: string;
  idx: number;
  cap_id: string;
  status: "SUCCESS" | "FAILED" | "UNKNOWN";
  /** Null unless SUCCESS. */
  result: ShapedResult | null;
  /** Unless SUCCESS. */
  error?: FaultPayload;
  usage: Usage;
  policy_proof?: PolicyProof;
  /** The `call_id` under which the effect happened, when this answer repeats that one's outcome. */
  replayed_from?: string;
}

/** The outcome of one item of a batch; a failed one carries its error beside it. */
export interface BatchItemResult extends Partial<FaultPayload> {
  call_id: string;
  status: "SUCCESS" | "FAILED" | "UNKNOWN";
  result?: ShapedResult;
  usage?: Usage;
  policy_proof?: PolicyProof;
  replayed_from?: string;
}

export interface CallBatchResPayload {
  batch_id: string;
  status: "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED";
  /** In the order of the request. */
  results: BatchItemResult[];
}

export interface ResultQueryResPayload {
  call_id: string;
  status: "NOT_FOUND" | "IN_PROGRESS" | "SUCCESS" | "FAILED" | "UNKNOWN";
  result: ResultPayload | null;
  error: NackPayload | null;
  last_event_id: number;
}

/** Events of a call that still runs, in answer to a result query. This router sends none yet; others do. */
export interface PartialResultPayload {
  call_id: string;
  status: ResultQueryResPayload["status"];
  events: PartialResultEvent[];
  /** Ask with this one next time. */
  next_after_event_id: number;
  /** Older events than `first_retained_event_id` are gone. */
  events_truncated: boolean;
  first_retained_event_id: number | null;
  last_event_id: number;
  /** No more will come. */
  terminal: boolean;
  /** The result can be asked for. */
  final_available: boolean;
}

export interface PartialResultEvent {
  event_id: number;
  kind: string;
  stage: string;
  message: string;
  [more: string]: unknown;
}

/** What a client sends. */
export type RequestFrame = (
  | Envelope<"HELLO_REQ", HelloReqPayload>
  | Envelope<"CATALOG_SYNC_REQ", CatalogSyncReqPayload>
  | Envelope<"CAP_QUERY_REQ", CapQueryReqPayload>
  | Envelope<"CALL_REQ", CallReqPayload>
  | Envelope<"CALL_BATCH_REQ", CallBatchReqPayload>
  | Envelope<"RESULT_QUERY_REQ", ResultQueryReqPayload>
) &
  ReservedFields;

/** What a router answers: `frame_id` is `res_` and the request's, `trace_id` and `seq` are the request's. */
export type ResponseFrame =
  | Envelope<"HELLO_RES", HelloResPayload>
  | Envelope<"CATALOG_SYNC_RES", CatalogSyncResPayload>
  | Envelope<"CAP_QUERY_RES", CapQueryResPayload>
  | Envelope<"ACK", AckPayload>
  | Envelope<"NACK", NackPayload>
  | Envelope<"RESULT", ResultPayload>
  | Envelope<"CALL_BATCH_RES", CallBatchResPayload>
  | Envelope<"RESULT_QUERY_RES", ResultQueryResPayload>;

/** A request frame by its type. */
export type RequestOf<Type extends RequestFrame["frame_type"]> = Extract<RequestFrame, { frame_type: Type }>;
/** A response frame by its type. */
export type ResponseOf<Type extends ResponseFrame["frame_type"]> = Extract<ResponseFrame, { frame_type: Type }>;
