import { type Context, context, isSpanContextValid, TraceFlags, trace } from "@opentelemetry/api";
import { traceparentText } from "@toolglot/internal/otel";
import type { ClientTracing, TraceContext } from "../types.ts";

/**
 * For `createClient({ tracing: traceClient() })`: every frame says which OpenTelemetry span was active when it was made, so
 * that a router's spans belong to it (W3C Trace Context). Over HTTP with the headers `traceparent` and `tracestate`; and, when
 * the caller gave no `traceId` and the trace is recorded, with the trace's id as the frame's `trace_id`, by every transport.
 * Makes no spans of its own. Without an SDK in the process nothing happens.
 */
export function traceClient(): ClientTracing {
  return {
    current: () => currentOf(context.active()),
    capture() {
      const captured = context.active();
      const id = trace.getSpanContext(captured)?.traceId;
      return (run) => {
        // What is active by now may be a span below the captured one, or something that has to do with neither.
        if (id === undefined || id === trace.getSpanContext(context.active())?.traceId) return run();
        return context.with(captured, run);
      };
    },
  };
}

function currentOf(active: Context): TraceContext | undefined {
  const span = trace.getSpanContext(active);
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const { traceId, traceFlags, traceState } = span;
  const isRecorded = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceparent: traceparentText(span),
    ...(traceState !== undefined && { tracestate: traceState.serialize() }),
    ...(isRecorded && { traceId }),
  };
}
