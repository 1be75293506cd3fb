import { type Attributes, context, metrics, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { contentText, type Diagnostic, toJsonText } from "@toolglot/core";
import type { ToolMiddleware } from "./middleware.ts";
import type { ToolResponse } from "./response.ts";

/** What a trace holds besides names, ids, status and errors. */
export interface TracingOptions {
  /** Whether arguments are recorded. They may hold what the user said. Default false. */
  recordInputs?: boolean;
  /** Whether results are recorded. Default false. */
  recordOutputs?: boolean;
  /** UTF-16 units of an argument or result that is recorded at most. Default 8,000. */
  maxLength?: number;
}

const scope = "@toolglot/toolkit";

/**
 * Middleware that makes an OpenTelemetry span of every call, in the GenAI semantic conventions: `execute_tool NAME` with
 * `gen_ai.tool.name`, `gen_ai.tool.call.id` and, when asked for, `gen_ai.tool.call.arguments` and `.result`. Errors are
 * recorded always. Spans that the tool makes are its children. Without an SDK in the process nothing happens.
 */
export function traceToolkit(options: TracingOptions = {}): ToolMiddleware {
  const { recordInputs = false, recordOutputs = false, maxLength = 8000 } = options;
  const cut = (value: unknown): string => {
    const text = typeof value === "string" ? value : toJsonText(value);
    return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  };
  return async function* tracing(call, next) {
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.name,
      "gen_ai.tool.call.id": call.id,
      "gen_ai.tool.type": "function",
      "toolglot.protocol": call.protocol,
    };
    if (recordInputs) attributes["gen_ai.tool.call.arguments"] = cut(call.input ?? {});
    const span = trace.getTracer(scope).startSpan(`execute_tool ${call.name}`, { kind: SpanKind.INTERNAL, attributes });
    const inside = trace.setSpan(context.active(), span);
    const responses = context.with(inside, () => next());
    try {
      for (;;) {
        // The tool runs while its generator is asked, so that is where the span has to be active.
        const step = await context.with(inside, () => responses.next());
        if (step.done) return;
        if (step.value.isLast) settle(span, step.value, recordOutputs ? cut : undefined);
        yield step.value;
      }
    } catch (error) {
      if (error instanceof Error) span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
      await responses.return();
    }
  };
}

function settle(span: Span, response: ToolResponse, cut: ((value: unknown) => string) | undefined): void {
  const { status, error, data, content } = response;
  span.setAttribute("toolglot.status", status);
  if (cut) span.setAttribute("gen_ai.tool.call.result", cut(data ?? contentText(content)));
  if (status === "ok" || status === "pending") return;
  const { type = status, message = contentText(content) } = error ?? {};
  span.setAttribute("error.type", type);
  span.recordException({ name: type, message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/**
 * Counts findings about model text in the OpenTelemetry counter `toolglot.diagnostics`, with `code`, `severity` and
 * `affects` as attributes: which slips a model makes, and how often. Give it the diagnostics of a parse result, or each one
 * that an agent's events carry.
 */
export function countDiagnostics(
  diagnostics: Diagnostic | readonly Diagnostic[],
  attributes: Readonly<Record<string, string>> = {},
): void {
  // Asked for each time: the process may get its meter later than this module is loaded.
  const counter = metrics
    .getMeter(scope)
    .createCounter("toolglot.diagnostics", { description: "Findings about model text", unit: "{diagnostic}" });
  for (const { code, severity, affects } of [diagnostics].flat() as Diagnostic[])
    counter.add(1, { ...attributes, code, severity, affects });
}
