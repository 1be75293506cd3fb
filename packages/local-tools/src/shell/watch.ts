import { maxTimerMs, onAbort } from "@toolglot/internal";
import type { BashProcess } from "./bash-process.ts";
import type { Active, Outcome } from "./command.ts";
import { signal } from "./processes.ts";
import { terminalModes } from "./terminal-modes.ts";

/** Milliseconds of silence before it is worth checking, and what each sign needs. */
const silence: Readonly<Record<"check" | "read" | "poll" | "blind", number>> = {
  check: 60,
  read: 60,
  poll: 300,
  blind: 700,
};

interface Watched {
  readonly active: Active | undefined;
  readonly shell: BashProcess | undefined;
  /** True when the cursor stands in a line that has begun. */
  readonly unfinishedLine: boolean;
}

export class Watch {
  readonly #runner: Watched;
  readonly #wake: Set<() => void> = new Set();
  #lastActivity = 0;

  constructor(runner: Watched) {
    this.#runner = runner;
  }

  /** Restarts the silence: something was printed or written. */
  touch(): void {
    this.#lastActivity = performance.now();
  }

  /** Wakes every call that waits: something happened to the command. */
  notify(): void {
    for (const wake of [...this.#wake]) wake();
  }

  /** Resolves when something happens to the command, at most so long. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, maxTimerMs));
      this.#wake.add(done);
    });
  }

  /** Resolves when a command that is being stopped is over. */
  async ended(active: Active): Promise<void> {
    await active.stopping;
    while (!active.end) await this.change(100);
  }

  /** Resolves when what the shell has printed by now is read, its command's end included. */
  async settled(): Promise<void> {
    const { active, shell } = this.#runner;
    await shell?.settled();
    for (let n = 0; n < 100 && shell?.commands.ending && this.#runner.active === active; n++) await this.change(10);
  }

  /** Resolves when the command is over, waits for input (and has for `waitMs`), is being stopped, or the time is over. */
  async outcome(timeoutMs: number, signal: AbortSignal | undefined, waitMs: number): Promise<Outcome> {
    const deadline = performance.now() + timeoutMs;
    let waitingSince: number | undefined;
    let checked = 0;
    const stopListening = onAbort(signal, () => this.notify());
    try {
      for (;;) {
        const { active } = this.#runner;
        const now = performance.now();
        if (!active) return { is: "ended" };
        if (signal?.aborted) return { is: "aborted" };
        if (active.stopping) return { is: "timeout" };
        if (now >= deadline) {
          // The host may have been busy: what has come by now counts.
          await this.settled();
          return { is: this.#runner.active === active ? "timeout" : "ended" };
        }
        const silent = now - this.#lastActivity;
        if (silent >= silence.check && now - checked >= Math.min(1000, silent / 3)) {
          checked = now;
          const waiting = await this.#waiting(silent);
          if (waiting === undefined) waitingSince = undefined;
          else if (this.#runner.active === active) {
            waitingSince ??= now;
            if (performance.now() - waitingSince >= waitMs) {
              // The host may have been busy: what has come by now counts, the command's end included.
              const before = this.#lastActivity;
              await this.settled();
              const isSilent = this.#lastActivity === before && this.#runner.shell?.commands.inCommand === true;
              if (this.#runner.active === active && isSilent) return { is: "waiting", waiting };
              waitingSince = undefined;
            }
          }
          continue;
        }
        const next = Math.max(silence.check - silent, checked + Math.min(1000, silent / 3) - now, 5);
        await this.change(Math.min(deadline - now, next));
      }
    } finally {
      stopListening();
    }
  }

  async #waiting(silent: number): Promise<"input" | "password" | undefined> {
    const { shell } = this.#runner;
    this.#goOn();
    if (!shell || shell.commands.checkPrompt() || !shell.commands.inCommand) return undefined;
    const before = this.#lastActivity;
    const waiting = await waitingFor(shell, silent, this.#runner.unfinishedLine);
    return this.#lastActivity === before ? waiting : undefined;
  }

  /** Continues a shell that was stopped, as by `suspend`. */
  #goOn(): void {
    const { shell, active } = this.#runner;
    if (!shell?.processes.isStopped(shell.pid)) return;
    signal(shell.pid, "SIGCONT");
    const note = "The shell itself was stopped, as `suspend` does it, and was continued.";
    if (active?.notes.includes(note) === false) active.notes.push(note);
  }
}

/**
 * Returns what the command in the foreground waits for after so much silence. That it reads the terminal must be seen where the
 * system shows it; where it doesn't, a longer silence on an unfinished line counts, or a terminal that hides what is typed.
 */
async function waitingFor(
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
