import { context, ROOT_CONTEXT, type Span, SpanKind } from "@opentelemetry/api";
import { cutText } from "@toolglot/core/results";
import {
  type Begun,
  beginSpan,
  fail,
  isTraced,
  quietly,
  readTraceparent,
  traceparentText,
} from "@toolglot/internal/otel";
import type { MaybePromise } from "@toolglot/schema";
import type { CallSpan, Settled } from "../calls/types.ts";
import type { RegisteredCapability } from "../catalog/types.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { RouterTracing, Spans } from "./spans.ts";
import { parentOf } from "./trace-parent.ts";

const scope = { name: "@toolglot/trp-core" };
/** Texts from outside the router are cut to this many characters. */
const maxText = 256;

/**
 * OpenTelemetry spans for `createRouter({ tracing: traceRouter() })`. They follow the semantic conventions for RPC and
 * for GenAI:
 *
 * - Each frame has a span of kind server, which is named after the frame's type. Its parent is the active span, the
 *   span in the headers `traceparent` and `tracestate`, or the trace that a `trace_id` of 32 hex digits names.
 * - Each call has a span `execute_tool CAP_ID` below its frame's span. It lasts from admission to outcome. A call that
 *   needs an approval ends at once; the approved call has another span. When a router takes an operation over, the span
 *   links to the span of the call that began the operation. A replay links to the span of the call that it repeats.
 * - Each run of a capability has a span `run CAP_ID` below its call's span, and each probe a span `probe CAP_ID`. This
 *   span is active while the capability runs, so that the capability's own spans are its children.
 *
 * No span holds arguments, results, keys, or error messages. As long as the process has no OpenTelemetry SDK, nothing
 * is recorded; an SDK may be registered at any time. Parents need a context manager, which every SDK for Node
 * registers.
 *
 * @example
 * ```ts
 * const router = createRouter({ capabilities, tracing: traceRouter() });
 * ```
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
    const begun = beginSpan(scope, type ?? "frame", SpanKind.SERVER, attributes, () => parentOf(head.traceId, headers));
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
    // Agents can invent any number of names. Only registered ones may become names of spans.
    const name = capability === undefined ? "execute_tool" : `execute_tool ${capability.capId}`;
    const outside = isAlone ? ROOT_CONTEXT : context.active();
    const begun = beginSpan(scope, name, SpanKind.INTERNAL, attributes, () => outside);
    if (begun === undefined) return settle();
    call.span = callSpan(begun.span);
    return within(begun, settle, (span, end) => noteSettled(span, settled(end)));
  },

  policy({ capability, phase }, decide) {
    const begun = beginStep("policy", capability, { "toolglot.policy.phase": phase });
    if (begun === undefined) return decide();
    return within(begun, decide, (span, { decision, rule }) => {
      span.setAttribute("toolglot.policy.decision", decision);
      span.setAttribute("toolglot.policy.rule", short(rule) as string);
    });
  },

  approval({ capability }, request) {
    const begun = beginStep("approval", capability);
    if (begun === undefined) return request();
    return within(begun, request, (span, { status }) => span.setAttribute("toolglot.approval", status));
  },

  run({ verb, capability, adapter, attempt }, work) {
    const begun = beginStep(verb, capability, {
      "toolglot.adapter": short(adapter?.name),
      "toolglot.attempt": attempt,
    });
    if (begun === undefined) return work();
    return within(begun, work, (span, end) => {
      const outcome = "kind" in end ? end.kind : end.state;
      span.setAttribute("toolglot.outcome", outcome);
      if (outcome !== "done" && verb === "run") fail(span, "timedOut" in end && end.timedOut ? "timeout" : outcome);
    });
  },
};

/** Begins the span of a step of a call, below the one that is active. */
function beginStep(
  verb: "policy" | "approval" | "run" | "probe",
  capability: RegisteredCapability,
  own: Record<string, string | number | undefined> = {},
): Begun | undefined {
  if (!isTraced()) return undefined;
  const attributes = { ...toolAttributes(capability), "gen_ai.tool.name": capability.capId, ...own };
  return beginSpan(scope, `${verb} ${capability.capId}`, SpanKind.INTERNAL, attributes, () => context.active());
}

async function within<End>(
  { span, inside }: Begun,
  work: () => MaybePromise<End>,
  note: (span: Span, end: End) => void,
): Promise<End> {
  try {
    const end = await context.with(inside, work);
    quietly(() => {
      if (span.isRecording()) note(span, end);
    });
    return end;
  } catch (error) {
    // `NotAsExpected` is no failure: the frame is handled again, in another span. It is recognised by its name because
    // this bundle may hold another copy of the class.
    if ((error as Error | undefined)?.name !== "NotAsExpected") quietly(() => fail(span, "exception"));
    throw error;
  } finally {
    quietly(() => span.end());
  }
}

function callSpan(span: Span): CallSpan {
  const traceparent = traceparentText(span.spanContext());
  // A call that waits for another call reads its record many times. One link is enough.
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

/** Sets the attributes for the answer to a frame. */
function noteAnswer(span: Span, { frame_type: type, payload }: ResponseFrame): void {
  span.setAttribute("toolglot.answer", type);
  const { status, error, error_code, error_class } = payload as {
    status?: string;
    error?: { error_code: string; error_class: string } | null;
    error_code?: string;
    error_class?: string;
  };
  if (typeof status === "string") span.setAttribute("toolglot.answer_status", status);
  // A RESULT_QUERY_REQ succeeds also when the outcome that it reports is a failure, so only these two answers count.
  if (type === "NACK") noteFault(span, error_code, error_class);
  else if (type === "RESULT") noteFault(span, error?.error_code, error?.error_class);
}

/** Sets the attributes for the end of a call. `toolglot.status` has the values that a toolkit's spans have. */
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

/** Notes a fault. A call that waits for an approval (TRP_4002) has not failed, so its span is no error. */
function noteFault(span: Span, code: string | undefined, errorClass: string | undefined): void {
  if (code === undefined || errorClass === undefined) return;
  span.setAttribute("rpc.response.status_code", code);
  span.setAttribute("toolglot.error_class", errorClass);
  if (code !== "TRP_4002") fail(span, code);
}

function short(text: string | null | undefined): string | undefined {
  return typeof text === "string" ? cutText(text, maxText) : undefined;
}
