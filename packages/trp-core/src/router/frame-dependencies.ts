import type { CallPipeline } from "../calls/dependencies.ts";
import type { Emitter } from "../events/emitter.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { RequestFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { AuditLogger, CapabilityRegistry, SessionManager } from "../parts.ts";
import type { PolicyEngine } from "../policy/types.ts";
import type { KnownCall, RouterStore, SessionRecord } from "../store/types.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Running } from "./running.ts";
import type { StopSignals } from "./stop-signals.ts";
import type { RouterLimits, RouterTimes } from "./types.ts";

/** What answering frames is made of. */
export interface FrameDependencies {
  store: RouterStore;
  sessions: SessionManager;
  registry: CapabilityRegistry;
  policy: PolicyEngine;
  pipeline: CallPipeline;
  audit: AuditLogger;
  emitter: Pick<Emitter, "emit" | "active">;
  running: Running;
  stop: StopSignals;
  limits: RouterLimits;
  times: RouterTimes;
  /** Remembers whom the transport named, for a principal that the frame has narrowed. */
  narrowed(narrow: Principal, full: Principal): void;
  /** Whether frames are taken, and how many are being answered. */
  lifecycle: Pick<Lifecycle, "begin" | "end" | "closing">;
}

/** A frame that was admitted, with what is needed to answer it. */
export interface AdmittedFrame<Frame extends RequestFrame = RequestFrame> {
  frame: Frame;
  head: FrameHead;
  session: SessionRecord;
  /** Narrowed by the frame's `auth_context`. */
  principal: Principal;
  /** What was known of its calls before it came: new ones may be left out. */
  known: Readonly<Record<string, KnownCall>>;
}
