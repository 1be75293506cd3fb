import { type Context, context, isSpanContextValid, TraceFlags, trace } from "@opentelemetry/api";
import { traceparentText } from "@toolglot/internal/otel";
import type { ClientTracing, TraceContext } from "../transport-types.ts";

/**
 * Passes OpenTelemetry traces on to a router: `createClient({ tracing: traceClient() })`. Every frame names the span
 * that was active when the frame was made, so that the router's spans become its children (W3C Trace Context). Over
 * HTTP the headers `traceparent` and `tracestate` name it. With every transport, the frame's `trace_id` is the id of
 * the trace, if the trace is recorded and the caller gave no `traceId`. It makes no spans itself. Without an
 * OpenTelemetry SDK in the process it does nothing.
 *
 * @example
 * ```ts
 * const client = createClient({ transport, agentId: "agent-7", tracing: traceClient() });
 * ```
 */
export function traceClient(): ClientTracing {
  return {
    current: () => currentOf(context.active()),
    capture() {
      const captured = context.active();
      const id = trace.getSpanContext(captured)?.traceId;
      return (run) => {
        // By now the active span may be a descendant of the captured one, which stays, or a span of another trace.
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
