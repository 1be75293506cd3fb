import type { IncomingCall } from "../calls/types.ts";
import type { Fault } from "../errors/types.ts";
import type { CallItem } from "../frames/types.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";

/** A call without its capability, which may not be known: what audit rows and events are about. */
export function callFacts(
  { frame, session, principal }: AdmittedFrame,
  item: CallItem,
  signal: AbortSignal,
): Omit<IncomingCall, "capability"> {
  return {
    item,
    session,
    principal,
    traceId: frame.trace_id,
    frameId: frame.frame_id,
    seq: frame.seq ?? 0,
    catalogEpoch: frame.catalog_epoch ?? 0,
    signal,
  };
}

/** Writes down and tells that a call was refused before the pipeline saw it (TRP v0.1 draft, 14.1: every call). */
export async function noteRefusal(
  { store, audit, emitter }: Pick<FrameDependencies, "store" | "audit" | "emitter">,
  call: Omit<IncomingCall, "capability">,
  fault: Fault,
): Promise<void> {
  const { item, session, principal, traceId } = call;
  const facts = {
    traceId,
    sessionId: session.id,
    callId: item.call_id,
    capId: item.cap_id,
    principal: principal.id,
    tenant: principal.tenant,
  };
  await store.audit.append([audit.outcome(call, { status: "REFUSED", fault, latencyMs: 0 })]);
  if (!emitter.active) return;
  const at = store.now();
  if (fault.retryable) {
    emitter.emit({
      type: "call.retry_suggested",
      at,
      code: fault.code,
      backoffMs: fault.retryHint.backoff_ms ?? 0,
      ...facts,
    });
  }
  emitter.emit({ type: "call.failed", at, errorClass: fault.errorClass, code: fault.code, ms: 0, ...facts });
}
