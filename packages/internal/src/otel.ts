// A separate entry, because only packages that make spans depend on OpenTelemetry's API.
import {
  type Attributes,
  type Context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  type Link,
  ProxyTracerProvider,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";

/** The provider that makes empty spans while no SDK is registered. */
const noSdk = new ProxyTracerProvider().getDelegate();

/** Under it a context holds the span of a tool's execution: a request that is that execution needs no second one. */
export const executionSpan: symbol = createContextKey("toolglot: span of an execution");

/** Checks whether an SDK is registered. It may be registered at any time. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noSdk;
}

/** Returns a `traceparent` header of version 00 (W3C Trace Context, 3.2). */
export function traceparentText({
  traceId,
  spanId,
  traceFlags,
}: {
  traceId: string;
  spanId: string;
  traceFlags: number;
}): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** `version-trace-parent-flags` (W3C Trace Context, 3.2). Fields that a later version appends are ignored. */
const header = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Returns the span that a `traceparent` names; undefined when the text is malformed. */
export function readTraceparent(text: unknown, tracestate?: unknown): SpanContext | undefined {
  if (typeof text !== "string" || text.length > 512) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = header.exec(text) ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(typeof tracestate === "string" && tracestate.length <= 512 && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(found) ? found : undefined;
}

/** Maker of the spans. */
export interface Scope {
  name: string;
  version?: string;
  schemaUrl?: string;
}

/** A span, and the context in which its children begin. */
export interface Begun {
  span: Span;
  inside: Context;
}

/** Starts a span. Undefined when the SDK throws. */
export function beginSpan(
  { name: scope, version, schemaUrl }: Scope,
  name: string,
  kind: SpanKind,
  attributes: Record<string, Attributes[string]>,
  parent: () => Context,
  links: Link[] = [],
): Begun | undefined {
  return quietly(() => {
    const outside = parent();
    const tracer = trace.getTracerProvider().getTracer(scope, version, schemaUrl === undefined ? {} : { schemaUrl });
    const span = tracer.startSpan(name, { kind, attributes, links }, outside);
    return { span, inside: trace.setSpan(outside, span) };
  });
}

/** Swallows what the SDK throws, because a fault of the SDK must not disturb what is traced. */
export function quietly<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined; // Only this span is incomplete.
  }
}

/** Marks the operation of the span as failed. */
export function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
