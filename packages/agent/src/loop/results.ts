import type { Action, ToolErrorInfo, ToolResult, ToolStatus } from "@toolglot/core";
import { plainJson } from "../plain-json.ts";
import type { RunState } from "./run-state.ts";

/** A call that must end in exactly one result. */
export interface ExpectedCall {
  callId: string;
  name?: string;
}

const statuses: ReadonlySet<unknown> = new Set<ToolStatus>([
  "ok",
  "error",
  "interrupted",
  "denied",
  "pending",
  "in-doubt",
]);

/** The calls of an action, in order. A program is one call. */
export function expectedCalls(action: Action): ExpectedCall[] {
  switch (action.kind) {
    case "calls":
      return action.calls.map(({ id, name }) => ({ callId: id, name }));
    case "plan":
      return action.plan.steps.map(({ callId, tool }) => ({ callId, name: tool }));
    case "code":
      return [{ callId: action.id }];
    default:
      return [];
  }
}

/** A result that says that a call did not end well. */
export function failure(call: ExpectedCall, status: ToolStatus, error: ToolErrorInfo): ToolResult {
  return { ...call, status, content: [{ type: "text", text: error.message }], error };
}

/** Executors are other people's code: what is missing is made up for, what is too much is left out, both with a warning. */
export function oneResultPerCall(
  run: RunState,
  calls: readonly ExpectedCall[],
  given: readonly unknown[],
): ToolResult[] {
  const open = new Map(calls.map((call) => [call.callId, call]));
  const found = new Map<string, ToolResult>();
  for (const result of given) {
    const call = isResult(result) ? open.get(result.callId) : undefined;
    if (!call) {
      run.warn("agent/stray-result", "The executor gave a result that belongs to no open call; it was left out.");
      continue;
    }
    open.delete(call.callId);
    found.set(call.callId, plainJson({ ...call, ...(result as ToolResult) }));
  }
  return calls.map((call) => {
    const result = found.get(call.callId);
    if (result) return result;
    if (!run.signal.aborted) run.warn("agent/missing-result", `The executor gave no result for ${call.callId}.`);
    return run.signal.aborted
      ? failure(call, "interrupted", { type: "Interrupted", message: run.wording.stopped })
      : failure(call, "error", { type: "MissingToolResult", message: run.wording.noResult });
  });
}

function isResult(value: unknown): value is ToolResult {
  const result = value as ToolResult | null | undefined;
  return typeof result === "object" && result !== null && statuses.has(result.status) && Array.isArray(result.content);
}
