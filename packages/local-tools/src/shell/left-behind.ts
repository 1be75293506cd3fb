import type { BashProcess } from "./bash-process.ts";
import { pause } from "./pause.ts";
import type { Processes } from "./processes.ts";
import { signal } from "./signal.ts";

/** Processes that a session's shells started and left running. */
export class LeftBehind {
  readonly #of: Map<number, number[]> = new Map();

  /** A shell has died: what it had started hears of it as from a terminal that is closed. */
  died(shell: BashProcess): void {
    const left = shell.processes.startedSync(shell.pid);
    if (left.length > 0) this.#of.set(shell.pid, left);
    hangUp(left);
  }

  /** Ends a shell as when its terminal is closed. */
  async end(shell: BashProcess): Promise<void> {
    const started = await shell.processes.started(shell.pid);
    this.#of.set(shell.pid, started);
    hangUp(started);
    signal(shell.pid, "SIGHUP");
    for (let waited = 0; !shell.exited && waited < 200; waited += 10) await pause(10);
    await shell.kill();
  }

  /** Kills what is there still. */
  async kill(processes: Processes): Promise<void> {
    // Still those that they were: a number may have been given to another process since.
    for (const [pid, left] of this.#of) {
      const now = new Set(await processes.started(pid));
      for (const one of left) if (now.has(one)) signal(one, "SIGKILL");
    }
  }
}

function hangUp(pids: readonly number[]): void {
  for (const pid of pids) for (const name of ["SIGHUP", "SIGCONT"] as const) signal(pid, name);
}
