import type { RequestFrame } from "@toolglot/trp-core/frames";

/** Carries frames to a router. Make your own for another wire; rejections should be {@link clientError}s. */
export interface Transport {
  /**
   * Sends one frame and returns what came back, parsed but not checked. Rejects when there is no answer:
   * `trp-client/unreachable` only if it is certain that nothing was sent, otherwise `no-answer` or `bad-answer`. A
   * `TypeError`: the frame can't be written at all; it and goes to the caller as it is.
   */
  send(frame: RequestFrame, options: SendOptions): Promise<unknown>;
  close(): Promise<void> | void;
  /**
   * Whether any number of frames may wait for their answers at once, because they all share one connection. Default
   * false.
   */
  readonly streams?: boolean;
}

/** The trace that a frame belongs to (W3C Trace Context). */
export interface TraceContext {
  /** The header `traceparent`: `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`. */
  readonly traceparent: string;
  /** The header `tracestate`. */
  readonly tracestate?: string;
  /** The frame's `trace_id`, unless the caller has one. 32 hex digits. */
  readonly traceId?: string;
}

/** Assigns frames their trace: `traceClient()` of `@toolglot/trp-client/tracing`, or your own. */
export interface ClientTracing {
  /** The trace of the code that runs now; undefined when there is none. */
  current(): TraceContext | undefined;
  /**
   * Captures the present trace. The returned function runs another function in this trace later. It is for the calls of
   * a program, which arrive outside of the trace.
   */
  capture(): <Value>(run: () => Value) => Value;
}

/** What a transport gets with a frame. */
export interface SendOptions {
  /** Aborted when the answer is no longer waited for. */
  readonly signal: AbortSignal;
  /**
   * Calls `stop` when `signal` is aborted (at once when that has happened), at most once, without making the signal,
   * which costs a tenth of a call in process. Clients of this package have this method; it takes one function per
   * frame.
   */
  onAbort?(stop: () => void): void;
  /**
   * Gets frames that come before the answer (`PARTIAL_RESULT`, `ACK`). A transport that carries one frame for each
   * request need not look at it: the answer then is the first of them.
   */
  readonly onPartial?: ((frame: unknown) => void) | undefined;
  /** The trace to pass on, as headers or in another form that the transport has. */
  readonly trace?: TraceContext | undefined;
}
