import type { BashProcess } from "./bash-process.ts";
import { terminalModes } from "./terminal-modes.ts";

/** Milliseconds of silence before it is worth checking, and what each sign needs. */
export const silence: Readonly<Record<"check" | "read" | "poll" | "blind", number>> = {
  check: 60,
  read: 60,
  poll: 300,
  blind: 700,
};

/**
 * Returns what the command in the foreground waits for after so much silence. That it reads the terminal must be seen where the
 * system shows it; where it doesn't, a longer silence on an unfinished line counts, or a terminal that hides what is typed.
 */
export async function waitingFor(
  shell: BashProcess,
  silentMs: number,
  unfinishedLine: boolean,
): Promise<"input" | "password" | undefined> {
  const isTerminal = shell.transport.backend === "pty";
  const group = await shell.processes.foreground(shell.pid, isTerminal);
  const own = group === shell.pid ? shell.group : group;
  const seen = own === undefined ? undefined : shell.processes.reading(own, shell.inputPlace);
  if (!isTerminal) return (seen === "read" || seen === "poll") && silentMs >= silence[seen] ? "input" : undefined;
  const blind = seen === "hidden" || seen === undefined;
  if (seen === "no" || silentMs < (blind ? silence.blind : silence[seen])) return undefined;
  const modes = await terminalModes(shell.tty);
  // A program that takes each key at once draws what is typed itself; a terminal by lines without echo hides it.
  const hidden = modes?.lines === true && !modes.echo;
  if (blind && !hidden && !unfinishedLine) return undefined;
  return hidden ? "password" : "input";
}
