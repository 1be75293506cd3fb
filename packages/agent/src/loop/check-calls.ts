import type { PlanStep, ToolResult } from "@toolglot/core";
import type { CallFinding, GuardedCall } from "@toolglot/core/check-call";
import { failure } from "@toolglot/core/executing";
import { readArguments } from "./arguments.ts";
import type { Run } from "./run.ts";
import type { Runnable } from "./types.ts";

/** An action whose calls were looked at. */
export interface CheckedAction {
  /** Steps of a plan that must not run have their error. */
  action: Runnable;
  /** Results of calls that must not run. */
  refused: ToolResult[];
  /** What was found about calls that run all the same, by their id. */
  findings: ReadonlyMap<string, CallFinding[]>;
}

/**
 * Looks for calls that arrived damaged, and for arguments that are still text: those were no JSON. Of an action that an earlier
 * process began, nothing is refused as damaged: it may have run.
 */
export function checkCalls(run: Run, action: Runnable, isRestored: boolean): CheckedAction {
  const refused: ToolResult[] = [];
  const findings = new Map<string, CallFinding[]>();
  const refusalOf = (call: GuardedCall & { id: string }): string | undefined => {
    const tool = run.step.tools.find(({ name }) => name === call.name);
    const verdict = isRestored ? undefined : run.guard?.check(call, tool);
    if (verdict && verdict.refusal === undefined) findings.set(call.id, verdict.findings);
    return verdict?.refusal;
  };
  const refuse = (call: GuardedCall & { id: string }, type: string, message: string): void => {
    refused.push({ callId: call.id, name: call.name, ...failure({ type, message }) });
  };
  if (action.kind === "calls") {
    for (const call of action.calls) {
      const refusal = refusalOf(call);
      if (refusal !== undefined) refuse(call, damaged, refusal);
      else if (typeof call.input === "string") {
        const reading = readArguments(call.input);
        const fault = "fault" in reading ? reading.fault : "a string instead of an object";
        refuse(call, "InvalidInput", run.wording.badArguments(fault));
      }
    }
    return { action, refused, findings };
  }
  if (action.kind === "code") return { action, refused, findings };
  const steps = action.plan.steps.map((step): PlanStep => {
    const message = refusalOf({ id: step.callId, name: step.tool, input: step.params });
    return message === undefined ? step : { ...step, errors: [...step.errors, { type: damaged, message }] };
  });
  return { action: { ...action, plan: { ...action.plan, steps } }, refused, findings };
}

const damaged = "DamagedCall";
