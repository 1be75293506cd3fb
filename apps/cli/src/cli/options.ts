import { resolve } from "node:path";
import type { Locale, ProtocolMode } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { type Command, CommanderError } from "commander";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { systemText } from "../config/read-config.ts";
import type { ConfigLimits } from "../config/schema.ts";
import type { Host } from "../host.ts";
import { type LoadedModule, loadModule } from "../modules/load-module.ts";
import type { ModuleModel } from "../modules/module.ts";
import type { SandboxChoice } from "../project/open-local.ts";
import { checkSessionName } from "../sessions/session-names.ts";
import { buildCommand, languageIn, valuesOf } from "./flags.ts";
import type { ProtocolName } from "./protocol-names.ts";
import { protocolOf } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** What the command line asks for. */
export interface CliOptions {
  /** A question; without one it is a chat, or the tour when there is no terminal. */
  question?: string;
  protocol: ProtocolName;
  /** The protocol was asked for, so the tour stays with it. */
  protocolGiven: boolean;
  /** Language of prompts; without it, that of each question. */
  lang?: Locale;
  mode: ProtocolMode;
  /** Undefined: a module's own model. */
  model?: string;
  baseUrl?: string;
  /** Instructions of the user's own. */
  system?: string;
  /** What ends a run. */
  limits: ConfigLimits;
  /** Seconds that a model may be silent. */
  timeout?: number;
  /** Modules with tools, and files of MCP servers: absolute paths. */
  tools: string[];
  mcp: string[];
  /** The folder that the model works in, absolute; false: in none; undefined: in this one, once the person has agreed. */
  project?: string | false;
  /** Takes up the last conversation of the folder. */
  continue: boolean;
  /** Whether the conversation is kept without a name, too. */
  keep: boolean;
  /** Files for the question. */
  attach?: string[];
  record?: string;
  replay?: string;
  /** Goes on with a program that waits: with this one, or with the only one. */
  resume?: true | string;
  /** The tour was asked for by its name. */
  tour?: boolean;
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
  reset?: boolean;
  /** With protocol `trp`: URL of a running router; without it there is one in the process. */
  router?: string;
  /** The bearer token for it. */
  token?: string;
}

/** What was asked for, and where it comes from; or text to print instead. */
export type ParsedArguments =
  | { options: CliOptions; config: LoadedConfig; modules: LoadedModule[]; sources: ReadonlyMap<string, Setting> }
  | { print: string };

/** What holds for one setting, and where it comes from: a flag, a file, or nowhere. */
export interface Setting {
  value: unknown;
  source: string;
}

/** The flags that a configuration may set: by their names in it, and those of its limits. */
const flagKeys = [
  "model",
  "protocol",
  "mode",
  "lang",
  "system",
  "timeout",
  "sandbox",
  "tools",
  "mcp",
  "keep",
  "plain",
] as const;
const limitKeys = { maxTurns: "turns", maxTokens: "tokens", maxSeconds: "seconds", maxCost: "cost" } as const;

/**
 * Reads the arguments after the program's name, over what is configured, and imports the modules among them. Rejects with `UsageError` for
 * anything that can't be meant.
 */
export async function parseArguments(args: readonly string[], host: Host): Promise<ParsedArguments> {
  let print = "";
  // Modules bring options of their own.
  const given = [...host.tools, ...valuesOf(args, "--tools").map((file) => resolve(host.folder, file))];
  const known = await Promise.all(given.map(loadModule));
  const command = buildCommand(
    languageIn(args),
    host,
    known.flatMap(({ extension }) => extension ?? []),
  );
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
  const config = loadConfig({ file: typeof file === "string" ? file : undefined, none: file === false }, host);
  const sources = configure(command, config);
  type Flags = Omit<CliOptions, "messy" | "protocolGiven" | "limits" | "model" | "tools" | "mcp"> &
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
    project,
    tools = [],
    mcp = [],
    ...rest
  } = command.opts<
    Flags & { slip?: string; messy?: true; model?: string; config?: unknown; tools?: string[]; mcp?: string[] }
  >();
  delete rest.config;
  const files = (names: readonly string[]): string[] => names.map((name) => resolve(config.folder, name));
  const modules = await Promise.all([...host.tools, ...files(tools)].map(loadModule));
  const ownModel = modelOf(modules);
  const question = command.args.join(" ").trim();
  const options: CliOptions = {
    ...rest,
    messy: slip ?? messy,
    protocolGiven: command.getOptionValueSource("protocol") === "cli",
    limits: defined({ turns: maxTurns, tokens: maxTokens, seconds: maxSeconds, cost: maxCost }),
    ...(model !== undefined && model !== ownModel?.name && { model }),
    ...(system !== undefined && { system: flagged(command, "system") ? systemText(system, config.folder) : system }),
    ...(question !== "" && { question }),
    ...(project !== undefined && { project: project === false ? false : resolve(config.folder, project) }),
    tools: files(tools),
    mcp: files(mcp),
  };
  // It comes before a configured one: the module was asked for.
  if (ownModel !== undefined && !flagged(command, "model")) {
    delete options.model;
    sources.set("model", { value: ownModel.name, source: "default" });
  }
  check(options, modules);
  return { options, config, modules, sources };
}

/** Returns the model of the first module that has one. */
export const modelOf = (modules: readonly LoadedModule[]): ModuleModel | undefined =>
  modules.find(({ extension }) => extension?.model)?.extension?.model;

type LimitFlag = "maxTurns" | "maxTokens" | "maxSeconds" | "maxCost";

const flagged = (command: Command, name: string): boolean => command.getOptionValueSource(name) === "cli";

/** Puts what is configured where no flag was given; returns what holds then. */
function configure(command: Command, { values, origins }: LoadedConfig): Map<string, Setting> {
  // These are for a module's own model, or for no model at all.
  const withoutModel = ["messy", "slip", "replay", "tour"].some((name) => flagged(command, name));
  const sources = new Map<string, Setting>();
  const given = [
    ...flagKeys.map((name) => [name, values[name]] as const),
    ...Object.entries(limitKeys).map(([name, key]) => [name, values.limits?.[key]] as const),
  ];
  for (const [name, value] of given) {
    const isFlag = flagged(command, name);
    const isRead = !isFlag && value !== undefined && !(name === "model" && withoutModel);
    if (isRead) command.setOptionValueWithSource(name, value, "config");
    const holds = command.getOptionValue(name);
    const key = name.startsWith("max") ? "limits" : name;
    if (holds === undefined) continue;
    sources.set(name, { value: holds, source: isFlag ? "flag" : isRead ? (origins.get(key) ?? "") : "default" });
  }
  return sources;
}

function check(options: CliOptions, modules: readonly LoadedModule[]): void {
  const { model, baseUrl, protocol, replay, record, messy, question } = options;
  // A dialect that is not there.
  protocolOf(protocol, "en");
  checkRouter(options, modules);
  checkSession(options);
  if (options.resume !== undefined && (question !== undefined || replay !== undefined || record !== undefined))
    throw new UsageError("--resume takes up what was asked; leave out the question, --record and --replay.");
  if (options.tour && (question !== undefined || model !== undefined || options.session !== undefined))
    throw new UsageError(
      "The tour has questions and a model of its own: leave out the question, --model and --session.",
    );
  const ids = modelOf(modules)?.slips?.[protocol] ?? [];
  if (typeof messy === "string" && !ids.includes(messy))
    throw new UsageError(`With --protocol ${protocol} the slips are ${ids.join(", ")}; not ${messy}.`);
  if (options.attach !== undefined && (question === undefined || (model === undefined && modelOf(modules))))
    throw new UsageError("--attach goes with a question to a real model: --model NAME.");
  if (baseUrl !== undefined && model === undefined) throw new UsageError("--base-url needs --model NAME.");
  if (messy !== undefined && model !== undefined)
    throw new UsageError("--messy and --slip are for a module's own model; leave out --model.");
  if (replay === undefined) return;
  if (record !== undefined) throw new UsageError("Either --record or --replay, not both.");
  if (question !== undefined) throw new UsageError("--replay plays what was recorded; leave out the question.");
  if (model !== undefined || messy !== undefined)
    throw new UsageError("--replay calls no model; leave out --model, --messy and --slip.");
}

function checkSession({ session, mode, resume, replay, record, continue: goesOn }: CliOptions): void {
  if (session === undefined && !goesOn) return;
  if (session !== undefined) checkSessionName(session);
  const flag = goesOn ? "--continue" : "--session";
  if (goesOn && session !== undefined) throw new UsageError("Either --continue or --session NAME, not both.");
  if (mode !== "loop") throw new UsageError(`${flag} keeps a conversation: use --mode loop.`);
  if (resume !== undefined || replay !== undefined || record !== undefined)
    throw new UsageError(`${flag} keeps a conversation by itself; leave out --resume, --replay and --record.`);
}

function checkRouter(
  { protocol, router, token, replay, resume, mcp }: CliOptions,
  modules: readonly LoadedModule[],
): void {
  if (router !== undefined && ((!protocol.startsWith("trp") && resume === undefined) || replay !== undefined))
    throw new UsageError("--router needs --protocol trp, and nothing is called in a replay.");
  if (router !== undefined && !/^(?:http|ws)s?:\/\//i.test(router))
    throw new UsageError(`--router must begin with http://, https://, ws:// or wss://, not "${router}".`);
  if (router !== undefined && (mcp.length > 0 || modules.some(({ extension }) => extension === undefined)))
    throw new UsageError("At a running router the tools are the router's: leave out --tools and --mcp.");
  if (token !== undefined && router === undefined) throw new UsageError("--token needs --router URL.");
}
