import type { RequestFrame } from "@toolglot/trp-core/frames";
import { type ClientEvent, type ClientOptions, createClient, type TrpClient } from "../src/index.ts";

type Json = Record<string, unknown>;
/** Payload of an answer by its frame type, or a function of the frame. */
export type Answer = { type: string; payload: Json } | ((frame: RequestFrame) => unknown);

export interface Script {
  trp: TrpClient;
  /** What was sent, HELLO and CATALOG_SYNC aside. */
  sent: RequestFrame[];
  all: RequestFrame[];
  events: ClientEvent[];
  /** Answers of calls and queries, in order; the last one stays. */
  answers: Answer[];
  hello: Json;
  rows: Json[];
  ttlSec: number;
}

export const row = (idx: number, capId: string, more: Json = {}): Json => ({
  idx,
  cap_id: capId,
  name: capId.split(".")[1],
  desc: "Does it.",
  risk_tier: "LOW",
  io_class: "READ",
  arg_template: {},
  schema_digest: `sha256:${capId}`,
  ...more,
});

export const nack = (code: string, errorClass: string, more: Json = {}): Answer => ({
  type: "NACK",
  payload: {
    error_class: errorClass,
    error_code: code,
    message: `message of ${code}`,
    retryable: false,
    retry_hint: {},
    fix: `fix of ${code}`,
    dispatched: false,
    ...more,
  },
});

const usage = { router_ms: 1, adapter_ms: 0, executor_ms: 0 };

/** A RESULT that fits the call. */
export const result =
  (more: Json = {}): Answer =>
  (frame) => {
    const { call_id, idx, cap_id } = frame.payload as unknown as Json;
    const shaped = { summary: "ok", data: 1, artifacts: [], warnings: [] };
    return reply(frame, "RESULT", { call_id, idx, cap_id, status: "SUCCESS", result: shaped, usage, ...more });
  };

export function reply(frame: RequestFrame, type: string, payload: Json): Json {
  const { session_id, trace_id, catalog_epoch, seq } = frame;
  const of = { nack_of_frame_id: frame.frame_id, nack_of_call_id: (frame.payload as unknown as Json).call_id ?? null };
  return {
    trp_version: "0.1",
    frame_type: type,
    session_id,
    frame_id: `res_${frame.frame_id}`,
    trace_id,
    timestamp_ms: 0,
    catalog_epoch,
    seq,
    payload: type === "NACK" ? { ...of, ...payload } : payload,
  };
}

/** A client of a router that says what the test wants. */
export function script(options: Partial<ClientOptions> = {}): Script {
  let opened = 0;
  const made: Script = {
    sent: [],
    all: [],
    events: [],
    answers: [result()],
    hello: {
      retry_budget: 3,
      features: ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL", "RESULT_FAILED", "SEQ_WINDOW"],
    },
    rows: [row(0, "cap.read.v1"), row(1, "cap.write.v1", { io_class: "WRITE", risk_tier: "MEDIUM" })],
    ttlSec: 600,
    trp: undefined as unknown as TrpClient,
  };
  made.trp = createClient({
    agentId: "t",
    retry: { baseMs: 1, capMs: 4, connectMs: 50 },
    onEvent: (event) => made.events.push(event),
    ...options,
    transport: {
      async send(frame) {
        const sent = structuredClone(frame);
        made.all.push(sent);
        if (frame.frame_type === "HELLO_REQ") {
          const base = { session_id: `sess_${++opened}`, server_version: "0.1", catalog_epoch: 5, seq_start: 1 };
          return reply(frame, "HELLO_RES", { ...base, ...made.hello });
        }
        if (frame.frame_type === "CATALOG_SYNC_REQ") {
          return reply(frame, "CATALOG_SYNC_RES", { catalog_epoch: 5, alias_table: made.rows, ttl_sec: made.ttlSec });
        }
        made.sent.push(sent);
        const answer = (made.answers.length > 1 ? made.answers.shift() : made.answers[0]) as Answer;
        return typeof answer === "function" ? answer(frame) : reply(frame, answer.type, answer.payload);
      },
      close: () => undefined,
    },
  });
  return made;
}
