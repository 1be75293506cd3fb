import type { AskValue } from "@toolglot/secrets";
import { type Attachment, filesIn, readAttachment } from "../chat/attachments.ts";
import type { ChatHost } from "../chat/commands.ts";
import { configFolder } from "../config/load-config.ts";
import type { Host } from "../host.ts";
import { type ChosenModel, chosenModel } from "../models/chosen-model.ts";
import { dataFolderOf, openModules } from "../modules/load-module.ts";
import type { ModuleExtension } from "../modules/module.ts";
import { dropPrograms } from "../programs/program-book.ts";
import { userFolder } from "../project/user-folder.ts";
import { dropSessions, sessionsPath } from "../sessions/session-names.ts";
import { jsonView } from "../view/json-view.ts";
import type { RunView } from "../view/run-view.ts";
import { TerminalView } from "../view/terminal-view.ts";
import { visible } from "../view/visible.ts";
import { wrapped } from "../view/wrap.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { offerOf } from "./agent-options.ts";
import { Allowed } from "./approve.ts";
import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { Interrupts } from "./interrupts.ts";
import { KeptPermissions } from "./kept-permissions.ts";
import { type CliOptions, modelOf, type ParsedArguments, parseArguments } from "./options.ts";
import { languageOfVariables } from "./protocol-names.ts";
import { protocolOf } from "./protocols.ts";
import { openRecord, playRecord, readRecord } from "./record.ts";
import { Session, type SessionOptions } from "./session.ts";
import { withPrompt } from "./show-prompt.ts";
import { pipedIn } from "./standard-input.ts";
import { hostTerminal, type Terminal } from "./terminal.ts";
import { tour } from "./tour.ts";
import { UsageError } from "./usage-error.ts";

type Asked = Extract<ParsedArguments, { options: unknown }>;

/** Runs a conversation: a question, a chat, a tour, a replay, or a program that waits. Resolves with the exit code. */
export async function conversation(args: readonly string[], host: Host): Promise<number> {
  const parsed = await parseArguments(args, host);
  if ("print" in parsed) {
    host.stdout.write(parsed.print);
    return exitCodes.answered;
  }
  const interrupts = new Interrupts((code) => host.exit(code));
  const stopListening = interrupts.listen(host.signals);
  try {
    return await runWith(parsed, host, interrupts);
  } finally {
    stopListening();
  }
}

async function runWith(
  { options: asked, config, modules }: Asked,
  host: Host,
  interrupts: Interrupts,
): Promise<number> {
  const extensions = modules.flatMap(({ extension }) => extension ?? []);
  const own = modelOf(modules);
  const data = dataFolderOf(asked.dataDir, modules, host.env);
  const words = wordsFor(asked.lang, host.command);
  const terminal = hostTerminal(host, asked.json, asked.plain);
  const { note } = terminal;
  if (asked.replay !== undefined) {
    const recordings = readRecord(asked.replay);
    sayHead(asked, terminal, [`${words.replayOf} ${asked.replay}`], extensions);
    return playRecord(recordings, viewFor(asked, terminal, words));
  }
  // A wrong model is to be known before anything is made.
  const choose: ChatHost["choose"] = (options) =>
    chosenModel(options, config, words, (reason) => note(`${words.again(reason)}\n`));
  const real = await choose(asked);
  const showsPrompt = asked.showPrompt && asked.question === undefined;
  if (real === undefined && own === undefined && !showsPrompt) {
    host.stderr.write(`${words.model.none(`${configFolder(host.env)}/config.toml`)}\n`);
    return exitCodes.unconfigured;
  }
  const asksNothing = asked.resume !== undefined || showsPrompt || asked.tour;
  const reader = { ownModel: real === undefined ? own?.label[asked.lang ?? "en"] : undefined, words, note };
  const piped = asksNothing ? undefined : await pipedIn(host.stdin, { question: asked.question, ...reader });
  const options: CliOptions = { ...asked, ...(piped && "question" in piped && { question: piped.question }) };
  const opened = openModules(modules, data, options.reset);
  for (const { fresh } of opened) if (fresh) note(`${words.dataMade(data)}\n`);
  if (options.reset) {
    dropPrograms(data);
    dropSessions(data);
  }
  const permissions = new KeptPermissions(configFolder(host.env));
  const isOwnFolder = !opened.some(({ project }) => project) && !showsPrompt;
  const folder = isOwnFolder ? await userFolder(options, { data, permissions, terminal, words, host }) : undefined;
  Object.assign(options, await keptConversation(options, { data, host, extensions: extensions.length, words }));
  const session = new Session(
    { folder: data, modules: opened, env: host.env, ...(folder && { project: folder.project }) },
    sessionOptions(options, { words, terminal, real, host }),
  );
  const record = options.record === undefined ? undefined : openRecord(options.record);
  try {
    // A program is resumed in its own protocol.
    const what = options.resume === undefined ? [options.protocol, options.mode] : ["resume"];
    const who = real?.label ?? own?.label[options.lang ?? "en"] ?? [];
    sayHead(options, terminal, [who, what, folder?.project.folder ?? []].flat(), extensions);
    if (options.mcp.length > 0) {
      const { addMcpServers } = await import("../modules/add-mcp.ts");
      await addMcpServers(session, options.mcp, config, (text) => note(`${visible(text)}\n`));
    }
    if (showsPrompt) {
      terminal.out(`${await instructions(options, session)}\n`);
      return exitCodes.answered;
    }
    const shared = { terminal, session, interrupts, record, permissions, words, host, allowed: new Allowed() };
    const contextOf: ChatHost["contextOf"] = (changed, chosen) => ({
      ...shared,
      ...contextFor(changed, { terminal, words, own }, chosen),
      ...(folder?.instructions !== undefined && { instructions: folder.instructions }),
    });
    const stops = extensions.find((one) => one.tour);
    return await converse(options, real, piped && "attachment" in piped ? [piped.attachment] : [], {
      ...{ config, choose, contextOf, words, data, host, own },
      ...(stops && { tour: (changed, chosen) => tour((stop) => contextOf(stop, chosen), changed, stops) }),
    });
  } finally {
    record?.close();
    await session.dispose();
  }
}

/** Where the conversation is kept, and in which protocol it began: a session is taken up in its own one, where no other was asked for. */
async function keptConversation(
  options: CliOptions,
  { data, host, extensions, words }: { data: string; host: Host; extensions: number; words: Words },
): Promise<Partial<CliOptions>> {
  const { session, protocolGiven, reset, keep, mode, record, resume, showPrompt, question } = options;
  const { ConversationBook, lastSessionOf, newSessionName } = await import("../sessions/conversation-book.ts");
  const folder = sessionsPath(data);
  const taken = options.continue ? lastSessionOf(folder, host.folder) : session;
  if (options.continue && taken === undefined) throw new UsageError(words.sessions.noneHere(host.folder));
  if (taken !== undefined) {
    const { protocol } = protocolGiven || reset ? {} : new ConversationBook(folder, taken);
    return { session: taken, ...(protocol && { protocol }) };
  }
  // A module with data of its own shows something: its conversations are kept under names alone.
  const isKept = keep && extensions === 0 && mode === "loop" && record === undefined && resume === undefined;
  return isKept && !(showPrompt && question === undefined) ? { session: newSessionName(folder) } : {};
}

function sessionOptions(
  options: CliOptions,
  { words, terminal, real, host }: { words: Words; terminal: Terminal; real: ChosenModel | undefined; host: Host },
): SessionOptions {
  return {
    ...(options.sandbox && { sandbox: options.sandbox }),
    words,
    lang: options.lang,
    // A module's own model needs one program for a question, nearly always.
    ahead: options.question === undefined || real !== undefined,
    router: { url: options.router, token: options.token },
    ...valueAsking(options, terminal),
    session: options.session,
    startFolder: host.folder,
    asks: options.yes || terminal.prompt !== undefined,
    // In the tour nobody is there to be asked: what a module's own model runs in its project is known, what a real model does is not.
    commands: options.question === undefined && !terminal.interactive && real === undefined ? "allow" : "ask",
  };
}

/** Who is asked for values: a person at a terminal. In a tour without one, the tour has set what its stops need. */
function valueAsking(
  { question, lang }: CliOptions,
  { prompt }: Terminal,
): Pick<SessionOptions, "askValue" | "interactive"> {
  if (prompt !== undefined) {
    const askValue: AskValue = async (request, context) =>
      (await import("@toolglot/secrets")).terminalAskValue(lang && { locale: lang })(request, context);
    return { interactive: true, askValue };
  }
  if (question !== undefined) return {};
  return { askValue: async ({ known }) => (known === "session" ? { use: "known" } : undefined) };
}

async function converse(
  options: CliOptions,
  real: ChosenModel | undefined,
  piped: readonly Attachment[],
  host: ChatHost,
): Promise<number> {
  const context = host.contextOf(options, real);
  if (options.resume !== undefined) {
    const id = options.resume === true ? undefined : options.resume;
    return (await (await import("./go-on.ts")).goOn(id, options, (own) => host.contextOf(own, real))).code;
  }
  // A session that can't be taken up is to be known before anything is asked.
  const kept = await context.session.kept();
  const language = languageOfVariables(options.protocol);
  if (language && kept?.keepsVariables) await kept.variables(language);
  if (options.question !== undefined) {
    const noFile = (path: string): void => context.terminal.note(`${host.words.chat.noFile(visible(path))}\n`);
    const { folder } = host.config;
    const attached =
      real === undefined
        ? []
        : [
            ...piped,
            ...(options.attach ?? []).map((path) => readAttachment(path, folder)),
            ...filesIn(options.question, folder, noFile),
          ];
    const result = await ask(options.question, context, { history: kept?.book.messages ?? [], attached });
    return exitCodeOf(result, context.declined.message !== undefined);
  }
  const { interactive } = context.terminal;
  if (interactive && !options.tour) return (await import("../chat/chat.ts")).chat(host, options, real);
  if (host.tour === undefined || (!options.tour && (real !== undefined || options.session !== undefined)))
    throw new UsageError(host.words.piped.none);
  return host.tour(options, real);
}

function contextFor(
  options: CliOptions,
  { terminal, words, own }: { terminal: Terminal; words: Words; own: ReturnType<typeof modelOf> },
  real: ChosenModel | undefined,
): Pick<AskContext, "options" | "declined" | "view" | "currency" | "agent"> {
  const declined: AskContext["declined"] = {};
  const { messy, question } = options;
  // One question makes one slip; which one follows from its text, so that different questions show different slips.
  const slip =
    messy === true ? [...(question ?? "")].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) : messy;
  const model =
    real?.agent.model ??
    own?.create({
      ...(slip !== undefined && { slip }),
      delayMs: terminal.interactive ? 8 : 0,
      onDecline: (message) => {
        declined.message = message;
      },
    });
  if (model === undefined) throw new UsageError(words.model.none("config.toml"));
  return {
    options,
    declined,
    view: viewFor(options, terminal, words),
    currency: real?.currency,
    agent: { ...real?.agent, model },
  };
}

function viewFor({ json, showPrompt }: CliOptions, { screen, out }: Terminal, words: Words): RunView {
  if (json) return jsonView(out);
  const view = new TerminalView(screen, words);
  return showPrompt ? withPrompt(view, screen) : view;
}

/** Returns the instructions for the model, before any question. */
async function instructions({ protocol, lang, mode, session: name }: CliOptions, session: Session): Promise<string> {
  const locale = lang ?? "en";
  const { tools } = await offerOf(protocol, locale, session);
  const made = protocolOf(protocol, locale, name !== undefined);
  const text = made.instructions(tools(), { locale, mode });
  if (!made.declaresTools) return text;
  return JSON.stringify(
    tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    null,
    2,
  );
}

/** Writes what was started, before anything else on standard output. */
function sayHead(
  { json }: CliOptions,
  { screen, out }: Terminal,
  facts: readonly string[],
  extensions: readonly ModuleExtension[],
): void {
  if (json) return;
  const name = ["toolglot", ...extensions.map((one) => one.name)].join(" ");
  const text = wrapped([name, ...facts.map(visible)].join(" · "), screen.columns());
  out(`${screen.style.strong(name)}${screen.style.dim(text.slice(name.length))}\n\n`);
}
