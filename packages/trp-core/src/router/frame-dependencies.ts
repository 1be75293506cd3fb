import type { FieldsOf } from "../audit/logger.ts";
import type { PendingAdmission } from "../calls/keyed/pending-admission.ts";
import type { CallPipeline } from "../calls/pipeline.ts";
import type { Cancellations, Stop } from "../calls/running/cancel.ts";
import type { CapabilityRegistry } from "../catalog/types.ts";
import type { Emitter } from "../events/emitter.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { CallItem, RequestFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { PolicyEngine } from "../policy/types.ts";
import type { SessionManager } from "../sessions/sessions.ts";
import type { AdmittedCall, KnownCall, SessionRecord } from "../store/frame-types.ts";
import type { RouterStore } from "../store/types.ts";
import type { Spans } from "../tracing/spans.ts";
import type { InFlight, Lifecycle } from "./lifecycle.ts";
import type { FrameContext, RouterLimits, RouterTimes } from "./types.ts";

/** What answering frames is made of. */
export interface FrameDependencies {
  store: RouterStore;
  sessions: SessionManager;
  registry: CapabilityRegistry;
  policy: PolicyEngine;
  pipeline: CallPipeline;
  emitter: Pick<Emitter, "emit" | "active">;
  inFlight: InFlight;
  cancellations: Cancellations;
  /** Aborted when the router closes and nobody waits any more for what runs. */
  stop: Stop;
  limits: RouterLimits;
  times: RouterTimes;
  /** Remembers whom the transport named, for a principal that the frame has narrowed. */
  narrowed(narrow: Principal, full: Principal): void;
  /** Whether frames are taken, and how many are being answered. */
  lifecycle: Pick<Lifecycle, "begin" | "end" | "closing">;
  /** As in `CallDependencies`. */
  auditFields?: FieldsOf;
  /** Absent when nobody wants any. */
  spans?: Spans;
}

/** A call as its frame has it. */
export interface SentCall {
  item: CallItem;
  /** The same as the store needs it. */
  call: AdmittedCall;
  /** The canonical JSON of its arguments. */
  argsText: string;
}

/** A frame that was admitted, with what is needed to answer it. */
export interface AdmittedFrame<Frame extends RequestFrame = RequestFrame> {
  frame: Frame;
  head: FrameHead;
  session: SessionRecord;
  /** Narrowed by the frame's `auth_context`. */
  principal: Principal;
  /** Its calls, as they were sent. */
  sent: readonly SentCall[];
  /** What was known of its calls before it came, by their ids. */
  known: ReadonlyMap<string, KnownCall>;
  /** While the admission is not committed. */
  admission?: PendingAdmission | undefined;
  /** What came with the frame. */
  context?: Pick<FrameContext, "onPartial" | "signal">;
}

/** Sends partial results to who sent the frame, if they listen. What a listener throws can't disturb a call. */
export function partialSender(context: AdmittedFrame["context"]): FrameContext["onPartial"] {
  const { onPartial } = context ?? {};
  if (typeof onPartial !== "function") return undefined;
  return (frame) => {
    try {
      onPartial(frame);
    } catch {
      // Their own affair.
    }
  };
}
