import type { AuditEntry } from "../audit/types.ts";
import type { Fault } from "../errors/types.ts";
import type { CallUsage, PolicyProof } from "../frames/types.ts";
import type { Answer } from "../store/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { notRecorded } from "./faults.ts";
import type { IncomingCall, Settled } from "./types.ts";

/** What is known of a call while it is on its way. */
export interface Passage {
  call: IncomingCall;
  /** On the clock of `performance.now()`. */
  began: number;
  /** Of the decision that holds at the moment. */
  proof?: PolicyProof;
  answer?: ((settled: Settled) => Answer | undefined) | undefined;
  adapterMs: number;
  executorMs: number;
}

/** How a call ended, and whether its audit row and its answer are in the store already. */
export interface Ending {
  settled: Settled;
  committed: boolean;
}

export function refused(fault: Fault): Ending {
  return { settled: { kind: "refused", fault }, committed: false };
}

/** The same operation runs elsewhere. */
export function busy(): Ending {
  return { settled: { kind: "in-progress", retryAfterMs: 100 }, committed: false };
}

export function usageOf({ began, adapterMs, executorMs }: Passage): CallUsage {
  return {
    router_ms: Math.round(performance.now() - began),
    adapter_ms: Math.round(adapterMs),
    executor_ms: Math.round(executorMs),
  };
}

/** The audit row about how a call ended. */
export function outcomeRow(dependencies: CallDependencies, passage: Passage, settled: Settled): AuditEntry {
  const { call, began } = passage;
  const proof = ("proof" in settled ? settled.proof : undefined) ?? passage.proof;
  const end: Parameters<CallDependencies["audit"]["outcome"]>[1] = {
    status: statusOf(settled),
    latencyMs: Math.round(performance.now() - began),
  };
  if ("fault" in settled) end.fault = settled.fault;
  if (proof !== undefined) end.proof = proof;
  return dependencies.audit.outcome(call, end);
}

function statusOf(settled: Settled): AuditEntry["result_status"] {
  switch (settled.kind) {
    case "success":
      return "SUCCESS";
    case "failed":
      return "FAILED";
    case "unknown":
      return "UNKNOWN";
    default:
      return "REFUSED";
  }
}

/** What is committed together with the end of an operation: its audit row, and the answer of the frame. */
export function along(
  dependencies: CallDependencies,
  passage: Passage,
  settled: Settled,
): { audit: AuditEntry[]; answer?: Answer } {
  const answer = passage.answer?.(settled);
  const audit = [outcomeRow(dependencies, passage, settled)];
  return answer === undefined ? { audit } : { audit, answer };
}

/**
 * Writes down an end that no operation's transaction has written down, and tells the events. What ran without an
 * operation and can't be written down is no success: it may run again, and is told so. Never rejects.
 */
export async function conclude(dependencies: CallDependencies, passage: Passage, ending: Ending): Promise<Settled> {
  let { settled } = ending;
  if (!ending.committed) {
    try {
      const { audit, answer } = along(dependencies, passage, settled);
      const { store } = dependencies;
      if (answer === undefined) await store.audit.append(audit);
      else await store.sessions.answer(answer, { audit });
    } catch {
      // A replay is in the store as what it repeats.
      if (settled.kind === "success" && settled.replayedFrom === undefined) {
        const { usage, proof } = settled;
        settled = { kind: "failed", fault: notRecorded(), usage, ...(proof === undefined ? {} : { proof }) };
      }
    }
  }
  tell(dependencies, passage, settled);
  return settled;
}

/** What the events about a call have in common. */
export function factsOf({ call }: Passage): {
  traceId: string;
  sessionId: string;
  callId: string;
  capId: string;
  principal: string;
  tenant: string;
} {
  return {
    traceId: call.traceId,
    sessionId: call.session.id,
    callId: call.item.call_id,
    capId: call.capability.capId,
    principal: call.principal.id,
    tenant: call.principal.tenant,
  };
}

/** The events about an end (TRP v0.1 draft, 14.2). */
function tell({ emitter, store }: CallDependencies, passage: Passage, settled: Settled): void {
  if (!emitter.active || settled.kind === "in-progress") return;
  const facts = { at: store.now(), ...factsOf(passage) };
  const ms = Math.round(performance.now() - passage.began);
  if (settled.kind === "success") {
    emitter.emit({ type: "call.succeeded", replayed: settled.replayedFrom !== undefined, ms, ...facts });
    return;
  }
  const { code, errorClass, message, retryable, retryHint } = settled.fault;
  if (settled.kind === "unknown") emitter.emit({ type: "call.in_doubt", reason: message, ...facts });
  else emitter.emit({ type: "call.failed", errorClass, code, ms, ...facts });
  if (retryable) emitter.emit({ type: "call.retry_suggested", code, backoffMs: retryHint.backoff_ms ?? 0, ...facts });
}
