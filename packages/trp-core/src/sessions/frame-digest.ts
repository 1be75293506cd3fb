import { canonicalJson } from "../digest/canonical-json.ts";
import { flat } from "../digest/flat.ts";
import { sha256Digest } from "../digest/sha256.ts";
import type { CallItem, RequestFrame } from "../frames/types.ts";
import type { AdmittedCall } from "../store/types.ts";

/**
 * Of a frame's type, seq and payload, by which a frame that comes again under the same `frame_id` is known to be the
 * same. The digests of its calls stand for their capabilities, keys and arguments, which need no second hashing.
 */
export function frameDigest(frame: RequestFrame, calls: readonly AdmittedCall[]): string {
  const [call] = calls;
  // Short, and nothing of it is a secret: as good as a digest, and cheaper. Ids have no line breaks, and neither has JSON.
  if (frame.frame_type === "CALL_REQ" && !frame.payload.approval_token && call !== undefined) {
    const { call_id, idx, attempt, timeout_ms, depends_on = [], schema_digest, execution_mode } = frame.payload;
    const numbers = `${frame.seq} ${idx} ${attempt} ${timeout_ms} ${execution_mode} ${depends_on.length}`;
    const others = depends_on.length === 0 ? "" : `\n${depends_on.join("\n")}`;
    return flat(`${numbers}\n${call_id}\n${schema_digest ?? ""}\n${call.digest}${others}`);
  }
  return sha256Digest(canonicalJson([frame.frame_type, frame.seq, digestible(frame, calls)]));
}

function digestible(frame: RequestFrame, calls: readonly AdmittedCall[]): unknown {
  switch (frame.frame_type) {
    case "CALL_REQ":
      return callFacts(frame.payload, calls[0], frame.payload.execution_mode);
    case "CALL_BATCH_REQ": {
      const { calls: items, ...rest } = frame.payload;
      return [rest, ...items.map((item, index) => callFacts(item, calls[index]))];
    }
    default:
      return frame.payload;
  }
}

/** Everything that {@link AdmittedCall.digest} doesn't cover. */
function callFacts(item: CallItem, admitted: AdmittedCall | undefined, mode = "SYNC"): unknown[] {
  return [
    admitted?.digest ?? [item.cap_id, item.idempotency_key ?? null, item.args],
    item.call_id,
    item.idx,
    item.attempt ?? 1,
    item.timeout_ms,
    item.depends_on ?? [],
    item.approval_token ?? null,
    item.schema_digest ?? null,
    mode,
  ];
}
