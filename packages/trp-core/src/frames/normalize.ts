import type { CallItem, CallReqPayload, RequestFrame } from "./types.ts";

/** Gives a frame's payload every field, defaults for what was left out. */
export function fillDefaults(frame: RequestFrame): void {
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
    case "RESULT_QUERY_REQ": {
      const { call_id, after_event_id = null, include_partials = true } = frame.payload;
      frame.payload = { call_id, after_event_id, include_partials };
      return;
    }
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
