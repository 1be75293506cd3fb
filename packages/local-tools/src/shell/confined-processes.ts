import { LinuxProcesses, processesBelow } from "./linux-processes.ts";

/** The processes of a confined shell, by the host's numbers. */
export class ConfinedProcesses extends LinuxProcesses {
  /** Inside, the session's terminal has this name too. */
  protected override readonly terminalNames: readonly string[] = ["/dev/tty", "/dev/console"];

  /** Returns everything in the namespace: its first process is bash's parent, and that of all whose own parent has ended. */
  override startedSync(shell: number): number[] {
    return processesBelow(shell);
  }
}
