import { type Context, context, type SpanContext, trace } from "@opentelemetry/api";
import { readTraceparent } from "@toolglot/internal/otel";
import type { TraceHeaders } from "./spans.ts";

/**
 * Returns the trace that a frame names by its `trace_id`, which is a `traceparent` or the 32 hex digits of a trace. The digits
 * name no span of the trace, but a parent needs a span id, so the first half of the digits serves as the span id.
 */
function readTraceId(traceId: string | null): SpanContext | undefined {
  if (traceId === null) return undefined;
  if (traceId.length !== 32) return readTraceparent(traceId);
  const [high, low] = [traceId.slice(0, 16), traceId.slice(16)];
  return readTraceparent(`00-${traceId}-${/^0+$/.test(high) ? low : high}-01`);
}

/**
 * The parent of a frame's span. The active span is the parent when the frame names the same trace or no trace.
 * Otherwise the parent comes from the frame: from its headers, or without headers from its `trace_id`.
 */
export function parentOf(traceId: string | null, headers: TraceHeaders | undefined): Context {
  const active = context.active();
  const remote = readTraceparent(headers?.traceparent, headers?.tracestate) ?? readTraceId(traceId);
  if (remote === undefined || trace.getSpanContext(active)?.traceId === remote.traceId) return active;
  return trace.setSpanContext(active, remote);
}
