import { checkKeys } from "@toolglot/internal";
import { localError } from "../errors.ts";
import type { Active } from "./active.ts";
import { type BashOptions, BashProcess } from "./bash-process.ts";
import { isDirectory, samePlace } from "./directories.ts";
import { endWithHost } from "./host-exit.ts";
import { stopForeground } from "./ladder.ts";
import { LeftBehind } from "./left-behind.ts";
import { quoteWord } from "./shell-text.ts";
import { signal } from "./signal.ts";
import { Telling } from "./telling.ts";
import { terminalModes } from "./terminal-modes.ts";
import type { BashExit } from "./transport.ts";
import type { ShellResult, ShellRunOptions, ShellSendOptions, ShellSession, ShellState } from "./types.ts";
import { longestTimer, Watch, type Watched } from "./watch.ts";

/** A session's options, complete. */
export interface SessionOptions extends BashOptions {
  timeoutMs: number;
  maxRuntimeMs: number;
  maxChars: number;
  artifactDir: string;
  limits: readonly string[];
}

/** A script that may turn `set -e` on. */
const setsErrexit = /(?:^|[\s;&(])set\s+(?:-[a-zA-Z]*e|-o\s+errexit)/;
const controlKey = /^[A-Za-z[\\\]^_]$/;
/** The session over one bash after another; see {@link ShellSession}. */
export class Session implements ShellSession {
  readonly #options: SessionOptions;
  readonly #tell: Telling;
  readonly #watch: Watch;
  #shell: BashProcess | undefined;
  #forgetHost: () => void;
  #queue: Promise<unknown> = Promise.resolve();
  #active: Active | undefined;
  /** Why there is no shell. */
  #death: { exit: number; abandoned: boolean; told: boolean } | undefined;
  /** Where to go back to after a command with a directory of its own. */
  #goBack: string | undefined;
  /** A signal was sent to the shell and may be felt only later. */
  #interrupted = false;
  #lastExit = 0;
  #generation = 1;
  #cwd: string;
  #closing: Promise<void> | undefined;
  /** Processes of shells that are gone. */
  readonly #leftBehind: LeftBehind = new LeftBehind();

  constructor(shell: BashProcess, options: SessionOptions) {
    this.#options = options;
    this.#cwd = shell.cwd;
    this.#tell = new Telling(options, () => this.#cwd);
    this.#watch = new Watch(this.#watched());
    this.#forgetHost = endWithHost(shell);
    this.#attach(shell);
  }

  get state(): ShellState {
    const active = this.#active && !this.#active.internal ? this.#active : undefined;
    return {
      backend: this.#options.backend,
      limits: this.#options.limits,
      running: active?.script,
      cwd: this.#cwd,
      generation: this.#generation,
    };
  }

  run(script: string, options: ShellRunOptions = {}): Promise<ShellResult> {
    if (typeof script !== "string") throw new TypeError("script must be a string");
    checkKeys<ShellRunOptions>("run", options, { timeoutMs: true, cwd: true, signal: true });
    if (options.cwd !== undefined && !options.cwd.startsWith("/") && process.platform !== "win32") {
      throw new TypeError("cwd must be an absolute path");
    }
    const timeoutMs = milliseconds(options.timeoutMs, this.#options.timeoutMs);
    return this.#enqueue(options.signal, (started) => this.#run(script, { ...options, timeoutMs }, started));
  }

  input(data: string, options: ShellSendOptions = {}): Promise<ShellResult> {
    if (typeof data !== "string") throw new TypeError("data must be a string");
    return this.#send(options, async (shell, _active, waitMs) => {
      // A keyboard's Enter is a carriage return; a terminal that works by lines makes a line feed of it.
      const modes =
        shell.transport.backend === "pty" && data.includes("\n") ? await terminalModes(shell.tty) : undefined;
      return fed(await shell.feed(modes?.lines === false ? data.replace(/\r?\n/g, "\r") : data, waitMs));
    });
  }

  ctrl(key: string, options: ShellSendOptions = {}): Promise<ShellResult> {
    if (typeof key !== "string" || !controlKey.test(key)) {
      throw new TypeError("key must be a letter or one of [ \\ ] ^ _");
    }
    const upper = key.toUpperCase();
    return this.#send(
      options,
      async (shell, active, waitMs) => {
        if (upper === "Z") active.stopSent = true;
        this.#interrupted = true;
        if (upper === "C" || upper === "\\") shell.interrupted();
        if (shell.transport.backend === "pty") {
          return fed(await shell.feed(String.fromCharCode(upper.charCodeAt(0) & 0x1f), waitMs));
        }
        const name = ({ C: "SIGINT", Z: "SIGTSTP", "\\": "SIGQUIT" } as const)[upper];
        if (name === undefined) return `Without a terminal, Ctrl-${upper} can't be sent: only c, z and \\ can.`;
        const group = await shell.processes.foreground(shell.pid, false);
        if (group !== undefined && group !== shell.pid) signal(-group, name);
        if (name === "SIGINT") signal(shell.pid, name);
        return undefined;
      },
      true,
    );
  }

  resize(columns: number, rows: number): void {
    for (const size of [columns, rows]) {
      if (!Number.isInteger(size) || size < 2 || size > 10_000) {
        throw new TypeError("columns and rows must be whole numbers from 2 to 10,000");
      }
    }
    this.#options.columns = columns;
    this.#options.rows = rows;
    this.#tell.text.resize(columns, rows);
    this.#shell?.transport.resize(columns, rows);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #watched(): Watched {
    const active = (): Active | undefined => this.#active;
    const shell = (): BashProcess | undefined => this.#shell;
    const { text } = this.#tell;
    return {
      get active() {
        return active();
      },
      get shell() {
        return shell();
      },
      get unfinishedLine() {
        return text.unfinishedLine;
      },
    };
  }

  // --- calls

  /** One call after another. One that is aborted before its turn does nothing. */
  #enqueue(signal: AbortSignal | undefined, job: (started: number) => Promise<ShellResult>): Promise<ShellResult> {
    if (this.#closing) return Promise.reject(localError("ShellEnded", "The shell session is closed."));
    const asked = performance.now();
    const turn = this.#queue.then(async () => {
      const started = performance.now();
      if (signal?.aborted) return this.#tell.result("not-run", asked, { notes: ["It was aborted before its turn."] });
      if (this.#closing) return this.#tell.result("not-run", started, { notes: ["The shell session was closed."] });
      return job(started);
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #run(script: string, options: ShellRunOptions & { timeoutMs: number }, started: number): Promise<ShellResult> {
    const { timeoutMs, signal } = options;
    if (script.includes("\0"))
      return this.#tell.result("not-run", started, { notes: ["The script holds a NUL character."] });
    if (this.#active) {
      const outcome = await this.#watch.outcome(timeoutMs, signal, 1000);
      // Its end is near.
      if (this.#active?.stopping) await this.#watch.ended(this.#active);
      if (this.#active) return this.#tell.busy(this.#active, outcome, started);
    }
    const notes = this.#tell.earlier();
    const shell = await this.#ready(notes);
    if (!shell) return this.#tell.result("not-run", started, { notes });
    if (options.cwd !== undefined && !(await this.#goTo(options.cwd))) {
      notes.push(`The directory ${options.cwd} can't be entered.`);
      return this.#tell.result("not-run", started, { notes });
    }
    if (this.#closing)
      return this.#tell.result("not-run", started, { notes: [...notes, "The shell session was closed."] });
    const active = this.#begin(script, false);
    return this.#follow(active, timeoutMs, signal, started, notes);
  }

  /** Waits for what comes of a command, and tells it. */
  async #follow(
    active: Active,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    started: number,
    notes: string[],
  ): Promise<ShellResult> {
    const outcome = await this.#watch.outcome(timeoutMs, signal, 0);
    if (outcome.is === "aborted") this.#stop("It was stopped: the call was aborted.");
    if (active.stopping) await this.#watch.ended(active);
    if (active.end) {
      this.#tell.untold = undefined;
      const { exit, shellEnded } = active.end;
      if (!shellEnded) await this.#return();
      notes.push(...active.notes);
      if (shellEnded) notes.push("The shell itself has ended; the next command gets a new one.");
      return this.#tell.result(shellEnded ? "shell-ended" : "ended", started, { exit, notes });
    }
    notes.push(...active.notes.splice(0));
    const waiting = outcome.is === "waiting" ? { waiting: outcome.waiting } : {};
    return this.#tell.result("running", started, { ...waiting, notes });
  }

  /** Something for what runs; `ctrl`: with nothing running there is nothing to do, which is fine. */
  #send(
    options: ShellSendOptions,
    give: (shell: BashProcess, active: Active, waitMs: number) => Promise<string | undefined>,
    ctrl = false,
  ): Promise<ShellResult> {
    checkKeys<ShellSendOptions>(ctrl ? "ctrl" : "input", options, { timeoutMs: true, signal: true });
    const timeoutMs = milliseconds(options.timeoutMs, this.#options.timeoutMs);
    return this.#enqueue(options.signal, async (started) => {
      await this.#watch.settled();
      const active = this.#active;
      const shell = this.#shell;
      if (!active || !shell) {
        const notes = this.#tell.earlier();
        await this.#return();
        notes.push(
          ctrl ? "Nothing runs, so there was nothing to do." : "Nothing runs that could read this; it was not sent.",
        );
        return this.#tell.result(ctrl ? "ended" : "not-run", started, { notes });
      }
      this.#watch.touch();
      const refused = await give(shell, active, timeoutMs);
      this.#watch.touch();
      return this.#follow(active, timeoutMs, options.signal, started, refused === undefined ? [] : [refused]);
    });
  }

  // --- the command that runs

  #begin(script: string, internal: boolean): Active {
    const active: Active = { script, internal, notes: [], stopSent: false, restarts: 0 };
    const limit = this.#options.maxRuntimeMs;
    if (limit <= longestTimer) {
      const reached = async (): Promise<void> => {
        await this.#watch.settled();
        if (this.#active === active) this.#stop(`It was stopped: it ran longer than ${limit} ms.`);
      };
      active.hardLimit = setTimeout(() => void reached(), limit).unref();
    }
    this.#active = active;
    if (!internal) this.#tell.text.beginCommand();
    this.#watch.touch();
    this.#shell?.execute(script, this.#lastExit);
    return active;
  }

  #attach(shell: BashProcess): void {
    this.#shell = shell;
    this.#tell.shell((line) => shell.isOurs(line));
    shell.listen({
      output: (text, of) => {
        this.#watch.touch();
        if (of === "nobody") this.#tell.stray(text);
        else if (!this.#active?.internal) this.#tell.text.write(text);
      },
      ended: (exit, dropped) => {
        this.#cwd = shell.cwd;
        if (dropped) this.#active?.notes.push("Input that nobody read was dropped when it ended.");
        this.#finish({ exit, shellEnded: false });
      },
      died: (exit, why) => this.#died(shell, exit, why),
    });
  }

  #finish(end: { exit: number; shellEnded: boolean }): void {
    const active = this.#active;
    if (!active) return;
    clearTimeout(active.hardLimit);
    active.end = end;
    this.#active = undefined;
    if (!active.internal) {
      this.#tell.text.endCommand();
      this.#lastExit = end.exit;
      this.#tell.untold = active;
      if (active.stopSent && end.exit === 148) {
        active.notes.push("A job was stopped by Ctrl-Z: `fg` goes on with it, `bg` lets it run on, `kill %1` ends it.");
      }
    }
    this.#watch.rouse();
  }

  #died(shell: BashProcess, exit: BashExit, why: { abandoned: boolean; unrun: boolean }): void {
    const status = exit.signal === undefined ? exit.code & 255 : 128 + exit.signal;
    this.#shell = undefined;
    this.#forgetHost();
    shell.dispose();
    this.#goBack = undefined;
    this.#lastExit = 0;
    this.#death = { exit: status, abandoned: why.abandoned, told: false };
    const active = this.#active;
    this.#leftBehind.died(shell);
    if (active && why.unrun && active.restarts === 0 && !this.#closing) {
      active.restarts++;
      void this.#restart(active);
      return;
    }
    if (active && why.abandoned) active.notes.push("The shell no longer answered and was ended.");
    else if (active && status !== 0 && (shell.endsOnErrors || setsErrexit.test(active.script))) {
      active.notes.push(
        "`set -e` was on, so a command that failed ended the shell. Where that is not wanted: ( set -e; … ) or bash -ec '…'.",
      );
    }
    this.#finish({ exit: status, shellEnded: true });
  }

  /** The shell went away before it had the script: nothing of it was done, so a new shell does it. */
  async #restart(active: Active): Promise<void> {
    const shell = await this.#ready(active.notes);
    if (this.#active !== active) return;
    if (shell) shell.execute(active.script, this.#lastExit);
    else this.#finish({ exit: this.#death?.exit ?? 1, shellEnded: true });
  }

  /** The shell, a new one if need be; undefined when there can't be one. */
  async #ready(notes: string[]): Promise<BashProcess | undefined> {
    if (this.#shell) {
      // An interrupt that comes late must not hit the next command.
      if (this.#interrupted) {
        this.#interrupted = false;
        await this.#internal(":");
      }
      await this.#return();
      if (this.#shell) return this.#shell;
    }
    const death = this.#death;
    const cwd = [this.#cwd, this.#options.cwd].find(isDirectory) ?? "/";
    try {
      const shell = await BashProcess.start({ ...this.#options, cwd });
      this.#forgetHost = endWithHost(shell);
      this.#generation++;
      this.#attach(shell);
      const why = death?.abandoned ? "no longer answered and was ended" : `had ended (exit status ${death?.exit ?? 0})`;
      const where = cwd === this.#cwd ? "The directory is the same" : `It starts in ${cwd}`;
      notes.push(
        `The shell ${why}; this is a new one, without the old one's variables, functions, options and jobs. ${where}.`,
      );
      this.#cwd = cwd;
      this.#death = undefined;
      return shell;
    } catch (error) {
      notes.push(`No shell could be started: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Runs a line of our own; what it prints is nobody's. */
  async #internal(script: string): Promise<void> {
    const active = this.#begin(script, true);
    await this.#watch.outcome(5000, undefined, Number.POSITIVE_INFINITY);
    if (!active.end) this.#stop("");
    await this.#watch.ended(active);
  }

  async #goTo(cwd: string): Promise<boolean> {
    if (!isDirectory(cwd)) return false;
    const back = this.#cwd;
    await this.#internal(`\\builtin cd -- ${quoteWord(cwd)} 2>/dev/null || \\builtin true`);
    if (!this.#shell || !samePlace(this.#cwd, cwd)) return false;
    this.#goBack = back;
    return true;
  }

  async #return(): Promise<void> {
    const back = this.#goBack;
    this.#goBack = undefined;
    if (back === undefined || !this.#shell || this.#cwd === back) return;
    await this.#internal(`\\builtin cd -- ${quoteWord(back)} 2>/dev/null || \\builtin true`);
  }

  #stop(why: string): void {
    const active = this.#active;
    const shell = this.#shell;
    if (!active || active.stopping) return;
    if (why !== "") active.notes.push(why);
    this.#interrupted = true;
    active.stopping = shell
      ? stopForeground(shell, () => active.end !== undefined, this.#closing ? 200 : 600)
      : Promise.resolve();
    this.#watch.rouse();
  }

  async #close(): Promise<void> {
    // The calls that wait are answered first: what runs is stopped, what is queued is not run.
    await Promise.resolve();
    this.#stop("It was stopped: the session was closed.");
    if (this.#active) await this.#watch.ended(this.#active);
    await this.#queue;
    const shell = this.#shell;
    this.#forgetHost();
    if (shell) await this.#leftBehind.end(shell);
    await this.#leftBehind.kill(this.#options.processes);
    this.#tell.text.discard();
  }
}

/** What is to be said when something was given to a command, or was not. */
function fed(given: boolean): string | undefined {
  return given ? undefined : "This was not sent: the command was over, or had not begun.";
}

function milliseconds(value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number" || !(value >= 0))
    throw new TypeError("timeoutMs must be a number of milliseconds, 0 or more");
  return value;
}
