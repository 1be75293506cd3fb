import { resolve } from "node:path";
import { checkKeys } from "@toolglot/internal";
import { type DefinedTool, defineTool, ToolResponse } from "@toolglot/toolkit";
import { Confinement, confinedEnvironment } from "../../confinement/confinement.ts";
import { confinementNote, confinementSentence } from "../../confinement/notes.ts";
import { confinementSettings } from "../../confinement/settings.ts";
import type { BwrapOptions } from "../../confinement/types.ts";
import { localError } from "../../errors.ts";
import { tryOut } from "../../shell/confined-bash.ts";
import { childEnvironment } from "../../shell/environment.ts";
import { runShell } from "./run-shell.ts";

/** Input of `execute_shell_command`. */
export interface ExecuteShellCommandInput {
  command: string;
  /** Seconds. */
  timeout: number;
}

/** Where and with what commands run. */
export interface ShellCommandOptions {
  /** Default: the working directory of this process. */
  cwd?: string;
  /** Variables on top of those that are inherited. */
  env?: Readonly<Record<string, string>>;
  /** Names of the host's variables that commands get. Default: those of the shell, such as HOME, PATH and LANG. */
  inherit?: readonly string[];
  /** UTF-16 units kept of each of stdout and stderr, the beginning and the end. Default 30,000. */
  maxChars?: number;
  /** The longest timeout a model may ask for, in seconds. Default 3,600. */
  maxTimeout?: number;
  /** Confines each command, as `sandbox` of `openShell` does: it can write to `cwd`, and reach no network. Default false. */
  sandbox?: false | "bwrap" | BwrapOptions;
}

/**
 * Creates an `execute_shell_command` with a directory and an environment of yours.
 *
 * @example
 * ```ts
 * toolkit.registerToolFunction(makeExecuteShellCommand({ cwd: "/home/me/project", sandbox: "bwrap" }));
 * ```
 */
export function makeExecuteShellCommand(options: ShellCommandOptions = {}): DefinedTool<ExecuteShellCommandInput> {
  checkKeys(
    "makeExecuteShellCommand",
    options,
    'cwd:string env:object inherit:string[] maxChars:number maxTimeout:number sandbox:false|object|"bwrap"',
  );
  const { cwd, env, inherit, maxChars = 30_000, maxTimeout = 3_600 } = options;
  for (const [name, value] of Object.entries({ maxChars, maxTimeout })) {
    if (!(value > 0)) throw new TypeError(`makeExecuteShellCommand: ${name} must be a number above 0, not ${value}`);
  }
  const where = cwd ?? process.cwd();
  const settings = confinementSettings("makeExecuteShellCommand", options.sandbox, { roots: [resolve(where)] });
  const environment = (): Record<string, string> => {
    const set = { ...(settings ? confinedEnvironment : {}), ...env };
    return childEnvironment({ ...(inherit ? { inherit } : {}), env: set });
  };
  let opening: Promise<Confinement> | undefined;
  const confinementHere = async (): Promise<Confinement | undefined> => {
    if (settings === undefined) return undefined;
    opening ??= (async () => {
      const confinement = new Confinement(settings);
      await tryOut(confinement, environment(), where);
      return confinement;
    })();
    return opening.catch((error: unknown) => {
      // The next call tries again.
      opening = undefined;
      throw error;
    });
  };
  const aboutShell = settings === undefined ? "" : ` ${confinementSentence(settings)}`;
  return defineTool({
    name: "execute_shell_command",
    description: `Run a shell command and return its return code, standard output and standard error within <returncode></returncode>, <stdout></stdout> and <stderr></stderr> tags.\n\nEach command runs in a shell of its own, without input; nothing it starts outlives it.${aboutShell}`,
    args: {
      command: "string - The command",
      timeout: "number = 300 - Seconds it may take",
    },
    annotations: {
      title: "Run a shell command",
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
      riskTier: "CRITICAL",
    },
    execute: async ({ command, timeout = 300 }, { signal }) => {
      if (!(timeout > 0)) throw localError("InvalidInput", `The timeout must be above 0 seconds, not ${timeout}.`);
      const seconds = Math.min(timeout, maxTimeout);
      const confinement = await confinementHere();
      const { returncode, stdout, stderr, ended } = await runShell({
        command,
        cwd: confinement ? where : cwd,
        env: environment(),
        confinement,
        timeoutMs: seconds * 1000,
        maxChars,
        signal,
      });
      const notice = `TimeoutError: The command execution exceeded the timeout of ${seconds} seconds.`;
      const note = returncode === 0 || !confinement ? undefined : confinementNote(stdout + stderr, confinement.state);
      const notices = [ended === "timeout" ? notice : undefined, note && `[${note}]`];
      const errors = [stderr, ...notices].filter((part) => part !== undefined && part !== "").join("\n");
      const content = `<returncode>${returncode}</returncode><stdout>${stdout}</stdout><stderr>${errors}</stderr>`;
      if (ended === "timeout") return new ToolResponse({ content, error: { type: "Timeout", message: notice } });
      return new ToolResponse({ content, ...(ended === "abort" ? { status: "interrupted" } : {}) });
    },
  });
}

/**
 * `execute_shell_command`: one command in a fresh shell, in the working directory of this process, with few of its variables.
 * Not confined to anything: `makeExecuteShellCommand` has an option for that. The persistent shell of this package's `command` is the better one for work in a project.
 */
export const executeShellCommand: DefinedTool<ExecuteShellCommandInput> = makeExecuteShellCommand();
