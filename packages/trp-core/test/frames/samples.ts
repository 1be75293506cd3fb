import type { JsonObject } from "@toolglot/core";
import type { RequestFrame } from "../../src/frames/types.ts";

export const limits = { depth: 64, batchCalls: 64 };

const head = {
  trp_version: "0.1",
  session_id: "sess_01HAAAAAAAAAAAAAAAAAAAAA",
  frame_id: "frm_01HBBBBBBBBBBBBBBBBBBBBB",
  trace_id: "trc_01HCCCCCCCCCCCCCCCCCCCCC",
  timestamp_ms: 1_760_000_000_000,
  catalog_epoch: 42,
  seq: 12,
};

/** The head as parsing gives it. */
export const sampleHead = {
  frameId: head.frame_id,
  traceId: head.trace_id,
  sessionId: head.session_id,
  catalogEpoch: 42,
  seq: 12,
  callId: null as string | null,
};

export type RequestType = RequestFrame["frame_type"];

/** One frame of each type, with the payload of the TRP v0.1 draft, section 6. */
export const samples: Record<RequestType, JsonObject & { payload: JsonObject }> = {
  HELLO_REQ: {
    ...head,
    frame_type: "HELLO_REQ",
    session_id: null,
    catalog_epoch: null,
    seq: null,
    payload: { agent_id: "agent_claude_ptc", supported_versions: ["0.1"], resume_session_id: null },
  },
  CATALOG_SYNC_REQ: { ...head, frame_type: "CATALOG_SYNC_REQ", payload: { mode: "FULL", known_epoch: 42 } },
  CAP_QUERY_REQ: {
    ...head,
    frame_type: "CAP_QUERY_REQ",
    payload: { idx: 1, cap_id: "cap.mail.send.v2", include_examples: true },
  },
  CALL_REQ: {
    ...head,
    frame_type: "CALL_REQ",
    payload: {
      call_id: "call_00012",
      idempotency_key: "idem_9a3f",
      idx: 1,
      cap_id: "cap.mail.send.v2",
      depends_on: [],
      attempt: 1,
      timeout_ms: 15_000,
      approval_token: null,
      args: { to: "a@example.com", subject: "hello", body: "test" },
    },
  },
  CALL_BATCH_REQ: {
    ...head,
    frame_type: "CALL_BATCH_REQ",
    payload: {
      batch_id: "batch_001",
      mode: "PARALLEL",
      max_concurrency: 4,
      calls: [
        {
          call_id: "call_101",
          idempotency_key: null,
          idx: 0,
          cap_id: "cap.search.web.v1",
          attempt: 1,
          timeout_ms: 8_000,
          args: { query: "TRP protocol draft" },
        },
        {
          call_id: "call_102",
          idempotency_key: null,
          idx: 0,
          cap_id: "cap.search.web.v1",
          attempt: 1,
          timeout_ms: 8_000,
          args: { query: "PTC Anthropic" },
        },
      ],
    },
  },
  CALL_DAG_REQ: {
    ...head,
    frame_type: "CALL_DAG_REQ",
    payload: {
      dag_id: "dag_001",
      max_concurrency: 4,
      calls: [
        {
          call_id: "call_201",
          idempotency_key: null,
          idx: 0,
          cap_id: "cap.search.web.v1",
          depends_on: [],
          attempt: 1,
          timeout_ms: 8_000,
          approval_token: null,
          args: { query: { $from: "call_200", path: "/data/items/0/id" } },
        },
      ],
    },
  },
  CANCEL_REQ: { ...head, frame_type: "CANCEL_REQ", payload: { call_id: "call_00012" } },
  RESULT_QUERY_REQ: {
    ...head,
    frame_type: "RESULT_QUERY_REQ",
    payload: { call_id: "call_00012", after_event_id: null, include_partials: true },
  },
};

export const requestTypes = Object.keys(samples) as RequestType[];

/** A copy of a sample with one place set to something else; `undefined` takes it out. */
export function changed(type: RequestType, path: readonly (string | number)[], value: unknown): JsonObject {
  const copy = structuredClone(samples[type]);
  // biome-ignore lint/suspicious/noExplicitAny: it walks any sample.
  let at: any = copy;
  for (const key of path.slice(0, -1)) at = at[key];
  const last = path.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
