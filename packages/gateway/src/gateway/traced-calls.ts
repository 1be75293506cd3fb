import { type Context, context, type Span, SpanKind, trace } from "@opentelemetry/api";
import { beginSpan, fail, isTraced, quietly, readTraceparent } from "@toolglot/internal/otel";
import type { ImportedTool, Outcome, ToolAnswer, ToolCall, ToolCalls } from "@toolglot/trp-mcp";
import packageFile from "../../package.json" with { type: "json" };

const scope = { name: packageFile.name, version: packageFile.version };

/**
 * Makes a span of kind server for each call of a tool, below the client's span when the request's `_meta` names one, and active while
 * the call runs. No span holds arguments, results or principals. Without an SDK nothing is made.
 */
export function tracedCalls(calls: ToolCalls): ToolCalls {
  return {
    ...calls,
    call(call, context) {
      if (!isTraced()) return calls.call(call, context);
      // The server gets the trace of the request that the gateway makes, in place of these.
      const { traceparent, tracestate, ...meta } = call.meta ?? {};
      const { server, tool, shownName } = call.tool;
      const attributes = { "toolglot.server": server, "toolglot.tool": tool };
      const work = () => calls.call({ ...call, meta } satisfies ToolCall, context);
      return inSpan(shownName, attributes, parentOf(traceparent, tracestate), work);
    },
    again(receipt, around) {
      if (!isTraced()) return calls.again(receipt, around);
      return inSpan("toolglot_again", {}, context.active(), () => calls.again(receipt, around));
    },
  };
}

/** Makes a span of the wait for a person's decision about a call. */
export async function whileAsking(
  { server, tool, shownName }: ImportedTool,
  ask: () => Promise<boolean>,
): Promise<boolean> {
  const attributes = { "gen_ai.tool.name": shownName, "toolglot.server": server, "toolglot.tool": tool };
  const begun = isTraced()
    ? beginSpan(scope, `approval ${shownName}`, SpanKind.INTERNAL, attributes, () => context.active())
    : undefined;
  if (begun === undefined) return ask();
  try {
    const isDecided = await context.with(begun.inside, ask);
    quietly(() => begun.span.setAttribute("toolglot.approval", isDecided ? "decided" : "pending"));
    return isDecided;
  } finally {
    quietly(() => begun.span.end());
  }
}

/**
 * Does work below the span that the headers of a request name: calls whose `_meta` names none get that. What traces HTTP in this process
 * has read them already.
 */
export function inTraceOf<Value>(headers: Headers, work: () => Value): Value {
  if (!isTraced() || trace.getSpan(context.active()) !== undefined) return work();
  return context.with(parentOf(headers.get("traceparent"), headers.get("tracestate")), work);
}

function parentOf(traceparent: unknown, tracestate: unknown): Context {
  const remote = readTraceparent(traceparent, tracestate);
  return remote === undefined ? context.active() : trace.setSpanContext(context.active(), remote);
}

async function inSpan(
  name: string,
  own: Record<string, string>,
  parent: Context,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const attributes = {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    ...own,
  };
  const begun = beginSpan(scope, `tools/call ${name}`, SpanKind.SERVER, attributes, () => parent);
  if (begun === undefined) return work();
  try {
    const answer = await context.with(begun.inside, work);
    quietly(() => note(begun.span, answer.outcome));
    return answer;
  } finally {
    quietly(() => begun.span.end());
  }
}

/** A call that waits for an approval has not failed. */
function note(span: Span, { status, code, dispatched }: Outcome): void {
  span.setAttributes({ "toolglot.outcome": status, "toolglot.dispatched": dispatched });
  if (code !== undefined) span.setAttribute("rpc.response.status_code", code);
  if (status === "refused" || status === "failed" || status === "unknown") fail(span, code ?? "tool_error");
}
