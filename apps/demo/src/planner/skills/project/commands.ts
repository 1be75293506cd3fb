import { type CallPlan, type Outcome, PlanError, type PlannedCall } from "../../task.ts";
import { readTestRun, type TestRun } from "./test-output.ts";

/** A call whose plan reads how it ended. */
export function attempt(name: string, input: Record<string, unknown>): PlannedCall {
  return { name, input, mayFail: true };
}

/** Runs a command, whatever its exit status. Throws `PlanError` when it could not be run at all. */
export function* runCommand(script: string, timeoutMs?: number): CallPlan<Outcome> {
  const [outcome] = (yield [attempt("command", { script, ...(timeoutMs && { timeoutMs }) })]) as [Outcome];
  if (outcome.status === "error" && outcome.exit === undefined)
    throw new PlanError(outcome.message ?? "", outcome.errorType);
  return outcome;
}

/** How the tests ended, and what they said. */
export interface Tests {
  tests: Outcome;
  run: TestRun;
}

export function* runTests(): CallPlan<Tests> {
  const tests = yield* runCommand("npm test");
  return { tests, run: readTestRun(tests.text ?? "") };
}
