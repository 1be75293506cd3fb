import { type BlockBase, isRunnable, type Locale, type ParseOptions, type ParseResult } from "@toolglot/core";
import { Command, Option } from "commander";
import { readToolFile } from "../check/tool-shapes.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { callWords } from "../words/calls.ts";
import { parseView } from "./parse-view.ts";
import { readerNames, readerOf } from "./readers.ts";

/** What `parse` was asked for. */
interface ParseCommandOptions {
  protocol: string;
  json: boolean;
  strict: boolean;
  reasoning?: "skip" | "search";
  startsInReasoning?: boolean;
  tools?: string;
  finish?: "stop" | "length";
  explain?: boolean;
  lang: Locale;
}

/**
 * The subcommand `parse`: reads a model's text on standard input, prints the parser's result. Resolves with the exit
 * code. Rejects with `UsageError` for arguments that can't be meant.
 */
export function parseCommand(run: Run, host: Host, locale: Locale): Command {
  const { parse: say } = callWords(locale, host.command);
  return new Command(`${host.command} parse`)
    .description(say.about)
    .addOption(new Option("--protocol <id>", say.protocol).choices(readerNames).argParser(String).makeOptionMandatory())
    .option("--json", say.json, false)
    .option("--strict", say.strict, false)
    .option("--tools <file>", say.tools)
    .addOption(new Option("--reasoning <how>", say.reasoning).choices(["skip", "search"]))
    .option("--starts-in-reasoning", say.startsInReasoning)
    .addOption(new Option("--finish <reason>", say.finish).choices(["stop", "length"]))
    .option("--explain", say.explain)
    .addOption(new Option("--lang <code>", say.lang).choices(["zh", "en"]).default("en"))
    .addHelpText("after", `\n${say.after}`)
    .action((options: ParseCommandOptions) => run(() => parseInput(options, host)));
}

async function parseInput(options: ParseCommandOptions, { stdin, stdout, env, folder }: Host): Promise<number> {
  const { protocol, json, strict, reasoning, startsInReasoning, finish, lang } = options;
  const reader = readerOf(protocol);
  const parsing: ParseOptions = {
    strict,
    ...(reasoning && { reasoning }),
    ...(startsInReasoning && { startsInReasoning }),
    ...(options.tools !== undefined && { tools: readToolFile(options.tools, folder) }),
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
    stdout.write(parseView(source, result, { style: styleFor(stdout, env), width, words: callWords(lang).parse }));
    if (explanation !== undefined) stdout.write(`\n${explanation}\n`);
  }
  return result.blocks.some(isRunnable) ? exitCodes.answered : exitCodes.declined;
}
