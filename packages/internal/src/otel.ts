// Apart from the rest: only packages that make spans have OpenTelemetry's API.
import { ProxyTracerProvider, trace } from "@opentelemetry/api";

/** The provider that makes spans while there is no SDK. */
const noSdk = new ProxyTracerProvider().getDelegate();

/** Whether there is an SDK to make spans: one may come at any time. */
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
