import { type Command, CommanderError } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

/** Takes the work of the command that was meant; its value is the exit code. */
export type Run = (work: () => number | Promise<number>) => Promise<void>;

/** Runs a command with subcommands. Returns the exit code. Throws `UsageError` for invalid arguments. */
export async function runCommand(build: (run: Run) => Command, args: readonly string[]): Promise<number> {
  let code: number = exitCodes.answered;
  const command = build(async (work) => {
    code = await work();
  });
  for (const one of [command, ...command.commands]) one.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(error.message.replace(/^error: /, ""));
  }
  return code;
}
