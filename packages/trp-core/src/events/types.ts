import type { ErrorClass, TrpCode } from "../frames/fault.ts";

interface CallFacts {
  traceId: string;
  sessionId: string;
  callId: string;
  capId: string;
  principal: string;
  tenant: string;
}

/** What a router reports while it works: the events of the TRP v0.1 draft (14.2), and six of our own. */
export type RouterEvent = { at: number } & (
  | { type: "catalog.synced"; sessionId: string; epoch: number; capabilities: number }
  | ({ type: "call.accepted" } & CallFacts)
  | ({ type: "call.policy_denied"; rule: string; code: TrpCode } & CallFacts)
  /** The capability was started; how it ended follows. */
  | ({ type: "call.executed"; executorMs: number; adapter?: string } & CallFacts)
  /** One of several adapters failed, and the call goes on with the next one. */
  | ({ type: "call.adapter_failed"; adapter: string; next: string } & CallFacts)
  | ({ type: "call.retry_suggested"; code: TrpCode; backoffMs: number } & CallFacts)
  | ({ type: "call.succeeded"; replayed: boolean; ms: number } & CallFacts)
  | ({ type: "call.failed"; errorClass: ErrorClass; code: TrpCode; ms: number } & CallFacts)
  | ({ type: "call.in_doubt"; reason: string } & CallFacts)
  | {
      type: "approval.requested";
      approvalId: string;
      tenant: string;
      requester: string;
      capId: string;
      expiresAt: number;
    }
  | { type: "approval.decided"; approvalId: string; tenant: string; status: "approved" | "denied"; by: string }
  /** The store could not do `operation` (`sessions.admit`): what for was answered with TRP_5003, or is tried again. */
  | { type: "store.failed"; operation: string; code: string; message: string }
  | { type: "operation.resolved"; tenant: string; state: "done" | "failed" | "released"; by: string }
);

/** Takes events. What a listener throws is lost; it can't disturb a call. */
export type RouterListener = (event: RouterEvent) => void;
