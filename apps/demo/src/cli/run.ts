import type { Model } from "@toolglot/core";
import type { AskValue } from "@toolglot/secrets";
import { type Attachment, filesIn, readAttachment } from "../chat/attachments.ts";
import type { ChatHost } from "../chat/commands.ts";
import { chatWords } from "../chat/words.ts";
import { dataFolder } from "../data/folder.ts";
import { openStore } from "../data/store.ts";
import { type ChosenModel, chosenModel } from "../models/chosen-model.ts";
import { createPlanner } from "../planner/planner.ts";
import { dropPrograms } from "../programs/program-book.ts";
import { openProject } from "../project/scratch-project.ts";
import { dropSessions, sessionsPath } from "../sessions/session-folder.ts";
import { jsonView } from "../view/json-view.ts";
import type { RunView } from "../view/run-view.ts";
import { TerminalView } from "../view/terminal-view.ts";
import { visible } from "../view/visible.ts";
import { wrapped } from "../view/wrap.ts";
import { Allowed } from "./approve.ts";
import { type AskContext, ask } from "./ask.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { Interrupts } from "./interrupts.ts";
import { KeptPermissions } from "./kept-permissions.ts";
import { type DemoOptions, type ParsedArguments, parseArguments } from "./options.ts";
import { languageOfVariables, protocolOf } from "./protocols.ts";
import { openRecord, playRecord, readRecord } from "./record.ts";
import { offerOf, openSession, type Session, type SessionOptions } from "./session.ts";
import { withPrompt } from "./show-prompt.ts";
import { noQuestion, pipedIn } from "./standard-input.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import { tour } from "./tour.ts";
import { UsageError } from "./usage-error.ts";
import { wordsFor } from "./words.ts";

type Asked = Extract<ParsedArguments, { options: unknown }>;
type Subcommand = (args: readonly string[]) => Promise<number>;
/** Each is loaded when it is asked for: a start loads what it uses. */
const subcommands: ReadonlyMap<string, () => Promise<Subcommand>> = new Map([
  ["config", async () => (await import("../config/config-command.ts")).configCommand],
  ["models", async () => (await import("../models/models-command.ts")).modelsCommand],
  ["parse", async () => (await import("../parse/parse-command.ts")).parseCommand],
  ["tools", async () => (await import("../tools-command/tools-command.ts")).toolsCommand],
  ["router", async () => (await import("../router/router-command.ts")).routerCommand],
  ["approvals", async () => (await import("../router/approvals-command.ts")).approvalsCommand],
  ["audit", async () => (await import("../router/audit-command.ts")).auditCommand],
  ["sessions", async () => (await import("../sessions/sessions-command.ts")).sessionsCommand],
  ["undo", async () => (await import("../project/undo-command.ts")).undoCommand],
  ["var", async () => (await import("../var/var-command.ts")).varCommand],
]);

/** Runs the demo with the arguments after its name, and gives its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const subcommand = subcommands.get(args[0] ?? "");
    if (subcommand) return await (await subcommand())(args.slice(1));
    const [first = "", ...rest] = args;
    const parsed = parseArguments(["resume", "tour"].includes(first) ? [`--${first}`, ...rest] : args);
    if ("print" in parsed) {
      process.stdout.write(parsed.print);
      return exitCodes.answered;
    }
    const interrupts = new Interrupts((code) => process.exit(code));
    const hearNoMore = interrupts.listen();
    try {
      return await runWith(parsed, interrupts);
    } finally {
      hearNoMore();
    }
  } catch (error) {
    const { message } = error as Error;
    const usage = error instanceof UsageError;
    process.stderr.write(`${usage ? `${message}\nnpm run demo -- --help shows all options.` : message}\n`);
    return usage ? exitCodes.usage : exitCodes.error;
  }
}

async function runWith({ options: asked, config }: Asked, interrupts: Interrupts): Promise<number> {
  const options: DemoOptions = { ...asked, ...(await protocolOfSession(asked)) };
  const terminal = processTerminal(options.json, options.plain);
  const head = (): void => {
    if (!options.json) terminal.out(`${header(options, terminal)}\n\n`);
  };
  if (options.replay !== undefined) {
    const recordings = readRecord(options.replay);
    head();
    return playRecord(recordings, viewFor(options, terminal));
  }
  // A wrong model is to be known before anything is made.
  const words = wordsFor(options.lang);
  const choose: ChatHost["choose"] = (own) =>
    chosenModel(own, config, (reason) => terminal.note(`${words.again(reason)}\n`));
  const real = await choose(options);
  const asksNothing = options.resume !== undefined || (options.showPrompt && options.question === undefined);
  const { note } = terminal;
  const piped =
    asksNothing || options.tour
      ? undefined
      : await pipedIn({ question: options.question, isReal: real !== undefined, lang: options.lang, note });
  if (piped && "question" in piped) options.question = piped.question;
  const store = openStore(dataFolder(options.dataDir), { reset: options.reset });
  if (store.fresh) terminal.note(`${words.dataMade(store.folder)}\n`);
  if (options.reset) {
    openProject(store.folder, { reset: true });
    dropPrograms(store.folder);
    dropSessions(store.folder);
  }
  const session = openSession(store, {
    ...(options.sandbox && { sandbox: options.sandbox }),
    words,
    lang: options.lang,
    // The planner needs one program for a question, nearly always.
    ahead: options.question === undefined || real !== undefined,
    router: { url: options.router, token: options.token },
    ...valueAsking(options, terminal),
    session: options.session,
    shop: options.shop,
    asks: options.yes || terminal.promptOutput !== undefined,
    // In the tour nobody is there to be asked: what the planner runs in its copy of the project is known, what a real model does is not.
    commands: options.question === undefined && !terminal.interactive && real === undefined ? "allow" : "ask",
  });
  const allowed = new Allowed();
  const permissions = new KeptPermissions();
  const record = options.record === undefined ? undefined : openRecord(options.record);
  try {
    head();
    const { tools: modules, mcp: mcpFiles } = options;
    if (modules.length + mcpFiles.length > 0) {
      const { addOwnTools } = await import("../own-tools/add-tools.ts");
      await addOwnTools(session, { modules, mcpFiles, config }, (text) => terminal.note(`${visible(text)}\n`));
    }
    if (options.showPrompt && options.question === undefined) {
      terminal.out(`${await instructions(options, session)}\n`);
      return exitCodes.answered;
    }
    const contextOf: ChatHost["contextOf"] = (own, chosen) =>
      contextFor(own, { terminal, session, interrupts, record, allowed, permissions }, chosen);
    const attached = piped && "attachment" in piped ? [piped.attachment] : [];
    return await converse(options, real, attached, {
      config,
      choose,
      contextOf,
      tour: (own, chosen) => tour((stop) => contextOf(stop, chosen), own, own.json),
    });
  } finally {
    record?.close();
    await session.dispose();
  }
}

/** A session goes on in its own protocol, where no other was asked for. */
async function protocolOfSession({
  session,
  protocolGiven,
  dataDir,
  reset,
}: DemoOptions): Promise<Partial<DemoOptions>> {
  if (session === undefined || protocolGiven || reset) return {};
  const { ConversationBook } = await import("../sessions/conversation-book.ts");
  const { protocol } = new ConversationBook(sessionsPath(dataFolder(dataDir)), session);
  return protocol === undefined ? {} : { protocol };
}

/** Who is asked for values: a person at a terminal. In a tour without one, the tour has set what its stops need. */
function valueAsking(
  { question, lang }: DemoOptions,
  { promptOutput }: Terminal,
): Pick<SessionOptions, "askValue" | "interactive"> {
  if (promptOutput !== undefined) {
    const askValue: AskValue = async (request, context) =>
      (await import("@toolglot/secrets")).terminalAskValue(lang && { locale: lang })(request, context);
    return { interactive: true, askValue };
  }
  if (question !== undefined) return {};
  return { askValue: async ({ known }) => (known === "session" ? { use: "known" } : undefined) };
}

async function converse(
  options: DemoOptions,
  real: ChosenModel | undefined,
  piped: readonly Attachment[],
  host: ChatHost,
): Promise<number> {
  const context = host.contextOf(options, real);
  if (options.resume !== undefined) {
    const id = options.resume === true ? undefined : options.resume;
    return (await (await import("./go-on.ts")).goOn(id, options, (own) => host.contextOf(own, real))).code;
  }
  // A session that can't be gone on with is to be known before anything is asked.
  const kept = await context.session.kept();
  const language = languageOfVariables(options.protocol);
  if (language) await kept?.variables(language);
  if (options.question !== undefined) {
    const noFile = (path: string): void => context.terminal.note(`${chatWords(options.lang).noFile(visible(path))}\n`);
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
  if (kept && !context.terminal.interactive)
    throw new UsageError("--session needs a question, or a terminal to chat at.");
  if (context.terminal.interactive && !options.tour) return (await import("../chat/chat.ts")).chat(host, options, real);
  if (real !== undefined) throw new UsageError(noQuestion(options.lang));
  return host.tour(options, real);
}

function contextFor(
  options: DemoOptions,
  shared: Pick<AskContext, "terminal" | "session" | "interrupts" | "record" | "allowed" | "permissions">,
  real: ChosenModel | undefined,
): AskContext {
  const declined: AskContext["declined"] = {};
  return {
    ...shared,
    options,
    declined,
    view: viewFor(options, shared.terminal),
    currency: real?.currency,
    agent: real?.agent ?? { model: planner(options, shared.terminal, declined) },
  };
}

function viewFor({ json, showPrompt, lang }: DemoOptions, { screen, out }: Terminal): RunView {
  if (json) return jsonView(out);
  const view = new TerminalView(screen, wordsFor(lang));
  return showPrompt ? withPrompt(view, screen) : view;
}

/** The instructions for the model, before any question. */
async function instructions({ protocol, lang, mode, session: name }: DemoOptions, session: Session): Promise<string> {
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

function planner({ messy, question }: DemoOptions, { interactive }: Terminal, declined: AskContext["declined"]): Model {
  // One question makes one slip; which one follows from its text, so that different questions show different slips.
  const turn =
    messy === true ? [...(question ?? "")].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) : messy;
  return createPlanner({
    ...(turn !== undefined && { messy: turn }),
    delayMs: interactive ? 8 : 0,
    onDecline: (message) => {
      declined.message = message;
    },
  });
}

function header({ model, protocol, mode, replay, resume, lang }: DemoOptions, { screen }: Terminal): string {
  const words = wordsFor(lang);
  const who = model ?? words.planner;
  // A program goes on in its own protocol.
  const what = resume === undefined ? [who, protocol, mode] : [who, "resume"];
  const told = replay === undefined ? what : [`${words.replayOf} ${replay}`];
  const name = "toolglot demo";
  const text = wrapped([name, ...told].join(" · "), screen.columns());
  return `${screen.style.strong(name)}${screen.style.dim(text.slice(name.length))}`;
}
