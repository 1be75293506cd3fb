/** OpenTelemetry spans of a router. Needs `@opentelemetry/api`; the application chooses the SDK. */

export type { RouterTracing } from "./spans.ts";
export { traceRouter } from "./trace-router.ts";
