import type { BashProcess } from "./bash-process.ts";
import { pause } from "./pause.ts";
import { signal } from "./signal.ts";

/**
 * Stops what runs: Ctrl-C, SIGTERM and SIGKILL for the group in the foreground, `stepMs` apart, and the shell itself when
 * even that ends nothing. From the second step on the shell is interrupted too, so that the rest of the script isn't run.
 */
export async function stopForeground(shell: BashProcess, over: () => boolean, stepMs = 600): Promise<void> {
  const terminal = shell.transport.backend === "pty";
  shell.interrupted();
  for (const name of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
    if (over()) return;
    const group = await shell.processes.foreground(shell.pid, terminal);
    if (over()) return;
    if (name !== "SIGINT" || !terminal) signal(shell.pid, "SIGINT");
    if (group !== undefined && group !== shell.pid) {
      signal(-group, name);
      // One that is stopped hears nothing else.
      signal(-group, "SIGCONT");
    } else if (name !== "SIGKILL") {
      signal(-shell.pid, name);
    }
    const until = performance.now() + stepMs;
    while (!over() && performance.now() < until) {
      await pause(20);
      shell.look();
    }
  }
  if (!over()) signal(shell.pid, "SIGKILL");
}
