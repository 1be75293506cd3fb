import type { BashProcess } from "./bash-process.ts";
import { signal } from "./processes.ts";

/**
 * Ends a shell and removes its files when the host exits without closing the session. What can't be caught (SIGKILL of the
 * host) closes the terminal, which ends the shell as well. Gives what undoes it.
 */
export function endWithHost(shell: BashProcess): () => void {
  const end = (): void => {
    const others = shell.processes.startedSync(shell.pid);
    if (!shell.exited) for (const target of [-shell.pid, shell.pid]) signal(target, "SIGKILL");
    for (const pid of others) signal(pid, "SIGKILL");
    shell.channel.remove();
  };
  process.on("exit", end);
  return () => process.off("exit", end);
}
