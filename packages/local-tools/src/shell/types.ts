import type { BwrapOptions, ConfinedState } from "../confinement/types.ts";
import type { ScreenView } from "../output/full-screen.ts";

/** How the shell is run: with a terminal of its own, or over plain pipes. */
export type ShellBackend = "pty" | "pipe";

/** What the terminal claims to be, by which programs decide what they draw. */
export type ShellTerm = "dumb" | "xterm-256color";

/** How a shell session is made. */
export interface ShellOptions {
  /** Where it starts; an existing directory. */
  cwd: string;
  /** `auto` takes a pseudo-terminal when `@lydell/node-pty` can be loaded, else pipes. Default `auto`. */
  backend?: ShellBackend | "auto";
  /** Path or name of the bash to run. Default `bash`. */
  bash?: string;
  /**
   * Variables of the host's environment that the shell gets, by name; a `*` at the end stands for any ending. Default
   * {@link defaultEnvironment}. Everything else of the host (keys, tokens) stays out.
   */
  inheritEnv?: readonly string[];
  /** Variables to set on top. */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds after which a command that still runs is reported as running; it is not stopped. Default 30,000. */
  timeoutMs?: number;
  /** Milliseconds a command may run at all; then Ctrl-C, SIGTERM, SIGKILL. Default 30 minutes; `Infinity`: no limit. */
  maxRuntimeMs?: number;
  /**
   * `dumb`: programs that know it leave out colours and full-screen displays. `xterm-256color`: full-screen programs work, and
   * {@link ShellResult.screen} shows them. Default `dumb`.
   */
  term?: ShellTerm;
  /** Columns and rows of the terminal. Default 200 × 50. */
  columns?: number;
  rows?: number;
  /** UTF-16 units of one output that are kept, head and tail; the rest is in the artifact. Default 20,000. */
  maxChars?: number;
  /** Where outputs that were cut are kept whole, made when needed (0700). Required. */
  artifactDir: string;
  /**
   * Confines the shell and all it starts by bubblewrap (Linux): only `cwd` (with `openLocalTools`: the roots), other places that
   * are named, and a `/tmp` of its own can be written; keys and sockets are hidden; there is no network. Where that can't be
   * had, opening fails. Default false: commands may do what this process may.
   */
  sandbox?: false | "bwrap" | BwrapOptions;
}

/** Options of one command. */
export interface ShellRunOptions {
  /** See {@link ShellOptions.timeoutMs}. */
  timeoutMs?: number;
  /** Where the command runs; the shell comes back afterwards. An absolute path of an existing directory. */
  cwd?: string;
  /** Stops the command as its hard limit does. */
  signal?: AbortSignal;
  /**
   * Gets the output in pieces while the command runs: a line when it is complete, an unfinished one after 100 ms of silence, one that
   * is written again and again (a progress bar) when it has stood for 500 ms. At most ten pieces a second, 64 KiB in each and 1 MiB
   * in all; one last piece notes that there is more. Joined, they are a beginning of the whole output, except for rewritten lines.
   * The end of the output may come only with the result.
   */
  onOutput?: (text: string) => void;
}

/** Options of input and control characters. */
export interface ShellSendOptions {
  /** How long to wait for what comes of it. Default {@link ShellOptions.timeoutMs}. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** See {@link ShellRunOptions.onOutput}. What was printed since the last result comes first. */
  onOutput?: (text: string) => void;
}

/**
 * Result of one call to the shell. `ended`: the command is over, `exit` is its status. `running`: it still runs; the next
 * call continues from here. `shell-ended`: the shell itself is gone (`exit`, an `exec`, a crash), with `exit`; the next command gets a
 * new one. `not-run`: an earlier command still runs, and nothing of this one was done.
 */
export interface ShellResult {
  status: "ended" | "running" | "shell-ended" | "not-run";
  /** Exit status, 0–255; 128 + n for a command ended by signal n. */
  exit?: number;
  /** With `running`: what it seems to wait for. `input`: it reads from the terminal. `password`: and the terminal doesn't echo. */
  waiting?: "input" | "password";
  /** Printed since the last result; control sequences removed, progress folded to its last state, LF ends, head and tail. */
  output: string;
  /** UTF-16 units of the whole output, cut or not. */
  outputLength: number;
  /** The file that holds the whole output, when `output` was cut, or white space of a screen's layout was left out of it. */
  artifact?: string;
  /**
   * What a full-screen program shows while it runs, on a terminal `xterm-256color`: rows without blanks at their ends, without empty
   * rows at the end; the cursor's row and column, from 1; the size. In `output` one line notes, after its end, that it ran.
   */
  screen?: ScreenView;
  /** Where the shell is now. */
  cwd: string;
  ms: number;
  /** Facts for the model, one sentence each: a hard limit, a new shell, output that belongs to a background job. */
  notes: string[];
}

/** What can be known of a session. */
export interface ShellState {
  backend: ShellBackend;
  /** What this backend can't do here, one sentence each. Empty when all is there. */
  limits: readonly string[];
  /** The command that runs; undefined when the shell is ready. */
  running: string | undefined;
  cwd: string;
  /** How many shells this session has had. */
  generation: number;
  /** How the shell is confined; false when it isn't. */
  confined: false | ConfinedState;
}

/** One persistent shell. Calls are queued and run in the order made. Nothing a command does makes a call reject: only a caller's mistake does. */
export interface ShellSession {
  readonly state: ShellState;
  /** Runs a script in the shell. Variables, functions, options and the working directory last. */
  run(script: string, options?: ShellRunOptions): Promise<ShellResult>;
  /** Writes to the terminal as a keyboard would; nothing is appended. */
  input(data: string, options?: ShellSendOptions): Promise<ShellResult>;
  /** Sends a control character: a letter or one of `[ \ ] ^ _`. */
  ctrl(key: string, options?: ShellSendOptions): Promise<ShellResult>;
  /** Changes the size of the terminal; nothing with pipes. */
  resize(columns: number, rows: number): void;
  /** Ends what runs, then the shell. Safe to call twice. */
  close(): Promise<void>;
}
