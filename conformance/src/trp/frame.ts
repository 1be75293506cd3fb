import type { Bindings, FillContext } from "./pattern.ts";
import { fill } from "./pattern.ts";
import { approvalToken, canonical, digest, type TokenData, uuid7 } from "./secrets.ts";
import { standardCapabilities } from "./standard.ts";
import type { SentFrame } from "./vector.ts";

/** What a client knows of its session. */
export interface Session {
  id?: string;
  /** Name of the principal who opened it. */
  as: string;
  next: number;
  epoch: number | null;
  /** `cap_id` to idx, as last synced. */
  indexes: Map<string, number>;
  /** The router no longer knows it. */
  closed?: boolean;
}

const payloads: Record<string, Record<string, unknown>> = {
  HELLO_REQ: { agent_id: "conformance", supported_versions: ["0.1"], resume_session_id: null },
  CATALOG_SYNC_REQ: { mode: "FULL", known_epoch: null },
  CAP_QUERY_REQ: { idx: 0, cap_id: standardCapabilities[0]?.cap_id },
  CALL_REQ: {},
  CALL_BATCH_REQ: { batch_id: "$new:batch", mode: "PARALLEL", max_concurrency: 4, calls: [] },
  CALL_DAG_REQ: { dag_id: "$new:dag", max_concurrency: 4, calls: [] },
  CANCEL_REQ: {},
  RESULT_QUERY_REQ: { call_id: "$new:call" },
};

const call = {
  call_id: "$new:call",
  idempotency_key: null,
  idx: 0,
  cap_id: standardCapabilities[0]?.cap_id,
  depends_on: [],
  attempt: 1,
  timeout_ms: 5000,
  approval_token: null,
  args: { text: "hello" },
};

/** The whole frame that a short one stands for. */
export function frameOf(sent: SentFrame, session: Session, fillIn: (template: unknown) => unknown): unknown {
  const hello = sent.frame_type === "HELLO_REQ";
  const { payload, ...envelope } = sent;
  return fillIn({
    trp_version: "0.1",
    session_id: hello ? null : (session.id ?? null),
    frame_id: "$new:frm",
    trace_id: "$new:trc",
    timestamp_ms: "$now",
    catalog_epoch: hello ? null : session.epoch,
    seq: hello ? null : session.next,
    ...envelope,
    payload: payloadOf(sent.frame_type, payload ?? {}, session),
  });
}

function payloadOf(type: string, payload: Record<string, unknown>, session: Session): unknown {
  const whole: Record<string, unknown> = { ...payloads[type], ...payload };
  if (type === "CALL_REQ") return callOf(whole, session);
  if ((type === "CALL_BATCH_REQ" || type === "CALL_DAG_REQ") && Array.isArray(whole.calls))
    whole.calls = whole.calls.map((item) => (isFields(item) ? callOf(item, session) : item));
  return whole;
}

/** A `cap_id` without idx gets the number that the last sync gave it. */
function callOf(item: Record<string, unknown>, session: Session): Record<string, unknown> {
  const capId = typeof item.cap_id === "string" ? item.cap_id : call.cap_id;
  const standard = standardCapabilities.findIndex(({ cap_id }) => cap_id === capId);
  return { ...call, idx: session.indexes.get(String(capId)) ?? Math.max(standard, 0), ...item };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !Object.hasOwn(value, "$ref");
}

/** `$token`: an approval token; `$uuid7`: a key made so many milliseconds after now; `$fingerprint`, `$args_digest`. */
export function conversationOperators(now: () => number): NonNullable<FillContext["operators"]> {
  return {
    $token: (operand, bindings) => approvalToken(fill(operand, bindings) as TokenData, now()),
    $uuid7: (operand) => uuid7(now(), Number(operand)),
    $fingerprint: (operand, bindings: Bindings) => digest(canonical(fill(operand, bindings))),
  };
}
