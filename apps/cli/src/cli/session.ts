import type { AgentEvent, AgentOptions, ApproveCallback } from "@toolglot/agent";
import type { AnyTool, Executor, Locale, ProgramLanguage, ProtocolMode, ToolDefinition } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import type { LocalTools } from "@toolglot/local-tools";
import { createSandbox, type DurableExecutorOptions, type Sandbox, sandboxExecutor } from "@toolglot/sandbox";
import type { AskValue } from "@toolglot/secrets";
import { type TaskEvent, Tasks, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import type { OpenedModule } from "../modules/load-module.ts";
import type { Project } from "../modules/module.ts";
import { ProgramBook } from "../programs/program-book.ts";
import type { CommandConsent, SandboxChoice } from "../project/open-local.ts";
import type { ProjectSecrets } from "../project/project-secrets.ts";
import type { TrpLink, TrpOptions } from "../router/trp-link.ts";
import type { KeptSession } from "../sessions/kept-session.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { languageOfVariables, type ProtocolName } from "./protocol-names.ts";
import { protocolOf } from "./protocols.ts";
import { UsageError } from "./usage-error.ts";

/** Where a tool comes from. */
export interface ToolOrigin {
  /** A module's name or path, or an MCP server with what starts it. */
  from: string;
  /** The same in short; absent for a module with a name. */
  label?: string;
  /** Nobody said whether it destroys something, so it is asked about as if it did. */
  isUnstated?: boolean;
}

/** Everything that lives as long as the command line does. */
export interface Session {
  toolkit: Toolkit;
  /** Where each tool of the toolkit comes from. */
  origins: Map<string, ToolOrigin>;
  /** The asynchronous tools that run in the background. */
  tasks: Tasks;
  /** Reports their activity, to one listener at a time. */
  watchTasks(listener: (event: TaskEvent) => void): void;
  /** Runs ATTP programs in a language; made when first needed. */
  sandbox(language: ProgramLanguage): Sandbox;
  /** The way to a router; made when first needed. Rejects when a running router can't be reached. */
  trp(): Promise<TrpLink>;
  /** Programs of code mode that have not ended. */
  programs: ProgramBook;
  /** The call that a person was just asked about is decided later: its program waits. */
  later(): void;
  /** Whether {@link later} was called since the last question. */
  isLater(): boolean;
  /** Whether a person can be asked, or everything is approved. Without, a call that needs an approval makes its program wait. */
  asks: boolean;
  /** The session that the conversation is kept in, when one was asked for; opened when first needed. Rejects when it can't be gone on with. */
  kept(): Promise<KeptSession> | undefined;
  /** Keeps the conversation in another session from now on, or in none. */
  keepIn(name: string | undefined): Promise<void>;
  /** Whether the model works in a folder with that protocol. */
  worksWith(protocol: ProtocolName): boolean;
  /** Shell, edits and reads in that folder; opened when first needed. */
  local(): Promise<LocalTools>;
  /** Values that are used in the project; opened when first needed. */
  secrets(): Promise<ProjectSecrets>;
  /** The names of known values that stand in a text, as far as values were used in this session. */
  valuesIn(text: string): Promise<string[]>;
  /** What a person should know after work in the project, each once: that edits can be undone, where a value is kept, whether commands are confined, what the shell can't do here. */
  projectNotes(done: { edited: boolean; ran: boolean; kept?: boolean }): Promise<string[]>;
  dispose(): Promise<void>;
}

/** Options of {@link openSession}. */
export interface SessionOptions {
  /** How a router is reached. */
  router?: TrpOptions;
  /** Whether commands in the project are asked about. Default `ask`. */
  commands?: CommandConsent;
  /** Asks for values. Default: nobody is asked, and no model is offered to ask. */
  askValue?: AskValue;
  /** Whether somebody decides about a program's calls at once. Default true. */
  asks?: boolean;
  /** Whether a person can be asked for the passphrase of kept values. */
  interactive?: boolean;
  /** Name of the session that the conversation is kept in, with the variables of its programs. Default: each program runs by itself. */
  session?: string | undefined;
  /** Whether commands in the project are confined. Default: where it works. */
  sandbox?: SandboxChoice;
  /** In which notes are written. Default English. */
  words?: Words;
  /** The folder that a kept conversation belongs to. */
  startFolder?: string;
  /** In which a passphrase is asked for. Default English. */
  lang?: Locale | undefined;
  /** Whether the interpreter for the next program is started ahead, which takes half a second of processor time. Default true. */
  ahead?: boolean;
}

/** What a session works on. */
export interface SessionPlace {
  /** The data folder: programs, conversations, the router's store. */
  folder: string;
  modules?: readonly OpenedModule[];
  /** The user's folder that the model works in, unless a module has one. */
  project?: Project;
  /** The environment. Default: that of the process. */
  env?: NodeJS.ProcessEnv;
}

/** Creates the toolkit over what modules bring. Throws `UsageError` for a tool that can't be registered. */
export function openSession(place: SessionPlace, options: SessionOptions = {}): Session {
  const {
    router = {},
    commands = "ask",
    sandbox,
    words = wordsFor(),
    ahead = true,
    askValue,
    interactive = false,
    asks = true,
    lang,
    startFolder,
  } = options;
  const { folder, modules = [], env = process.env } = place;
  let { session: sessionName } = options;
  const toolkit = new Toolkit();
  const origins = new Map<string, ToolOrigin>();
  for (const module of modules) register(module, toolkit, origins);
  const ofModule = modules.find(({ project }) => project)?.project;
  const projectOf = (): Project => (ofModule?.() ?? place.project) as Project;
  const withProject: readonly ProtocolName[] = ofModule ? ["toolsxml"] : place.project ? ["toolsxml", "native"] : [];
  const sandboxes = new Map<ProgramLanguage, Sandbox>();
  let link: Promise<TrpLink> | undefined;
  let local: Promise<LocalTools> | undefined;
  let values: Promise<ProjectSecrets> | undefined;
  let kept: Promise<KeptSession> | undefined;
  /** Why commands are not confined, although nobody said so. */
  let whyNot: string | undefined;
  const shown = new Set<string>();
  const tasks = new Tasks();
  let unwatch: (() => void) | undefined;
  const programs = new ProgramBook(folder);
  let decidesLater = false;
  return {
    programs,
    asks,
    later() {
      decidesLater = true;
    },
    isLater() {
      const was = decidesLater;
      decidesLater = false;
      return was;
    },
    toolkit,
    origins,
    tasks,
    watchTasks(listener) {
      unwatch?.();
      unwatch = tasks.events.subscribe(listener);
    },
    sandbox(language) {
      const sandbox =
        sandboxes.get(language) ??
        createSandbox({ language, imports: "ignore-allowed", pool: { size: ahead ? 1 : 0 } });
      sandboxes.set(language, sandbox);
      return sandbox;
    },
    kept() {
      const name = sessionName;
      if (name === undefined) return undefined;
      kept ??= import("../sessions/kept-session.ts").then(
        ({ KeptSession }) =>
          new KeptSession({ data: folder, startFolder, words }, name, (language) => this.sandbox(language)),
      );
      return kept;
    },
    async keepIn(name) {
      await (await kept?.catch(() => undefined))?.close();
      kept = undefined;
      sessionName = name;
    },
    trp() {
      link ??= import("../router/trp-link.ts").then(({ openTrp }) =>
        openTrp({ folder, modules, toolkit, env }, router),
      );
      return link;
    },
    worksWith: (protocol) => withProject.includes(protocol),
    local() {
      local ??= import("../project/open-local.ts").then(async ({ openLocal, openLocalConfined }) => {
        const project = projectOf();
        const { secrets } = await this.secrets();
        if (sandbox !== undefined) return openLocal(project, { commands, sandbox, secrets });
        const opened = await openLocalConfined(project, { commands, secrets });
        whyNot = opened.whyNot;
        return opened.local;
      });
      return local;
    },
    secrets() {
      values ??= import("../project/project-secrets.ts").then(({ openProjectSecrets }) =>
        openProjectSecrets(projectOf(), {
          ...(askValue && { ask: askValue }),
          asksPassphrase: interactive,
          words: wordsFor(lang),
          env,
        }),
      );
      return values;
    },
    async valuesIn(text) {
      const opened = await values;
      if (opened === undefined) return [];
      return (await import("../project/project-secrets.ts")).namesOfValuesIn(text, opened.secrets);
    },
    async projectNotes({ edited, ran, kept = false }) {
      const shell = ran ? await (await local)?.shell().catch(() => undefined) : undefined;
      const { backend, limits, confined } = shell?.state ?? { backend: "pty", limits: [] };
      const notes = [
        ...(edited ? [words.undo] : []),
        ...(kept && values ? [words.keptIn((await values).store.kind)] : []),
        ...(confined === undefined ? [] : [confined ? words.confined : words.notConfined(whyNot)]),
        ...(backend === "pipe" ? [["Commands run without a terminal of their own:", ...limits].join("\n  ")] : []),
      ].filter((note) => !shown.has(note));
      for (const note of notes) shown.add(note);
      return notes;
    },
    async dispose() {
      await tasks.close();
      await toolkit.close();
      await (await link?.catch(() => undefined))?.close();
      await (await local?.catch(() => undefined))?.close();
      await programs.close();
      await (await kept?.catch(() => undefined))?.close();
      (await values?.catch(() => undefined))?.secrets.close();
      await Promise.all([...sandboxes.values()].map((sandbox) => sandbox[Symbol.asyncDispose]()));
    },
  };
}

function register({ from, label, tools }: OpenedModule, toolkit: Toolkit, origins: Map<string, ToolOrigin>): void {
  for (const tool of tools) {
    try {
      if (typeof tool === "function") toolkit.registerToolFunction(tool, {});
      else toolkit.registerToolFunction(tool);
    } catch (error) {
      throw new UsageError(`--tools: ${from}: ${errorText(error)}`);
    }
  }
  for (const name of toolkit.registered.keys())
    if (!origins.has(name)) origins.set(name, { from, ...(label !== undefined && { label }) });
}

/** What one run is made of. */
export interface RunSetup
  extends Pick<AgentOptions, "model" | "price" | "maxTokens" | "context" | "limits" | "system"> {
  session: Session;
  protocol: ProtocolName;
  locale: Locale;
  mode: ProtocolMode;
  approve: ApproveCallback;
  onEvent: (event: AgentEvent) => void;
  /** The programs share the variables of the kept session. Default false. */
  isKept?: boolean;
}

/** What the agent needs for one protocol, over the session's tools. */
export async function agentOptions({ session, protocol, isKept = false, ...setup }: RunSetup): Promise<AgentOptions> {
  return {
    ...setup,
    ...(await offerOf(protocol, setup.locale, session, isKept)),
    protocol: protocolOf(protocol, setup.locale, isKept),
  };
}

/** What a model is shown with a protocol, and what runs its calls. `isKept`: programs share the variables of the kept session. */
export async function offerOf(
  protocol: ProtocolName,
  locale: Locale,
  session: Session,
  isKept = false,
): Promise<{ tools: () => readonly ToolDefinition[]; executor: Executor }> {
  if (protocol === "trp") {
    const link = await session.trp();
    const command = await link.tool(locale);
    return { tools: () => [command], executor: link.executor };
  }
  if (protocol === "trp-code" || protocol === "trp-code-js") {
    const link = await session.trp();
    const sandbox = session.sandbox(protocol === "trp-code" ? "python" : "javascript");
    const log = await session.programs.log();
    const approve: DurableExecutorOptions["approve"] = async (request, context) => {
      const decision = await context.approve(request);
      return session.isLater() ? "later" : decision;
    };
    const durable = { log, approve };
    const run = (tools: readonly AnyTool[]): Executor => sandboxExecutor(sandbox, { tools, durable });
    const { tools, executor } = await link.programs(locale, run, session.asks);
    return { tools, executor: session.programs.keeping(executor) };
  }
  const { toolkit, tasks } = session;
  const tools = () => toolkit.tools();
  const language = languageOfVariables(protocol);
  if (language) {
    const kept = isKept ? await session.kept() : undefined;
    const variables = await kept?.variables(language);
    const executor = sandboxExecutor(session.sandbox(language), { tools, ...(variables && { session: variables }) });
    return { tools, executor };
  }
  const others = toolkitExecutor(toolkit, { tasks });
  if (!session.worksWith(protocol)) return { tools, executor: others };
  // The machine itself has calls of its own; those of other tools stand beside them.
  const [local, { secrets }, { localExecutor }, { maskingExecutor }] = await Promise.all([
    session.local(),
    session.secrets(),
    import("@toolglot/local-tools"),
    import("@toolglot/secrets"),
  ]);
  const executor = maskingExecutor(localExecutor(local, { others }), secrets);
  return { tools: () => [...local.tools(), ...tools()], executor };
}
