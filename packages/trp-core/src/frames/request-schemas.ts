import * as v from "valibot";
import {
  agreeing,
  type FrameSchema,
  id,
  integer,
  jsonObject,
  maxDependencies,
  maxTimeoutMs,
  nullableId,
  nullableJsonObject,
  nullableToken,
  oneOf,
} from "./fields.ts";
import type {
  CallBatchReqPayload,
  CallDagReqPayload,
  CallReqPayload,
  CancelReqPayload,
  CapQueryReqPayload,
  CatalogSyncReqPayload,
  HelloReqPayload,
  RequestFrame,
  RequestOf,
  ResultQueryReqPayload,
} from "./types.ts";

// Unknown fields are refused everywhere but in `args` and `auth_context`.

const versions = "list of 1 to 32 version names";
const features = "list of at most 64 feature names, or null";

const helloReq = agreeing<HelloReqPayload>()(
  v.strictObject(
    {
      agent_id: id,
      supported_versions: v.pipe(v.array(id, versions), v.minLength(1, versions), v.maxLength(32, versions)),
      resume_session_id: v.exactOptional(nullableId),
      features: v.exactOptional(v.nullable(v.pipe(v.array(id, features), v.maxLength(64, features)))),
    },
    "object",
  ),
);

const catalogSyncReq = agreeing<CatalogSyncReqPayload>()(
  v.strictObject(
    {
      mode: v.exactOptional(oneOf("FULL", "DELTA"), "FULL"),
      known_epoch: v.exactOptional(v.nullable(integer(0, " or null")), null),
    },
    "object",
  ),
);

const capQueryReq = agreeing<CapQueryReqPayload>()(
  v.strictObject(
    { idx: integer(0), cap_id: id, include_examples: v.exactOptional(v.boolean("true or false")) },
    "object",
  ),
);

const timeoutText = `integer from 1 to ${maxTimeoutMs}`;
const dependsOnText = `list of at most ${maxDependencies} call ids`;

/** Shared by `CALL_REQ` and the items of a batch (TRP v0.1 draft, 6.2.1). */
const callFields = {
  call_id: id,
  idempotency_key: v.exactOptional(nullableId),
  idx: integer(0),
  cap_id: id,
  depends_on: v.exactOptional(v.pipe(v.array(id, dependsOnText), v.maxLength(maxDependencies, dependsOnText))),
  attempt: v.exactOptional(integer(1)),
  timeout_ms: v.pipe(
    v.number(timeoutText),
    v.safeInteger(timeoutText),
    v.minValue(1, timeoutText),
    v.maxValue(maxTimeoutMs, timeoutText),
  ),
  approval_token: v.exactOptional(nullableToken),
  schema_digest: v.exactOptional(nullableId),
  args: jsonObject,
};

const callReq = agreeing<CallReqPayload>()(
  v.strictObject({ ...callFields, execution_mode: v.exactOptional(oneOf("SYNC", "ASYNC")) }, "object"),
);

const callBatchReq = agreeing<CallBatchReqPayload>()(
  v.strictObject(
    {
      batch_id: id,
      mode: v.exactOptional(oneOf("PARALLEL", "SEQUENTIAL")),
      max_concurrency: integer(1),
      on_error: v.exactOptional(oneOf("continue", "stop")),
      calls: v.pipe(
        v.array(v.strictObject(callFields, "object"), "list of calls"),
        v.minLength(1, "list of at least one call"),
      ),
    },
    "object",
  ),
);

const callDagReq = agreeing<CallDagReqPayload>()(
  v.strictObject(
    {
      dag_id: id,
      max_concurrency: integer(1),
      calls: v.pipe(
        v.array(v.strictObject(callFields, "object"), "list of calls"),
        v.minLength(1, "list of at least one call"),
      ),
    },
    "object",
  ),
);

const resultQueryReq = agreeing<ResultQueryReqPayload>()(
  v.strictObject(
    {
      call_id: id,
      after_event_id: v.exactOptional(v.nullable(integer(0, " or null"))),
      include_partials: v.exactOptional(v.boolean("true or false")),
    },
    "object",
  ),
);

const cancelReq = agreeing<CancelReqPayload>()(v.strictObject({ call_id: id }, "object"));

/** What a request may carry besides (TRP v0.1 draft, 5.2). */
const reserved = {
  auth_context: v.exactOptional(nullableJsonObject),
  sdk_version: v.exactOptional(nullableId),
  compression: v.exactOptional(v.null("null: compression is not in use")),
  signature: v.exactOptional(v.null("null: signatures are not in use")),
};

const version = v.literal("0.1", '"0.1"');
const sender = { frame_id: id, trace_id: id, timestamp_ms: integer(0) };

/** The only frame that comes before there is a session. */
const unset = v.null("null in HELLO_REQ");
const helloFrame = v.strictObject(
  {
    trp_version: version,
    frame_type: v.literal("HELLO_REQ", '"HELLO_REQ"'),
    session_id: unset,
    ...sender,
    catalog_epoch: unset,
    seq: unset,
    ...reserved,
    payload: helloReq,
  },
  "object",
);

/** Every other request belongs to a session and has its place in it. */
function inSession<const Type extends string, Payload extends v.GenericSchema>(type: Type, payload: Payload) {
  return v.strictObject(
    {
      trp_version: version,
      frame_type: v.literal(type, `"${type}"`),
      session_id: id,
      ...sender,
      catalog_epoch: integer(0),
      seq: integer(1),
      ...reserved,
      payload,
    },
    "object",
  );
}

/** The schema of each request frame, whole. */
export const requestSchemas: { readonly [Type in RequestFrame["frame_type"]]: FrameSchema<RequestOf<Type>> } = {
  HELLO_REQ: helloFrame,
  CATALOG_SYNC_REQ: inSession("CATALOG_SYNC_REQ", catalogSyncReq),
  CAP_QUERY_REQ: inSession("CAP_QUERY_REQ", capQueryReq),
  CALL_REQ: inSession("CALL_REQ", callReq),
  CALL_BATCH_REQ: inSession("CALL_BATCH_REQ", callBatchReq),
  CALL_DAG_REQ: inSession("CALL_DAG_REQ", callDagReq),
  RESULT_QUERY_REQ: inSession("RESULT_QUERY_REQ", resultQueryReq),
  CANCEL_REQ: inSession("CANCEL_REQ", cancelReq),
};
