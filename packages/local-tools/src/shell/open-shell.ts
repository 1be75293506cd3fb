import { resolve } from "node:path";
import { checkKeys, errorText } from "@toolglot/internal";
import { Confinement, confinedEnvironment } from "../confinement/confinement.ts";
import { type ConfinementPlaces, type ConfinementSettings, confinementSettings } from "../confinement/settings.ts";
import { localError, localErrorType } from "../errors.ts";
import { isDirectory } from "../files/pinned-folder.ts";
import type { MakeMasker } from "../output/masker.ts";
import { BashProcess } from "./bash-process.ts";
import type { SessionOptions } from "./command-runner.ts";
import { tryOut } from "./confined-bash.ts";
import { childEnvironment, defaultEnvironment } from "./environment.ts";
import { LinuxProcesses } from "./linux-processes.ts";
import type { Processes } from "./processes.ts";
import { PsProcesses } from "./ps-processes.ts";
import { hasWorkingTerminals } from "./pty-transport.ts";
import { Session } from "./session.ts";
import { removeDeadFolders } from "./shell-folders.ts";
import type { ShellBackend, ShellOptions, ShellSession } from "./types.ts";

const minute = 60_000;

/** What pipes lack. */
const pipeLimits: readonly string[] = [
  "There is no terminal: programs see pipes, and most print without colour, progress or prompts.",
  "Of control characters only Ctrl-C, Ctrl-Z and Ctrl-\\ work, as signals, and Ctrl-D, which ends the input of the command that runs.",
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
 * Rejects with `TypeError` for options that can't be, and with a `ToolError` (`ShellUnavailable`) when there is no bash to run, or when it can't
 * be confined as `sandbox` asks: `data.reason` and `data.hint` say why, and what cures it.
 *
 * @example
 * ```ts
 * const shell = await openShell({ cwd: "/home/me/project", artifactDir: "/tmp/outputs" });
 * const { exit, output } = await shell.run("make");
 * await shell.close();
 * ```
 */
export function openShell(options: ShellOptions): Promise<ShellSession> {
  return openSession(options);
}

/** Settings of a session that only this package passes. */
export interface SessionSetting {
  /** What a confined shell can write and not see. Default: it can write `cwd`. */
  places?: ConfinementPlaces;
  /** Secret values, which nothing that comes from the session shows. */
  hidden?: { masker: MakeMasker; holdsValue: (text: string) => boolean };
}

export async function openSession(options: ShellOptions, { places, hidden }: SessionSetting = {}): Promise<Session> {
  const { confinement: confined, ...settings } = checkedShellOptions("openShell", options, places);
  const { backend = "auto", bash = "bash", term = "dumb", inheritEnv = defaultEnvironment, env = {} } = options;
  removeDeadFolders();
  // Nothing may page or keep a history.
  const environment = childEnvironment({
    inherit: inheritEnv,
    ...(hidden && { holdsValue: hidden.holdsValue }),
    env: {
      ...{ TERM: term, PAGER: "cat", GIT_PAGER: "cat", HISTFILE: "" },
      ...(confined ? confinedEnvironment : {}),
      ...env,
    },
  });
  const confinement = confined && new Confinement(confined);
  const processes = processesHere(confinement !== undefined);
  const open = async (backend: ShellBackend, lost: readonly string[]): Promise<Session> => {
    const session: SessionOptions = {
      ...settings,
      backend,
      bash,
      cwd: options.cwd,
      env: environment,
      processes,
      confinement,
      startMs: 15_000,
      artifactDir: options.artifactDir,
      // A program that can't place text fills the dumb terminal up with blanks.
      foldBlanks: backend === "pty" && term === "dumb",
      views: term !== "dumb",
      ...(hidden && { masker: hidden.masker }),
      limits: [...lost, ...processes.limits],
    };
    const shell = await BashProcess.start(session);
    session.limits = [...session.limits, ...shell.limits];
    return new Session(shell, session);
  };
  /** Trying a confinement out first would cost every start as much as a command; one that failed has the reason. */
  const openOrSayWhy = async (backend: ShellBackend, lost: readonly string[]): Promise<Session> => {
    try {
      return await open(backend, lost);
    } catch (error) {
      if (!confinement || !(await tryOut(confinement, environment, options.cwd))) throw error;
      return open(backend, lost);
    }
  };
  let lost = pipeLimits;
  if (backend !== "pipe") {
    try {
      if (backend === "auto" && !hasWorkingTerminals) throw new Error("@lydell/node-pty does not work under Bun");
      return await openOrSayWhy("pty", []);
    } catch (error) {
      if (backend === "pty" || isUnavailable(error)) throw unavailable(error);
      lost = [`No pseudo-terminal: ${errorText(error)}`, ...pipeLimits];
    }
  }
  return openOrSayWhy("pipe", lost).catch((error) => {
    throw unavailable(error);
  });
}

/** Returns the options that are numbers, complete, and the confinement. Throws `TypeError` for any that can't be. */
export function checkedShellOptions(
  what: string,
  options: ShellOptions,
  places?: ConfinementPlaces,
): Pick<SessionOptions, "timeoutMs" | "maxRuntimeMs" | "maxChars" | "columns" | "rows"> & {
  confinement: ConfinementSettings | undefined;
} {
  checkKeys(
    what,
    options,
    'cwd:text backend:"auto"|"pty"|"pipe" bash:text inheritEnv:string[] env:object timeoutMs:number maxRuntimeMs:number term:"dumb"|"xterm-256color" columns:number rows:number maxChars:number artifactDir:text sandbox:false|object|"bwrap"',
    ["cwd", "artifactDir"],
  );
  const { cwd, artifactDir, env = {} } = options;
  if (Object.values(env).some((value) => typeof value !== "string"))
    throw new TypeError("env must be an object of texts");
  if (cwd === undefined || !isDirectory(cwd)) throw new TypeError(`cwd must be an existing directory: ${cwd}`);
  if (artifactDir === undefined) throw new TypeError("artifactDir must be a path: long outputs are kept whole there");
  return {
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? 30_000),
    maxRuntimeMs: positive("maxRuntimeMs", options.maxRuntimeMs ?? 30 * minute),
    maxChars: whole("maxChars", options.maxChars ?? 20_000, 1, Number.MAX_SAFE_INTEGER),
    columns: whole("columns", options.columns ?? 200, 2, 10_000),
    rows: whole("rows", options.rows ?? 50, 2, 10_000),
    confinement: confinementSettings(what, options.sandbox, places ?? { roots: [resolve(cwd)] }),
  };
}

/** Returns true for an error that already explains why there is no shell. */
function isUnavailable(error: unknown): error is Error {
  return localErrorType(error) === "ShellUnavailable";
}

function unavailable(error: unknown): Error {
  if (isUnavailable(error)) return error;
  return localError("ShellUnavailable", `No shell could be started: ${errorText(error)}`, {}, error);
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

function processesHere(confined: boolean): Processes {
  if (process.platform !== "linux" || !LinuxProcesses.available()) return new PsProcesses();
  return new LinuxProcesses(confined);
}
