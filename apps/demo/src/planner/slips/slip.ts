import type { PlannedCall, Task } from "../task.ts";

/** A slip that models make, and that the planner makes on request. */
export interface Slip {
  id: string;
  /** Whether it suits the task; not asked means always. */
  fits?(task: Task): boolean;
  /** The answer ends in the middle, as at a token limit. */
  cut?: true;
}

/** The same calls to a tool that does not exist. */
export function misspell(calls: readonly PlannedCall[]): PlannedCall[] {
  return calls.map(({ name, input }) => ({ name: `${name}s`, input }));
}
