import type { BashProcess } from "./bash-process.ts";
import { signal } from "./signal.ts";

/** Shells that live: the host's exit is one event for all of them. */
const shells: Set<BashProcess> = new Set();

function endAll(): void {
  for (const shell of shells) {
    const others = shell.processes.startedSync(shell.pid);
    if (!shell.exited) for (const target of [-shell.pid, shell.pid]) signal(target, "SIGKILL");
    for (const pid of others) signal(pid, "SIGKILL");
    shell.channel.remove();
  }
}

/**
 * Ends a shell and removes its files when the host exits without closing the session. What can't be caught (SIGKILL of the
 * host) closes the terminal or the pipes, which ends the shell as well. Gives what undoes it.
 */
export function endWithHost(shell: BashProcess): () => void {
  if (shells.size === 0) process.on("exit", endAll);
  shells.add(shell);
  return () => {
    shells.delete(shell);
    if (shells.size === 0) process.off("exit", endAll);
  };
}
