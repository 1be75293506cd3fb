import type { OperationClaim } from "@toolglot/core";
import type { RegisteredCapability } from "../catalog/types.ts";
import type { Fault } from "../frames/fault.ts";
import type { CallUsage, PolicyProof, ShapedResult } from "../frames/results.ts";
import type { CallItem, ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { SessionRecord } from "../store/session-types.ts";
import type { CallSpan } from "../tracing/spans.ts";
import type { PendingAdmission } from "./keyed/pending-admission.ts";
import type { Cancellable } from "./running/cancel.ts";

/** A call of an admitted frame, on its way through the pipeline. */
export interface IncomingCall {
  item: CallItem;
  /** Of the item as it was sent (`callDigest`), when its references have been filled since. */
  sentDigest?: string;
  session: SessionRecord;
  /** Narrowed by the frame's `auth_context`. */
  principal: Principal;
  traceId: string;
  frameId: string;
  seq: number;
  /** As the frame said it. */
  catalogEpoch: number;
  capability: RegisteredCapability;
  /** Aborted when nobody waits any more and the router closes, or when the call is cancelled. */
  signal: AbortSignal;
  /** Present while the admission of the frame is not committed. */
  admission?: PendingAdmission;
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
  /** Unknown: it threw an exception that does not say what happened, or its time was over (`timedOut`). */
  | { kind: "unknown"; message: string; timedOut: boolean };
