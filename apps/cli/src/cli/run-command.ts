import type { Locale } from "@toolglot/core";
import { type Command, CommanderError } from "commander";
import type { Host } from "../host.ts";
import { exitCodes } from "./exit-codes.ts";
import { languageIn } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** Takes the work of the command that was meant; its value is the exit code. */
export type Run = (work: () => number | Promise<number>) => Promise<void>;

/** Runs a command with subcommands. Resolves with the exit code; rejects with `UsageError` for invalid arguments. */
export async function runCommand(
  build: (run: Run, host: Host, locale: Locale) => Command,
  args: readonly string[],
  host: Host,
): Promise<number> {
  let code: number = exitCodes.answered;
  const run: Run = async (work) => {
    code = await work();
  };
  const command = build(run, host, languageIn(args));
  const output = { writeOut: (text: string) => void host.stdout.write(text), writeErr: () => undefined };
  for (const one of withSubcommands(command)) one.exitOverride().configureOutput(output);
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(error.message.replace(/^error: /, ""));
  }
  return code;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
