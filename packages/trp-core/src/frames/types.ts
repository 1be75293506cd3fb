import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import type {
  AckPayload,
  CallBatchResPayload,
  CallDagResPayload,
  NackPayload,
  PartialResultPayload,
  ResultPayload,
  ResultQueryResPayload,
} from "./results.ts";

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
  /** Unique in its session. The same frame sent again is answered as before; the same id with other content is refused. */
  frame_id: string;
  /** The sender's, for logs: one per task, for example. */
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
  /** Can only narrow the caller that the transport has identified: `role` and `roles` intersect with the principal's. */
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

/** Opens a session, or resumes one (6.1.1). */
export interface HelloReqPayload {
  /** Name of the agent, for logs. It grants no rights. */
  agent_id: string;
  supported_versions: string[];
  /** A session of the same principal to resume; unknown and foreign ones are TRP_1008. */
  resume_session_id?: string | null;
  /** Asks for features that are not granted to everybody. A plain router refuses this field. */
  features?: string[] | null;
}

/** The session (6.1.1). */
export interface HelloResPayload {
  /** Random, and good for the principal that opened it only. */
  session_id: string;
  server_version: "0.1";
  catalog_epoch: number;
  /** How many retries in a row a client should spend. */
  retry_budget: number;
  /** The next seq that is expected: 1 in a new session. */
  seq_start: number;
  /** What was granted. */
  features: Feature[];
  /** Only in the answer to a resume: what is known to be running, by `call_id`. */
  in_flight?: string[];
}

/** Asks for the catalog (6.1.2). It takes a seq, as calls do. */
export interface CatalogSyncReqPayload {
  /** DELTA: only what has changed since `known_epoch`, if the session has `CATALOG_DELTA` and the router still knows. */
  mode: "FULL" | "DELTA";
  /** The epoch of the catalog that the client has; null without one. */
  known_epoch: number | null;
}

/** A row of the alias table (6.1.2). */
export interface AliasRow {
  /** Number in this session, from 0. Never given to another capability. */
  idx: number;
  cap_id: string;
  name: string;
  /** First sentence of the description. */
  desc: string;
  risk_tier: RiskTier;
  io_class: IoClass;
  /** Argument name to type, as `"query": "string"`, `"top_k": "int?"`. */
  arg_template: Record<string, string>;
  /** `sha256:` and hex, over schema, risk, effect and adapter version. */
  schema_digest: string;
  /**
   * `false`: calls go without an idempotency key, although 9.1 asks for one. Only in sessions with a feature beyond the
   * plain draft; in others, and elsewhere, it is absent.
   */
  idempotency_required?: false;
}

/** The catalog (6.1.2): the whole table; or, in a session with `CATALOG_DELTA` that asks so, what has changed in it. */
export type CatalogSyncResPayload = CatalogTable | CatalogDelta;

/** The whole catalog. */
export interface CatalogTable {
  /** Only in a session with `CATALOG_DELTA`. */
  mode?: "FULL";
  catalog_epoch: number;
  alias_table: AliasRow[];
  /** Sync again after so many seconds. */
  ttl_sec: number;
}

/** What has changed in the catalog since the client's `known_epoch`. */
export interface CatalogDelta {
  mode: "DELTA";
  /** The client's `known_epoch`. */
  base_epoch: number;
  catalog_epoch: number;
  /** Rows that are new, or there again. */
  added: AliasRow[];
  /** Rows that have changed, whole. */
  changed: AliasRow[];
  /** What is gone: its number is never given to another capability. */
  removed: Pick<AliasRow, "idx" | "cap_id">[];
  /** Sync again after so many seconds. */
  ttl_sec: number;
}

/** Asks for everything about one capability (6.1.3). */
export interface CapQueryReqPayload {
  idx: number;
  cap_id: string;
  /** Default false. */
  include_examples?: boolean;
}

/** What the catalog's row leaves out (6.1.3). */
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
  /** Unique in its session. The same id with other content is TRP_1007. */
  call_id: string;
  /** Required of WRITE, and from risk MEDIUM (9.1). */
  idempotency_key?: string | null;
  idx: number;
  cap_id: string;
  /** Calls of the batch or the session that must have succeeded, at most 256. Default none. */
  depends_on?: string[];
  /** For logs: the router counts by itself. Default 1. */
  attempt?: number;
  /** How long the capability may run, from 1 to 2,147,483,647 milliseconds; the capability's own limit holds, too. */
  timeout_ms: number;
  /** A signed approval (`appr1`), at most 8,192 characters. */
  approval_token?: string | null;
  /** What the caller believes to be the capability's digest; checked when present. */
  schema_digest?: string | null;
  /** Canonical arguments, checked as they are: `"5"` is not 5. */
  args: JsonObject;
}

/** One call (6.2.1). */
export interface CallReqPayload extends CallItem {
  /**
   * SYNC, the default: the answer is the outcome. ASYNC: the answer is an `ACK` as soon as the call has started, and
   * `RESULT_QUERY_REQ` asks for the outcome; a call without a key may be ASYNC when its effect is `pure`.
   */
  execution_mode?: "SYNC" | "ASYNC";
}

/** Several calls under one seq (6.2.6). Each settles on its own. */
export interface CallBatchReqPayload {
  batch_id: string;
  /** SEQUENTIAL: one at a time, in order. Default PARALLEL. */
  mode?: "PARALLEL" | "SEQUENTIAL";
  /** From 1. */
  max_concurrency: number;
  /** After a failed item: continue with those that don't depend on it (default), or start no more. */
  on_error?: "continue" | "stop";
  calls: CallItem[];
}

/**
 * A graph of calls under one seq (draft 18). Needs the feature `CALL_DAG`. In the arguments of a call, `{ "$from":
 * "call_1", "path": "/data/items/0/id" }` stands for a part of another call's result: a JSON pointer into its `result`,
 * the whole one without `path`. Every object with `$from` is such a reference. A call runs when all that it refers to, or
 * depends on, have succeeded.
 */
export interface CallDagReqPayload {
  dag_id: string;
  /** From 1. */
  max_concurrency: number;
  calls: CallItem[];
}

/** Asks what came of a call of this session. */
export interface ResultQueryReqPayload {
  call_id: string;
  /** Asks for the partial results after this number; 0: for all. Default: for none. */
  after_event_id?: number | null;
  /** Default true. */
  include_partials?: boolean;
}

/** Asks to stop a call of this session. Needs the feature `CANCEL`. */
export interface CancelReqPayload {
  call_id: string;
}

/**
 * What cancelling came to:
 * - `CANCELLED`: nothing was executed, and nothing will be: the call is refused from now on (TRP_3005).
 * - `CANCELLING`: it was started. The capability was asked to stop, as soon as its router knows; what came of it is
 *   the call's own outcome, which is right: SUCCESS, when it was too late.
 * - `SUCCESS`, `FAILED`, `UNKNOWN`: it had ended so.
 * - `NOT_FOUND`: no call of this id is known in the session.
 */
export interface CancelResPayload {
  call_id: string;
  status: "CANCELLED" | "CANCELLING" | "SUCCESS" | "FAILED" | "UNKNOWN" | "NOT_FOUND";
}

/** What a client sends. */
export type RequestFrame = (
  | Envelope<"HELLO_REQ", HelloReqPayload>
  | Envelope<"CATALOG_SYNC_REQ", CatalogSyncReqPayload>
  | Envelope<"CAP_QUERY_REQ", CapQueryReqPayload>
  | Envelope<"CALL_REQ", CallReqPayload>
  | Envelope<"CALL_BATCH_REQ", CallBatchReqPayload>
  | Envelope<"CALL_DAG_REQ", CallDagReqPayload>
  | Envelope<"RESULT_QUERY_REQ", ResultQueryReqPayload>
  | Envelope<"CANCEL_REQ", CancelReqPayload>
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
  | Envelope<"CALL_DAG_RES", CallDagResPayload>
  | Envelope<"RESULT_QUERY_RES", ResultQueryResPayload>
  | Envelope<"PARTIAL_RESULT", PartialResultPayload>
  | Envelope<"CANCEL_RES", CancelResPayload>;

/** A request frame by its type. */
export type RequestOf<Type extends RequestFrame["frame_type"]> = Extract<RequestFrame, { frame_type: Type }>;
/** A response frame by its type. */
export type ResponseOf<Type extends ResponseFrame["frame_type"]> = Extract<ResponseFrame, { frame_type: Type }>;
