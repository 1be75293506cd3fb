/** A router of the plain v0.1 draft: one frame at a time, unknown fields refused, no features. */
export interface PlainRouter {
  /** Answers one frame, given as JSON text, as the Python implementation does. */
  answer(text: string): Promise<string>;
  /** Frames it admitted or refused, in order. */
  frames: Record<string, unknown>[];
  effects: string[];
  /** Makes the next calls fail so. */
  failures: { error_class: string; error_code: string; retryable: boolean }[];
  /** Forgets all sessions. */
  restart(): void;
  /** Moves the catalog on: numbers shift by one. */
  shift(digest?: string): void;
}

type Json = Record<string, unknown>;

const envelope = [
  "trp_version",
  "frame_type",
  "session_id",
  "frame_id",
  "trace_id",
  "timestamp_ms",
  "catalog_epoch",
  "seq",
];
const optional = ["auth_context", "payload"];
const payloads: Record<string, { required: string[]; optional?: string[] }> = {
  HELLO_REQ: { required: ["agent_id", "supported_versions"], optional: ["resume_session_id"] },
  CATALOG_SYNC_REQ: { required: ["mode"], optional: ["known_epoch"] },
  CAP_QUERY_REQ: { required: ["idx", "cap_id"], optional: ["include_examples"] },
  CALL_REQ: {
    required: ["call_id", "idx", "cap_id", "timeout_ms", "args"],
    optional: ["idempotency_key", "depends_on", "attempt", "approval_token", "execution_mode"],
  },
  CALL_BATCH_REQ: { required: ["batch_id", "max_concurrency", "calls"], optional: ["mode"] },
  RESULT_QUERY_REQ: { required: ["call_id"], optional: ["after_event_id", "include_partials"] },
};

interface Session {
  expected: number;
  outcomes: Map<string, Json>;
}

export function plainRouter(): PlainRouter {
  let sessions = new Map<string, Session>();
  const keys = new Map<string, Json>();
  let epoch = 7;
  let first = 0;
  let digest = "sha256:1";
  let opened = 0;

  const rows = (): Json[] => [
    row(first, "cap.find.v1", "find", "READ", "LOW"),
    row(first + 1, "cap.write.v1", "write", "WRITE", "MEDIUM"),
  ];
  const row = (idx: number, capId: string, name: string, io: string, risk: string): Json => ({
    idx,
    cap_id: capId,
    name,
    desc: `Does ${name}.`,
    risk_tier: risk,
    io_class: io,
    arg_template: { text: "string" },
    schema_digest: digest,
  });

  const plain: PlainRouter = {
    frames: [],
    effects: [],
    failures: [],
    restart: () => {
      sessions = new Map();
    },
    shift: (changed) => {
      epoch++;
      first++;
      if (changed !== undefined) digest = changed;
    },
    async answer(text) {
      const frame = JSON.parse(text) as Json;
      plain.frames.push(frame);
      const reply = (type: string, payload: Json, extra: Json = {}): string =>
        JSON.stringify({
          trp_version: "0.1",
          frame_type: type,
          session_id: frame.session_id,
          frame_id: `res_${frame.frame_id}`,
          trace_id: frame.trace_id,
          timestamp_ms: 0,
          catalog_epoch: epoch,
          seq: frame.seq,
          payload,
          ...extra,
        });
      // No `dispatched`, no `fix`: the plain draft has neither.
      const nack = (code: string, errorClass: string, retryable: boolean, hint: Json = {}): string =>
        reply("NACK", {
          nack_of_frame_id: frame.frame_id,
          nack_of_call_id: (frame.payload as Json).call_id ?? null,
          error_class: errorClass,
          error_code: code,
          message: code,
          retryable,
          retry_hint: hint,
        });
      const type = frame.frame_type as string;
      const payload = frame.payload as Json;
      const shape = payloads[type];
      const known = [...(shape?.required ?? []), ...(shape?.optional ?? [])];
      const isStrict =
        shape !== undefined &&
        Object.keys(frame).every((name) => envelope.includes(name) || optional.includes(name)) &&
        Object.keys(payload).every((name) => known.includes(name)) &&
        shape.required.every((name) => name in payload) &&
        (type !== "CALL_BATCH_REQ" || (payload.calls as Json[]).every((item) => !("schema_digest" in item)));
      if (!isStrict) return nack("TRP_2000", "SCHEMA_MISMATCH", false);
      if (type === "HELLO_REQ") {
        const id = `sess_${++opened}`;
        sessions.set(id, { expected: 1, outcomes: new Map() });
        const features = ["CATALOG_SYNC", "CALL", "CALL_BATCH", "APPROVAL"];
        const hello = {
          session_id: id,
          server_version: "0.1",
          catalog_epoch: epoch,
          retry_budget: 3,
          seq_start: 1,
          features,
        };
        return reply("HELLO_RES", hello, { session_id: id, seq: null });
      }
      const session = sessions.get(frame.session_id as string);
      if (session === undefined) return nack("TRP_5002", "INTERNAL_ERROR", false);
      const seq = frame.seq as number;
      if (seq > session.expected) return nack("TRP_1002", "ORDER_VIOLATION", true, { expected_seq: session.expected });
      if (seq < session.expected) {
        const known = session.outcomes.get(payload.call_id as string);
        if (known !== undefined) return reply(known.type as string, known.payload as Json);
        return nack("TRP_1004", "ORDER_VIOLATION", false, { expected_seq: session.expected });
      }
      session.expected++;
      switch (type) {
        case "CATALOG_SYNC_REQ":
          return reply("CATALOG_SYNC_RES", { catalog_epoch: epoch, alias_table: rows(), ttl_sec: 600 });
        case "CAP_QUERY_REQ": {
          const hints = { requires_approval: false, idempotency_required: true };
          const { idx, cap_id } = payload;
          return reply("CAP_QUERY_RES", {
            idx,
            cap_id,
            canonical_schema: { type: "object" },
            policy_hints: hints,
            examples: [],
          });
        }
        case "RESULT_QUERY_REQ": {
          const known = session.outcomes.get(payload.call_id as string);
          const status = known === undefined ? "NOT_FOUND" : ((known.payload as Json).status ?? "FAILED");
          return reply("RESULT_QUERY_RES", {
            call_id: payload.call_id,
            status,
            result: known?.type === "RESULT" ? (known.payload as Json) : null,
            error: null,
            last_event_id: 0,
          });
        }
        case "CALL_BATCH_REQ": {
          const results = (payload.calls as Json[]).map((item) => ({ ...call(item), call_id: item.call_id }));
          return reply("CALL_BATCH_RES", { batch_id: payload.batch_id, status: "SUCCESS", results });
        }
        default: {
          const found = rows().find(({ idx }) => idx === payload.idx);
          if (frame.catalog_epoch !== epoch || found?.cap_id !== payload.cap_id) {
            return nack("TRP_1003", "CATALOG_MISMATCH", true, { action: "SYNC_CATALOG" });
          }
          const failure = plain.failures.shift();
          if (failure !== undefined) return nack(failure.error_code, failure.error_class, failure.retryable);
          const result = call(payload);
          session.outcomes.set(payload.call_id as string, { type: "RESULT", payload: result });
          return reply("RESULT", result);
        }
      }
    },
  };

  function call(item: Json): Json {
    const { call_id, idx, cap_id, idempotency_key: key, args } = item;
    const stored = typeof key === "string" ? keys.get(`${cap_id} ${key}`) : undefined;
    if (stored !== undefined) return { ...stored, call_id };
    if (cap_id === "cap.write.v1") plain.effects.push((args as { text: string }).text);
    const usage = { router_ms: 1, adapter_ms: 0, executor_ms: 1 };
    const result = { call_id, idx, cap_id, status: "SUCCESS", result: { summary: "done", data: args }, usage };
    if (typeof key === "string") keys.set(`${cap_id} ${key}`, result);
    return result;
  }

  return plain;
}
