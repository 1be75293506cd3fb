import { checkKeys } from "@toolglot/internal";
import { type FilledScript, withoutValues } from "@toolglot/secrets/executing";
import { confinementNote } from "../confinement/notes.ts";
import { localError } from "../errors.ts";
import type { BashProcess } from "./bash-process.ts";
import type { Active } from "./command.ts";
import { waitingIn } from "./command-results.ts";
import { CommandRunner, type SessionOptions } from "./command-runner.ts";
import { signal as sendSignal } from "./processes.ts";
import { helpToSuspend } from "./stopping.ts";
import { terminalModes } from "./terminal-modes.ts";
import type { ShellResult, ShellRunOptions, ShellSendOptions, ShellSession, ShellState } from "./types.ts";

/** The arrows, Home and End, as a terminal types them unless it was asked for other codes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them.
const cursorKey = /\u001b\[([A-DHF])/g;
const controlKey = /^[A-Za-z[\\\]^_]$/;

/** The calls of a session, one after another; see {@link ShellSession}. */
export class Session implements ShellSession {
  readonly #options: SessionOptions;
  readonly #runner: CommandRunner;
  #queue: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(shell: BashProcess, options: SessionOptions) {
    this.#options = options;
    this.#runner = new CommandRunner(shell, options);
  }

  get state(): ShellState {
    const { backend, limits, confinement } = this.#options;
    const { active, cwd, generation } = this.#runner;
    const running = active?.internal ? undefined : active?.script;
    return { backend, limits, running, cwd, generation, confined: confinement?.state ?? false };
  }

  run(script: string, options: ShellRunOptions = {}): Promise<ShellResult> {
    return this.runFilled(script, undefined, options);
  }

  /** Runs a script whose placeholders are filled. `script` is what is said of it anywhere. */
  runFilled(script: string, filled: FilledScript | undefined, options: ShellRunOptions = {}): Promise<ShellResult> {
    if (typeof script !== "string") throw new TypeError("script must be a string");
    checkKeys("run", options, "timeoutMs:number cwd:string signal:signal onOutput:function");
    if (options.cwd !== undefined && !options.cwd.startsWith("/") && process.platform !== "win32") {
      throw new TypeError("cwd must be an absolute path");
    }
    const timeoutMs = milliseconds(options.timeoutMs, this.#options.timeoutMs);
    return this.#enqueue(options, (started) => this.#run({ script, filled }, { ...options, timeoutMs }, started));
  }

  input(data: string, options: ShellSendOptions = {}): Promise<ShellResult> {
    if (typeof data !== "string") throw new TypeError("data must be a string");
    return this.#send(options, async (shell, _active, waitMs) => {
      // A keyboard's Enter is a carriage return; a terminal that works by lines makes a line feed of it.
      const modes =
        shell.transport.backend === "pty" && data.includes("\n") ? await terminalModes(shell.tty) : undefined;
      const typed = modes?.lines === false ? data.replace(/\r?\n/g, "\r") : data;
      // So does a cursor key, whose codes a program can choose between.
      const { applicationKeys } = this.#runner.results.text;
      const keyed = applicationKeys ? typed.replaceAll(cursorKey, "\u001bO$1") : typed;
      return fed(await shell.commands.feed(keyed, waitMs));
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
        this.#runner.interrupted = true;
        if (upper === "C" || upper === "\\") shell.commands.interrupted();
        const name = ({ C: "SIGINT", Z: "SIGTSTP", "\\": "SIGQUIT" } as const)[upper];
        const terminal = shell.transport.backend === "pty";
        const group = await shell.processes.foreground(shell.pid, terminal);
        const others = group === undefined || group === shell.pid ? undefined : group;
        if (upper === "Z" && others !== undefined) {
          void helpToSuspend(shell.processes, others, () => active.end !== undefined);
        }
        const isTyped = terminal && (name === undefined || !shell.transport.takeBack());
        if (isTyped) return fed(await shell.commands.feed(String.fromCharCode(upper.charCodeAt(0) & 0x1f), waitMs));
        if (upper === "D" && shell.transport.endInput()) return undefined;
        if (name === undefined) return `Without a terminal, Ctrl-${upper} can't be sent: only c, d, z and \\ can.`;
        if (others !== undefined) sendSignal(-others, name);
        if (name === "SIGINT") sendSignal(shell.pid, name);
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
    this.#runner.results.text.resize(columns, rows);
    this.#runner.shell?.transport.resize(columns, rows);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Runs one call after another. One that is aborted while it waits for those before it does nothing. */
  #enqueue(
    { signal, onOutput }: ShellSendOptions,
    job: (started: number) => Promise<ShellResult>,
  ): Promise<ShellResult> {
    if (this.#closing) return Promise.reject(localError("ShellEnded", "The shell session is closed."));
    const { results } = this.#runner;
    const asked = performance.now();
    const call = this.#queue.then(async () => {
      const started = performance.now();
      if (signal?.aborted) return results.notRun(asked, "It was aborted before its turn.");
      if (this.#closing) return results.notRun(started, "The shell session was closed.");
      if (onOutput === undefined) return job(started);
      const stopListening = results.text.listen(onOutput);
      return job(started).finally(stopListening);
    });
    this.#queue = call.catch(() => undefined);
    return call;
  }

  async #run(
    { script, filled }: Pick<Active, "script" | "filled">,
    options: ShellRunOptions & { timeoutMs: number },
    started: number,
  ): Promise<ShellResult> {
    const { timeoutMs, signal } = options;
    const runner = this.#runner;
    const { results, watch } = runner;
    if (script.includes("\0")) return results.notRun(started, "The script holds a NUL character.");
    if (runner.active) {
      const outcome = await watch.outcome(timeoutMs, signal, 1000);
      // Its end is near.
      if (runner.active?.stopping) await watch.ended(runner.active);
      if (runner.active) return results.busy(runner.active, outcome, started);
    }
    const notes = results.earlierNotes();
    if (!(await runner.ready(notes))) return results.notRun(started, ...notes);
    if (options.cwd !== undefined && !(await runner.goTo(options.cwd))) {
      return results.notRun(started, ...notes, `The directory ${options.cwd} can't be entered.`);
    }
    if (this.#closing) return results.notRun(started, ...notes, "The shell session was closed.");
    return this.#follow(runner.begin(script, { filled }), timeoutMs, signal, started, notes);
  }

  /** Waits for what comes of a command, and reports it. */
  async #follow(
    active: Active,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    started: number,
    notes: string[],
  ): Promise<ShellResult> {
    const { results, watch } = this.#runner;
    const outcome = await watch.outcome(timeoutMs, signal, 0);
    if (outcome.is === "aborted") this.#runner.stop("It was stopped: the call was aborted.");
    if (active.stopping) await watch.ended(active);
    if (!active.end) {
      notes.push(...active.notes.splice(0));
      return results.result("running", started, { ...waitingIn(outcome), notes });
    }
    results.unreported = undefined;
    const { exit, shellEnded } = active.end;
    const away = shellEnded ? undefined : await this.#runner.shell?.outputNote();
    if (away !== undefined) notes.push(away);
    if (!shellEnded) await this.#runner.goBack();
    notes.push(...active.notes);
    if (shellEnded) notes.push("The shell itself has ended; the next command gets a new one.");
    const result = results.result(shellEnded ? "shell-ended" : "ended", started, { exit, notes });
    const confined = this.#options.confinement?.state;
    const note = exit !== 0 && confined ? confinementNote(result.output, confined) : undefined;
    return note === undefined ? result : { ...result, notes: [...result.notes, note] };
  }

  /** Something for what runs; `ctrl`: with nothing running there is nothing to do, which is fine. */
  #send(
    options: ShellSendOptions,
    give: (shell: BashProcess, active: Active, waitMs: number) => Promise<string | undefined>,
    ctrl = false,
  ): Promise<ShellResult> {
    checkKeys(ctrl ? "ctrl" : "input", options, "timeoutMs:number signal:signal onOutput:function");
    const timeoutMs = milliseconds(options.timeoutMs, this.#options.timeoutMs);
    return this.#enqueue(options, async (started) => {
      const runner = this.#runner;
      await runner.watch.settled();
      const { active, shell } = runner;
      if (!active || !shell) {
        const notes = runner.results.earlierNotes();
        await runner.goBack();
        notes.push(
          ctrl ? "Nothing runs, so there was nothing to do." : "Nothing runs that could read this; it was not sent.",
        );
        return runner.results.result(ctrl ? "ended" : "not-run", started, { notes });
      }
      runner.watch.touch();
      const refused = await give(shell, active, timeoutMs);
      runner.watch.touch();
      return this.#follow(active, timeoutMs, options.signal, started, refused === undefined ? [] : [refused]);
    });
  }

  async #close(): Promise<void> {
    const runner = this.#runner;
    runner.closing = true;
    // The calls that wait are answered first: what runs is stopped, what is queued is not run.
    await Promise.resolve();
    runner.stop("It was stopped: the session was closed.");
    if (runner.active) await runner.watch.ended(runner.active);
    await this.#queue;
    await runner.close();
  }
}

/** Returns a note when something could not be given to a command. */
function fed(given: boolean): string | undefined {
  return given ? undefined : "This was not sent: the command was over, had not begun, or its input was ended.";
}

function milliseconds(value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number" || !(value >= 0))
    throw new TypeError("timeoutMs must be a number of milliseconds, 0 or more");
  return value;
}

/** Wraps a session for texts that a model wrote: placeholders are refused, escaped ones undone. `mask`: hides values in what comes back. */
export function outerSession(
  session: ShellSession,
  mask: <Value>(value: Value) => Value = (value) => value,
): ShellSession {
  const masked = async (result: Promise<ShellResult>): Promise<ShellResult> => mask(await result);
  return {
    get state() {
      return mask(session.state);
    },
    run: async (script, { cwd, ...options } = {}) =>
      masked(
        session.run(withoutValues(script), { ...options, ...(cwd === undefined ? {} : { cwd: withoutValues(cwd) }) }),
      ),
    input: async (data, options) => masked(session.input(withoutValues(data), options)),
    ctrl: async (key, options) => masked(session.ctrl(withoutValues(key), options)),
    resize: (columns, rows) => session.resize(columns, rows),
    close: () => session.close(),
  };
}
