import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Message, messageText, requiresApproval } from "@toolglot/core";
import { offerOf } from "../cli/agent-options.ts";
import type { AskContext } from "../cli/ask.ts";
import { goOn } from "../cli/go-on.ts";
import type { CliOptions } from "../cli/options.ts";
import { isProtocol, languageOfVariables, protocolNames } from "../cli/protocol-names.ts";
import { protocolOf, typedProtocols } from "../cli/protocols.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { systemText } from "../config/read-config.ts";
import type { Host } from "../host.ts";
import type { ChosenModel } from "../models/chosen-model.ts";
import { listModels } from "../models/list-models.ts";
import type { ModuleModel } from "../modules/module.ts";
import { newSessionName } from "../sessions/conversation-book.ts";
import { openSessionFolder, sessionNames } from "../sessions/session-folder.ts";
import { checkSessionName, isAutomatic, sessionsPath } from "../sessions/session-names.ts";
import { visible } from "../view/visible.ts";
import { wrapped } from "../view/wrap.ts";
import type { Words } from "../words/index.ts";
import { type Attachment, readAttachment } from "./attachments.ts";
import { saveConversation } from "./save.ts";
import { type UsageTotals, usageText } from "./usage.ts";

/** What a chat needs from the command line around it. */
export interface ChatHost {
  config: LoadedConfig;
  words: Words;
  /** The data folder. */
  data: string;
  host: Host;
  /** A module's own model. */
  own: ModuleModel | undefined;
  /** The model that options ask for; undefined for a module's own. Rejects with `UsageError`. */
  choose(options: CliOptions): Promise<ChosenModel | undefined>;
  contextOf(options: CliOptions, chosen: ChosenModel | undefined): AskContext;
  tour?(options: CliOptions, chosen: ChosenModel | undefined): Promise<number>;
}

/** A chat under way. */
export interface Chat {
  host: ChatHost;
  options: CliOptions;
  chosen: ChosenModel | undefined;
  context: AskContext;
  /** The conversation, without instructions. */
  history: Message[];
  /** How long the conversation was before each question of this chat. */
  starts: number[];
  /** For the next question. */
  attached: Attachment[];
  totals: UsageTotals;
}

/** `leave` ends the chat; `ask`: the model is to see the line, too. */
type Next = "leave" | "ask" | undefined;
type Run = (chat: Chat, argument: string) => Next | Promise<Next>;

const say = ({ context: { terminal } }: Chat, text: string): undefined => {
  const { write, columns, style } = terminal.screen;
  write(`${style.dim(wrapped(visible(text), columns()))}\n\n`);
};

const words = ({ host }: Chat): Words["chat"] => host.words.chat;

const shownModel = ({ chosen, host }: Chat): string => chosen?.label ?? host.own?.name ?? "–";

/** Continues with other options, or another model. */
function change(chat: Chat, options: CliOptions, chosen: ChosenModel | undefined): void {
  chat.options = options;
  chat.chosen = chosen;
  chat.context = chat.host.contextOf(options, chosen);
}

const runs = {
  help(chat) {
    const { commands, keys } = words(chat);
    const shown = commandNames(chat.host).map((name) => [`/${name} ${commands[name][0]}`.trim(), commands[name][1]]);
    const width = Math.max(...shown.map(([head = ""]) => head.length));
    say(chat, `${shown.map(([head = "", does]) => `${head.padEnd(width)}  ${does}`).join("\n")}\n${keys}`);
    // A module's own model knows what it can do; another need not.
    return chat.chosen === undefined ? "ask" : undefined;
  },
  async tour({ host, options, chosen }) {
    await host.tour?.(options, chosen);
    return undefined;
  },
  async tools(chat) {
    const { session, permissions } = chat.context;
    const { tools } = await offerOf(chat.options.protocol, chat.options.lang ?? "en", session);
    const lines = tools().map((tool) => {
      const { from, label } = session.origins.get(tool.name) ?? {};
      const facts = [
        label,
        requiresApproval(tool) ? words(chat).asksFirst : undefined,
        from !== undefined && permissions.has({ tool: tool.name, from }) ? words(chat).allowed : undefined,
      ].filter(Boolean);
      return `${tool.name}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}: ${tool.description.split("\n")[0]}`;
    });
    return say(chat, lines.join("\n"));
  },
  async model(chat, name) {
    if (name === "") return say(chat, await modelText(chat));
    const { baseUrl, messy: _, model: __, ...rest } = chat.options;
    const options: CliOptions = { ...rest, messy: undefined, ...(name !== chat.host.own?.name && { model: name }) };
    // A name that is known nowhere is one of the same server: of a provider, or at the URL of the command line.
    const provider = chat.chosen?.server.provider;
    const there =
      provider === undefined ? baseUrl && { ...options, baseUrl } : { ...options, model: `${provider}:${name}` };
    try {
      change(chat, options, await chat.host.choose(options));
    } catch (error) {
      if (!(error instanceof UsageError) || !there) throw error;
      change(chat, there, await chat.host.choose(there));
    }
    return say(chat, words(chat).model(shownModel(chat)));
  },
  protocol(chat, name) {
    if (name !== "") {
      if (!isProtocol(name)) return say(chat, words(chat).there(protocolNames.join(", ")));
      try {
        protocolOf(name, "en");
      } catch (error) {
        return say(chat, (error as Error).message);
      }
      change(chat, { ...chat.options, protocol: name, messy: undefined }, chat.chosen);
    }
    const more = name === "" ? ` ${words(chat).there(protocolNames.join(", "))}` : "";
    return say(chat, words(chat).protocol(chat.options.protocol) + more);
  },
  system(chat, text) {
    const { system: _, ...rest } = chat.options;
    if (text === "off") change(chat, rest, chat.chosen);
    else if (text !== "") change(chat, { ...rest, system: systemText(text, chat.host.config.folder) }, chat.chosen);
    return say(chat, words(chat).system(chat.options.system));
  },
  attach(chat, argument) {
    if (chat.chosen === undefined) return say(chat, words(chat).noFiles(shownModel(chat)));
    const paths = [...argument.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, bare = ""]) => quoted ?? bare);
    if (paths.length === 0) return say(chat, words(chat).attachWhat);
    chat.attached.push(...paths.map((path) => readAttachment(path, chat.host.config.folder)));
    return say(chat, words(chat).attached(chat.attached.map(({ name }) => name).join(", ")));
  },
  usage(chat) {
    const { questions, turns, usage, costs } = chat.totals;
    const { usage: head, notCounted } = words(chat);
    return say(chat, `${head(questions, turns)}\n${usageText(usage, costs, words(chat)) ?? notCounted}`);
  },
  async undo(chat) {
    const kept = await chat.context.session.kept();
    const asked = chat.history.findLast(({ role, trust }) => role === "user" && trust === "user");
    const start = chat.starts.pop();
    if (asked === undefined || (start === undefined && kept === undefined)) return say(chat, words(chat).nothingToUndo);
    if (kept) {
      await kept.takeBack(1);
      chat.history = kept.book.messages;
    } else chat.history = chat.history.slice(0, start);
    return say(chat, `${words(chat).undone(messageText(asked))}\n${words(chat).changedFiles}`);
  },
  async clear(chat) {
    const { session } = chat.options;
    if (session !== undefined && !isAutomatic(session)) return say(chat, words(chat).clearKept(session));
    chat.history = [];
    chat.starts = [];
    if (session !== undefined) await keepIn(chat, newSessionName(sessionsPath(chat.host.data)));
    chat.attached = [];
    return say(chat, words(chat).cleared);
  },
  async session(chat, name) {
    if (name !== "") await keepIn(chat, name === "off" ? undefined : name);
    const kept = await chat.context.session.kept();
    const names = await sessionNames(openSessionFolder(chat.host.data));
    const { session, noSession, there } = words(chat);
    const more = name === "" && names.length > 0 ? `\n${there(names.join(", "))}` : "";
    return say(chat, (kept ? session(kept.name, kept.book.questions.length) : noSession) + more);
  },
  save(chat, name) {
    if (name === "") return say(chat, words(chat).saveWhere);
    const file = resolve(chat.host.config.folder, name);
    saveConversation(file, chat.history);
    return say(chat, words(chat).saved(file));
  },
  async resume(chat, id) {
    const { messages } = await goOn(id === "" ? undefined : id, chat.options, (options) =>
      chat.host.contextOf(options, chat.chosen),
    );
    if (messages) chat.history = messages.filter(({ role }) => role !== "system");
    return undefined;
  },
  exit: () => "leave",
} satisfies Record<string, Run>;

/** Returns which model answers, which are configured, and which its server offers. */
async function modelText(chat: Chat): Promise<string> {
  const { model, models, offered, notOffered } = words(chat);
  const names = Object.keys(chat.host.config.values.models ?? {});
  const lines = [model(shownModel(chat)), models(names.length === 0 ? "–" : names.join(", "))];
  const server = chat.chosen?.server;
  if (server !== undefined) {
    const listed = await listModels(server);
    const { baseUrl } = server;
    lines.push("models" in listed ? offered(baseUrl, listed.models.join(", ")) : notOffered(baseUrl, listed.problem));
  }
  return lines.join("\n");
}

/** Takes up a session and its conversation, or keeps this one in a new session, with what was said so far. */
async function keepIn(chat: Chat, name: string | undefined): Promise<void> {
  const { session: before, ...rest } = chat.options;
  if (name !== undefined) checkSessionName(name);
  const { session } = chat.context;
  await session.keepIn(name);
  try {
    const kept = await session.kept();
    const protocol = kept?.book.protocol ?? rest.protocol;
    const options = { ...rest, protocol, ...(name !== undefined && { session: name, mode: "loop" as const }) };
    const language = languageOfVariables(protocol);
    if (language && kept?.keepsVariables) await kept.variables(language);
    change(chat, options, chat.chosen);
    if (!kept) return;
    if (kept.book.isNew) {
      for (const end of [...chat.starts.slice(1), chat.history.length])
        if (end > 0) await kept.keep(chat.history.slice(0, end), protocol);
    } else chat.history = kept.book.messages;
    chat.starts = [];
  } catch (error) {
    await session.keepIn(before);
    throw error;
  }
}

/** The commands of a chat. */
export type CommandName = keyof typeof runs;

/** Returns the commands that there are: a tour only where a module brings one. */
export const commandNames = ({ tour }: Pick<ChatHost, "tour">): CommandName[] =>
  (Object.keys(runs) as CommandName[]).filter((name) => name !== "tour" || tour !== undefined);

/** Runs a command. Writes what went wrong, and the chat continues. */
export async function runCommandOf(chat: Chat, name: CommandName, argument: string): Promise<Next> {
  try {
    return await (runs[name] as Run)(chat, argument);
  } catch (error) {
    const { write, style } = chat.context.terminal.screen;
    write(`${style.warn(visible((error as Error).message))}\n\n`);
    return undefined;
  }
}

/** Returns what a line asks of the command line itself; `none`: it is for the model. */
export function commandOf(
  line: string,
  names: readonly CommandName[],
  leaving: readonly string[],
): { name: CommandName | "unknown" | "none"; argument: string } {
  const word = line.toLowerCase();
  if (["exit", "quit", "bye", "/quit", ...leaving].includes(word)) return { name: "exit", argument: "" };
  if (["help", "/?", "?", "帮助"].includes(word)) return { name: "help", argument: "" };
  // A path may begin with a slash, too.
  const [, given, argument = ""] = /^\/([\p{L}?]+)(?:\s+([\s\S]*))?$/u.exec(line) ?? [];
  if (given === undefined) return { name: "none", argument: "" };
  const name = names.find((one) => one === given);
  return { name: name ?? "unknown", argument: argument.trim() };
}

/** Returns what the end of a line may continue to: a command, a protocol, or a file after `@`. For an editor of lines. */
export function completionsOf(line: string, folder: string, names: readonly CommandName[]): [string[], string] {
  if (/^\/\p{L}*$/u.test(line)) return [names.map((name) => `/${name} `).filter((name) => name.startsWith(line)), line];
  const protocol = /^\/protocol\s+(\S*)$/.exec(line)?.[1];
  if (protocol !== undefined) return [typedProtocols.filter((name) => name.startsWith(protocol)), protocol];
  const path = /(?:^|\s)@([^\s"]*)$/.exec(line)?.[1] ?? /^\/(?:attach|save)\s+(?:.*\s)?([^\s"]*)$/.exec(line)?.[1];
  if (path === undefined) return [[], line];
  const above = path.endsWith("/") ? path : dirname(path);
  const start = path.endsWith("/") ? "" : basename(path);
  try {
    const entries = readdirSync(resolve(folder, above), { withFileTypes: true });
    const found = entries.filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")));
    const shown = found.map((entry) => `${join(above, entry.name)}${entry.isDirectory() ? "/" : ""}`);
    return [shown.map((name) => (path.startsWith("./") ? `./${name}` : name)), path];
  } catch {
    return [[], path];
  }
}
