import type { JsonObject } from "@toolglot/core";
import { isId, isIdOrNull, isInteger, isJsonObject, maxDependencies, maxTimeoutMs, tokenLength } from "./fields.ts";
import { sizeOf } from "./read-json.ts";
import type { RequestFrame } from "./types.ts";

/**
 * Checks whether a frame is good, for the frames of which there are many: the schema in `requestSchemas`, written out
 * by hand, since it runs for every call and is five times as fast. False means no more than: ask the schema. Frames
 * that this takes and a schema doesn't can't be; a property test holds the two together.
 *
 * @param json What `readJson` gave: no getters, no `undefined` members.
 */
export function acceptsFast(type: RequestFrame["frame_type"], json: JsonObject, payload: JsonObject): boolean {
  if (type !== "CALL_REQ" && type !== "CALL_BATCH_REQ") return false;
  return acceptsEnvelope(json) && (type === "CALL_REQ" ? acceptsCall(payload, 1) : acceptsBatch(payload));
}

/** Of a frame in a session, whose version, type and payload are known to be there. */
function acceptsEnvelope(json: JsonObject): boolean {
  let known = 9;
  if (json.auth_context !== undefined) {
    if (json.auth_context !== null && !isJsonObject(json.auth_context)) return false;
    known++;
  }
  if (json.sdk_version !== undefined) {
    if (!isIdOrNull(json.sdk_version)) return false;
    known++;
  }
  if (json.compression !== undefined) {
    if (json.compression !== null) return false;
    known++;
  }
  if (json.signature !== undefined) {
    if (json.signature !== null) return false;
    known++;
  }
  return (
    isId(json.session_id) &&
    isId(json.frame_id) &&
    isId(json.trace_id) &&
    isInteger(json.timestamp_ms, 0) &&
    isInteger(json.catalog_epoch, 0) &&
    isInteger(json.seq, 1) &&
    sizeOf(json) === known
  );
}

/** Returns a call, or the item of a batch, which has no `execution_mode`. */
function acceptsCall(item: JsonObject, modes: 0 | 1): boolean {
  let known = 5;
  if (item.idempotency_key !== undefined) {
    if (!isIdOrNull(item.idempotency_key)) return false;
    known++;
  }
  if (item.depends_on !== undefined) {
    const { depends_on: ids } = item;
    if (!Array.isArray(ids) || ids.length > maxDependencies || !ids.every(isId)) return false;
    known++;
  }
  if (item.attempt !== undefined) {
    if (!isInteger(item.attempt, 1)) return false;
    known++;
  }
  if (item.approval_token !== undefined) {
    const { approval_token: token } = item;
    if (token !== null && (typeof token !== "string" || token.length > tokenLength)) return false;
    known++;
  }
  if (item.schema_digest !== undefined) {
    if (!isIdOrNull(item.schema_digest)) return false;
    known++;
  }
  if (modes === 1 && item.execution_mode !== undefined) {
    if (item.execution_mode !== "SYNC" && item.execution_mode !== "ASYNC") return false;
    known++;
  }
  return (
    isId(item.call_id) &&
    isInteger(item.idx, 0) &&
    isId(item.cap_id) &&
    isInteger(item.timeout_ms, 1) &&
    (item.timeout_ms as number) <= maxTimeoutMs &&
    isJsonObject(item.args) &&
    sizeOf(item) === known
  );
}

function acceptsBatch(payload: JsonObject): boolean {
  const { batch_id, mode, max_concurrency, on_error, calls } = payload;
  let known = 3;
  if (mode !== undefined) {
    if (mode !== "PARALLEL" && mode !== "SEQUENTIAL") return false;
    known++;
  }
  if (on_error !== undefined) {
    if (on_error !== "continue" && on_error !== "stop") return false;
    known++;
  }
  return (
    isId(batch_id) &&
    isInteger(max_concurrency, 1) &&
    Array.isArray(calls) &&
    calls.length > 0 &&
    calls.every((item) => isJsonObject(item) && acceptsCall(item, 0)) &&
    sizeOf(payload) === known
  );
}
