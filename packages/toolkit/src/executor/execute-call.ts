import {
  contentText,
  type ExecutorContext,
  requiresApproval,
  type ToolCall,
  type ToolDefinition,
  type ToolErrorInfo,
  type ToolResult,
} from "@toolglot/core";
import { type ApprovalQueue, CallReport, denied } from "@toolglot/core/executing";
import { defined, settleWithin, sleep, unsettled } from "@toolglot/internal";
import { type Prepared, shownValues } from "../call/prepare.ts";
import { ToolResponse } from "../call/response.ts";
import { errorTypes } from "../errors.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { Toolkit } from "../toolkit.ts";
import type { CallOptions, ToolMiddleware } from "../types.ts";

/** What a call is run with, besides the executor's context. */
export interface CallSetting {
  approvals: ApprovalQueue;
  /** Where asynchronous tools run on. */
  tasks: Tasks;
  /** Values that are not text, and that the model did not write: resources and bytes. */
  given?: Readonly<Record<string, unknown>>;
  /** Extra attempts after a failure. */
  retry?: number;
  step?: number;
  /** Asked right before the tool runs: why it must not, or nothing. */
  begin?(): Promise<ToolErrorInfo | undefined>;
}

/** Runs one call: validates, asks the host if need be, runs the tool or starts its task. Exactly one result. */
export async function executeCall(
  toolkit: Toolkit,
  call: ToolCall,
  context: ExecutorContext,
  setting: CallSetting,
): Promise<ToolResult> {
  const { input, requestId } = call;
  const { signal, wait } = context;
  const { step, given } = setting;
  const report = new CallReport(context, call, given ? { ...(input as object), ...shownValues(given) } : input);
  const tries = { attempts: 0 };
  const place = defined({ step, requestId });
  const end = (response: ToolResponse): ToolResult => {
    const { attempts } = tries;
    const result = toResult(call, response, { ...(attempts > 1 && { attempts }), ...place });
    return { ...result, metadata: { ...result.metadata, ms: report.end(result) } };
  };
  const preparing = await settleWithin(toolkit.prepareCall(call, given), { signal });
  // Stopped: the run below ends at once, as interrupted.
  const prepared: Prepared = preparing === unsettled ? { ok: false, error: { type: "", message: "" } } : preparing;
  if (prepared.ok && requiresApproval(prepared.tool.definition) && !signal.aborted) {
    const { id: callId, name } = call;
    const reason = reasonToAsk(prepared.tool.definition);
    const decision = await setting.approvals.ask(context, { callId, name, input: prepared.asked, reason });
    report.restart();
    if (decision?.approved !== true && !signal.aborted) {
      const error = denied(name, decision);
      const metadata = defined({ deniedBy: decision?.by });
      return end(new ToolResponse({ content: error.message, status: "denied", error, metadata }));
    }
  }
  const obstacle = prepared.ok && !signal.aborted ? await setting.begin?.() : undefined;
  if (obstacle) return end(new ToolResponse({ content: `Error: ${obstacle.message}`, error: obstacle }));
  if (prepared.ok && prepared.tool.definition.annotations?.async && !signal.aborted) {
    const taskId = setting.tasks.start({
      call,
      step,
      requestId,
      run: (own) => toolkit.runPrepared(prepared, call, { signal: own, ...defined({ step }) }),
      toResult: (response) => toResult(call, response, place),
    });
    return end(new ToolResponse({ content: `Started as ${taskId}.`, status: "pending", data: { task_id: taskId } }));
  }
  let final: ToolResponse | undefined;
  const ask = askOf(context, call);
  const options: CallOptions = { signal, ...defined({ step, wait, ask }) };
  if (prepared.ok && setting.retry) options.around = retrying(prepared, setting.retry, signal, report, tries);
  for await (const response of toolkit.runPrepared(prepared, call, options)) {
    if (response.isLast) final = response;
    else report.progress(response.data ?? contentText(response.content));
  }
  return end(final as ToolResponse);
}

/** How a server that runs this call asks the host. */
function askOf({ ask }: ExecutorContext, { id: callId, name: tool }: ToolCall): CallOptions["ask"] {
  return ask === undefined ? undefined : (question) => ask(question, { callId, tool });
}

/** Goes on again after a failure. What is around it, as the span of a trace, sees one call. */
function retrying(
  prepared: Prepared & { ok: true },
  retry: number,
  signal: AbortSignal,
  report: CallReport,
  tries: { attempts: number },
): ToolMiddleware {
  return async function* (_, next) {
    for (;;) {
      tries.attempts += 1;
      let final: ToolResponse | undefined;
      for await (const response of next()) {
        if (response.isLast) final = response;
        else yield response;
      }
      if (final === undefined) return;
      if (tries.attempts > retry || signal.aborted || !mayRetry(prepared, final)) return yield final;
      report.progress({ attempt: tries.attempts, error: final.error?.message ?? contentText(final.content) });
      await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** (tries.attempts - 1)), signal);
    }
  };
}

/**
 * A failure may be tried again when the tool said so itself: nothing else is known of what ran out of time, or lost its
 * answer, so only a tool that may run twice is run twice then.
 */
function mayRetry({ tool }: Prepared & { ok: true }, { status, error }: ToolResponse): boolean {
  if (status !== "error") return false;
  const { idempotentHint, readOnlyHint } = tool.definition.annotations ?? {};
  const isKnown = error?.type !== errorTypes.timeout && error?.type !== errorTypes.inDoubt;
  return isKnown || idempotentHint === true || readOnlyHint === true;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

function toResult({ id: callId, name }: ToolCall, response: ToolResponse, facts: Record<string, unknown>): ToolResult {
  const { status, content, data, metadata } = response;
  const failed = status !== "ok" && status !== "pending";
  const error = response.error ?? (failed ? { type: "ToolError", message: contentText(content) } : undefined);
  return {
    callId,
    name,
    status,
    content,
    ...defined({ data, error }),
    metadata: { ...metadata, ...facts },
  };
}

/** One sentence for the person who decides. */
function reasonToAsk({ name, annotations }: ToolDefinition): string {
  return annotations?.destructiveHint
    ? `The tool ${name} may destroy something.`
    : `The tool ${name} asks before each call.`;
}
