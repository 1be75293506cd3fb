import {
  contentText,
  type Decision,
  type ExecutorContext,
  requiresApproval,
  type ToolCall,
  type ToolErrorInfo,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { pause, stopped, untilAborted } from "./call-scope.ts";
import { errorTypes } from "./errors.ts";
import type { ToolMiddleware } from "./middleware.ts";
import { type Prepared, shownValues } from "./prepare.ts";
import { ToolResponse } from "./response.ts";
import type { Tasks } from "./tasks/tasks.ts";
import type { Toolkit } from "./toolkit.ts";
import type { PreparedCallOptions } from "./types.ts";

/** One question at a time. */
export class ApprovalQueue {
  #last: Promise<unknown> = Promise.resolve();

  add<Value>(ask: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(ask, ask);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

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
  const { signal } = context;
  const { step, given } = setting;
  const about = aboutCall(call);
  context.emit({
    type: "tool-call-start",
    ...about,
    input: given ? { ...(input as object), ...shownValues(given) } : input,
  });
  let started = performance.now();
  const tries = { attempts: 0 };
  const place = { ...(step !== undefined && { step }), ...(requestId !== undefined && { requestId }) };
  const end = (response: ToolResponse): ToolResult => {
    const ms = performance.now() - started;
    const { attempts } = tries;
    const facts = { ms, ...(attempts > 1 && { attempts }), ...place };
    const result = toResult(call, response, facts);
    const { status, data, error } = result;
    context.emit({
      type: "tool-call-end",
      ...about,
      status,
      ms,
      ...(data === undefined ? {} : { data }),
      ...(error === undefined ? {} : { error }),
    });
    return result;
  };
  const preparing = await untilAborted(toolkit.prepareCall(call, given), signal);
  // Stopped: the run below ends at once, as interrupted.
  const prepared: Prepared = preparing === stopped ? { ok: false, error: { type: "", message: "" } } : preparing;
  if (prepared.ok && requiresApproval(prepared.tool.definition) && !signal.aborted) {
    const decision = await setting.approvals.add(() => askHost(prepared, call, context));
    started = performance.now();
    if (decision !== stopped && decision.approved !== true) return end(denial(call.name, decision));
  }
  const obstacle = prepared.ok && !signal.aborted ? await setting.begin?.() : undefined;
  if (obstacle) return end(new ToolResponse({ content: `Error: ${obstacle.message}`, error: obstacle }));
  if (prepared.ok && prepared.tool.definition.annotations?.async && !signal.aborted) {
    const taskId = setting.tasks.start({
      call,
      step,
      requestId,
      run: (own) => toolkit.runPrepared(prepared, call, { signal: own, ...(step !== undefined && { step }) }),
      toResult: (response) => toResult(call, response, place),
    });
    return end(new ToolResponse({ content: `Started as ${taskId}.`, status: "pending", data: { task_id: taskId } }));
  }
  let final: ToolResponse | undefined;
  const options: PreparedCallOptions = { signal, ...(step !== undefined && { step }) };
  if (prepared.ok && setting.retry) options.around = retrying(prepared, setting.retry, context, tries);
  for await (const response of toolkit.runPrepared(prepared, call, options)) {
    if (response.isLast) final = response;
    else context.emit({ type: "tool-call-progress", ...about, data: response.data ?? contentText(response.content) });
  }
  return end(final as ToolResponse);
}

/** What every event of a call says. */
function aboutCall({ id: callId, name, requestId }: ToolCall): { callId: string; name: string; requestId?: string } {
  return { callId, name, ...(requestId !== undefined && { requestId }) };
}

/** Goes on again after a failure. What is around it, as the span of a trace, sees one call. */
function retrying(
  prepared: Prepared & { ok: true },
  retry: number,
  { signal, emit }: ExecutorContext,
  tries: { attempts: number },
): ToolMiddleware {
  return async function* (call, next) {
    for (;;) {
      tries.attempts += 1;
      let final: ToolResponse | undefined;
      for await (const response of next()) {
        if (response.isLast) final = response;
        else yield response;
      }
      if (final === undefined) return;
      if (tries.attempts > retry || signal.aborted || !mayRetry(prepared, final)) return yield final;
      const progress = { attempt: tries.attempts, error: final.error?.message ?? contentText(final.content) };
      emit({ type: "tool-call-progress", ...aboutCall(call), data: progress });
      await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (tries.attempts - 1)), signal);
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
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error }),
    metadata: { ...metadata, ...facts },
  };
}

/** The host's decision. A host that can't be asked hasn't approved. */
async function askHost(
  prepared: Prepared & { ok: true },
  call: ToolCall,
  context: ExecutorContext,
): Promise<Decision | typeof stopped> {
  const { name, annotations } = prepared.tool.definition;
  const reason = annotations?.destructiveHint
    ? `The tool ${name} may destroy something.`
    : `The tool ${name} asks before each call.`;
  const request = { kind: "tool-call" as const, callId: call.id, tool: name, input: snapshot(prepared.asked), reason };
  try {
    const decision = await untilAborted(context.approve(request), context.signal);
    return decision ?? { approved: false, reason: "the host did not decide" };
  } catch {
    return { approved: false, reason: "the host could not be asked" };
  }
}

/** A copy, so that what is decided about can't change on its way. Input from a model is JSON, and can be copied. */
function snapshot(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return JSON.parse(toJsonText(input)) as unknown;
  }
}

function denial(name: string, decision: Decision): ToolResponse {
  const why = decision.reason === undefined ? "" : `: ${decision.reason}`;
  const message = `The call of the tool "${name}" was denied${why}. It did not run.`;
  const metadata = decision.by === undefined ? {} : { metadata: { deniedBy: decision.by } };
  const error = { type: errorTypes.denied, message };
  return new ToolResponse({ content: message, status: "denied", error, ...metadata });
}
