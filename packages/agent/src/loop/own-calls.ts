import type { Action, ToolResult } from "@toolglot/core";
import { type CallOutcome, failure } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import type { Run } from "./run.ts";
import type { OwnCall, RunTools } from "./tools.ts";
import type { Runnable } from "./types.ts";

type CallsOrPlan = Extract<Action, { kind: "calls" | "plan" }>;

/** Splits an action into the loop's own calls, and what is left for the executor. */
export function splitAction(
  tools: RunTools,
  action: Runnable | undefined,
): { own: OwnCall[]; rest: Runnable | undefined } {
  if (action === undefined || action.kind === "code") return { own: [], rest: action };
  const isOwn = (name: string): boolean => tools.ownTool(name) !== undefined;
  const own = callsOf(tools, action).filter(({ name }) => isOwn(name));
  return { own, rest: own.length === 0 ? action : pickCalls(action, (_, name) => !isOwn(name)) };
}

/** Returns what is left of an action without the calls that have results. */
export function without(action: Runnable, done: readonly ToolResult[]): Runnable | undefined {
  return action.kind === "code" ? action : pickCalls(action, (id) => !done.some(({ callId }) => callId === id));
}

/** Returns an action with some of its calls; undefined without any. */
function pickCalls(action: CallsOrPlan, isPicked: (callId: string, name: string) => boolean): CallsOrPlan | undefined {
  if (action.kind === "calls") {
    const calls = action.calls.filter(({ id, name }) => isPicked(id, name));
    return calls.length > 0 ? { ...action, calls } : undefined;
  }
  const steps = action.plan.steps.filter(({ callId, tool }) => isPicked(callId, tool));
  return steps.length > 0 ? { ...action, plan: { ...action.plan, steps } } : undefined;
}

/** Returns the calls of an action. Steps that could not be read have the faults as their input, which then does not fit. */
function callsOf(tools: RunTools, action: CallsOrPlan): OwnCall[] {
  if (action.kind === "calls") return action.calls.map(({ id, name, input }) => ({ callId: id, name, input }));
  const { common, steps } = action.plan;
  return steps.map(({ callId, tool: name, params, errors }) => {
    if (errors.length > 0) return { callId, name, input: errors.map(({ message }) => message).join("\n") };
    const properties = tools.ownTool(name)?.definition.inputSchema.properties ?? {};
    const shared = Object.entries(common).filter(([key]) => Object.hasOwn(properties, key));
    return { callId, name, input: { ...Object.fromEntries(shared), ...params } };
  });
}

/** Runs the loop's own calls, after all others of the answer. A call that was stopped has no result. */
export async function runOwnCalls(
  run: Run,
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

async function runOwnCall(run: Run, call: OwnCall, earlier: readonly ToolResult[]): Promise<ToolResult> {
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
