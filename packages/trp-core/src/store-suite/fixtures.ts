import type { ClaimRequest, JsonObject, OperationClaim, OperationKey } from "@toolglot/core";
import { truth } from "@toolglot/internal";
import type { AuditEntry } from "../audit/types.ts";
import type { NackPayload, ResultPayload } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { ApprovalRecord, ApprovalStore } from "../store/approval-types.ts";
import type { Admission, AdmissionResult, Answer, CallOutcome, SessionRecord, Who } from "../store/frame-types.ts";
import type { RouterStore, StartOptions } from "../store/types.ts";

/** Opens a store that is empty and whose clock is `now`. */
export type MakeStore = (options: { now: () => number }) => Promise<RouterStore>;

/** One behaviour that every store must show; `run` rejects with an `Error` when it doesn't. Made for any test runner. */
export interface StoreCase {
  name: string;
  run(makeStore: MakeStore): Promise<void>;
}

/** A store to try, with its clock in the hand of the case. */
export interface Setup {
  store: RouterStore;
  now(): number;
  advance(ms: number): void;
}

/** `prepare` comes before each case. */
export function storeCases(
  cases: Record<string, (setup: Setup) => Promise<void>>,
  prepare?: (store: RouterStore) => Promise<unknown>,
): StoreCase[] {
  return Object.entries(cases).map(([name, run]) => ({
    name,
    async run(makeStore) {
      let time = 1_760_000_000_000;
      const store = await makeStore({ now: () => time });
      const advance = (ms: number): void => {
        time += ms;
      };
      try {
        await prepare?.(store);
        await run({ store, now: () => time, advance });
      } finally {
        await store.close();
      }
    },
  }));
}

export const who: Who = { tenant: "tenant", principal: "ann" };
export const day: number = 24 * 60 * 60 * 1000;

export function openSession(store: RouterStore, more: { id?: string; ttlMs?: number } = {}): Promise<SessionRecord> {
  const session = { id: "sess", ...who, agentId: "agent", features: ["CALL"], view: "view-1", ttlMs: day };
  return store.sessions.create({ ...session, ...more });
}

export function admission(seq: number, more: Partial<Admission> = {}): Admission {
  return { sessionId: "sess", ...who, frameId: `frame-${seq}`, digest: `digest-${seq}`, seq, calls: [], ...more };
}

export function oneCall(callId: string, more: Partial<Admission["calls"][number]> = {}): Admission["calls"] {
  return [{ callId, digest: `digest of ${callId}`, timeoutMs: 1000, ...more }];
}

export function expectStatus<Status extends AdmissionResult["status"]>(
  result: AdmissionResult,
  status: Status,
): Extract<AdmissionResult, { status: Status }> {
  truth(result.status === status, `expected the admission to be ${status}, it is ${result.status}`);
  return result as Extract<AdmissionResult, { status: Status }>;
}

/** Hands in a frame, which must come out so. */
export async function admitted<Status extends AdmissionResult["status"]>(
  store: RouterStore,
  status: Status,
  seq: number,
  more: Partial<Admission> = {},
): Promise<Extract<AdmissionResult, { status: Status }>> {
  return expectStatus(await store.sessions.admit(admission(seq, more)), status);
}

/** Returns the ids of the session's calls in flight. */
export async function inFlight(store: RouterStore): Promise<string[]> {
  return (await store.sessions.callsInFlight("sess")).map(({ callId }) => callId);
}

/** The call ids of all audit rows. */
export async function audited(store: RouterStore): Promise<string[]> {
  return (await store.audit.read()).map(({ entry }) => entry.call_id);
}

export function resultOutcome(callId: string, summary = "done"): CallOutcome & { type: "RESULT" } {
  const payload: ResultPayload = {
    call_id: callId,
    idx: 0,
    cap_id: "cap.mail.send.v1",
    status: "SUCCESS",
    result: { summary, data: { list: [1, "two", null] }, artifacts: [], warnings: [] },
    usage: { router_ms: 1, adapter_ms: 0, executor_ms: 1 },
  };
  return { type: "RESULT", payload };
}

/** The outcome of a call that was started and of which nobody knows more. */
export function unknownOutcome(callId: string): CallOutcome & { type: "RESULT" } {
  const { payload } = resultOutcome(callId);
  return { type: "RESULT", payload: { ...payload, status: "UNKNOWN", result: null } };
}

export function nackOutcome(callId: string, frameId: string): CallOutcome & { type: "NACK" } {
  const payload: NackPayload = {
    nack_of_frame_id: frameId,
    nack_of_call_id: callId,
    error_class: "TRANSIENT",
    error_code: "TRP_5003",
    message: "too much to do",
    retryable: true,
    retry_hint: { backoff_ms: 10 },
    fix: "Try again.",
    dispatched: false,
  };
  return { type: "NACK", payload };
}

export function answerOf(
  seq: number,
  outcomes: Record<string, CallOutcome>,
  frameId = `frame-${seq}`,
): Required<Answer> {
  const [outcome = resultOutcome("call")] = Object.values(outcomes);
  const reply = {
    trp_version: "0.1",
    frame_type: outcome.type,
    session_id: "sess",
    frame_id: `res_${frameId}`,
    trace_id: "trace",
    timestamp_ms: 1,
    catalog_epoch: 1,
    seq,
    payload: outcome.payload,
  } as ResponseFrame;
  return { sessionId: "sess", frameId, reply, outcomes: Object.entries(outcomes) };
}

export function auditEntry(callId: string): AuditEntry {
  return {
    kind: "decision",
    ...who,
    trace_id: "trace",
    session_id: "sess",
    catalog_epoch: 1,
    seq: 1,
    call_id: callId,
    idx: 0,
    cap_id: "cap.mail.send.v1",
    idempotency_key: "sha256:00",
    policy_decision: "allow",
    policy_rule: "rule",
    policy_version: "1",
    policy_digest: "sha256:11",
    attempt: 1,
    latency_ms: 1.5,
    result_status: "STARTED",
    error_class: null,
    error_code: null,
  };
}

export const operation: OperationKey = { scope: '["trp","tenant","ann","cap.mail.send"]', key: "key-1" };
export const lease = 1000;

export function claimRequest(more: Partial<ClaimRequest> = {}): ClaimRequest {
  return { ...operation, fingerprint: "print-1", owner: "router-a", leaseMs: lease, ...more };
}

/** Starts an operation that must be free. */
export async function started(
  store: RouterStore,
  more: Partial<ClaimRequest> = {},
  options: StartOptions = {},
): Promise<OperationClaim> {
  const result = await store.operations.start(claimRequest(more), options);
  if (result.status !== "claimed") throw new Error(`expected the operation to start, it is ${result.status}`);
  return result.claim;
}

export async function startStatus(
  store: RouterStore,
  more: Partial<ClaimRequest> = {},
  options: StartOptions = {},
): Promise<string> {
  const result = await store.operations.start(claimRequest(more), options);
  return result.status === "approval-refused" ? `${result.status}: ${result.reason}` : result.status;
}

export const approvalArgs: JsonObject = { to: "bob@example.com", list: [1] };

export function wantedApproval(
  more: Partial<Parameters<ApprovalStore["request"]>[0]> = {},
): Parameters<ApprovalStore["request"]>[0] {
  return {
    id: "approval-1",
    tenant: who.tenant,
    requester: who.principal,
    operation,
    capId: "cap.mail.send.v1",
    fingerprint: "print-1",
    args: approvalArgs,
    riskTier: "HIGH",
    reason: "writes",
    policyVersion: "1",
    ttlMs: 60_000,
    ...more,
  };
}

/** Returns a request for approval that was approved. */
export async function approved(
  store: RouterStore,
  more: Partial<Parameters<ApprovalStore["request"]>[0]> = {},
): Promise<ApprovalRecord> {
  const { record } = await store.approvals.request(wantedApproval(more));
  const decided = await store.approvals.decide(record.id, { status: "approved", by: "boss" });
  if (!decided) throw new Error("a pending approval could not be decided");
  return decided;
}
