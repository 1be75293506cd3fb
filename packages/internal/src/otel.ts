// A separate entry, because only packages that make spans depend on OpenTelemetry's API.
import { ProxyTracerProvider, trace } from "@opentelemetry/api";

/** The provider that makes empty spans while no SDK is registered. */
const noSdk = new ProxyTracerProvider().getDelegate();

/** Whether an SDK is registered. It may be registered at any time. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noSdk;
}

/** A `traceparent` header of version 00 (W3C Trace Context, 3.2). */
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
