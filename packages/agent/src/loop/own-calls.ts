import type { Action, ToolDefinition, ToolResult } from "@toolglot/core";
import { type CallOutcome, failure } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import type { RunState } from "./run-state.ts";

/** A call of a tool that the loop has itself. */
export interface OwnCall {
  callId: string;
  name: string;
  input: unknown;
}

/** A tool that the loop has, and runs, itself. */
export interface OwnTool {
  definition: ToolDefinition;
  /** A tool of the host's of the same name stands instead. */
  yields: boolean;
  /** `earlier`: the results of all other calls of the same answer. */
  run(call: OwnCall, earlier: readonly ToolResult[]): Promise<CallOutcome> | CallOutcome;
}

type CallsOrPlan = Extract<Action, { kind: "calls" | "plan" }>;
type Runnable = Exclude<Action, { kind: "decline" }>;

/** The loop's own calls of an action, and what is left for the executor. */
export function splitAction(
  run: RunState,
  action: Runnable | undefined,
): { own: OwnCall[]; rest: Runnable | undefined } {
  if (action === undefined || action.kind === "code") return { own: [], rest: action };
  const isOwn = (name: string): boolean => run.tools.ownTool(name) !== undefined;
  const own = callsOf(run, action).filter(({ name }) => isOwn(name));
  if (own.length === 0) return { own, rest: action };
  if (action.kind === "calls") {
    const calls = action.calls.filter(({ name }) => !isOwn(name));
    return { own, rest: calls.length > 0 ? { ...action, calls } : undefined };
  }
  const steps = action.plan.steps.filter(({ tool }) => !isOwn(tool));
  return { own, rest: steps.length > 0 ? { ...action, plan: { ...action.plan, steps } } : undefined };
}

/** Steps that could not be read have the faults as their input, which then does not fit. */
function callsOf(run: RunState, action: CallsOrPlan): OwnCall[] {
  if (action.kind === "calls") return action.calls.map(({ id, name, input }) => ({ callId: id, name, input }));
  const { common, steps } = action.plan;
  return steps.map(({ callId, tool: name, params, errors }) => {
    if (errors.length > 0) return { callId, name, input: errors.map(({ message }) => message).join("\n") };
    const properties = run.tools.ownTool(name)?.definition.inputSchema.properties ?? {};
    const shared = Object.entries(common).filter(([key]) => Object.hasOwn(properties, key));
    return { callId, name, input: { ...Object.fromEntries(shared), ...params } };
  });
}

/** Runs the loop's own calls, after all others of the answer. A call that was stopped has no result. */
export async function runOwnCalls(
  run: RunState,
  calls: readonly OwnCall[],
  earlier: readonly ToolResult[],
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const call of calls) {
    if (run.signal.aborted) break;
    try {
      results.push(await runOwnCall(run, call, [...earlier, ...results]));
    } catch (error) {
      if (!run.signal.aborted) throw error;
    }
  }
  return results;
}

async function runOwnCall(run: RunState, call: OwnCall, earlier: readonly ToolResult[]): Promise<ToolResult> {
  const { stepIndex } = run;
  const { callId, name } = call;
  const input = plainJson(call.input);
  const began = run.emit({ type: "tool-call-start", stepIndex, callId, name, input }) ?? 0;
  const outcome: CallOutcome = plainJson(
    typeof input === "string"
      ? failure({ type: "InvalidInput", message: input })
      : ((await run.tools.ownTool(name)?.run({ callId, name, input }, earlier)) as CallOutcome),
  );
  const { status, data, error } = outcome;
  const ms = run.settings.runtime.now() - began;
  run.emit({ type: "tool-call-end", stepIndex, callId, name, status, ms, ...defined({ data, error }) });
  return { callId, name, ...outcome };
}
