import type { ExecutorContext, PlanStep, ToolErrorInfo, ToolResult } from "@toolglot/core";
import { CallReport } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";

/** Returns the result of a step that is not run, with the events of any call. */
export function settleUnrun(
  step: PlanStep,
  context: ExecutorContext,
  requestId: string | undefined,
  settled: { status: ToolResult["status"]; error: ToolErrorInfo; metadata?: Record<string, unknown> },
): ToolResult {
  const { status, error, metadata } = settled;
  const content = [{ type: "text" as const, text: `Error: ${error.message}` }];
  const result = { callId: step.callId, name: step.tool, status, content, error };
  return reportUnrun(step, context, requestId, { ...result, metadata: { ...metadata, ms: 0, step: step.index } });
}

/** Emits the events of a call that ended without a run. */
export function reportUnrun(
  { callId, tool: name, params, uris }: PlanStep,
  context: ExecutorContext,
  requestId: string | undefined,
  result: ToolResult,
): ToolResult {
  const call = { id: callId, name, input: { ...params, ...uris }, ...defined({ requestId }) };
  new CallReport(context, call).end(result, 0);
  return requestId === undefined ? result : { ...result, metadata: { ...result.metadata, requestId } };
}
