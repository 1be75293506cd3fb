import { checkKeys } from "@toolglot/internal";
import { type DefinedTool, defineTool, ToolResponse } from "@toolglot/toolkit";
import { localError } from "../errors.ts";
import { childEnvironment } from "../shell/environment.ts";
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
}

/** Makes an `execute_shell_command` with a directory and an environment of yours. */
export function makeExecuteShellCommand(options: ShellCommandOptions = {}): DefinedTool<ExecuteShellCommandInput> {
  checkKeys<ShellCommandOptions>("makeExecuteShellCommand", options, {
    cwd: true,
    env: true,
    inherit: true,
    maxChars: true,
    maxTimeout: true,
  });
  const { cwd, env, inherit, maxChars = 30_000, maxTimeout = 3_600 } = options;
  for (const [name, value] of Object.entries({ maxChars, maxTimeout })) {
    if (!(value > 0)) throw new TypeError(`makeExecuteShellCommand: ${name} must be a number above 0, not ${value}`);
  }
  return defineTool({
    name: "execute_shell_command",
    description:
      "Run a shell command and return its return code, standard output and standard error within <returncode></returncode>, <stdout></stdout> and <stderr></stderr> tags.\n\nEach command runs in a shell of its own, without input; nothing it starts outlives it.",
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
      const { returncode, stdout, stderr, ended } = await runShell({
        command,
        cwd,
        env: childEnvironment({ ...(inherit ? { inherit } : {}), ...(env ? { env } : {}) }),
        timeoutMs: seconds * 1000,
        maxChars,
        signal,
      });
      const notice = `TimeoutError: The command execution exceeded the timeout of ${seconds} seconds.`;
      const errors = ended !== "timeout" ? stderr : stderr === "" ? notice : `${stderr}\n${notice}`;
      const content = `<returncode>${returncode}</returncode><stdout>${stdout}</stdout><stderr>${errors}</stderr>`;
      if (ended === "timeout") return new ToolResponse({ content, error: { type: "Timeout", message: notice } });
      return new ToolResponse({ content, ...(ended === "abort" ? { status: "interrupted" } : {}) });
    },
  });
}

/**
 * `execute_shell_command`: one command in a fresh shell, in the working directory of this process, with few of its variables.
 * Not confined to anything. The persistent shell of this package's `command` is the better one for work in a project.
 */
export const executeShellCommand: DefinedTool<ExecuteShellCommandInput> = makeExecuteShellCommand();
