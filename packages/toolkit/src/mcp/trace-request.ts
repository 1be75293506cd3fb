import { context, metrics, propagation, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { executionSpan, isTraced, traceparentText } from "@toolglot/internal/otel";

/** Facts of a request that are known before it is sent. */
export interface RequestTrace {
  method: string;
  tool?: string;
  /** The request is the whole execution of a tool, which may have a span already. */
  isExecution?: boolean | undefined;
  revision: string | undefined;
  sessionId: string | undefined;
  isStdio: boolean;
  /** Known once it is sent. */
  requestId?: () => unknown;
}

const scope = "@toolglot/toolkit";
/** Bounds of the histogram, in seconds, as the conventions have them. */
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Sends a request in a span of the client's, measures it, and passes the fields that carry the trace to the server. A call of a tool
 * whose execution has a span already is no second one: that span gets the attributes (semantic conventions for GenAI, MCP).
 */
export async function traceRequest<Value>(
  { method, tool, isExecution, revision, sessionId, isStdio, requestId }: RequestTrace,
  send: (sent: { _meta?: Record<string, string> }) => Promise<Value>,
): Promise<Value> {
  const known: Record<string, string> = {
    "mcp.method.name": method,
    "network.transport": isStdio ? "pipe" : "tcp",
    ...(revision !== undefined && { "mcp.protocol.version": revision }),
    ...(tool !== undefined && { "gen_ai.tool.name": tool, "gen_ai.operation.name": "execute_tool" }),
  };
  const name = tool === undefined ? method : `${method} ${tool}`;
  const attributes = { ...known, ...(sessionId !== undefined && { "mcp.session.id": sessionId }) };
  const outer = isExecution ? (context.active().getValue(executionSpan) as Span | undefined) : undefined;
  outer?.setAttributes(attributes);
  const span = outer ?? trace.getTracer(scope).startSpan(name, { kind: SpanKind.CLIENT, attributes });
  const began = performance.now();
  let failed: string | undefined;
  try {
    const inside = trace.setSpan(context.active(), span);
    const value = await context.with(inside, () => send(isTraced() ? { _meta: carrier(span) } : {}));
    if ((value as { isError?: unknown } | undefined)?.isError === true) failed = "tool_error";
    return value;
  } catch (error) {
    const { code } = error as { code?: unknown };
    failed = typeof code === "number" || typeof code === "string" ? String(code) : "_OTHER";
    throw error;
  } finally {
    const id = requestId?.();
    if (id !== undefined) span.setAttribute("jsonrpc.request.id", String(id));
    // What becomes of the execution is for the outer span to say: it may be tried again.
    if (failed !== undefined && outer === undefined) {
      span.setAttribute("error.type", failed);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    if (outer === undefined) span.end();
    // Not kept: the process may install its meter after this module is loaded.
    metrics
      .getMeter(scope)
      .createHistogram("mcp.client.operation.duration", {
        description: "How long requests to MCP servers take",
        unit: "s",
        advice: { explicitBucketBoundaries: buckets },
      })
      .record((performance.now() - began) / 1000, { ...known, ...(failed !== undefined && { "error.type": failed }) });
  }
}

/** Returns W3C Trace Context and Baggage, as fields of `_meta`. */
function carrier(span: Span): Record<string, string> {
  const spanContext = span.spanContext();
  const state = spanContext.traceState?.serialize();
  const baggage = propagation
    .getActiveBaggage()
    ?.getAllEntries()
    .map(([key, { value }]) => `${key}=${encodeURIComponent(value)}`);
  return {
    traceparent: traceparentText(spanContext),
    ...(state && { tracestate: state }),
    ...(baggage?.length && { baggage: baggage.join(",") }),
  };
}
