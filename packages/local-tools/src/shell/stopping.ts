import { sleep } from "@toolglot/internal";
import type { BashProcess } from "./bash-process.ts";
import { type Processes, signal } from "./processes.ts";

/** After so long it is looked at again whether something has ended. */
const roundMs = 20;

/**
 * Stops what runs: Ctrl-C, SIGTERM and SIGKILL for the group in the foreground, `stepMs` apart, and the shell itself when
 * even that ends nothing. From the second step on the shell is interrupted too, so that the rest of the script isn't run.
 */
export async function stopForeground(shell: BashProcess, over: () => boolean, stepMs: number): Promise<void> {
  const terminal = shell.transport.backend === "pty";
  shell.commands.interrupted();
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
      signal(-shell.group, name);
    }
    // Rounds are counted, not time: a machine that is too busy for the shell makes them longer, too.
    for (let round = 0; !over() && round < stepMs / roundMs; round++) {
      await sleep(roundMs);
      shell.commands.checkPrompt();
    }
  }
  if (!over()) signal(shell.pid, "SIGKILL");
}

const suspendMs = 10_000;

/** Makes a group that was asked to suspend able to: what was stopped in the middle of starting a program continues, and is asked again. */
export async function helpToSuspend(processes: Processes, group: number, over: () => boolean): Promise<void> {
  const until = performance.now() + suspendMs;
  for (let step = 20; !over() && performance.now() < until; step = Math.min(2 * step, 500)) {
    await sleep(step);
    const held = over() ? [] : processes.stoppedInStart(group);
    for (const pid of held) signal(pid, "SIGCONT");
    if (held.length === 0) continue;
    await sleep(5);
    if (!over()) signal(-group, "SIGTSTP");
    step = 10;
  }
}

/** Processes that a session's shells started and that outlived them. */
export class Survivors {
  readonly #of: Map<number, number[]> = new Map();

  /** Signals what a dead shell had started, as a terminal does that is closed. */
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
    for (let waited = 0; !shell.exited && waited < 200; waited += 10) await sleep(10);
    await shell.kill();
  }

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

/** Shells that live: the host's exit is one event for all of them. */
const shells: Set<BashProcess> = new Set();

function killAll(): void {
  for (const shell of shells) {
    const others = shell.processes.startedSync(shell.pid);
    shell.killNow();
    for (const pid of others) signal(pid, "SIGKILL");
    shell.removeFiles();
  }
}

/**
 * Ends a shell and removes its files when the host exits without closing the session. What can't be caught (SIGKILL of the
 * host) closes the terminal or the pipes, which ends the shell as well. Returns a function that undoes this.
 */
export function endWithHost(shell: BashProcess): () => void {
  if (shells.size === 0) process.on("exit", killAll);
  shells.add(shell);
  return () => {
    shells.delete(shell);
    if (shells.size === 0) process.off("exit", killAll);
  };
}
