import type { PlannedCall, Task } from "../task.ts";

/** A slip that models make, and that the planner makes on request. */
export interface Slip {
  id: string;
  /** What is wrong, for people. */
  title: string;
  /** Whether it suits the task; not asked means always. */
  fits?(task: Task): boolean;
  /** The answer ends in the middle, as at a token limit. */
  cut?: true;
}

/** A slip in a block of calls. */
export interface CallSlip extends Slip {
  write(calls: readonly PlannedCall[], prose: string): string;
}

/** The slip for a task: the first that fits, from `turn` on in the rotation. */
export function pickSlip<Kind extends Slip>(slips: readonly Kind[], task: Task, turn: number): Kind {
  const at = ((turn % slips.length) + slips.length) % slips.length;
  const rotated = [...slips.slice(at), ...slips.slice(0, at)];
  return rotated.find((slip) => slip.fits?.(task) ?? true) as Kind;
}

/** One of each list after another. */
export function inTurns<Kind>(...lists: readonly (readonly Kind[])[]): Kind[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** The same calls to a tool that does not exist. */
export function misspell(calls: readonly PlannedCall[]): PlannedCall[] {
  return calls.map(({ name, input }) => ({ name: `${name}s`, input }));
}
