import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { KeptPermissions } from "../cli/kept-permissions.ts";
import { parseArguments } from "../cli/options.ts";
import { type Run, runCommand } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";

/** The subcommand `config`: what holds, and where it comes from. Takes the demo's own flags, to show what they make of it. Gives the exit code. */
export function configCommand(args: readonly string[]): Promise<number> {
  return runCommand((run: Run) => {
    const command = new Command("npm run demo -- config")
      .description("what holds with these flags, and where each of it comes from")
      .allowUnknownOption()
      .argument("[flags...]", "the flags of the demo, as --model or --config FILE")
      .option("--json", "as one JSON object", false)
      .action((flags: string[], { json }: { json: boolean }) => run(() => show(flags, json)));
    command
      .command("forget")
      .description("asks again about a tool that you have allowed always")
      .argument("<tool>")
      .action((tool: string) => run(() => forget(tool)));
    return command;
  }, args);
}

function forget(tool: string): number {
  const kept = new KeptPermissions();
  if (kept.forget(tool)) {
    process.stdout.write(`${tool} is asked about again.\n`);
    return exitCodes.answered;
  }
  const names = kept.list().map((one) => one.tool);
  throw new UsageError(
    `${tool} was not allowed always. ${names.length === 0 ? "No tool was." : `These were: ${names.join(", ")}.`}`,
  );
}

function show(flags: readonly string[], json: boolean): number {
  const parsed = parseArguments(flags);
  if ("print" in parsed) {
    process.stdout.write(parsed.print);
    return exitCodes.answered;
  }
  const { sources, config } = parsed;
  const { files, envNames, values } = config;
  const settings = [...sources].map(([name, { value, source }]) => ({ name, value, source }));
  const allowed = new KeptPermissions().list();
  const tables = { models: Object.keys(values.models ?? {}), providers: Object.keys(values.providers ?? {}) };
  if (json) {
    process.stdout.write(`${JSON.stringify({ files, settings, env: envNames, ...tables, allowed })}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(process.stdout);
  const width = Math.max(...settings.map(({ name }) => name.length));
  const lines = [
    ...files.map(({ path, isRead }) => `${isRead ? style.good("read") : style.dim("none")}  ${visible(path)}`),
    ...(envNames.length > 0 ? [`${style.good("read")}  .env: ${envNames.map(visible).join(", ")}`] : []),
    "",
    ...settings.map(({ name, value, source }) => {
      const shown = visible(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", " ");
      return `${style.accent(name.padEnd(width))}  ${shown.slice(0, 100)}  ${style.dim(visible(source))}`;
    }),
    ...Object.entries(tables).flatMap(([name, list]) =>
      list.length === 0 ? [] : [`${style.accent(name.padEnd(width))}  ${visible(list.join(", "))}`],
    ),
    ...allowed.map(({ tool, from }) => {
      return `${style.accent("allowed".padEnd(width))}  ${visible(tool)}  ${style.dim(visible(from))}`;
    }),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.answered;
}
