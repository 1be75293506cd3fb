import type { OperationRecord } from "@toolglot/core";
import type { NewEvent } from "../events/types.ts";
import type { SameTransaction } from "../store/frame-types.ts";
import type { ClaimOptions } from "../store/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { operationId } from "./keyed/keys.ts";
import { fromJson } from "./keyed/operation-data.ts";
import type { Chosen } from "./running/route.ts";
import { sinceMs } from "./times.ts";
import type { CallContext, CallEvent, EndingCall, Settled } from "./types.ts";

type EventDependencies = Pick<CallDependencies, "store" | "emitter" | "outbox">;

function whole({ call, operation }: EndingCall, event: CallEvent): NewEvent {
  const { traceId, session, item, principal } = call;
  return {
    ...event,
    traceId,
    sessionId: session.id,
    callId: item.call_id,
    capId: item.cap_id,
    principal: principal.id,
    tenant: principal.tenant,
    ...(operation === undefined ? {} : { operation: operationId(operation) }),
  } as NewEvent;
}

/** Emits an event to the listeners in this process. */
export function emitNow({ emitter, store }: EventDependencies, context: EndingCall, event: CallEvent): void {
  if (emitter.active) emitter.emit({ at: store.now(), ...whole(context, event) });
}

/**
 * Emits an event to the listeners in this process, now or as soon as the frame is admitted. Other processes get the
 * event through the outbox, which the next commit of the call writes.
 */
export function emit(dependencies: EventDependencies, context: EndingCall, event: CallEvent): void {
  if (!dependencies.emitter.active && !dependencies.outbox) return;
  const { admission } = context.call;
  if (admission?.isMet === false) admission.onMet(() => emitNow(dependencies, context, event));
  else emitNow(dependencies, context, event);
  if (dependencies.outbox) context.pendingEvents = [...(context.pendingEvents ?? []), event];
}

/**
 * Returns the events that a commit writes to the outbox: those still waiting, and `events`. Empty `context.pendingEvents` after it.
 */
export function pendingEvents(
  { outbox }: EventDependencies,
  context: EndingCall,
  ...events: CallEvent[]
): Pick<SameTransaction, "events"> {
  if (!outbox) return {};
  return { events: [...(context.pendingEvents ?? []), ...events].map((event) => whole(context, event)) };
}

/**
 * Options of a claim that may put an operation in doubt. The event is about the call that began the operation, also
 * when another call makes the claim.
 */
export function ifDoubt(
  { outbox, store }: Pick<EventDependencies, "outbox" | "store">,
  record: OperationRecord | undefined,
): ClaimOptions {
  const data = fromJson(record?.data);
  if (!outbox || record?.startedAt === undefined || data === undefined) return {};
  const event: NewEvent = {
    type: "call.in_doubt",
    reason: "Its router is gone, and nobody knows what came of it.",
    ms: Math.max(0, store.now() - record.startedAt),
    traceId: data.trace_id,
    sessionId: data.session_id,
    callId: data.call_id,
    capId: data.cap_id,
    principal: data.principal.id,
    tenant: data.principal.tenant,
    operation: operationId(record),
  };
  return { ifDoubt: { events: [event] } };
}

/** Reports that the capability has run, with any outcome. */
export function emitExecuted(dependencies: EventDependencies, context: CallContext): void {
  const { adapter } = context.route?.names ?? {};
  const named = adapter === undefined ? {} : { adapter };
  emit(dependencies, context, { type: "call.executed", executorMs: Math.round(context.executorMs), ...named });
}

/** The event that one adapter failed and the next one continues. */
export function handedOver(from: Chosen, to: Chosen): CallEvent {
  return { type: "call.adapter_failed", adapter: from.adapter.name ?? "", next: to.adapter.name ?? "" };
}

/** The events about an outcome (TRP v0.1 draft, 14.2). */
export function outcomeEvents({ began }: EndingCall, settled: Settled): CallEvent[] {
  const ms = sinceMs(began);
  if (settled.kind === "in-progress") return [];
  if (settled.kind === "success") {
    return [{ type: "call.succeeded", replayed: settled.replayedFrom !== undefined, ms }];
  }
  const { code, errorClass, message, retryable, retryHint } = settled.fault;
  const end: CallEvent =
    settled.kind === "unknown"
      ? { type: "call.in_doubt", reason: message, ms }
      : { type: "call.failed", errorClass, code, dispatched: settled.kind === "failed", ms };
  if (!retryable) return [end];
  return [end, { type: "call.retry_suggested", code, backoffMs: retryHint.backoff_ms ?? 0 }];
}
