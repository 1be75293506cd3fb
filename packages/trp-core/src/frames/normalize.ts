import type { CallItem, RequestFrame } from "./types.ts";

/** The frame with every field of its payload, defaults for what was left out. Only the payload is made anew. */
export function withDefaults(frame: RequestFrame): RequestFrame {
  switch (frame.frame_type) {
    case "CALL_REQ": {
      const item = callWithDefaults(frame.payload);
      return { ...frame, payload: { ...item, execution_mode: frame.payload.execution_mode ?? "SYNC" } };
    }
    case "CALL_BATCH_REQ": {
      const { batch_id, mode = "PARALLEL", max_concurrency, on_error = "continue", calls } = frame.payload;
      return {
        ...frame,
        payload: { batch_id, mode, max_concurrency, on_error, calls: calls.map(callWithDefaults) },
      };
    }
    case "RESULT_QUERY_REQ": {
      const { call_id, after_event_id = null, include_partials = true } = frame.payload;
      return { ...frame, payload: { call_id, after_event_id, include_partials } };
    }
    case "CATALOG_SYNC_REQ": {
      // Optional on the wire: the schema has filled them, the fast path has not.
      const { mode = "FULL", known_epoch = null } = frame.payload;
      return { ...frame, payload: { mode, known_epoch } };
    }
    case "CAP_QUERY_REQ": {
      const { idx, cap_id, include_examples = false } = frame.payload;
      return { ...frame, payload: { idx, cap_id, include_examples } };
    }
    case "HELLO_REQ": {
      const { agent_id, supported_versions, resume_session_id = null, features = null } = frame.payload;
      return { ...frame, payload: { agent_id, supported_versions, resume_session_id, features } };
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
