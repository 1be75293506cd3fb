import { attempt, codeOf } from "../errors.ts";

/** Signals a process or, with a negative number, a group; 0 only asks whether it is there. False when there is none. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(target, name)) === true;
}

/** Whether a process of this number runs, whichever user owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
