import type { JsonObject } from "@toolglot/core";
import type { MaybePromise } from "@toolglot/schema";
import type { AuditEntry } from "./audit/types.ts";
import type { Execution, IncomingCall } from "./calls/types.ts";
import type { AnyCapability, ExecuteContext, RegisteredCapability } from "./capability/types.ts";
import type { Fault } from "./errors/types.ts";
import type {
  AliasRow,
  HelloReqPayload,
  HelloResPayload,
  PolicyProof,
  RequestFrame,
  ShapedResult,
} from "./frames/types.ts";
import type { Principal } from "./identity/types.ts";
import type { AdmissionResult, AdmittedCall, SessionRecord } from "./store/types.ts";

// The router's inner modules (TRP v0.1 draft, 17.2), as the others know them.
// PolicyEngine is in policy/types.ts.

/** Sessions, their order, and the duplicates in it. */
export interface SessionManager {
  /** Opens a session, or resumes one (same principal; else TRP_1008). */
  hello(payload: HelloReqPayload, principal: Principal): Promise<HelloResPayload | Fault>;
  /**
   * Order and duplicates. Waits up to 250 ms for the frames before it, when the session has `SEQ_WINDOW` and `seq` lies
   * inside the window of 64.
   */
  admit(frame: RequestFrame, calls: AdmittedCall[], principal: Principal): Promise<AdmissionResult>;
}

/** What there is to call, and under which number. */
export interface CapabilityRegistry {
  /** Throws `TypeError` when a definition is malformed or the `capId` is taken. */
  register(...capabilities: AnyCapability[]): void;
  /** False when there is none. Its numbers stay taken in sessions that know it. */
  unregister(capId: string): boolean;
  get(capId: string): RegisteredCapability | undefined;
  /** What is in this principal's catalog, in order of registration: what is for their roles, less what policy always denies. */
  visible(principal: Principal): RegisteredCapability[];
  epoch(): Promise<number>;
  /** The id of a first alias view for a new session. */
  openView(principal: Principal): Promise<string>;
  /** Brings the session's view up to date: appends, marks what is gone. Gives the rows of what is there. */
  sync(session: SessionRecord, principal: Principal): Promise<{ epoch: number; rows: AliasRow[] }>;
  /** The capability a call means, or why it can't be told (TRP_1003, TRP_2007). */
  resolve(
    session: SessionRecord,
    principal: Principal,
    call: { idx: number; cap_id: string; schema_digest?: string | null },
    catalogEpoch: number | null,
  ): MaybePromise<RegisteredCapability | Fault>;
}

/** Canonical to native arguments. */
export interface AdapterLayer {
  /** Never throws: a broken adapter is TRP_5001. */
  adapt(capability: RegisteredCapability, args: JsonObject): { native: unknown } | Fault;
}

/** Runs one capability once. */
export interface CapabilityExecutor {
  /**
   * Never throws, never rejects. Ends at the latest when the time is up, whether the capability listens to its signal or
   * not. At once, without a promise, when the capability does.
   */
  run(
    capability: RegisteredCapability,
    native: unknown,
    context: ExecuteContext,
    timeoutMs: number,
  ): MaybePromise<Execution>;
}

/** Makes a result small enough for a model. */
export interface ResultShaper {
  /**
   * Never throws, never rejects; what can't be told as JSON is named in `warnings`. The result shares nothing with the
   * value. A promise only when something has to be stored.
   */
  shape(capability: RegisteredCapability, value: unknown, principal: Principal): MaybePromise<ShapedResult>;
}

/** A call as audit rows see it: one that is refused early has no capability. */
export type AuditedCall = Omit<IncomingCall, "capability"> & Partial<Pick<IncomingCall, "capability">>;

/** Writes down what was decided and how it ended. The rows get into the store with what they are about. */
export interface AuditLogger {
  decision(call: IncomingCall, proof: PolicyProof, approvalId?: string): AuditEntry;
  outcome(
    call: AuditedCall,
    end: { status: AuditEntry["result_status"]; fault?: Fault; proof?: PolicyProof; latencyMs: number },
  ): AuditEntry;
}
