import type { ErrorClass, TrpCode } from "../frames/fault.ts";
import type { RequestFrame, ResponseFrame } from "../frames/types.ts";

type FrameType = RequestFrame["frame_type"];
type AnswerType = ResponseFrame["frame_type"];

/** Of every event about a call. */
export interface CallEventFacts {
  traceId: string;
  sessionId: string;
  callId: string;
  capId: string;
  principal: string;
  tenant: string;
  /** Of a call with a key: its operation, `sha256:` and hex over scope and key. The same for every call and attempt at it. */
  operation?: string;
}

/** What happened, without its time. */
export type EventBody =
  | { type: "catalog.synced"; sessionId: string; epoch: number; capabilities: number }
  /** The store could not do `operation` (`sessions.admit`): what for was answered with TRP_5003, or is tried again. */
  | { type: "store.failed"; operation: string; code: string; message: string }
  /** `frame`: absent for what could not be read. `code`: of a NACK. */
  | { type: "frame.answered"; frame?: FrameType; answer: AnswerType; code?: string; ms: number }
  | NewEvent;

/** An event that an outbox can hold, before the store gives it its time. */
export type NewEvent =
  | ({ type: "call.accepted" } & CallEventFacts)
  | ({ type: "call.policy_denied"; rule: string; code: TrpCode } & CallEventFacts)
  /** An operation goes on that was begun before, by a router that is gone or for a call that came to nothing. */
  | ({ type: "call.resumed"; attempt: number } & CallEventFacts)
  /** The capability was started; how it ended follows. */
  | ({ type: "call.executed"; executorMs: number; adapter?: string } & CallEventFacts)
  /** One of several adapters failed, and the call goes on with the next one. */
  | ({ type: "call.adapter_failed"; adapter: string; next: string } & CallEventFacts)
  | ({ type: "call.retry_suggested"; code: TrpCode; backoffMs: number } & CallEventFacts)
  | ({ type: "call.succeeded"; replayed: boolean; ms: number } & CallEventFacts)
  /** `dispatched`: the capability was started. */
  | ({ type: "call.failed"; errorClass: ErrorClass; code: TrpCode; dispatched: boolean; ms: number } & CallEventFacts)
  | ({ type: "call.in_doubt"; reason: string; ms: number } & CallEventFacts)
  | {
      type: "approval.requested";
      approvalId: string;
      tenant: string;
      requester: string;
      capId: string;
      expiresAt: number;
      /** The operation that waits for it, as calls have it. */
      operation: string;
    }
  | {
      type: "approval.decided";
      approvalId: string;
      tenant: string;
      status: "approved" | "denied";
      by: string;
      operation: string;
    }
  | {
      type: "operation.resolved";
      tenant: string;
      state: "done" | "failed" | "released";
      by: string;
      operation: string;
    };

/** What a router reports while it works: the events of the TRP v0.1 draft (14.2), and some of our own. */
export type RouterEvent = { at: number } & EventBody;

/** Takes events. What a listener throws is lost; it can't disturb a call. */
export type RouterListener = (event: RouterEvent) => void;
