import { type JsonObject, nearest } from "@toolglot/core";
import * as v from "valibot";
import { describe, pathText } from "./describe.ts";
import { acceptsFast } from "./fast-accept.ts";
import { type Fault, fault } from "./fault.ts";
import { isId, isJsonObject } from "./fields.ts";
import { issueFault } from "./issue-fault.ts";
import { isPlain, readCall, readJson, type Unreadable } from "./read-json.ts";
import { emptyHead, type FrameHead } from "./replies.ts";
import { requestSchemas } from "./request-schemas.ts";
import type { TrpCode } from "./results.ts";
import { type CallItem, type CallReqPayload, type RequestFrame, trpVersion } from "./types.ts";

/** What a frame may be at most. */
export interface FrameLimits {
  /** Nesting of the frame, itself included. */
  depth: number;
  /** Calls in one batch. */
  batchCalls: number;
  /** Bytes as JSON. Default 4 MiB. */
  frameBytes?: number;
}

/** A frame that can be worked on, or why it can't and whatever of its head could be read. */
export type ParsedFrame = { frame: RequestFrame } | { fault: Fault; head: FrameHead };

const defaultFrameBytes = 4 * 1024 * 1024;

/** The frame types that are taken, as messages list them. */
const frameTypes = Object.keys(requestSchemas) as RequestFrame["frame_type"][];

/**
 * Reads a request frame: version (TRP_1001), frame type (TRP_5000), then every field (TRP_2000, and 2002 to 2006 for
 * those that have a code of their own). Total: it never throws, whatever it is given. What is left out gets its default
 * (`attempt` 1, `depends_on` empty, `execution_mode` SYNC, …). The frame is a copy: nothing of the input is kept, and
 * nothing that happens to the input later changes it.
 *
 * @example
 * ```ts
 * const parsed = parseFrame(JSON.parse(text), { depth: 64, batchCalls: 64 });
 * if ("fault" in parsed) return nack(parsed.head, parsed.fault, { now: Date.now() });
 * ```
 */
export function parseFrame(input: unknown, limits: FrameLimits): ParsedFrame {
  let head: FrameHead = emptyHead;
  try {
    if (typeof input !== "object" || input === null || Array.isArray(input) || !isPlain(input)) {
      return { fault: invalid("frame", `expected a JSON object, got ${describe(input)}`), head };
    }
    const may = { depth: limits.depth, bytes: limits.frameBytes ?? defaultFrameBytes };
    const call = readCall(input, may);
    if (call !== undefined) return { frame: call };
    const read = readJson(input, may);
    if ("problem" in read) {
      head = readHead(input);
      return { fault: unreadableFault(read.problem, limits), head };
    }
    const json = read.value as JsonObject;
    const found = check(json, limits);
    return "fault" in found ? { fault: found.fault, head: readHead(json) } : found;
  } catch {
    return { fault: invalid("frame", "it can't be read"), head };
  }
}

function check(json: JsonObject, limits: FrameLimits): { frame: RequestFrame } | { fault: Fault } {
  const { trp_version: version, frame_type: type } = json;
  if (typeof version === "string" && version !== trpVersion)
    return { fault: unsupportedVersion("trp_version", version) };
  if (version !== trpVersion)
    return { fault: invalid("trp_version", `expected "${trpVersion}", got ${describe(version)}`) };
  if (typeof type !== "string") return { fault: invalid("frame_type", `expected a frame type, got ${describe(type)}`) };
  if (!isRequestType(type)) return { fault: unknownType(type) };
  const { payload } = json;
  if (!isJsonObject(payload)) return { fault: invalid("payload", `expected an object, got ${describe(payload)}`) };
  const calls = type === "CALL_BATCH_REQ" || type === "CALL_DAG_REQ" ? payload.calls : undefined;
  if (Array.isArray(calls) && calls.length > limits.batchCalls) {
    return {
      fault: invalid("payload.calls", `expected at most ${limits.batchCalls} calls, got ${calls.length}`, "TRP_2004"),
    };
  }
  if (!acceptsFast(type, json, payload)) {
    const result = v.safeParse(requestSchemas[type], json, { abortEarly: true });
    if (!result.success) return { fault: issueFault(type, result.issues[0]) };
  }
  // Its shape is known now, and it is the frame's own copy: the defaults are put into it.
  const frame = json as unknown as RequestFrame;
  fillDefaults(frame);
  return refusal(frame) ?? { frame };
}

/** Returns what has the right shape, and is refused all the same. */
function refusal(frame: RequestFrame): { fault: Fault } | undefined {
  if (frame.frame_type === "HELLO_REQ" && !frame.payload.supported_versions.includes(trpVersion)) {
    return { fault: unsupportedVersion("payload.supported_versions", frame.payload.supported_versions.join(", ")) };
  }
  return undefined;
}

function isRequestType(type: string): type is RequestFrame["frame_type"] {
  return Object.hasOwn(requestSchemas, type);
}

/** The fields of the head that can be read, though the frame as a whole is not good. */
export function readHead(input: object): FrameHead {
  const payload = member(input, "payload");
  const callId = typeof payload === "object" && payload !== null ? member(payload, "call_id") : undefined;
  return {
    frameId: idOrNull(member(input, "frame_id")),
    traceId: idOrNull(member(input, "trace_id")),
    sessionId: idOrNull(member(input, "session_id")),
    catalogEpoch: integerOrNull(member(input, "catalog_epoch")),
    seq: integerOrNull(member(input, "seq")),
    callId: idOrNull(callId),
  };
}

function member(object: object, key: string): unknown {
  try {
    return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
  } catch {
    return undefined;
  }
}

function idOrNull(value: unknown): string | null {
  return isId(value) ? value : null;
}

function integerOrNull(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

function invalid(where: string, problem: string, code: TrpCode = "TRP_2000"): Fault {
  return fault(code, `${where}: ${problem}`);
}

function unsupportedVersion(where: string, version: string): Fault {
  return fault("TRP_1001", `${where}: ${describe(version)} is not spoken here; supported: "${trpVersion}"`, {
    retryHint: { supported_versions: [trpVersion] },
  });
}

function unknownType(type: string): Fault {
  const meant = nearest(type, frameTypes, 1)[0];
  const also = meant === undefined ? "" : `; did you mean ${meant}?`;
  return fault("TRP_5000", `frame_type: ${describe(type)} is not taken here${also} Taken: ${frameTypes.join(", ")}.`);
}

function unreadableFault(problem: Unreadable, limits: FrameLimits): Fault {
  const where = problem.path.length === 0 ? "frame" : pathText(problem.path);
  switch (problem.reason) {
    case "too-deep":
      return invalid(where, `nested deeper than ${limits.depth} levels`);
    case "too-large":
      return fault("TRP_2008", `the frame is larger than ${limits.frameBytes ?? defaultFrameBytes} bytes`);
    default:
      return invalid(where, `expected JSON, got ${problem.found}`);
  }
}

/** Fills a frame's payload with defaults for what was left out. */
function fillDefaults(frame: RequestFrame): void {
  switch (frame.frame_type) {
    case "CALL_REQ": {
      const { execution_mode = "SYNC" } = frame.payload;
      const payload: CallReqPayload = callWithDefaults(frame.payload);
      payload.execution_mode = execution_mode;
      frame.payload = payload;
      return;
    }
    case "CALL_BATCH_REQ": {
      const { batch_id, mode = "PARALLEL", max_concurrency, on_error = "continue", calls } = frame.payload;
      frame.payload = { batch_id, mode, max_concurrency, on_error, calls: calls.map(callWithDefaults) };
      return;
    }
    case "CALL_DAG_REQ": {
      const { dag_id, max_concurrency, calls } = frame.payload;
      frame.payload = { dag_id, max_concurrency, calls: calls.map(callWithDefaults) };
      return;
    }
    case "RESULT_QUERY_REQ": {
      const { call_id, after_event_id = null, include_partials = true } = frame.payload;
      frame.payload = { call_id, after_event_id, include_partials };
      return;
    }
    case "CANCEL_REQ":
      return;
    case "CATALOG_SYNC_REQ": {
      const { mode = "FULL", known_epoch = null } = frame.payload;
      frame.payload = { mode, known_epoch };
      return;
    }
    case "CAP_QUERY_REQ": {
      const { idx, cap_id, include_examples = false } = frame.payload;
      frame.payload = { idx, cap_id, include_examples };
      return;
    }
    case "HELLO_REQ": {
      const { agent_id, supported_versions, resume_session_id = null, features = null } = frame.payload;
      frame.payload = { agent_id, supported_versions, resume_session_id, features };
      return;
    }
  }
}

function callWithDefaults(item: CallItem): CallItem {
  return {
    call_id: item.call_id,
    idempotency_key: item.idempotency_key ?? null,
    idx: item.idx,
    cap_id: item.cap_id,
    depends_on: item.depends_on ?? [],
    attempt: item.attempt ?? 1,
    timeout_ms: item.timeout_ms,
    approval_token: item.approval_token ?? null,
    schema_digest: item.schema_digest ?? null,
    args: item.args,
  };
}
