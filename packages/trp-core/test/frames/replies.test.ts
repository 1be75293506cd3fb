import * as v from "valibot";
import { expect, it } from "vitest";
import { errorCodes } from "../../src/frames/codes.ts";
import { fault } from "../../src/frames/fault.ts";
import {
  ack,
  emptyHead,
  type HelloResPayload,
  headOf,
  nack,
  parseFrame,
  type ResponseFrame,
  replyTo,
  responseSchemas,
  type TrpCode,
} from "../../src/frames/index.ts";
import { limits, requestTypes, sampleHead, samples } from "./samples.ts";

const now = 1_760_000_000_500;

/** That it is a response as the schemas have it. */
function valid<Frame extends { frame_type: ResponseFrame["frame_type"] }>(frame: Frame): Frame {
  const checked = v.safeParse(responseSchemas[frame.frame_type], frame);
  if (!checked.success) throw new Error(JSON.stringify(v.flatten(checked.issues as never)));
  return frame;
}

it.each(requestTypes)("reads the head of a %s as its answers need it", (type) => {
  const parsed = parseFrame(samples[type], limits);
  if ("fault" in parsed) throw new Error(parsed.fault.message);
  const { payload } = samples[type] as { payload: { call_id?: string } };
  const head = { ...sampleHead, callId: payload.call_id ?? null };
  expect(headOf(parsed.frame)).toEqual(
    type === "HELLO_REQ" ? { ...head, sessionId: null, catalogEpoch: null, seq: null } : head,
  );
});

it("answers with the request's ids: res_ before frame_id, the same trace, session, seq and epoch (5.1)", () => {
  const reply = replyTo(sampleHead, "CATALOG_SYNC_RES", { catalog_epoch: 43, alias_table: [], ttl_sec: 600 }, { now });
  expect(valid(reply)).toEqual({
    trp_version: "0.1",
    frame_type: "CATALOG_SYNC_RES",
    session_id: sampleHead.sessionId,
    frame_id: `res_${sampleHead.frameId}`,
    trace_id: sampleHead.traceId,
    timestamp_ms: now,
    catalog_epoch: 42,
    seq: 12,
    payload: { catalog_epoch: 43, alias_table: [], ttl_sec: 600 },
  });
  expect(
    replyTo(sampleHead, "NACK", nack(sampleHead, fault("TRP_1003"), { now }).payload, { now, catalogEpoch: 43 }),
  ).toMatchObject({ catalog_epoch: 43 });
});

it("names session and epoch in a HELLO_RES, whose seq is null", () => {
  const payload: HelloResPayload = {
    session_id: "sess_new",
    server_version: "0.1",
    catalog_epoch: 42,
    retry_budget: 3,
    seq_start: 1,
    features: ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL"],
  };
  const head = { ...sampleHead, sessionId: null, catalogEpoch: null, seq: null };
  expect(valid(replyTo(head, "HELLO_RES", payload, { now }))).toMatchObject({
    session_id: "sess_new",
    catalog_epoch: 42,
    seq: null,
  });
});

it("refuses as 6.2.3 has it, with the next expected seq", () => {
  const reply = nack({ ...sampleHead, callId: "call_00012" }, fault("TRP_1002", "seq out of order"), {
    now,
    expectedSeq: 11,
  });
  expect(valid(reply).payload).toEqual({
    nack_of_frame_id: sampleHead.frameId,
    nack_of_call_id: "call_00012",
    error_class: "ORDER_VIOLATION",
    error_code: "TRP_1002",
    message: "seq out of order",
    retryable: true,
    retry_hint: { expected_seq: 11, backoff_ms: 50, jitter_ms: 50 },
    fix: errorCodes.TRP_1002.cure,
    dispatched: false,
  });
  expect(nack(sampleHead, fault("TRP_1008"), { now }).payload.retry_hint).toEqual({ action: "NEW_SESSION" });
});

it.each(Object.keys(errorCodes) as TrpCode[])("says %s in a NACK that fits its schema", (code) => {
  expect(valid(nack(sampleHead, fault(code), { now, expectedSeq: 1 })).payload).toMatchObject({
    error_code: code,
    error_class: errorCodes[code].errorClass,
    retry_hint: { expected_seq: 1 },
  });
});

it("refuses what it could not read at all, without inventing ids", () => {
  const reply = valid(nack(emptyHead, fault("TRP_2000"), { now }));
  expect(reply).toMatchObject({ session_id: null, frame_id: "res_unknown", catalog_epoch: null, seq: null });
  expect(reply.payload).toMatchObject({ nack_of_frame_id: null, nack_of_call_id: null });
});

it("acknowledges as 6.2.2 has it", () => {
  const head = { ...sampleHead, callId: "call_00012" };
  expect(valid(ack(head, "IN_PROGRESS", { now, expectedSeq: 13, retryHint: { backoff_ms: 200 } })).payload).toEqual({
    ack_of_frame_id: sampleHead.frameId,
    ack_of_call_id: "call_00012",
    status: "IN_PROGRESS",
    expected_seq_next: 13,
    retry_hint: { backoff_ms: 200 },
  });
  expect(ack(head, "DUPLICATE", { now, expectedSeq: 13 }).payload).not.toHaveProperty("retry_hint");
});

it("knows the shape of partial results, with whatever else their events say", () => {
  const frame = {
    trp_version: "0.1",
    frame_type: "PARTIAL_RESULT",
    session_id: "s",
    frame_id: "res_f",
    trace_id: "t",
    timestamp_ms: now,
    catalog_epoch: 1,
    seq: 3,
    payload: {
      call_id: "c",
      status: "IN_PROGRESS",
      events: [{ event_id: 1, kind: "progress", stage: "execute", message: "half", percent: 50 }],
      next_after_event_id: 1,
      events_truncated: false,
      first_retained_event_id: 1,
      last_event_id: 1,
      terminal: false,
      final_available: false,
    },
  };
  expect(v.parse(responseSchemas.PARTIAL_RESULT, frame)).toEqual(frame);
  expect(v.is(responseSchemas.PARTIAL_RESULT, { ...frame, payload: { ...frame.payload, events: [{}] } })).toBe(false);
});
