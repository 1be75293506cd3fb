import type { Active } from "./active.ts";
import type { BashProcess } from "./bash-process.ts";
import { silence, waitingFor } from "./waiting.ts";

/** What came of waiting for a command. */
export type Outcome = { is: "ended" | "timeout" | "aborted" } | { is: "waiting"; waiting: "input" | "password" };

/** Milliseconds of the longest timer there is. */
export const longestTimer: number = 2 ** 31 - 1;

/** What is watched. */
export interface Watched {
  readonly active: Active | undefined;
  readonly shell: BashProcess | undefined;
  /** True when the cursor stands in a line that has begun. */
  readonly unfinishedLine: boolean;
}

/** Waits for what a session's command does next. */
export class Watch {
  readonly #watched: Watched;
  readonly #wake: Set<() => void> = new Set();
  #lastActivity = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Something was printed or given: silence begins anew. */
  touch(): void {
    this.#lastActivity = performance.now();
  }

  /** Something happened to the command: whoever waits is to look. */
  rouse(): void {
    for (const wake of [...this.#wake]) wake();
  }

  /** Until something happens to the command, at most so long. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, longestTimer));
      this.#wake.add(done);
    });
  }

  /** Until a command that is being stopped is over. */
  async ended(active: Active): Promise<void> {
    await active.stopping;
    while (!active.end) await this.change(100);
  }

  /** What the shell has said by now is heard, its command's end included. */
  async settled(): Promise<void> {
    const { active, shell } = this.#watched;
    await shell?.settled();
    for (let n = 0; n < 100 && shell?.ending && this.#watched.active === active; n++) await this.change(10);
  }

  /** Until the command is over, waits for input (and has for `waitMs`), is being stopped, or the time is over. */
  async outcome(timeoutMs: number, signal: AbortSignal | undefined, waitMs: number): Promise<Outcome> {
    const deadline = performance.now() + timeoutMs;
    const roused = (): void => this.rouse();
    let waitingSince: number | undefined;
    let looked = 0;
    signal?.addEventListener("abort", roused);
    try {
      for (;;) {
        const { active } = this.#watched;
        const now = performance.now();
        if (!active) return { is: "ended" };
        if (signal?.aborted) return { is: "aborted" };
        if (active.stopping) return { is: "timeout" };
        if (now >= deadline) {
          // The host may have been busy: what has come by now counts.
          await this.settled();
          return { is: this.#watched.active === active ? "timeout" : "ended" };
        }
        const silent = now - this.#lastActivity;
        if (silent >= silence.look && now - looked >= Math.min(1000, silent / 3)) {
          looked = now;
          const waiting = await this.#look(silent);
          if (waiting === undefined) waitingSince = undefined;
          else if (this.#watched.active === active) {
            waitingSince ??= now;
            if (performance.now() - waitingSince >= waitMs) {
              // The host may have been busy: what has come by now counts, the command's end included.
              const before = this.#lastActivity;
              await this.settled();
              if (this.#watched.active === active && this.#lastActivity === before) return { is: "waiting", waiting };
              waitingSince = undefined;
            }
          }
          continue;
        }
        const next = Math.max(silence.look - silent, looked + Math.min(1000, silent / 3) - now, 5);
        await this.change(Math.min(deadline - now, next));
      }
    } finally {
      signal?.removeEventListener("abort", roused);
    }
  }

  async #look(silent: number): Promise<"input" | "password" | undefined> {
    const { shell } = this.#watched;
    if (!shell || shell.look() || !shell.inCommand) return undefined;
    const before = this.#lastActivity;
    const waiting = await waitingFor(shell, silent, this.#watched.unfinishedLine);
    return this.#lastActivity === before ? waiting : undefined;
  }
}
