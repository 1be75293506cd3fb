/** Passes OpenTelemetry traces on to a router. Needs `@opentelemetry/api`; the application chooses the SDK. */

export type { ClientTracing, TraceContext } from "../transport-types.ts";
export { traceClient } from "./trace-client.ts";
