import type { Locale, ProtocolMode } from "@toolglot/core";
import { Command, CommanderError, Option } from "commander";
import { slipNames, slipsOf } from "../planner/slips/index.ts";
import { helpAfter, helpBefore } from "./help.ts";
import { type ProtocolName, protocolNames } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line asks for. */
export interface DemoOptions {
  /** A question; without one it is a chat, or the tour when there is no terminal. */
  question?: string;
  protocol: ProtocolName;
  /** The protocol was asked for, so the tour stays with it. */
  protocolGiven: boolean;
  /** Language of prompts; without it, that of each question. */
  lang?: Locale;
  mode: ProtocolMode;
  model?: string;
  baseUrl?: string;
  record?: string;
  replay?: string;
  json: boolean;
  showPrompt: boolean;
  /** Slips are wanted: `true` for taking turns, else the name of one. */
  messy: true | string | undefined;
  yes: boolean;
  dataDir?: string;
  reset: boolean;
  /** With protocol `trp`: URL of a running router; without it there is one in the process. */
  router?: string;
  /** The bearer token for it. */
  token?: string;
}

/** What the command line asks for, or text to print instead. */
export type ParsedArguments = { options: DemoOptions } | { print: string };

/** Reads the arguments after the program's name. Throws `UsageError` for anything that can't be meant. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  let print = "";
  const command = buildCommand();
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      print += text;
    },
    writeErr: () => undefined,
  });
  try {
    command.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { print };
    throw new UsageError(error.message.replace(/^error: /, ""));
  }
  const { slip, messy, ...rest } = command.opts<
    Omit<DemoOptions, "messy" | "protocolGiven"> & { slip?: string; messy?: true }
  >();
  const protocolGiven = command.getOptionValueSource("protocol") === "cli";
  const question = command.args.join(" ").trim();
  const options: DemoOptions = { ...rest, messy: slip ?? messy, protocolGiven, ...(question !== "" && { question }) };
  check(options);
  return { options };
}

function buildCommand(): Command {
  return new Command("npm run demo --")
    .description(helpBefore)
    .argument("[question...]", "ask once and leave; without it, chat")
    .addOption(
      new Option("--protocol <id>", "how the model asks for tools").choices([...protocolNames]).default("attp"),
    )
    .addOption(
      new Option("--lang <code>", "language of the prompts (default: that of the question)").choices(["zh", "en"]),
    )
    .addOption(
      new Option("--mode <mode>", "loop: results go back until it answers; single: one program")
        .choices(["loop", "single"])
        .default("loop"),
    )
    .option("--model <name>", "a real model: NAME with --base-url, or anthropic:NAME")
    .option("--base-url <url>", "OpenAI-compatible endpoint, as http://localhost:11434/v1")
    .option("--record <file>", "write the run to a file")
    .option("--replay <file>", "play a recorded run; calls no model and no tool")
    .option("--json", "events as NDJSON, nothing else on standard output", false)
    .option("--show-prompt", "show what the model is asked; alone: only the instructions", false)
    .option("--messy", "the planner makes slips that models make, one after another")
    .addOption(new Option("--slip <name>", "the planner makes this slip").choices([...slipNames]))
    .option("--yes", "approve every call without asking", false)
    .option("--data-dir <dir>", "where documents and database live")
    .option("--reset", "make the data anew", false)
    .option("--router <url>", "with --protocol trp: a running router instead of one in the process")
    .option("--token <token>", "who the agent is for that router")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", helpAfter)
    .configureHelp({ helpWidth: 100 });
}

function check(options: DemoOptions): void {
  const { model, baseUrl, protocol, replay, record, messy, question } = options;
  checkRouter(options);
  const ids = slipsOf[protocol].map(({ id }) => id);
  if (typeof messy === "string" && !ids.includes(messy))
    throw new UsageError(`With --protocol ${protocol} the slips are ${ids.join(", ")}; not ${messy}.`);
  if (baseUrl !== undefined && model === undefined) throw new UsageError("--base-url needs --model NAME.");
  if (messy !== undefined && model !== undefined)
    throw new UsageError("--messy and --slip are for the planner; leave out --model.");
  if (replay === undefined) return;
  if (record !== undefined) throw new UsageError("Either --record or --replay, not both.");
  if (question !== undefined) throw new UsageError("--replay plays what was recorded; leave out the question.");
  if (model !== undefined || messy !== undefined)
    throw new UsageError("--replay calls no model; leave out --model, --messy and --slip.");
}

function checkRouter({ protocol, router, token, replay }: DemoOptions): void {
  if (router !== undefined && (protocol !== "trp" || replay !== undefined))
    throw new UsageError("--router needs --protocol trp, and nothing is called in a replay.");
  if (router !== undefined && !/^https?:\/\//i.test(router))
    throw new UsageError(`--router must begin with http:// or https://, not "${router}".`);
  if (token !== undefined && router === undefined) throw new UsageError("--token needs --router URL.");
}
