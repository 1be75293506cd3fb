// Spans of tool calls, and a count of what was wrong with a model's text: on the console, or sent to a collector.
//
//   node tracing.mjs
//   OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node tracing.mjs
import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ToolError } from "@toolglot/core";
import { bindPlan, parse } from "@toolglot/tam";
import { countDiagnostics, defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";

/** Prints what matters of a span; `ConsoleSpanExporter` prints all. @type {import("@opentelemetry/sdk-trace-base").SpanExporter} */
const printing = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, events } = span;
      console.dir({ name, attributes, events: events.map((event) => event.attributes?.["exception.message"]) });
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

/** Prints what was counted; `ConsoleMetricExporter` prints all. @type {import("@opentelemetry/sdk-metrics").PushMetricExporter} */
const counting = {
  export({ scopeMetrics }, done) {
    for (const { descriptor, dataPoints } of scopeMetrics.flatMap(({ metrics }) => metrics))
      for (const { attributes, value } of dataPoints) console.dir({ name: descriptor.name, attributes, value });
    done({ code: 0 });
  },
  forceFlush: async () => {},
  shutdown: async () => {},
};

// The process's SDK, which the toolkit finds by itself. A context manager makes spans of tools children of their calls.
const exporter = process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? new OTLPTraceExporter() : printing;
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
const reader = new PeriodicExportingMetricReader({ exporter: counting });
const meterProvider = new MeterProvider({ readers: [reader] });
trace.setGlobalTracerProvider(tracerProvider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
metrics.setGlobalMeterProvider(meterProvider);

let attempts = 0;
const toolkit = new Toolkit({ tracing: { recordInputs: true } });
toolkit.registerToolFunction(
  defineTool({
    name: "book_table",
    description: "Books a table.",
    args: { place: "string", seats: "integer" },
    execute: ({ place, seats }) =>
      trace.getTracer("restaurants").startActiveSpan("ask the restaurant", (span) => {
        span.end();
        attempts += 1;
        if (attempts === 1) throw new ToolError("The line is busy.");
        return `${seats} seats at ${place}`;
      }),
  }),
);

// A plan that a model wrote: its step may be tried twice more, and the value of `seats` is not in the right marks.
const answer = `<|[REQUEST_TOOL]|>
request_id:»»»dinner-1«««
command_1:»»»book_table«««
place_1:»»»Chez Ada«««
seats_1:>>>4<<<
retry_1:»»»2«««
<|[END_TOOL]|>`;
const { blocks, diagnostics } = parse(answer, { tools: toolkit.definitions() });
countDiagnostics(diagnostics, { model: "example" });

const [block] = blocks;
if (block) {
  const action = { kind: "plan", plan: bindPlan(block, toolkit.definitions()), span: block.span };
  const [result] = await toolkitExecutor(toolkit).execute(action, {
    signal: new AbortController().signal,
    emit: () => {},
    approve: async () => ({ approved: true }),
    runId: "run-1",
    stepIndex: 0,
  });
  console.log(result?.status, result?.data);
}
await tracerProvider.shutdown();
await meterProvider.shutdown();
