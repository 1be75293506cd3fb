import { isId, isIdOrNull, isInteger, isJsonObject, maxDependencies, maxTimeoutMs, tokenLength } from "./fields.ts";
import { type JsonLimits, readJson } from "./read-json.ts";
import { type CallReqPayload, type RequestOf, trpVersion } from "./types.ts";

/** More than all of a call's frame but its arguments can be, in bytes. */
const mostAround = 128 * 1024;

/**
 * Reads the frame of a call, which most frames are, in one go: `readJson`, `acceptsFast` and the defaults, each member once.
 * Undefined means no more than: read it as any other frame. What it gives is what is given then; a property test holds
 * the two together. Nothing is kept of a reading that it gives up.
 */
export function readCall(input: object, limits: JsonLimits): RequestOf<"CALL_REQ"> | undefined {
  try {
    return isOrdinary(input) ? readFrame(input, limits) : undefined;
  } catch {
    // A getter or a proxy that throws.
    return undefined;
  }
}

/** Made by `{}` or `JSON.parse`, in this realm: with nothing that it inherits. */
function isOrdinary(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function readFrame(input: object, limits: JsonLimits): RequestOf<"CALL_REQ"> | undefined {
  const {
    trp_version,
    frame_type,
    session_id,
    frame_id,
    trace_id,
    timestamp_ms,
    catalog_epoch,
    seq,
    payload,
    sdk_version,
  } = input as Record<string, unknown>;
  if (frame_type !== "CALL_REQ" || trp_version !== trpVersion || !isJsonObject(payload) || !isOrdinary(payload))
    return undefined;
  const isGood =
    isId(session_id) &&
    isId(frame_id) &&
    isId(trace_id) &&
    isInteger(timestamp_ms, 0) &&
    isInteger(catalog_epoch, 0) &&
    isInteger(seq, 1) &&
    (sdk_version === undefined || isIdOrNull(sdk_version)) &&
    sizeOf(input) === (sdk_version === undefined ? 9 : 10);
  const call = isGood ? readPayload(payload, limits) : undefined;
  if (!isGood || call === undefined) return undefined;
  const frame = {
    trp_version,
    frame_type,
    session_id,
    frame_id,
    trace_id,
    timestamp_ms,
    catalog_epoch,
    seq,
    payload: call,
  } as RequestOf<"CALL_REQ">;
  if (sdk_version !== undefined) frame.sdk_version = sdk_version as string | null;
  return frame;
}

function readPayload(payload: Record<string, unknown>, { depth, bytes }: JsonLimits): CallReqPayload | undefined {
  const { call_id, idempotency_key, idx, cap_id, depends_on, attempt, timeout_ms, approval_token } = payload;
  const { schema_digest, args, execution_mode } = payload;
  let known = 5;
  for (const member of [idempotency_key, depends_on, attempt, approval_token, schema_digest, execution_mode]) {
    if (member !== undefined) known++;
  }
  const isGood =
    isId(call_id) &&
    isInteger(idx, 0) &&
    isId(cap_id) &&
    isInteger(timeout_ms, 1) &&
    timeout_ms <= maxTimeoutMs &&
    (idempotency_key === undefined || isIdOrNull(idempotency_key)) &&
    (attempt === undefined || isInteger(attempt, 1)) &&
    (approval_token === undefined || isTokenOrNull(approval_token)) &&
    (schema_digest === undefined || isIdOrNull(schema_digest)) &&
    (execution_mode === undefined || execution_mode === "SYNC" || execution_mode === "ASYNC") &&
    isJsonObject(args) &&
    sizeOf(payload) === known;
  if (!isGood) return undefined;
  const ids = depends_on === undefined ? [] : readIds(depends_on);
  const read = readJson(args, { depth, bytes: bytes - mostAround }, 3);
  if (ids === undefined || "problem" in read) return undefined;
  return {
    call_id,
    idempotency_key: idempotency_key ?? null,
    idx,
    cap_id,
    depends_on: ids,
    attempt: attempt ?? 1,
    timeout_ms,
    approval_token: approval_token ?? null,
    schema_digest: schema_digest ?? null,
    args: read.value as CallReqPayload["args"],
    execution_mode: execution_mode ?? "SYNC",
  };
}

function isTokenOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === "string" && value.length <= tokenLength);
}

function readIds(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > maxDependencies) return undefined;
  const ids: string[] = [];
  for (let index = 0; index < value.length; index++) {
    const id: unknown = value[index];
    if (!isId(id)) return undefined;
    ids.push(id);
  }
  return ids;
}

/** Returns how many members an object has; `for in` is the quickest way to count them. */
export function sizeOf(object: object): number {
  let size = 0;
  for (const _ in object) size++;
  return size;
}
