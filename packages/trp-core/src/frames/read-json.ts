import type { JsonValue } from "@toolglot/core";
import { describe } from "./describe.ts";
import { isId, isIdOrNull, isInteger, isJsonObject, maxDependencies, maxTimeoutMs, tokenLength } from "./fields.ts";
import { type CallReqPayload, type RequestOf, trpVersion } from "./types.ts";

/** What a reading may use up. */
export interface JsonLimits {
  /** Nesting: a value without members is at depth 1. */
  depth: number;
  /** Bytes as JSON text. Counted from below: never refused for less. */
  bytes: number;
}

/** Why something could not be read, and where. */
export interface Unreadable {
  reason: "not-json" | "too-deep" | "too-large";
  /** For the message: what is there instead. */
  found: string;
  path: (string | number)[];
}

/** Stands for what could not be read. */
const unreadable: unique symbol = Symbol("unreadable");

/**
 * Copies JSON. The copy is the frame's own: plain objects and arrays without getters, which nobody outside can change
 * between a check and its use. Keys such as `__proto__` are plain data; members that are `undefined` are left out, as
 * `JSON.stringify` leaves them out. `depth`: of the value, where it is a part of something. Cycles end at the depth limit, and what is reached many times over at the size limit.
 */
export function readJson(
  value: unknown,
  limits: JsonLimits,
  depth = 1,
): { value: JsonValue } | { problem: Unreadable } {
  const reader = new JsonReader(limits);
  try {
    const copy = reader.read(value, depth);
    if (copy !== unreadable) return { value: copy };
  } catch {
    // A getter or a proxy that throws, or a depth limit beyond what the stack holds.
    reader.problem ??= { reason: "not-json", found: "something that can't be read", path: [] };
  }
  return { problem: reader.problem ?? { reason: "not-json", found: describe(value), path: [] } };
}

class JsonReader {
  problem: Unreadable | undefined;
  readonly #depth: number;
  #bytesLeft: number;

  constructor(limits: JsonLimits) {
    this.#depth = limits.depth;
    this.#bytesLeft = limits.bytes;
  }

  read(value: unknown, depth: number): JsonValue | typeof unreadable {
    switch (typeof value) {
      case "string":
        this.#bytesLeft -= value.length + 2;
        return this.#bytesLeft < 0 ? this.#fail("too-large", "") : value;
      case "number":
        this.#bytesLeft -= 1;
        if (!Number.isFinite(value)) return this.#fail("not-json", String(value));
        return this.#bytesLeft < 0 ? this.#fail("too-large", "") : value;
      case "boolean":
        this.#bytesLeft -= 4;
        return this.#bytesLeft < 0 ? this.#fail("too-large", "") : value;
      case "object":
        if (value === null) {
          this.#bytesLeft -= 4;
          return this.#bytesLeft < 0 ? this.#fail("too-large", "") : null;
        }
        if (depth > this.#depth) return this.#fail("too-deep", "");
        this.#bytesLeft -= 2;
        if (this.#bytesLeft < 0) return this.#fail("too-large", "");
        return Array.isArray(value) ? this.#readArray(value, depth) : this.#readObject(value, depth);
      default:
        return this.#fail("not-json", describe(value));
    }
  }

  #readArray(array: readonly unknown[], depth: number): JsonValue | typeof unreadable {
    const { length } = array;
    // Of each item at least one digit, and a comma between them. Before it is read: holes cost nothing to send.
    if (length * 2 - 1 > this.#bytesLeft) return this.#fail("too-large", "");
    const copy: JsonValue[] = [];
    for (let index = 0; index < length; index++) {
      this.#bytesLeft -= 1;
      const item = this.read(array[index], depth + 1);
      if (item === unreadable) return this.#under(index);
      copy.push(item);
    }
    return copy;
  }

  #readObject(object: object, depth: number): JsonValue | typeof unreadable {
    if (!isPlain(object)) return this.#fail("not-json", "an object with a class");
    const copy: { [key: string]: JsonValue } = {};
    // `for in` makes no list of the names.
    for (const key in object) {
      const found: unknown = (object as Record<string, unknown>)[key];
      if (found === undefined || !Object.hasOwn(object, key)) continue;
      this.#bytesLeft -= key.length + 4;
      const member = this.read(found, depth + 1);
      if (member === unreadable) return this.#under(key);
      if (key === "__proto__") define(copy, key, member);
      else copy[key] = member;
    }
    return copy;
  }

  #fail(reason: Unreadable["reason"], found: string): typeof unreadable {
    this.problem = { reason, found, path: [] };
    return unreadable;
  }

  #under(key: string | number): typeof unreadable {
    this.problem?.path.unshift(key);
    return unreadable;
  }
}

/** Made by `{}`, `JSON.parse` or `Object.create(null)`, in this realm or another. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Sets a member whatever its name. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** More than all of a call's frame but its arguments can be, in bytes. */
const maxAround = 128 * 1024;

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
  const read = readJson(args, { depth, bytes: bytes - maxAround }, 3);
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
