import type { MaybePromise } from "@toolglot/schema";
import type { CallFacts, Execution, Settled } from "../calls/types.ts";
import type { RegisteredAdapter, RegisteredCapability } from "../catalog/types.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { RequestFrame, ResponseFrame } from "../frames/types.ts";
import type { PolicyDecision, PolicyInput } from "../policy/types.ts";

/**
 * Makes a router's spans. `traceRouter()` of `@toolglot/trp-core/tracing` creates it, and only `createRouter` takes it.
 */
export interface RouterTracing {
  /** Opaque. */
  readonly spans: object;
}

/** The trace that a frame belongs to, in the form of the W3C Trace Context headers. */
export interface TraceHeaders {
  /** `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`. A malformed value is ignored. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** The facts about a frame before it is answered. */
export interface TracedFrame {
  /** Undefined when the frame could not be read. */
  type: RequestFrame["frame_type"] | undefined;
  head: FrameHead;
  trace: TraceHeaders | undefined;
}

/** One run of a capability, or of its probe. */
export interface TracedRun {
  verb: "run" | "probe";
  capability: RegisteredCapability;
  adapter: RegisteredAdapter | undefined;
  attempt: number;
}

/** A question to the policy. */
export interface TracedDecision {
  capability: RegisteredCapability;
  phase: PolicyInput["phase"];
}

/**
 * The spans of a router. Each method runs the function that it gets, and a new span is the active span while the
 * function runs. A fault in the tracing never disturbs the function.
 */
export interface Spans {
  frame(about: TracedFrame, answer: () => MaybePromise<ResponseFrame>): MaybePromise<ResponseFrame>;
  /** Sets `call.span`. `isAlone`: the span begins a trace of its own, because the active span belongs to other work. */
  call<End>(
    call: CallFacts,
    about: { capability: RegisteredCapability | undefined; isAlone?: boolean; settled(end: End): Settled | undefined },
    settle: () => MaybePromise<End>,
  ): MaybePromise<End>;
  /** The decision of the policy about a call. */
  policy(about: TracedDecision, decide: () => MaybePromise<PolicyDecision>): MaybePromise<PolicyDecision>;
  /** The look for a request for approval of a call, which makes one when there is none. */
  approval<End extends { status: string }>(
    about: Pick<TracedDecision, "capability">,
    request: () => MaybePromise<End>,
  ): MaybePromise<End>;
  run<End extends { state: string } | Execution>(about: TracedRun, work: () => MaybePromise<End>): MaybePromise<End>;
}

/** Runs `work` in a span; without tracing it just runs `work`. */
export function inRunSpan<End extends { state: string } | Execution>(
  spans: Spans | undefined,
  about: TracedRun,
  work: () => MaybePromise<End>,
): MaybePromise<End> {
  return spans === undefined ? work() : spans.run(about, work);
}
