import type { OperationClaim, OperationKey } from "@toolglot/core";
import type { AuditFields } from "../audit/types.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import type { CallEventFacts, NewEvent } from "../events/types.ts";
import type { Fault } from "../frames/fault.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { CallUsage, PartialResultEvent, PolicyProof, ShapedResult } from "../frames/results.ts";
import type { CallItem, ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { Answer, KnownCall, SessionRecord } from "../store/frame-types.ts";
import type { PendingAdmission } from "./keyed/pending-admission.ts";
import type { Cancellable, Stop } from "./running/cancel.ts";

/** The span of a call, for the steps of the pipeline that add something to it. */
export interface CallSpan {
  /** Stored with the call's operation, so that a router that takes the operation over can link to this span. */
  readonly traceparent: string;
  /** Links to the span of an earlier call: this call continues that call's operation, or repeats its outcome. */
  link(traceparent: string | undefined): void;
}

/** A call of an admitted frame, on its way through the pipeline. */
export interface IncomingCall {
  item: CallItem;
  /** Of the item as it was sent (`callDigest`): its references may have been filled since. */
  digest: string;
  /** The canonical JSON of the arguments as they were sent. Absent when they are others now. */
  argsText?: string | undefined;
  /** The operation of its own key. */
  operation?: OperationKey | undefined;
  /** As in `AuditedCall`. */
  auditKey?: string | undefined;
  /** As in `AuditedCall`. */
  auditFields?: AuditFields | undefined;
  session: SessionRecord;
  /** Narrowed by the frame's `auth_context`. */
  principal: Principal;
  traceId: string;
  frameId: string;
  seq: number;
  /** The epoch of the frame. */
  catalogEpoch: number;
  capability: RegisteredCapability;
  /** Happens when nobody waits any more and the router closes, or when the call is cancelled. */
  stop: Stop;
  /** Present while the admission of the frame is not committed. */
  admission?: PendingAdmission | undefined;
  /** In a session with the feature `CANCEL`. */
  cancellable?: Cancellable;
  /** Present when calls are traced. */
  span?: CallSpan;
}

/** A call without its capability, which may not be known: what audit rows, events and replies are about. */
export type CallFacts = Omit<IncomingCall, "capability">;

/** What the path of a call comes to. `reply`: to the frame, when it asks for this call alone. */
export interface PipelineResult {
  settled: Settled;
  reply?: ResponseFrame;
}

/** With an end that repeats another call's: that call, and when it ended (by the store's clock). Nothing was done now. */
export interface Replay {
  replayedFrom?: string;
  replayedAt?: number;
}

/** The end of a call, before it is put into a frame. */
export type Settled =
  | ({ kind: "success"; result: ShapedResult; usage: CallUsage; proof?: PolicyProof } & Replay)
  /** Nothing was executed. */
  | { kind: "refused"; fault: Fault }
  /** It was started and failed; or may be tried again, when the fault is retryable. */
  | ({ kind: "failed"; fault: Fault; usage: CallUsage; proof?: PolicyProof } & Replay)
  /** It was started, and its outcome is unknown. `doubt`: the operation that is recorded as in doubt. */
  | ({ kind: "unknown"; fault: Fault; usage: CallUsage; proof?: PolicyProof; doubt?: OperationClaim } & Replay)
  /** The same operation runs elsewhere, or under another call. */
  | { kind: "in-progress"; retryAfterMs: number };

/** How one run of a capability ended. */
export type Execution =
  | { kind: "done"; value: unknown }
  /** Definitely, and it stays so: message for the model. */
  | { kind: "failed"; message: string; transient: boolean }
  /** Proven to have had no effect. */
  | { kind: "not-applied"; message: string }
  /** Unknown: it threw an exception of another kind, or its time was over (`timedOut`). */
  | { kind: "unknown"; message: string; timedOut: boolean };

/** A frame with a single call: the facts that its reply needs besides the call itself. */
export interface CallFrame {
  head: FrameHead;
  /** The state of the call before this frame arrived. */
  known: KnownCall | undefined;
}

/** The facts about a call that is about to end. */
export interface EndingCall {
  call: CallFacts;
  /** A time of `performance.now()`. Absent when the call did not go through the pipeline. */
  began?: number;
  /** The proof of the latest policy decision. */
  proof?: PolicyProof;
  /** When present, the reply to this frame is committed together with the outcome. */
  frame?: CallFrame | undefined;
  /** Present when the call was about to run. */
  route?: { readonly names: Pick<CallUsage, "adapter" | "failed_adapters"> | undefined };
  /** The latest reply. The reply that is sent must be the one that was committed. */
  reply?: CallReply;
  /** The operation that the call stands for, once it is known. */
  operation?: OperationKey;
  /** Events for the outbox that the next commit will write. */
  pendingEvents?: CallEvent[] | undefined;
  /** Whether the transaction of the operation has written the audit row and the reply. */
  committed?: boolean;
}

/** The facts about a call while it goes through the pipeline. */
export interface CallContext extends EndingCall {
  call: IncomingCall;
  began: number;
  /** As in `RunOptions`. */
  onStarted?: (() => void) | undefined;
  /** As in `RunOptions`. */
  onParts?: ((events: PartialResultEvent[]) => void) | undefined;
  adapterMs: number;
  executorMs: number;
}

/** The reply to a frame with a single call, and its record in the store. */
export interface CallReply {
  settled: Settled;
  reply: ResponseFrame;
  /** Absent while the call still runs, because an ACK is no final answer. */
  answer?: Answer;
}

/** The events about calls, without the members that all of them share. */
export type CallEvent = NewEvent extends infer Event
  ? Event extends CallEventFacts & NewEvent
    ? Omit<Event, keyof CallEventFacts>
    : never
  : never;
