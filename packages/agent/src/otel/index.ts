/** OpenTelemetry for `AgentOptions.tracing`: spans and metrics in the semantic conventions for GenAI. */
export type { OtelTracingOptions } from "./attributes.ts";
export { otelTracing } from "./otel-tracing.ts";
