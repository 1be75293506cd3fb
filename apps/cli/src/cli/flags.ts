import type { Locale } from "@toolglot/core";
import { Command, Option } from "commander";
import type { Host } from "../host.ts";
import type { ModuleExtension } from "../modules/module.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { isProtocol, type ProtocolName, protocolNames } from "./protocol-names.ts";
import { UsageError } from "./usage-error.ts";

/** Reads `--lang`, which speaks for the help too, wherever it stands. */
export const languageIn = (args: readonly string[]): Locale => (valuesOf(args, "--lang")[0] === "zh" ? "zh" : "en");

/** Returns the values of an option that takes one, wherever they stand. */
export function valuesOf(args: readonly string[], flag: string): string[] {
  return args.flatMap((arg, at) => {
    if (arg === flag) return args[at + 1] ?? [];
    return arg.startsWith(`${flag}=`) ? arg.slice(flag.length + 1) : [];
  });
}

/** Creates the command line of a conversation. What modules bring has options of its own. */
export function buildCommand(
  locale: Locale,
  { command: name }: Pick<Host, "command">,
  extensions: readonly ModuleExtension[] = [],
): Command {
  const { flags: say, help } = wordsFor(locale, name);
  const own = extensions.find((one) => one.help)?.help?.(locale, name);
  const { titles } = say;
  const shownTitles: Readonly<Record<string, string>> = {
    "Usage:": titles.usage,
    "Arguments:": titles.arguments,
    "Options:": titles.options,
  };
  const command = new Command(name)
    .description(own?.before ?? help.before)
    .argument("[question...]", say.question)
    .option("--model <name>", say.model)
    .option("--base-url <url>", say.baseUrl)
    .option("--project <dir>", say.project)
    .option("--no-project", say.noProject)
    .option("-c, --continue", say.continue, false)
    .option("--session <name>", say.session)
    .option("--no-keep", say.noKeep)
    .addOption(
      new Option("--protocol <id>", say.protocol)
        .choices(protocolNames)
        .argParser(protocolIn)
        .default(extensions.find(({ protocol }) => protocol)?.protocol ?? "toolsxml"),
    )
    .addOption(new Option("--lang <code>", say.lang).choices(["zh", "en"]))
    .addOption(new Option("--mode <mode>", say.mode).choices(["loop", "single"]).default("loop"))
    .addOption(new Option("--timeout <seconds>", say.timeout).argParser(secondsOf))
    .option("--system <text>", say.system)
    .addOption(new Option("--attach <file>", say.attach).argParser(collected))
    .addOption(new Option("--max-turns <n>", say.maxTurns).argParser(numberOf("--max-turns", true)))
    .addOption(new Option("--max-tokens <n>", say.maxTokens).argParser(numberOf("--max-tokens", true)))
    .addOption(new Option("--max-seconds <n>", say.maxSeconds).argParser(numberOf("--max-seconds")))
    .addOption(new Option("--max-cost <n>", say.maxCost).argParser(numberOf("--max-cost")))
    .addOption(new Option("--tools <file>", say.tools).argParser(collected))
    .addOption(new Option("--mcp <file>", say.mcp).argParser(collected))
    .option("--config <file>", say.config)
    .option("--no-config", say.noConfig)
    .option("--record <file>", say.record)
    .option("--replay <file>", say.replay)
    .option("--resume [id]", say.resume)
    .option("--json", say.json, false)
    .option("--plain", say.plain, false)
    .option("--show-prompt", say.showPrompt, false)
    .option("--yes", say.yes, false)
    .addOption(new Option("--sandbox <kind>", say.sandbox).choices(["bwrap", "off"]))
    .option("--data-dir <dir>", say.dataDir)
    .option("--router <url>", say.router)
    .option("--token <token>", say.token);
  for (const extension of extensions) addModuleOptions(command, extension, say, locale);
  return command
    .option("-V, --version", say.version, false)
    .helpOption("-h, --help", say.help)
    .addHelpText("after", `${own?.after ?? help.examples}\n${help.codes}`)
    .configureHelp({ helpWidth: 100, styleTitle: (title) => shownTitles[title] ?? title });
}

function addModuleOptions(
  command: Command,
  { name, model, tour }: ModuleExtension,
  say: Words["flags"],
  locale: Locale,
): void {
  const who = model?.label[locale].split(/[,，]/)[0] ?? name;
  if (tour) command.addOption(new Option("--tour", say.tour(who)).default(false));
  if (model?.slips) {
    const names = [...new Set(Object.values(model.slips).flat())];
    command.option("--messy", say.messy(who)).addOption(new Option("--slip <name>", say.slip(who)).choices(names));
  }
  command.option("--reset", say.reset, false);
}

/** Reads the name of a protocol. */
function protocolIn(name: string): ProtocolName {
  if (isProtocol(name)) return name;
  throw new UsageError(`--protocol ${name}: there are ${protocolNames.join(", ")}.`);
}

/** Reads an option that may be given more than once. */
export const collected = (file: string, before: string[] = []): string[] => [...before, file];

/** Reads a limit: more than 0, and perhaps whole. */
function numberOf(flag: string, isWhole = false): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (number > 0 && Number.isFinite(number) && (!isWhole || Number.isInteger(number))) return number;
    throw new UsageError(`${flag} takes a ${isWhole ? "whole number" : "number"} above 0, not "${text}".`);
  };
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= maxTimeoutSeconds) return seconds;
  throw new UsageError(`--timeout takes seconds, more than 0 and at most ${maxTimeoutSeconds}, not "${text}".`);
}

/** A day. */
const maxTimeoutSeconds = 86_400;
