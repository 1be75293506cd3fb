import { contentText, type ToolCall, type ToolErrorInfo } from "@toolglot/core";
import type { CallGuard } from "@toolglot/core/check-call";
import { settleWithin, sleep, unsettled } from "@toolglot/internal";
import type { CallOptions } from "../types.ts";
import { attemptCall, type Outcome, type Progress, postprocess } from "./attempt.ts";
import { callOnce } from "./call-once.ts";
import { CallScope } from "./call-scope.ts";
import { interruption } from "./interruption.ts";
import { prepareCall } from "./prepare.ts";
import { ToolResponse } from "./response.ts";
import type { CallableTool, CallRecord, PreparedCall, Responses } from "./types.ts";

/** Target of a call: a tool, a call that was prepared before, or why there is no tool. */
export type CallTarget = CallableTool | PreparedCall<CallableTool>;

const firstPauseMs = 100;

/** What a toolkit knows of a call besides. */
export interface CallSetting {
  /** For middleware. */
  record?: CallRecord | undefined;
  /** Looks for damage. */
  guard?: CallGuard | undefined;
  /** It is made sure of already that it happens once. */
  isOnce?: boolean;
}

/** Runs a call. Whatever happens, the last of the responses is final, and the only one that is. */
export async function* runCall(
  target: CallTarget,
  call: ToolCall,
  options: CallOptions,
  { record, guard, isOnce = false }: CallSetting = {},
): Responses {
  const { signal, onError } = options;
  const progress: Progress = { content: [], data: [], chunks: 0, used: {} };
  if (signal?.aborted) return yield interruption(progress, undefined);
  const preparing = "ok" in target ? target : prepareCall(guard, target, call);
  const prepared = preparing instanceof Promise ? await settleWithin(preparing, { signal }) : preparing;
  if (prepared === unsettled) return yield interruption(progress, undefined);
  if (!prepared.ok) return yield failure(progress, prepared.error, prepared.metadata);
  const about = (): ToolResponse["metadata"] =>
    Object.keys(progress.used ?? {}).length > 0 ? { ...prepared.metadata, usage: progress.used } : prepared.metadata;
  const { tool, input } = prepared;
  if (tool.once !== undefined && !isOnce) {
    const known: CallRecord = record ?? { tool: undefined, step: undefined, attempts: 0, thrown: [] };
    const run = (own: AbortSignal): Responses =>
      runCall(prepared, call, { ...options, signal: own }, { record: known, isOnce: true });
    return yield* callOnce(tool.once, prepared, options, known, run);
  }
  for (let attempt = 0; ; attempt++) {
    if (record) record.attempts += 1;
    const begun = await attemptCall(tool, input, call, options, progress);
    const outcome = "kind" in begun ? begun : yield* begun;
    if (record && outcome.kind === "failed") record.thrown.push({ error: outcome.error, time: Date.now() });
    if (outcome.kind === "done") return yield withMetadata(finished(prepared, outcome.response), about());
    const again = outcome.kind === "failed" && outcome.retry && progress.chunks === 0 && attempt < tool.retries;
    if (again && (await sleep(firstPauseMs * 2 ** attempt, signal))) continue;
    if (outcome.kind === "interrupted" || signal?.aborted) return yield interruption(progress, about());
    yield withMetadata(await errorResponse(tool, call, outcome, progress, signal), about());
    if (onError === "throw") throw outcome.error;
    return;
  }
}

/** Returns the final response of a tool that failed: what came before, then the error. Only the error is post-processed. */
async function errorResponse(
  tool: CallableTool,
  call: ToolCall,
  outcome: Outcome & { kind: "failed" },
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<ToolResponse> {
  let response = failure({ content: [], data: [], chunks: 0 }, outcome.info, undefined);
  if (!outcome.fromPostprocess) {
    const scope = new CallScope(call.id, signal, tool.timeoutMs);
    try {
      const processed = await postprocess(tool, call, response, scope);
      if (processed !== unsettled) response = processed;
    } catch {
      // Post-processing fails on the error too: the first error is the one to report.
    } finally {
      scope.close(false);
    }
  }
  return progress.chunks === 0
    ? response
    : response.with({ content: [...progress.content, ...response.content], stream: true });
}

/** Returns a final error response. */
function failure(progress: Progress, error: ToolErrorInfo, metadata: ToolResponse["metadata"]): ToolResponse {
  const content = [...progress.content, { type: "text" as const, text: `Error: ${error.message}` }];
  return new ToolResponse({ content, status: "error", error, stream: progress.chunks > 0, metadata });
}

/** Adds to the response of an extended finish function the text and the structured output that an agent ends with. */
function finished(
  { tool, structuredOutput }: PreparedCall<CallableTool> & { ok: true },
  response: ToolResponse,
): ToolResponse {
  if (tool.extendedModel === undefined || response.status !== "ok") return response;
  return withMetadata(response, {
    response_msg: contentText(response.content),
    structured_output: structuredOutput,
  });
}

function withMetadata(response: ToolResponse, metadata: ToolResponse["metadata"]): ToolResponse {
  return metadata === undefined ? response : response.with({ metadata: { ...response.metadata, ...metadata } });
}
