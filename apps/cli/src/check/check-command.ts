import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Locale } from "@toolglot/core";
import { checkCall, explainFindings } from "@toolglot/core/check-call";
import { isObject } from "@toolglot/internal";
import { Command, Option } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Run } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { callWords } from "../words/calls.ts";
import { readToolFile } from "./tool-shapes.ts";

interface CheckOptions {
  tools: string;
  json: boolean;
  lang: Locale;
}

/**
 * The subcommand `check`: whether one call, or each of a list, came damaged. Resolves with 1 when something was found; rejects with
 * `UsageError` for arguments that can't be meant.
 */
export function checkCommand(run: Run, host: Host, locale: Locale): Command {
  const { check: say, ...words } = callWords(locale, host.command);
  return new Command(`${host.command} check`)
    .description(say.about)
    .argument("<call.json>", say.file)
    .requiredOption("--tools <file>", say.tools)
    .option("--json", words.json, false)
    .addOption(new Option("--lang <code>", words.lang).choices(["zh", "en"]).default("en"))
    .addHelpText("after", `\n${say.after}`)
    .action((file: string, options: CheckOptions) => run(() => check(file, options, host)));
}

async function check(file: string, { tools, json, lang }: CheckOptions, host: Host): Promise<number> {
  const { stdin, stdout, stderr, env, folder } = host;
  const words = callWords(lang, host.command);
  const { check: say, count } = words;
  const definitions = readToolFile(tools, folder);
  let data: unknown;
  try {
    data = JSON.parse(file === "-" ? await text(stdin) : readFileSync(resolve(folder, file), "utf8"));
  } catch (error) {
    throw new UsageError(say.noJson(file, (error as Error).message));
  }
  const calls = (Array.isArray(data) ? data : [data]).map(callOf);
  if (!calls.every((call) => call !== undefined)) throw new UsageError(say.noCall(file));
  const style = styleFor(stdout, env);
  const findings: object[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = definitions.find(({ name }) => name === call.name);
    if (!tool && call.name !== "") stderr.write(`${visible(say.noTool(call.name))}\n`);
    const found = checkCall(call, tool);
    findings.push(...found.map((finding) => ({ call: index, tool: call.name, ...finding })));
    if (json || found.length === 0) continue;
    const place = calls.length > 1 ? `${index + 1}: ` : "";
    for (const { code, path } of found) {
      const what = words.scan.codes[code] ?? "";
      stdout.write(
        `${style.accent(visible(`${place}${call.name} ${path}`.trimEnd()))}\n  ${style.warn(code)}: ${what}\n`,
      );
    }
    const explanation = explainFindings(call, found, { tool, locale: lang });
    stdout.write(`\n${say.forModel}\n\n${visible(explanation)}\n\n`);
  }
  if (json) stdout.write(`${JSON.stringify({ calls: calls.length, findings })}\n`);
  else if (findings.length === 0) stdout.write(`${say.well(count(calls.length, words.calls))}\n`);
  return findings.length > 0 ? exitCodes.error : exitCodes.answered;
}

/** Reads a call in our shape, OpenAI's or Anthropic's; undefined for what is none. */
function callOf(item: unknown): { name: string; input: unknown } | undefined {
  if (!isObject(item)) return undefined;
  const { name, toolName = name, ...rest } = isObject(item.function) ? item.function : item;
  const key = ["input", "arguments", "args"].find((one) => one in rest);
  return typeof toolName === "string" && key !== undefined ? { name: toolName, input: rest[key] } : undefined;
}
