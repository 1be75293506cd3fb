import {
  type Attributes,
  type Context,
  context,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { contentText, type Diagnostic, type ToolCall, toJsonText } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { checkKeys } from "@toolglot/internal";
import { executionSpan, isTraced } from "@toolglot/internal/otel";
import { errorTypes } from "../errors.ts";
import type { CallInfo, ToolMiddleware, TracingOptions } from "../types.ts";
import type { ToolResponse } from "./response.ts";
import type { Responses } from "./types.ts";

const scope = "@toolglot/toolkit";
/** Ids and names from a model are cut to this many characters in a trace. */
const maxIdLength = 256;

/**
 * Returns middleware that makes an OpenTelemetry span of every call, in the semantic conventions for GenAI: `execute_tool
 * NAME`, of kind internal, with `gen_ai.operation.name`, `gen_ai.tool.name`, `.type`, `.description`,
 * `gen_ai.tool.call.id` and, when asked for, `gen_ai.tool.call.arguments` and `.result` as JSON; `error.type` when it
 * failed. Besides: `toolglot.protocol`, `toolglot.status`, `toolglot.step` and `toolglot.request_id` of a plan, and
 * `toolglot.attempts` when there was more than one.
 *
 * The span lasts until the final response, retries included, and ends as well when the caller leaves early. What the
 * tool throws is recorded always, each attempt's, as an exception with its stack. Spans that the tool makes are its
 * children. Without an SDK in the process nothing happens. Throws `TypeError` for options of a wrong type.
 */
export function traceToolkit(options: TracingOptions = {}): ToolMiddleware {
  checkKeys("tracing", options, "recordInputs:boolean recordOutputs:boolean maxChars:number");
  const { recordInputs = false, recordOutputs = false, maxChars = 8000 } = options;
  if (typeof recordInputs !== "boolean" || typeof recordOutputs !== "boolean") {
    throw new TypeError("recordInputs and recordOutputs must be true or false");
  }
  if (!(maxChars >= 0)) throw new TypeError(`maxChars must be a number of characters from 0, not ${maxChars}`);
  const recorded = (value: unknown): string => {
    const text = typeof value === "string" ? value : toJsonText(value);
    return text.length > maxChars ? `${cutText(text, maxChars)}…` : text;
  };
  return (call, next, about) => {
    if (!isTraced()) return next();
    const outside = context.active();
    const attributes = attributesOf(call, about);
    if (recordInputs) attributes["gen_ai.tool.call.arguments"] = recorded(call.input ?? {});
    // A model can invent any number of names. Only names of tools may become names of spans.
    const name = about.tool === undefined ? "execute_tool" : `execute_tool ${about.tool.name}`;
    const span = trace.getTracer(scope).startSpan(name, { kind: SpanKind.INTERNAL, attributes }, outside);
    const inside = trace.setSpan(outside, span).setValue(executionSpan, span);
    return traced(span, inside, next, (final) => {
      if (!span.isRecording()) return;
      if (about.attempts > 1) span.setAttribute("toolglot.attempts", about.attempts);
      for (const { error, time } of about.thrown) record(span, error, time);
      if (final === undefined) return;
      span.setAttribute("toolglot.status", final.status);
      if (final.status === "ok" || final.status === "pending") {
        if (recordOutputs)
          span.setAttribute("gen_ai.tool.call.result", recorded(final.data ?? contentText(final.content)));
        return;
      }
      const { type, message } = failure(final, about, recordInputs);
      span.setAttribute("error.type", type);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    });
  };
}

function attributesOf(call: ToolCall, { tool, step }: CallInfo): Attributes {
  const attributes: Attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": cutText(call.name, maxIdLength),
    "gen_ai.tool.call.id": cutText(call.id, maxIdLength),
    "gen_ai.tool.type": "function",
    "toolglot.protocol": call.protocol,
  };
  if (tool !== undefined) attributes["gen_ai.tool.description"] = tool.description;
  if (step !== undefined) attributes["toolglot.step"] = step;
  if (call.requestId !== undefined) attributes["toolglot.request_id"] = cutText(call.requestId, maxIdLength);
  return attributes;
}

/** Emits the call's responses. The tool runs while `next()` is awaited, so the span must be the active one there. */
async function* traced(
  span: Span,
  inside: Context,
  next: () => Responses,
  settle: (final: ToolResponse | undefined) => void,
): Responses {
  let final: ToolResponse | undefined;
  let responses: Responses | undefined;
  try {
    const started = context.with(inside, () => next());
    responses = started;
    for (;;) {
      const step = await context.with(inside, () => started.next());
      if (step.done) return;
      if (step.value.isLast) final = step.value;
      yield step.value;
    }
  } finally {
    try {
      // When the caller leaves early, the tool cleans up. This work belongs to its span, too.
      if (responses !== undefined) await context.with(inside, () => (responses as Responses).return());
    } finally {
      settle(final);
      span.end();
    }
  }
}

/** Records an exception with its stack, for the host. */
function record(span: Span, error: unknown, time: number): void {
  try {
    span.recordException(error instanceof Error ? error : String(error), time);
  } catch {
    // Even reading the exception throws, so it can't be recorded.
    span.recordException("unknown error", time);
  }
}

/** Returns the attributes of a failure. Texts that hold the model's input or the tool's output are left out. */
function failure(
  { status, error }: ToolResponse,
  { tool }: CallInfo,
  recordInputs: boolean,
): { type: string; message?: string } {
  if (error === undefined) return { type: status };
  const { type, message, issues } = error;
  if (type !== errorTypes.invalidInput || recordInputs || issues === undefined) return { type, message };
  const declared = Object.keys(tool?.inputSchema.properties ?? {});
  const wrong = declared.filter((name) =>
    issues.some(({ path }) => path === name || (/^[.[]/.test(path.slice(name.length)) && path.startsWith(name))),
  );
  return { type, message: `The input does not fit its schema${wrong.length > 0 ? `: ${wrong.join(", ")}` : ""}.` };
}

/**
 * Counts findings about model text in the OpenTelemetry counter `toolglot.diagnostics`, with `code`, `severity` and
 * `affects` as attributes: which slips a model makes, and how often. Give it the diagnostics of a parse result, or the
 * one of an agent's event. `attributes` are added to each, as the model's name.
 */
export function countDiagnostics(
  diagnostics: Diagnostic | readonly Diagnostic[],
  attributes: Readonly<Record<string, string>> = {},
): void {
  // Not kept: the process may install its meter after this module is loaded.
  const counter = metrics
    .getMeter(scope)
    .createCounter("toolglot.diagnostics", { description: "Findings about model text", unit: "{diagnostic}" });
  for (const { code, severity, affects } of [diagnostics].flat() as Diagnostic[])
    counter.add(1, { ...attributes, code, severity, affects });
}
