import type { JsonSchemaObject, JsonValue } from "@toolglot/core";
import * as v from "valibot";
import { errorCodes } from "./codes.ts";
import { agreeing, type FrameSchema, id, integer, jsonObject, nullableId, oneOf } from "./fields.ts";
import type {
  AckPayload,
  CallBatchResPayload,
  CallDagResPayload,
  ErrorClass,
  NackPayload,
  PartialResultPayload,
  ResultPayload,
  ResultQueryResPayload,
  RetryHint,
  TrpCode,
} from "./results.ts";
import type {
  CancelResPayload,
  CapQueryResPayload,
  CatalogSyncResPayload,
  Feature,
  HelloResPayload,
  ResponseFrame,
  ResponseOf,
} from "./types.ts";

// What this router sends, strictly. Other routers leave out or add fields: a client must not hold them to it.

const text = v.string("string");
const milliseconds = v.pipe(v.number("number ≥ 0"), v.finite("number ≥ 0"), v.minValue(0, "number ≥ 0"));
const count = integer(0);
const truth = v.boolean("true or false");
const sha256 = v.pipe(
  v.string("sha256: and 64 hex digits"),
  v.regex(/^sha256:[0-9a-f]{64}$/, "sha256: and 64 hex digits"),
);
const jsonValue = v.custom<JsonValue>((value) => value !== undefined, "JSON");
const riskTier = oneOf("LOW", "MEDIUM", "HIGH", "CRITICAL");
const ioClass = oneOf("READ", "WRITE");
const status = oneOf("SUCCESS", "FAILED", "UNKNOWN");
const feature: v.GenericSchema<Feature> = oneOf(
  "CATALOG_SYNC",
  "CALL",
  "CALL_BATCH",
  "APPROVAL",
  "ASYNC",
  "CATALOG_DELTA",
  "CALL_DAG",
  "CANCEL",
  "RESULT_FAILED",
  "SEQ_WINDOW",
);

const helloRes = agreeing<HelloResPayload>()(
  v.strictObject({
    session_id: id,
    server_version: v.literal("0.1"),
    catalog_epoch: count,
    retry_budget: count,
    seq_start: integer(1),
    features: v.array(feature),
    in_flight: v.exactOptional(v.array(id)),
  }),
);

const aliasRow = v.strictObject({
  idx: count,
  cap_id: id,
  name: id,
  desc: text,
  risk_tier: riskTier,
  io_class: ioClass,
  arg_template: v.record(text, text),
  schema_digest: sha256,
  idempotency_required: v.exactOptional(v.literal(false)),
});

const catalogSyncRes = agreeing<CatalogSyncResPayload>()(
  v.union([
    v.strictObject({
      mode: v.exactOptional(v.literal("FULL")),
      catalog_epoch: count,
      alias_table: v.array(aliasRow),
      ttl_sec: milliseconds,
    }),
    v.strictObject({
      mode: v.literal("DELTA"),
      base_epoch: count,
      catalog_epoch: count,
      added: v.array(aliasRow),
      changed: v.array(aliasRow),
      removed: v.array(v.strictObject({ idx: count, cap_id: id })),
      ttl_sec: milliseconds,
    }),
  ]),
);

const capQueryRes = agreeing<CapQueryResPayload>()(
  v.strictObject({
    idx: count,
    cap_id: id,
    canonical_schema: v.custom<JsonSchemaObject>((value) => v.is(jsonObject, value), "JSON Schema"),
    policy_hints: v.strictObject({ requires_approval: truth, idempotency_required: truth }),
    examples: v.array(v.strictObject({ args: jsonObject })),
    schema_digest: sha256,
  }),
);

const retryHint = agreeing<RetryHint>()(
  v.strictObject({
    expected_seq: v.exactOptional(integer(1)),
    backoff_ms: v.exactOptional(milliseconds),
    jitter_ms: v.exactOptional(milliseconds),
    max_attempts: v.exactOptional(count),
    action: v.exactOptional(
      oneOf("SYNC_CATALOG", "CAP_QUERY", "REQUEST_APPROVAL", "NEW_SESSION", "RESULT_QUERY", "FIX_ARGUMENTS"),
    ),
    approval_id: v.exactOptional(id),
    approval_expires_at_ms: v.exactOptional(count),
    supported_versions: v.exactOptional(v.array(text)),
    idempotency_key: v.exactOptional(id),
  }),
);

const errorClass: v.GenericSchema<ErrorClass> = oneOf(
  "TRANSIENT",
  "ORDER_VIOLATION",
  "CATALOG_MISMATCH",
  "SCHEMA_MISMATCH",
  "POLICY_DENIED",
  "APPROVAL_REQUIRED",
  "NON_IDEMPOTENT_BLOCKED",
  "EXECUTOR_ERROR",
  "INTERNAL_ERROR",
);

const faultFields = {
  error_class: errorClass,
  error_code: oneOf(...(Object.keys(errorCodes) as TrpCode[])),
  message: text,
  retryable: truth,
  retry_hint: retryHint,
  fix: text,
  dispatched: truth,
};

const ack = agreeing<AckPayload>()(
  v.strictObject({
    ack_of_frame_id: id,
    ack_of_call_id: nullableId,
    status: oneOf("ACCEPTED", "IN_PROGRESS", "DUPLICATE"),
    expected_seq_next: integer(1),
    retry_hint: v.exactOptional(retryHint),
  }),
);

const nack = agreeing<NackPayload>()(
  v.strictObject({ nack_of_frame_id: nullableId, nack_of_call_id: nullableId, ...faultFields }),
);

const artifact = v.strictObject({
  artifact_id: id,
  media_type: text,
  size: count,
  sha256: v.pipe(v.string("64 hex digits"), v.regex(/^[0-9a-f]{64}$/, "64 hex digits")),
  expires_at_ms: count,
  path: v.exactOptional(text),
});

const shapedResult = v.strictObject({
  summary: text,
  data: jsonValue,
  artifacts: v.array(artifact),
  warnings: v.array(text),
});

const usage = v.strictObject({
  router_ms: milliseconds,
  adapter_ms: milliseconds,
  executor_ms: milliseconds,
  adapter: v.exactOptional(text),
  failed_adapters: v.exactOptional(v.array(text)),
});
const policyProof = v.strictObject({
  digest: sha256,
  rule: text,
  policy_version: text,
  decision: oneOf("allow", "deny", "approve"),
});

const result = agreeing<ResultPayload>()(
  v.strictObject({
    call_id: id,
    idx: count,
    cap_id: id,
    status,
    result: v.nullable(shapedResult),
    error: v.exactOptional(v.strictObject(faultFields)),
    usage,
    policy_proof: v.exactOptional(policyProof),
    replayed_from: v.exactOptional(id),
    replayed_at_ms: v.exactOptional(count),
  }),
);

const batchItem = v.strictObject({
  call_id: id,
  status,
  result: v.exactOptional(shapedResult),
  usage: v.exactOptional(usage),
  policy_proof: v.exactOptional(policyProof),
  replayed_from: v.exactOptional(id),
  replayed_at_ms: v.exactOptional(count),
  error_class: v.exactOptional(faultFields.error_class),
  error_code: v.exactOptional(faultFields.error_code),
  message: v.exactOptional(text),
  retryable: v.exactOptional(truth),
  retry_hint: v.exactOptional(retryHint),
  fix: v.exactOptional(text),
  dispatched: v.exactOptional(truth),
});

const allOutcomes = { status: oneOf("SUCCESS", "PARTIAL_SUCCESS", "FAILED"), results: v.array(batchItem) };
const callBatchRes = agreeing<CallBatchResPayload>()(v.strictObject({ batch_id: id, ...allOutcomes }));
const callDagRes = agreeing<CallDagResPayload>()(v.strictObject({ dag_id: id, ...allOutcomes }));

const queryStatus = oneOf("NOT_FOUND", "IN_PROGRESS", "SUCCESS", "FAILED", "UNKNOWN");
const resultQueryRes = agreeing<ResultQueryResPayload>()(
  v.strictObject({
    call_id: id,
    status: queryStatus,
    result: v.nullable(result),
    error: v.nullable(nack),
    last_event_id: count,
  }),
);

/** Events may have more fields: they are kept. */
const partialResult = agreeing<PartialResultPayload>()(
  v.strictObject({
    call_id: id,
    status: queryStatus,
    events: v.array(v.looseObject({ event_id: count, kind: text, stage: text, message: text })),
    next_after_event_id: count,
    events_truncated: truth,
    first_retained_event_id: v.nullable(count),
    last_event_id: count,
    terminal: truth,
    final_available: truth,
  }),
);

const cancelRes = agreeing<CancelResPayload>()(
  v.strictObject({
    call_id: id,
    status: oneOf("CANCELLED", "CANCELLING", "SUCCESS", "FAILED", "UNKNOWN", "NOT_FOUND"),
  }),
);

// Not exported, so that its type need not be written out: it is that of the schema.
function answer<const Type extends string, Payload extends v.GenericSchema>(type: Type, payload: Payload) {
  return v.strictObject({
    trp_version: v.literal("0.1"),
    frame_type: v.literal(type),
    session_id: nullableId,
    // `res_` comes before the request's own.
    frame_id: v.pipe(v.string("string"), v.startsWith("res_"), v.maxLength(260)),
    trace_id: id,
    timestamp_ms: count,
    catalog_epoch: v.nullable(v.pipe(v.number("integer or null"), v.safeInteger("integer or null"))),
    seq: v.nullable(v.pipe(v.number("integer or null"), v.safeInteger("integer or null"))),
    payload,
  });
}

/** The schema of each response frame, whole, as this router sends it. */
export const responseSchemas: {
  readonly [Type in ResponseFrame["frame_type"]]: FrameSchema<ResponseOf<Type>>;
} = {
  HELLO_RES: answer("HELLO_RES", helloRes),
  CATALOG_SYNC_RES: answer("CATALOG_SYNC_RES", catalogSyncRes),
  CAP_QUERY_RES: answer("CAP_QUERY_RES", capQueryRes),
  ACK: answer("ACK", ack),
  NACK: answer("NACK", nack),
  RESULT: answer("RESULT", result),
  CALL_BATCH_RES: answer("CALL_BATCH_RES", callBatchRes),
  CALL_DAG_RES: answer("CALL_DAG_RES", callDagRes),
  RESULT_QUERY_RES: answer("RESULT_QUERY_RES", resultQueryRes),
  PARTIAL_RESULT: answer("PARTIAL_RESULT", partialResult),
  CANCEL_RES: answer("CANCEL_RES", cancelRes),
};
