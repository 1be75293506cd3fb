import type { ErrorClass, TrpCode } from "../frames/results.ts";
import type { RequestFrame, ResponseFrame } from "../frames/types.ts";

type FrameType = RequestFrame["frame_type"];
type AnswerType = ResponseFrame["frame_type"];

/** The members that every event about a call has. */
export interface CallEventFacts {
  traceId: string;
  sessionId: string;
  callId: string;
  capId: string;
  principal: string;
  tenant: string;
  /**
   * Present for a call with a key: `sha256:` and a hex digest over the scope and key of its operation. It is the same
   * for all calls with the key and all attempts.
   */
  operation?: string;
}

/** An event without its time. */
export type EventBody =
  | { type: "catalog.synced"; sessionId: string; epoch: number; capabilities: number }
  /**
   * A method of the store failed; `operation` names it, for example `sessions.admit`. The frame was answered with
   * TRP_5003, or the router tries the method again.
   */
  | { type: "store.failed"; operation: string; code: string; message: string }
  /** `frame`: absent when the frame could not be read. `code`: present when the answer is a NACK. */
  | { type: "frame.answered"; frame?: FrameType; answer: AnswerType; code?: string; ms: number }
  | NewEvent;

/** An event that an outbox can hold, before the store sets its time. */
export type NewEvent =
  | ({ type: "call.accepted" } & CallEventFacts)
  | ({ type: "call.policy_denied"; rule: string; code: TrpCode } & CallEventFacts)
  /** An operation continues that was begun before, by a router that is gone or in an attempt without an outcome. */
  | ({ type: "call.resumed"; attempt: number } & CallEventFacts)
  /** The capability has run. An event about the outcome follows. */
  | ({ type: "call.executed"; executorMs: number; adapter?: string } & CallEventFacts)
  /** One of several adapters failed, and the call continues with the next one. */
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
      /** The operation that waits for the approval, in the same form as in events about calls. */
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

/** The events of a router: those of the TRP v0.1 draft (14.2), and some of our own. */
export type RouterEvent = { at: number } & EventBody;

/** Receives events. An error that a listener throws is ignored, so it can't disturb a call. */
export type RouterListener = (event: RouterEvent) => void;
