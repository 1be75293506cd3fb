import { resolve } from "node:path";
import type { Locale, ProtocolMode } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { type Command, CommanderError } from "commander";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { systemText } from "../config/read-config.ts";
import type { ConfigLimits } from "../config/schema.ts";
import { plannerName } from "../models/resolve-model.ts";
import { slipsOf } from "../planner/slips.ts";
import type { SandboxChoice } from "../project/open-local.ts";
import { checkSessionName } from "../sessions/session-folder.ts";
import { buildCommand, languageOf } from "./flags.ts";
import type { ProtocolName } from "./protocols.ts";
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
  /** Undefined: the planner. */
  model?: string;
  baseUrl?: string;
  /** Instructions of the user's own. */
  system?: string;
  /** What ends a run. */
  limits: ConfigLimits;
  /** Seconds that a model may be silent. */
  timeout?: number;
  /** Modules with tools of the user's own, and files of MCP servers: absolute paths. */
  tools: string[];
  mcp: string[];
  /** Whether the shop's tools are there. */
  shop: boolean;
  /** Files for the question. */
  attach?: string[];
  record?: string;
  replay?: string;
  /** Goes on with a program that waits: with this one, or with the only one. */
  resume?: true | string;
  /** The tour was asked for by its name. */
  tour: boolean;
  /** The session that keeps the conversation, with the variables of its programs. */
  session?: string;
  json: boolean;
  /** Markdown is shown as it is. */
  plain: boolean;
  showPrompt: boolean;
  /** Slips are wanted: `true` for taking turns, else the name of one. */
  messy: true | string | undefined;
  yes: boolean;
  /** Whether commands in the project are confined; without it, where that works. */
  sandbox?: SandboxChoice;
  dataDir?: string;
  reset: boolean;
  /** With protocol `trp`: URL of a running router; without it there is one in the process. */
  router?: string;
  /** The bearer token for it. */
  token?: string;
}

/** What was asked for, and where it comes from; or text to print instead. */
export type ParsedArguments =
  | { options: DemoOptions; config: LoadedConfig; sources: ReadonlyMap<string, Setting> }
  | { print: string };

/** What holds for one setting, and where it comes from: a flag, a file, or nowhere. */
export interface Setting {
  value: unknown;
  source: string;
}

/** The flags that a configuration may give, by their keys in it. Those of limits are in a table. */
const settings: Readonly<Record<string, (config: LoadedConfig["values"]) => unknown>> = {
  model: ({ model }) => model,
  protocol: ({ protocol }) => protocol,
  mode: ({ mode }) => mode,
  lang: ({ lang }) => lang,
  system: ({ system }) => system,
  timeout: ({ timeout }) => timeout,
  sandbox: ({ sandbox }) => sandbox,
  tools: ({ tools }) => tools,
  mcp: ({ mcp }) => mcp,
  shop: ({ shop }) => shop,
  plain: ({ plain }) => plain,
  maxTurns: ({ limits }) => limits?.turns,
  maxTokens: ({ limits }) => limits?.tokens,
  maxSeconds: ({ limits }) => limits?.seconds,
  maxCost: ({ limits }) => limits?.cost,
};

/** Reads the arguments after the program's name, over what is configured. Throws `UsageError` for anything that can't be meant. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  let print = "";
  const command = buildCommand(languageOf(args));
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
  const { config: file } = command.opts<{ config?: string | boolean }>();
  const config = loadConfig({ file: typeof file === "string" ? file : undefined, none: file === false });
  const sources = configure(command, config);
  type Flags = Omit<DemoOptions, "messy" | "protocolGiven" | "limits" | "model" | "tools" | "mcp"> &
    Record<LimitFlag, number | undefined>;
  const {
    slip,
    messy,
    maxTurns,
    maxTokens,
    maxSeconds,
    maxCost,
    model,
    system,
    tools = [],
    mcp = [],
    ...rest
  } = command.opts<
    Flags & { slip?: string; messy?: true; model?: string; config?: unknown; tools?: string[]; mcp?: string[] }
  >();
  delete rest.config;
  const question = command.args.join(" ").trim();
  const options: DemoOptions = {
    ...rest,
    messy: slip ?? messy,
    protocolGiven: command.getOptionValueSource("protocol") === "cli",
    limits: defined({ turns: maxTurns, tokens: maxTokens, seconds: maxSeconds, cost: maxCost }),
    ...(model !== undefined && model !== plannerName && { model }),
    ...(system !== undefined && { system: flagged(command, "system") ? systemText(system, config.folder) : system }),
    ...(question !== "" && { question }),
    tools: tools.map((file) => resolve(config.folder, file)),
    mcp: mcp.map((file) => resolve(config.folder, file)),
  };
  check(options);
  return { options, config, sources };
}

type LimitFlag = "maxTurns" | "maxTokens" | "maxSeconds" | "maxCost";

const flagged = (command: Command, name: string): boolean => command.getOptionValueSource(name) === "cli";

/** Puts what is configured where no flag was given; gives what holds then. */
function configure(command: Command, { values, origins }: LoadedConfig): Map<string, Setting> {
  // These are for the planner, or for no model at all.
  const withoutModel = ["messy", "slip", "replay", "tour"].some((name) => flagged(command, name));
  const sources = new Map<string, Setting>();
  for (const [name, read] of Object.entries(settings)) {
    const value = read(values);
    const isFlag = flagged(command, name);
    const isRead = !isFlag && value !== undefined && !(name === "model" && withoutModel);
    if (isRead) command.setOptionValueWithSource(name, value, "config");
    const holds = command.getOptionValue(name) ?? (name === "model" ? plannerName : undefined);
    const key = name.startsWith("max") ? "limits" : name;
    if (holds === undefined) continue;
    sources.set(name, { value: holds, source: isFlag ? "flag" : isRead ? (origins.get(key) ?? "") : "default" });
  }
  return sources;
}

function check(options: DemoOptions): void {
  const { model, baseUrl, protocol, replay, record, messy, question } = options;
  checkRouter(options);
  if (protocol.startsWith("trp") && !(options.shop && options.tools.length + options.mcp.length === 0))
    throw new UsageError("At a router the tools are the router's: leave out --tools, --mcp and --no-shop.");
  checkSession(options);
  if (options.resume !== undefined && (question !== undefined || replay !== undefined || record !== undefined))
    throw new UsageError("--resume goes on with what was asked; leave out the question, --record and --replay.");
  if (options.tour && (question !== undefined || model !== undefined || options.session !== undefined))
    throw new UsageError(
      "The tour is the planner's, with questions of its own: leave out the question, --model and --session.",
    );
  const ids = slipsOf[protocol].map(({ id }) => id);
  if (typeof messy === "string" && !ids.includes(messy))
    throw new UsageError(`With --protocol ${protocol} the slips are ${ids.join(", ")}; not ${messy}.`);
  if (options.attach !== undefined && (question === undefined || model === undefined))
    throw new UsageError("--attach goes with a question to a real model: --model NAME.");
  if (baseUrl !== undefined && model === undefined) throw new UsageError("--base-url needs --model NAME.");
  if (messy !== undefined && model !== undefined)
    throw new UsageError("--messy and --slip are for the planner; leave out --model.");
  if (replay === undefined) return;
  if (record !== undefined) throw new UsageError("Either --record or --replay, not both.");
  if (question !== undefined) throw new UsageError("--replay plays what was recorded; leave out the question.");
  if (model !== undefined || messy !== undefined)
    throw new UsageError("--replay calls no model; leave out --model, --messy and --slip.");
}

function checkSession({ session, mode, resume, replay, record }: DemoOptions): void {
  if (session === undefined) return;
  checkSessionName(session);
  if (mode !== "loop") throw new UsageError("--session keeps a conversation: use --mode loop.");
  if (resume !== undefined || replay !== undefined || record !== undefined)
    throw new UsageError("--session goes on by itself; leave out --resume, --replay and --record.");
}

function checkRouter({ protocol, router, token, replay, resume }: DemoOptions): void {
  if (router !== undefined && ((!protocol.startsWith("trp") && resume === undefined) || replay !== undefined))
    throw new UsageError("--router needs --protocol trp, and nothing is called in a replay.");
  if (router !== undefined && !/^(?:http|ws)s?:\/\//i.test(router))
    throw new UsageError(`--router must begin with http://, https://, ws:// or wss://, not "${router}".`);
  if (token !== undefined && router === undefined) throw new UsageError("--token needs --router URL.");
}
