import type { JsonObject } from "@toolglot/core";
import { type Principal, principal, type Router } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { frame, hello } from "../../trp-core/test/chaos/frames.ts";

export const agent: Principal = principal({ id: "agent" });
export const boss: Principal = principal({ id: "boss", roles: ["approver"] });

/** Calls a capability in a session of its own. */
export async function callOnce(
  router: Pick<Router, "handle">,
  capId: string,
  args: JsonObject,
  { key, timeoutMs = 5_000, who = agent }: { key?: string; timeoutMs?: number; who?: Principal } = {},
): Promise<ResponseFrame> {
  const context = { principal: who };
  const opened = await router.handle(frame("HELLO_REQ", null, null, hello), context);
  if (opened.frame_type !== "HELLO_RES") return opened;
  const session = { id: opened.payload.session_id, epoch: opened.payload.catalog_epoch };
  const synced = await router.handle(
    frame("CATALOG_SYNC_REQ", session, 1, { mode: "FULL", known_epoch: null }),
    context,
  );
  if (synced.frame_type !== "CATALOG_SYNC_RES" || !("alias_table" in synced.payload)) return synced;
  const idx = synced.payload.alias_table.find((row) => row.cap_id === capId)?.idx ?? -1;
  const item = { call_id: "call", idempotency_key: key ?? null, idx, cap_id: capId, timeout_ms: timeoutMs, args };
  return router.handle(frame("CALL_REQ", session, 2, item), context);
}

/** How a call ended, in a word: `SUCCESS`, `UNKNOWN`, or the code of its refusal. */
export function endOf({ frame_type: type, payload }: ResponseFrame): string {
  if (type === "RESULT") return payload.status;
  return type === "NACK" ? payload.error_code : type;
}
