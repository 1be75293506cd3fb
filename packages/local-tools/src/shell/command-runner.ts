import { realpathSync } from "node:fs";
import { attempt, errorText, maxTimerMs, quoteWord } from "@toolglot/internal";
import type { FilledScript } from "@toolglot/secrets/executing";
import { isDirectory } from "../files/pinned-folder.ts";
import type { BashListener } from "./bash.ts";
import { type BashOptions, BashProcess } from "./bash-process.ts";
import type { Active } from "./command.ts";
import { CommandResults } from "./command-results.ts";
import type { CommandTextOptions } from "./command-text.ts";
import { endWithHost, Survivors, stopForeground } from "./stopping.ts";
import type { BashExit } from "./transport.ts";
import { Watch } from "./watch.ts";

/** A session's options, complete. */
export interface SessionOptions extends BashOptions, CommandTextOptions {
  timeoutMs: number;
  maxRuntimeMs: number;
  limits: readonly string[];
}

/** A script that may switch `set -e` on. */
const setsErrexit = /(?:^|[\s;&(])set\s+(?:-[a-zA-Z]*e|-o\s+errexit)/;

/** Runs a session's commands one at a time, in one bash after another: a shell that has ended is replaced when the next command comes. */
export class CommandRunner {
  readonly results: CommandResults;
  readonly watch: Watch;
  shell: BashProcess | undefined;
  active: Active | undefined;
  cwd: string;
  generation = 1;
  /** A signal was sent to the shell and may be felt only later. */
  interrupted = false;
  /** The session is being closed: no shell is started any more. */
  closing = false;
  readonly #options: SessionOptions;
  readonly #survivors: Survivors = new Survivors();
  #forgetHost: () => void;
  #death: { exit: number; because: string | undefined } | undefined;
  /** Where to go back to after a command with a directory of its own. */
  #backTo: string | undefined;
  #lastExit = 0;

  constructor(shell: BashProcess, options: SessionOptions) {
    this.#options = options;
    this.cwd = shell.cwd;
    this.results = new CommandResults(options, () => this.cwd);
    this.watch = new Watch(this);
    this.#forgetHost = endWithHost(shell);
    this.#attach(shell);
  }

  /** True when the cursor stands in a line that has begun. */
  get unfinishedLine(): boolean {
    return this.results.text.unfinishedLine;
  }

  /** Runs a script in the shell. `internal`: it is the session's own, and what it prints is nobody's. */
  begin(
    script: string,
    { internal = false, filled }: { internal?: boolean; filled?: FilledScript | undefined } = {},
  ): Active {
    const active: Active = { script, filled, internal, notes: [], stopSent: false, restarts: 0 };
    const limit = this.#options.maxRuntimeMs;
    if (limit <= maxTimerMs) {
      const reached = async (): Promise<void> => {
        await this.watch.settled();
        if (this.active === active) this.stop(`It was stopped: it ran longer than ${limit} ms.`);
      };
      active.hardLimit = setTimeout(() => void reached(), limit).unref();
    }
    this.active = active;
    if (!internal) this.results.text.endCommand();
    this.watch.touch();
    this.shell?.commands.execute(script, this.#lastExit, filled);
    return active;
  }

  /** Stops the command that runs, if there is one, and notes why. */
  stop(why: string): void {
    const { active, shell } = this;
    if (!active || active.stopping) return;
    if (why !== "") active.notes.push(why);
    this.interrupted = true;
    active.stopping = shell
      ? stopForeground(shell, () => active.end !== undefined, this.closing ? 200 : 600)
      : Promise.resolve();
    this.watch.notify();
  }

  /** Returns the shell, ready for a command, a new one if need be; undefined when there can't be one. */
  async ready(notes: string[]): Promise<BashProcess | undefined> {
    if (this.shell && (await this.shell.checkCovers())) {
      // An interrupt that comes late must not hit the next command.
      if (this.interrupted) {
        this.interrupted = false;
        await this.#runInternally(":");
      }
      await this.goBack();
      if (this.shell) return this.shell;
    }
    const death = this.#death;
    const { confinement } = this.#options;
    const isThere = (path: string): boolean => isDirectory(path) && confinement?.shows(path) !== false;
    const cwd = [this.cwd, this.#options.cwd].find(isThere) ?? "/";
    try {
      const shell = await BashProcess.start({ ...this.#options, cwd });
      this.#forgetHost = endWithHost(shell);
      this.generation++;
      this.#attach(shell);
      const why = death?.because ?? `had ended (exit status ${death?.exit ?? 0})`;
      const where = cwd === this.cwd ? "The directory is the same" : `It starts in ${cwd}`;
      notes.push(
        `The shell ${why}; this is a new one, without the old one's variables, functions, options and jobs. ${where}.`,
      );
      this.cwd = cwd;
      this.#death = undefined;
      return shell;
    } catch (error) {
      notes.push(`No shell could be started: ${errorText(error)}`);
      return undefined;
    }
  }

  /** Changes the directory for one command. False when it can't be entered. */
  async goTo(cwd: string): Promise<boolean> {
    // A confined shell has folders that the host hasn't.
    if (!this.#options.confinement && !isDirectory(cwd)) return false;
    const back = this.cwd;
    await this.#changeDirectory(cwd);
    if (!this.shell || !isSamePlace(this.cwd, cwd)) return false;
    this.#backTo = back;
    return true;
  }

  /** Goes back to where the shell was before {@link goTo}. */
  async goBack(): Promise<void> {
    const back = this.#backTo;
    this.#backTo = undefined;
    if (back !== undefined && this.shell && this.cwd !== back) await this.#changeDirectory(back);
  }

  /** Ends the shell and what it started, and drops what it printed. */
  async close(): Promise<void> {
    this.#forgetHost();
    if (this.shell) await this.#survivors.end(this.shell);
    await this.#survivors.kill(this.#options.processes);
    this.results.text.discard();
  }

  #attach(shell: BashProcess): void {
    this.shell = shell;
    this.results.newShell((line) => shell.commands.isOurs(line));
    shell.listener = {
      output: (text, of) => {
        this.watch.touch();
        if (of === "nobody") this.results.stray(text);
        else if (!this.active?.internal) this.results.text.write(text);
      },
      ended: (exit, dropped) => {
        this.cwd = shell.cwd;
        if (dropped) this.active?.notes.push("Input that nobody read was dropped when it ended.");
        this.#finish({ exit, shellEnded: false });
      },
      died: (exit, why) => this.#died(shell, exit, why),
    };
  }

  #finish(end: { exit: number; shellEnded: boolean }): void {
    const { active } = this;
    if (!active) return;
    clearTimeout(active.hardLimit);
    active.end = end;
    this.active = undefined;
    if (!active.internal) {
      this.results.text.endCommand();
      this.#lastExit = end.exit;
      this.results.unreported = active;
      if (active.stopSent && end.exit === 148) {
        active.notes.push("A job was stopped by Ctrl-Z: `fg` goes on with it, `bg` lets it run on, `kill %1` ends it.");
      }
    }
    this.watch.notify();
  }

  #died(shell: BashProcess, exit: BashExit, why: Parameters<BashListener["died"]>[1]): void {
    const status = exit.signal === undefined ? exit.code & 255 : 128 + exit.signal;
    this.shell = undefined;
    this.#forgetHost();
    shell.dispose();
    this.#backTo = undefined;
    this.#lastExit = 0;
    this.#death = { exit: status, because: why.because };
    const { active } = this;
    this.#survivors.died(shell);
    if (active && why.unrun && active.restarts === 0 && !this.closing) {
      active.restarts++;
      void this.#restart(active);
      return;
    }
    if (active && why.because !== undefined) active.notes.push(`The shell ${why.because}.`);
    else if (active && status !== 0 && (shell.commands.endsOnErrors || setsErrexit.test(active.script))) {
      active.notes.push(
        "`set -e` was on, so a command that failed ended the shell. Where that is not wanted: ( set -e; … ) or bash -ec '…'.",
      );
    }
    this.#finish({ exit: status, shellEnded: true });
  }

  /** Runs the script in a new shell: the last one ended before it had it, so nothing of it was done. */
  async #restart(active: Active): Promise<void> {
    const shell = await this.ready(active.notes);
    if (this.active !== active) return;
    if (shell) shell.commands.execute(active.script, this.#lastExit, active.filled);
    else this.#finish({ exit: this.#death?.exit ?? 1, shellEnded: true });
  }

  async #runInternally(script: string): Promise<void> {
    const active = this.begin(script, { internal: true });
    await this.watch.outcome(5000, undefined, Number.POSITIVE_INFINITY);
    if (!active.end) this.stop("");
    await this.watch.ended(active);
  }

  #changeDirectory(path: string): Promise<void> {
    return this.#runInternally(`\\builtin cd -- ${quoteWord(path)} 2>/dev/null || \\builtin true`);
  }
}

function isSamePlace(a: string, b: string): boolean {
  return a === b || attempt(() => realpathSync(a) === realpathSync(b)) === true;
}
