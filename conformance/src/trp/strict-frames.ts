// What the Python router takes, from "Wire facts of the Python implementation": every model refuses unknown fields.

type Check = (value: unknown) => boolean;
type Model = Record<string, { check: Check; optional?: true }>;

const text: Check = (value) => typeof value === "string";
const word: Check = (value) => typeof value === "string" && value !== "";
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const integer =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least;
const anyInteger: Check = (value) => Number.isSafeInteger(value);
const flag: Check = (value) => typeof value === "boolean";
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    values.includes(value as string);
const list =
  (check: Check, least = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.every(check);
const fields: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const item: Model = {
  call_id: { check: word },
  idempotency_key: { check: nullable(text), optional: true },
  idx: { check: integer(0) },
  cap_id: { check: word },
  attempt: { check: integer(1) },
  timeout_ms: { check: integer(1) },
  args: { check: fields },
  depends_on: { check: list(text), optional: true },
  approval_token: { check: nullable(text), optional: true },
};

const payloads: Record<string, Model> = {
  HELLO_REQ: {
    agent_id: { check: word },
    supported_versions: { check: list(text, 1) },
    resume_session_id: { check: nullable(text), optional: true },
  },
  CATALOG_SYNC_REQ: {
    mode: { check: oneOf("FULL", "DELTA"), optional: true },
    known_epoch: { check: nullable(anyInteger), optional: true },
  },
  CAP_QUERY_REQ: {
    idx: { check: integer(0) },
    cap_id: { check: word },
    include_examples: { check: flag, optional: true },
  },
  CALL_REQ: { ...item, execution_mode: { check: oneOf("SYNC", "ASYNC"), optional: true } },
  CALL_BATCH_REQ: {
    batch_id: { check: word },
    mode: { check: oneOf("PARALLEL", "SEQUENTIAL"), optional: true },
    max_concurrency: { check: integer(1) },
    calls: { check: list((call) => misfit(item, call) === undefined) },
  },
  RESULT_QUERY_REQ: {
    call_id: { check: word },
    after_event_id: { check: nullable(integer(0)), optional: true },
    include_partials: { check: flag, optional: true },
  },
};

const envelope: Model = {
  trp_version: { check: oneOf("0.1") },
  frame_type: { check: oneOf(...Object.keys(payloads)) },
  session_id: { check: nullable(text) },
  frame_id: { check: word },
  trace_id: { check: word },
  timestamp_ms: { check: integer(0) },
  catalog_epoch: { check: nullable(anyInteger) },
  seq: { check: nullable(anyInteger) },
  payload: { check: fields },
  auth_context: { check: nullable(fields), optional: true },
};

/** Why the Python router would not take this frame, or nothing. */
export function strictFault(frame: unknown): string | undefined {
  const found = misfit(envelope, frame);
  if (found !== undefined) return found;
  const { frame_type, session_id, catalog_epoch, seq, payload } = frame as Record<string, unknown>;
  if (frame_type === "HELLO_REQ") {
    if (session_id !== null || catalog_epoch !== null || seq !== null)
      return "HELLO_REQ has session_id, catalog_epoch and seq null";
  } else if (!word(session_id) || catalog_epoch === null || !integer(1)(seq)) {
    return `${String(frame_type)} needs session_id, catalog_epoch and a seq above 0`;
  }
  const inner = misfit(payloads[String(frame_type)] as Model, payload);
  return inner === undefined ? undefined : `payload.${inner}`;
}

function misfit(model: Model, value: unknown): string | undefined {
  if (!fields(value)) return "not an object";
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given))
    if (!Object.hasOwn(model, name)) return `${name}: extra inputs are not permitted`;
  for (const [name, { check, optional }] of Object.entries(model)) {
    if (!Object.hasOwn(given, name)) {
      if (!optional) return `${name}: field required`;
    } else if (!check(given[name])) return `${name}: not valid`;
  }
  return undefined;
}
