import { context, propagation, type Span, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const exporter = new InMemorySpanExporter();

/** Records spans from now on, by the sampler, by default all of them. */
export function startSdk(sampler?: Sampler): void {
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors, ...(sampler && { sampler }) }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** Nothing is recorded any more, and what was recorded is forgotten. */
export function stopSdk(): void {
  trace.disable();
  context.disable();
  propagation.disable();
  exporter.reset();
}

/** Spans that have ended, in order of their ends. */
export function ended(prefix = ""): ReadableSpan[] {
  return exporter.getFinishedSpans().filter(({ name }) => name.startsWith(prefix));
}

export function forget(): void {
  exporter.reset();
}

export function only(prefix: string): ReadableSpan {
  const found = ended(prefix);
  if (found.length !== 1) throw new Error(`expected one ${prefix}, not: ${found.map(({ name }) => name).join(", ")}`);
  return found[0] as ReadableSpan;
}

export const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
export const parentOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;
export const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;

/** A span of somebody else's, which ends at once. */
export function mark(name: string): Span {
  const span = trace.getTracer("test").startSpan(name);
  span.end();
  return span;
}
