import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { cutText } from "@toolglot/core/results";
import { isTraced, traceparentText } from "@toolglot/internal/otel";
import type { Settled } from "../calls/types.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { CallSpan, RouterTracing, Spans } from "./spans.ts";
import { parentOf, readTraceparent } from "./trace-parent.ts";

const scope = "@toolglot/trp-core";
/** Texts that others have written are no longer than this in a trace. */
const maxText = 256;

/**
 * OpenTelemetry spans for `createRouter({ tracing: traceRouter() })`, in the semantic conventions for RPC and for GenAI:
 *
 * - of each frame, named by its type and of kind server. Its parent is the span that the frame came with: the active one,
 *   the headers `traceparent` and `tracestate`, or a `trace_id` of 32 hex digits.
 * - of each call, `execute_tool CAP_ID`, below its frame's: from admission to outcome. It ends when the call waits for an
 *   approval. An operation that is taken over is linked to the span that began it, and a replay to the one that it repeats.
 * - of each run of a capability, `run CAP_ID`, below its call's; `probe CAP_ID` when it is asked for an earlier attempt. It is
 *   the active span meanwhile, so that a capability's own spans are its children.
 *
 * No span holds arguments, results, keys, or messages of errors. Without an SDK in the process nothing happens; one may
 * be registered at any time. Without a context manager, which every SDK for Node registers, spans have no parents.
 */
export function traceRouter(): RouterTracing {
  return { spans };
}

const spans: Spans = {
  frame({ type, head, trace: headers }, answer) {
    if (!isTraced()) return answer();
    const attributes = {
      "rpc.system.name": "trp",
      "rpc.method": type,
      "toolglot.protocol": "trp",
      "toolglot.session_id": short(head.sessionId),
      "toolglot.frame_id": short(head.frameId),
      "toolglot.trace_id": short(head.traceId),
      "toolglot.seq": head.seq ?? undefined,
    };
    const begun = begin(type ?? "frame", SpanKind.SERVER, attributes, () => parentOf(head.traceId, headers));
    return begun === undefined ? answer() : within(begun, answer, (span, reply) => noteAnswer(span, reply));
  },

  call(call, { capability, isAlone = false, settled }, settle) {
    if (!isTraced()) return settle();
    const attributes = {
      ...toolAttributes(capability),
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": short(call.item.cap_id),
      "gen_ai.tool.call.id": short(call.item.call_id),
      "toolglot.protocol": "trp",
      "toolglot.session_id": short(call.session.id),
      "toolglot.trace_id": short(call.traceId),
    };
    // A name that no capability has is somebody's invention: there may be any number of those.
    const name = capability === undefined ? "execute_tool" : `execute_tool ${capability.capId}`;
    const outside = isAlone ? ROOT_CONTEXT : context.active();
    const begun = begin(name, SpanKind.INTERNAL, attributes, () => outside);
    if (begun === undefined) return settle();
    call.span = callSpan(begun.span);
    return within(begun, settle, (span, end) => noteSettled(span, settled(end)));
  },

  run({ verb, capability, adapter, attempt }, work) {
    if (!isTraced()) return work();
    const attributes = {
      ...toolAttributes(capability),
      "gen_ai.tool.name": capability.capId,
      "toolglot.adapter": short(adapter?.name),
      "toolglot.attempt": attempt,
    };
    const begun = begin(`${verb} ${capability.capId}`, SpanKind.INTERNAL, attributes, () => context.active());
    if (begun === undefined) return work();
    return within(begun, work, (span, end) => {
      const outcome = "kind" in end ? end.kind : end.state;
      span.setAttribute("toolglot.outcome", outcome);
      if (outcome !== "done" && verb === "run") fail(span, "timedOut" in end && end.timedOut ? "timeout" : outcome);
    });
  },
};

interface Begun {
  span: Span;
  inside: Context;
}

/** A span, unless the SDK fails: then there is none. */
function begin(
  name: string,
  kind: SpanKind,
  attributes: Record<string, string | number | undefined>,
  parent: () => Context,
): Begun | undefined {
  try {
    const outside = parent();
    const span = trace.getTracer(scope).startSpan(name, { kind, attributes: attributes as Attributes }, outside);
    return { span, inside: trace.setSpan(outside, span) };
  } catch {
    return undefined;
  }
}

async function within<End>(
  { span, inside }: Begun,
  work: () => Promise<End>,
  note: (span: Span, end: End) => void,
): Promise<End> {
  try {
    const end = await context.with(inside, work);
    quietly(() => {
      if (span.isRecording()) note(span, end);
    });
    return end;
  } catch (error) {
    // The frame is looked at anew, in a span of its own: see `NotAsExpected`, which may be another copy of the class here.
    if ((error as Error | undefined)?.name !== "NotAsExpected") quietly(() => fail(span, "exception"));
    throw error;
  } finally {
    quietly(() => span.end());
  }
}

/** What goes wrong in the SDK must not disturb a call. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The SDK's affair.
  }
}

function callSpan(span: Span): CallSpan {
  const traceparent = traceparentText(span.spanContext());
  // A call that waits for another one looks at its record again and again.
  const linked = new Set<string | undefined>([traceparent]);
  return {
    traceparent,
    link(other) {
      if (linked.has(other)) return;
      linked.add(other);
      quietly(() => {
        const to = readTraceparent(other);
        if (to !== undefined) span.addLink({ context: to });
      });
    },
  };
}

function toolAttributes(capability: RegisteredCapability | undefined): Record<string, string | undefined> {
  const description = short(capability?.definition.description);
  return { "gen_ai.tool.type": "function", "gen_ai.tool.description": description };
}

/** What a span says of the answer to a frame. */
function noteAnswer(span: Span, { frame_type: type, payload }: ResponseFrame): void {
  span.setAttribute("toolglot.answer", type);
  const { status, error, error_code, error_class } = payload as {
    status?: string;
    error?: { error_code: string; error_class: string } | null;
    error_code?: string;
    error_class?: string;
  };
  if (typeof status === "string") span.setAttribute("toolglot.answer_status", status);
  // The outcome that a question is answered with is not that of the question.
  if (type === "NACK") noteFault(span, error_code, error_class);
  else if (type === "RESULT") noteFault(span, error?.error_code, error?.error_class);
}

/** What a span says of the end of a call. `toolglot.status`: in the words of a toolkit's spans. */
function noteSettled(span: Span, settled: Settled | undefined): void {
  if (settled === undefined) return;
  span.setAttribute("toolglot.outcome", settled.kind);
  if ("proof" in settled && settled.proof !== undefined) {
    span.setAttribute("toolglot.policy.decision", settled.proof.decision);
    span.setAttribute("toolglot.policy.rule", short(settled.proof.rule) as string);
  }
  if ("replayedFrom" in settled && settled.replayedFrom !== undefined) {
    span.setAttribute("toolglot.replayed_from", short(settled.replayedFrom) as string);
  }
  const adapter = "usage" in settled ? settled.usage.adapter : undefined;
  if (adapter !== undefined) span.setAttribute("toolglot.adapter", short(adapter) as string);
  if ("fault" in settled) noteFault(span, settled.fault.code, settled.fault.errorClass);
  const code = "fault" in settled ? settled.fault.code : undefined;
  const named = code === undefined ? undefined : statusOfCode[code];
  const plain = settled.kind === "success" ? "ok" : settled.kind === "in-progress" ? "pending" : "error";
  span.setAttribute("toolglot.status", named ?? plain);
}

const statusOfCode: Readonly<Record<string, string>> = {
  TRP_3005: "interrupted",
  TRP_4001: "denied",
  TRP_4002: "pending",
  TRP_4007: "denied",
};

/** A call that waits for somebody's consent has not failed. */
function noteFault(span: Span, code: string | undefined, errorClass: string | undefined): void {
  if (code === undefined || errorClass === undefined) return;
  span.setAttribute("rpc.response.status_code", code);
  span.setAttribute("toolglot.error_class", errorClass);
  if (code !== "TRP_4002") fail(span, code);
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function short(text: string | null | undefined): string | undefined {
  return typeof text === "string" ? cutText(text, maxText) : undefined;
}
