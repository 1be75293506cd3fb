import { attempt } from "@toolglot/internal";

/** Signals a process or, with a negative number, a group; 0 only asks whether it is there. False when there is none. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(target, name)) === true;
}
