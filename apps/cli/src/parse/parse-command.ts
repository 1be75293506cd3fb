import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type BlockBase, isRunnable, type ParseOptions, type ParseResult, type ToolDefinition } from "@toolglot/core";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { parseView } from "./parse-view.ts";
import { protocolNames, readers } from "./readers.ts";

/** What `parse` was asked for. */
interface ParseCommandOptions {
  protocol: (typeof protocolNames)[number];
  json: boolean;
  strict: boolean;
  reasoning?: "skip" | "search";
  startsInReasoning?: boolean;
  tools?: string;
  finish?: "stop" | "length";
  explain?: boolean;
  lang: "zh" | "en";
}

/**
 * The subcommand `parse`: reads a model's text on standard input, prints the parser's result. Resolves with the exit
 * code. Rejects with `UsageError` for arguments that can't be meant.
 */
export function parseCommand(run: Run, host: Host): Command {
  return new Command(`${host.command} parse`)
    .description("reads a model's text from standard input and shows what is understood of it; runs nothing")
    .addOption(
      new Option("--protocol <id>", "what the text is written in").choices([...protocolNames]).makeOptionMandatory(),
    )
    .option("--json", "events as NDJSON while the text comes in, then the result", false)
    .option("--strict", "no repairs", false)
    .option("--tools <file>", "tool definitions as a JSON array, for binding and for near-miss names")
    .addOption(new Option("--reasoning <how>", "whether calls in reasoning are shown").choices(["skip", "search"]))
    .option("--starts-in-reasoning", "the prompt already opened a reasoning block")
    .addOption(new Option("--finish <reason>", "how the message ended").choices(["stop", "length"]))
    .option("--explain", "also the explanation of its mistakes for the model")
    .addOption(new Option("--lang <code>", "language of --explain").choices(["zh", "en"]).default("en"))
    .addHelpText("after", "\nExit codes: 0 a block may run, 3 none may, 2 the command line is wrong.")
    .action((options: ParseCommandOptions) => run(() => parseInput(options, host)));
}

async function parseInput(options: ParseCommandOptions, { stdin, stdout, env, folder }: Host): Promise<number> {
  const { protocol, json, strict, reasoning, startsInReasoning, finish, lang } = options;
  const reader = readers[protocol];
  const parsing: ParseOptions = {
    strict,
    ...(reasoning && { reasoning }),
    ...(startsInReasoning && { startsInReasoning }),
    ...(options.tools !== undefined && { tools: readTools(options.tools, folder) }),
  };
  const print = (value: unknown): void => {
    stdout.write(`${JSON.stringify(value)}\n`);
  };
  const parser = reader.createParser({ ...parsing, onEvent: (event) => json && print(event) });
  const chunks: string[] = [];
  stdin.setEncoding("utf8");
  for await (const chunk of stdin) {
    parser.feed(chunk as string);
    chunks.push(chunk as string);
  }
  const result: ParseResult<BlockBase> = parser.end(finish && { finish });
  const source = chunks.join("");
  const explanation = options.explain ? reader.explain(result, { source, locale: lang }) : undefined;
  if (json) print({ phase: "result", ...result, ...(explanation !== undefined && { explanation }) });
  else {
    const width = Math.min(stdout.columns ?? 100, 120);
    stdout.write(parseView(source, result, styleFor(stdout, env), width));
    if (explanation !== undefined) stdout.write(`\n${explanation}\n`);
  }
  return result.blocks.some(isRunnable) ? exitCodes.answered : exitCodes.declined;
}

function readTools(file: string, folder: string): ToolDefinition[] {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(resolve(folder, file), "utf8"));
  } catch (error) {
    throw new UsageError(`--tools ${file}: ${(error as Error).message}`);
  }
  const isTool = (item: unknown): boolean =>
    typeof (item as ToolDefinition | null)?.name === "string" &&
    typeof (item as ToolDefinition).inputSchema === "object";
  if (!Array.isArray(data) || !data.every(isTool))
    throw new UsageError(`--tools ${file}: a JSON array of { name, description, inputSchema } is wanted.`);
  return data as ToolDefinition[];
}
