import type { Decision } from "../action.ts";
import type { ToolErrorInfo, ToolResult } from "../call.ts";

/** How a call ended, without the call. */
export type CallOutcome = Omit<ToolResult, "callId" | "name">;

/** Returns a call that did not end well, with a text for the model. `Denied` and `Interrupted` errors give the status of that name. */
export function failure(error: ToolErrorInfo, text: string = error.message): CallOutcome & { error: ToolErrorInfo } {
  return { status: statusByType.get(error.type) ?? "error", content: [{ type: "text", text }], error };
}

const statusByType: ReadonlyMap<string, ToolResult["status"]> = new Map([
  ["Denied", "denied"],
  ["InDoubt", "in-doubt"],
  ["Interrupted", "interrupted"],
]);

/** The error of a call that was stopped before its end. */
export const interrupted: ToolErrorInfo = { type: "Interrupted", message: "The call was stopped before it ended." };

/** Returns what a call comes to that waits for a decision: see `Decision.later`. */
export function undecided(name: string): CallOutcome {
  const text = `The call of the tool "${name}" waits for a decision. It has not run.`;
  const outcome: CallOutcome = { status: "pending", content: [{ type: "text", text }] };
  waiting.add(outcome);
  return outcome;
}

const waiting = new WeakSet<CallOutcome>();

/** Whether an outcome is one that {@link undecided} made. */
export function isUndecided(outcome: CallOutcome): boolean {
  return waiting.has(outcome);
}

const statuses: ReadonlySet<unknown> = new Set<ToolResult["status"]>([
  "ok",
  "error",
  "interrupted",
  "denied",
  "pending",
  "in-doubt",
]);

/** Returns what a call came to elsewhere, when that is the decision: it stands for the run. */
export function outsideOutcome(decision: Pick<Decision, "result"> | undefined): CallOutcome | undefined {
  return isToolResult(decision?.result) ? outcomeOf(decision.result) : undefined;
}

/** Returns a result without its call. */
export function outcomeOf({ callId: _, name: __, ...outcome }: ToolResult): CallOutcome {
  return outcome;
}

/** Whether a value of others' code has the form of a result. */
export function isToolResult(value: unknown): value is ToolResult {
  const result = value as ToolResult | null | undefined;
  return typeof result === "object" && result !== null && statuses.has(result.status) && Array.isArray(result.content);
}
