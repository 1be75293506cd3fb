import type { Outcome } from "../../outcome.ts";
import { attempt, outcomesOf, PlanError, type PlannedCall } from "../../task.ts";

/** Runs a command, whatever its exit status. Throws `PlanError` when it could not be run at all. */
export function* runCommand(script: string, timeoutMs?: number): Generator<PlannedCall[], Outcome, unknown[]> {
  const input = timeoutMs === undefined ? { script } : { script, timeoutMs };
  const [outcome] = outcomesOf(yield [attempt("command", input)]) as [Outcome];
  if (outcome.status === "error" && outcome.exit === undefined) {
    throw new PlanError(outcome.message ?? "", outcome.errorType);
  }
  return outcome;
}

/** Whether a command ended, and well. */
export function endedWell({ status, running }: Outcome): boolean {
  return status === "ok" && !running;
}
