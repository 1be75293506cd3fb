import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { KeptPermissions } from "../cli/kept-permissions.ts";
import { parseArguments } from "../cli/options.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { configFolder } from "./load-config.ts";

/** Creates the subcommand `config`: what holds, and where it comes from. Takes the flags of a conversation, to show what they make of it. */
export function configCommand(run: Run, host: Host): Command {
  const command = new Command(`${host.command} config`)
    .description("what holds with these flags, and where each of it comes from")
    .allowUnknownOption()
    .argument("[flags...]", "the flags of a conversation, as --model or --config FILE")
    .option("--json", "as one JSON object", false)
    .action((flags: string[], { json }: { json: boolean }) => run(() => show(flags, json, host)));
  command
    .command("forget")
    .description("asks again about a tool or a folder that you have allowed always")
    .argument("<name>", "the tool, or the folder")
    .action((name: string) => run(() => forget(name, host)));
  return command;
}

function forget(name: string, { stdout, env }: Host): number {
  const kept = new KeptPermissions(configFolder(env));
  if (kept.forget(name)) {
    stdout.write(`${name} is asked about again.\n`);
    return exitCodes.answered;
  }
  const { tools, folders } = kept.list();
  const names = [...tools.map(({ tool }) => tool), ...folders];
  throw new UsageError(
    `${name} was not allowed always. ${names.length === 0 ? "Nothing was." : `These were: ${names.join(", ")}.`}`,
  );
}

async function show(flags: readonly string[], json: boolean, host: Host): Promise<number> {
  const { stdout, env } = host;
  const parsed = await parseArguments(flags, host);
  if ("print" in parsed) {
    stdout.write(parsed.print);
    return exitCodes.answered;
  }
  const { sources, config } = parsed;
  const { files, envNames, values } = config;
  const settings = [...sources].map(([name, { value, source }]) => ({ name, value, source }));
  const { tools: allowed, folders } = new KeptPermissions(configFolder(env)).list();
  const tables = { models: Object.keys(values.models ?? {}), providers: Object.keys(values.providers ?? {}) };
  if (json) {
    stdout.write(`${JSON.stringify({ files, settings, env: envNames, ...tables, allowed, folders })}\n`);
    return exitCodes.answered;
  }
  const style = styleFor(stdout, env);
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
    ...folders.map((folder) => `${style.accent("folder".padEnd(width))}  ${visible(folder)}`),
  ];
  stdout.write(`${lines.join("\n")}\n`);
  return exitCodes.answered;
}
