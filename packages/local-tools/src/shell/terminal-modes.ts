import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The option by which `stty` takes the terminal. */
const which = process.platform === "linux" ? "-F" : "-f";

export interface TerminalModes {
  echo: boolean;
  /** By lines, as opposed to each key at once. */
  lines: boolean;
}

/** Returns the modes of the terminal at `tty`, by `stty`; undefined when it can't be asked. */
export async function terminalModes(tty: string): Promise<TerminalModes | undefined> {
  if (tty === "") return undefined;
  try {
    const { stdout } = await run("stty", [which, tty, "-a"]);
    const words = new Set(stdout.split(/[\s;]+/));
    return { echo: words.has("echo"), lines: words.has("icanon") };
  } catch {
    return undefined;
  }
}

/** Makes a terminal's modes what they were when the shell began, whatever a script made of them. */
export async function resetTerminal(tty: string): Promise<void> {
  if (tty === "") return;
  await run("stty", [which, tty, "sane", "-echoctl", "-ixon"]).catch(() => undefined);
}
