import type { CallFacts, Execution, Settled } from "../calls/types.ts";
import type { RegisteredAdapter, RegisteredCapability } from "../catalog/types.ts";
import type { FrameHead } from "../frames/replies.ts";
import type { RequestFrame, ResponseFrame } from "../frames/types.ts";

/** Makes spans of what a router does: made by `traceRouter()` of `@toolglot/trp-core/tracing`, for `createRouter` alone. */
export interface RouterTracing {
  /** Opaque. */
  readonly spans: object;
}

/** The trace that a frame belongs to, as the headers of W3C Trace Context have it. */
export interface TraceHeaders {
  /** `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`. What is malformed is ignored. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** The span of a call, for what learns something about it on the way. */
export interface CallSpan {
  /** Kept with the call's operation, so that whoever takes it over can name this span. */
  readonly traceparent: string;
  /** The call goes on with what another one has begun, or repeats its outcome. */
  link(traceparent: string | undefined): void;
}

/** What is known of a frame before it is answered. */
export interface TracedFrame {
  /** Absent when it could not be read. */
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

/**
 * The spans of a router. Each method does what it is given, in a span that is the active one meanwhile. Nothing that goes
 * wrong with a span disturbs what it is about.
 */
export interface Spans {
  frame(about: TracedFrame, answer: () => Promise<ResponseFrame>): Promise<ResponseFrame>;
  /** Sets `call.span`. `isAlone`: for a call that nobody waits for, whatever is active belongs to something else. */
  call<End>(
    call: CallFacts,
    about: { capability: RegisteredCapability | undefined; isAlone?: boolean; settled(end: End): Settled | undefined },
    settle: () => Promise<End>,
  ): Promise<End>;
  run<End extends { state: string } | Execution>(about: TracedRun, work: () => Promise<End>): Promise<End>;
}

/** In a span, where there are any. */
export function inRunSpan<End extends { state: string } | Execution>(
  spans: Spans | undefined,
  about: TracedRun,
  work: () => Promise<End>,
): Promise<End> {
  return spans === undefined ? work() : spans.run(about, work);
}
