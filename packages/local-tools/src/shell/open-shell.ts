import { checkKeys, type KnownKeys } from "@toolglot/internal";
import { localError } from "../errors.ts";
import type { MakeMasker } from "../output/masker.ts";
import { isDirectory } from "../roots/pinned-folder.ts";
import { BashProcess } from "./bash-process.ts";
import type { SessionOptions } from "./command-runner.ts";
import { childEnvironment, defaultEnvironment } from "./environment.ts";
import { processesHere } from "./processes.ts";
import { Session } from "./session.ts";
import { removeDeadFolders } from "./shell-folders.ts";
import type { ShellBackend, ShellOptions, ShellSession } from "./types.ts";

const minute = 60_000;

const shellOptionKeys: KnownKeys<ShellOptions> = {
  cwd: true,
  backend: true,
  bash: true,
  inheritEnv: true,
  env: true,
  timeoutMs: true,
  maxRuntimeMs: true,
  term: true,
  columns: true,
  rows: true,
  maxChars: true,
  artifactDir: true,
};

/** What pipes lack. */
const pipeLimits: readonly string[] = [
  "There is no terminal: programs see pipes, and most print without colour, progress or prompts.",
  "That a command waits for input is not noticed; it counts as running.",
  "Of control characters only Ctrl-C, Ctrl-Z and Ctrl-\\ work, as signals; the end of input (Ctrl-D) can't be sent.",
  "Programs that ask the terminal itself (ssh, sudo) can't be answered, and the size can't be changed.",
];

/**
 * Starts a persistent bash. `backend: "auto"` takes a terminal when the optional peer `@lydell/node-pty` can be loaded and
 * start one, else pipes; what is lost then is said in `state.limits`. Scripts are never typed: they reach the shell
 * through a FIFO that only this user can open.
 *
 * Close it when done: an open terminal holds the host's event loop (pipes don't). When the host exits without that, the
 * shell and all it has started are killed and its files removed; what a host that was killed (SIGKILL) left in the temporary
 * folder, the next session that is opened removes.
 *
 * Rejects with `TypeError` for options that can't be, and with a `ToolError` (`ShellUnavailable`) when there is no bash to run.
 */
export function openShell(options: ShellOptions): Promise<ShellSession> {
  return openSession(options);
}

/** What a session hides. */
export interface HiddenValues {
  masker: MakeMasker;
  /** Whether a text holds a value. */
  holdsValue: (text: string) => boolean;
}

/** The same, as this package uses it. `hidden`: secret values, which nothing that comes from the session shows. */
export async function openSession(options: ShellOptions, hidden?: HiddenValues): Promise<Session> {
  const settings = checkedShellOptions("openShell", options);
  const { backend = "auto", bash = "bash", term = "dumb", inheritEnv = defaultEnvironment, env = {} } = options;
  removeDeadFolders();
  const processes = processesHere();
  const open = async (backend: ShellBackend, lost: readonly string[]): Promise<Session> => {
    const session: SessionOptions = {
      ...settings,
      backend,
      bash,
      cwd: options.cwd,
      // Nothing may page or keep a history.
      env: childEnvironment({
        inherit: inheritEnv,
        ...(hidden && { holdsValue: hidden.holdsValue }),
        env: { TERM: term, PAGER: "cat", GIT_PAGER: "cat", HISTFILE: "", ...env },
      }),
      processes,
      startMs: 15_000,
      artifactDir: options.artifactDir,
      // A program that can't place text fills the dumb terminal up with blanks.
      foldBlanks: backend === "pty" && term === "dumb",
      views: term !== "dumb",
      ...(hidden && { masker: hidden.masker }),
      limits: [...lost, ...processes.limits],
    };
    return new Session(await BashProcess.start(session), session);
  };
  let lost = pipeLimits;
  if (backend !== "pipe") {
    try {
      return await open("pty", []);
    } catch (error) {
      if (backend === "pty") throw unavailable(error);
      lost = [`No pseudo-terminal: ${reason(error)}`, ...pipeLimits];
    }
  }
  return open("pipe", lost).catch((error) => {
    throw unavailable(error);
  });
}

/** The options that are numbers, complete. Throws `TypeError` for any that can't be. */
export function checkedShellOptions(
  what: string,
  options: ShellOptions,
): Pick<SessionOptions, "timeoutMs" | "maxRuntimeMs" | "maxChars" | "columns" | "rows"> {
  if (options === undefined) throw new TypeError(`${what} needs options: { cwd, artifactDir }`);
  checkKeys<ShellOptions>(what, options, shellOptionKeys);
  const { backend = "auto", bash = "bash", term = "dumb", inheritEnv = [], env = {} } = options;
  if (term !== "dumb" && term !== "xterm-256color") throw new TypeError('term must be "dumb" or "xterm-256color"');
  if (!["auto", "pty", "pipe"].includes(backend)) throw new TypeError('backend must be "auto", "pty" or "pipe"');
  if (typeof bash !== "string" || bash === "") throw new TypeError("bash must be the path or the name of a bash");
  if (!Array.isArray(inheritEnv) || inheritEnv.some((name) => typeof name !== "string")) {
    throw new TypeError("inheritEnv must be a list of names of variables");
  }
  if (typeof env !== "object" || env === null || Object.values(env).some((value) => typeof value !== "string")) {
    throw new TypeError("env must be an object of texts, by the names of variables");
  }
  if (typeof options.cwd !== "string" || !isDirectory(options.cwd)) {
    throw new TypeError(`cwd must be an existing directory: ${options.cwd}`);
  }
  if (typeof options.artifactDir !== "string" || options.artifactDir === "") {
    throw new TypeError("artifactDir must be a path: long outputs are kept whole there");
  }
  return {
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? 30_000),
    maxRuntimeMs: positive("maxRuntimeMs", options.maxRuntimeMs ?? 30 * minute),
    maxChars: whole("maxChars", options.maxChars ?? 20_000, 1, Number.MAX_SAFE_INTEGER),
    columns: whole("columns", options.columns ?? 200, 2, 10_000),
    rows: whole("rows", options.rows ?? 50, 2, 10_000),
  };
}

function unavailable(error: unknown): Error {
  return localError("ShellUnavailable", `No shell could be started: ${reason(error)}`, {}, error);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function positive(name: string, value: number): number {
  if (typeof value !== "number" || !(value > 0)) throw new TypeError(`${name} must be a positive number`);
  return value;
}

function whole(name: string, value: number, least: number, most: number): number {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}`);
  }
  return value;
}
