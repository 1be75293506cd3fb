import type { Locale, ProgramLanguage } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import type { LocalTools } from "@toolglot/local-tools";
import { createSandbox, type Sandbox } from "@toolglot/sandbox";
import type { AskValue } from "@toolglot/secrets";
import { type TaskEvent, Tasks, Toolkit } from "@toolglot/toolkit";
import type { OpenedModule } from "../modules/load-module.ts";
import type { Project } from "../modules/module.ts";
import { ProgramBook } from "../programs/program-book.ts";
import type { CommandConsent, SandboxChoice } from "../project/open-local.ts";
import type { ProjectSecrets } from "../project/project-secrets.ts";
import type { TrpLink, TrpOptions } from "../router/trp-link.ts";
import type { KeptSession } from "../sessions/kept-session.ts";
import { type Words, wordsFor } from "../words/index.ts";
import { type ProtocolName, takesAnyTool } from "./protocol-names.ts";
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

/** Options of a {@link Session}. */
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

/** Everything that lives as long as the command line does. What costs something is opened when it is first needed. */
export class Session {
  readonly toolkit: Toolkit = new Toolkit();
  /** Where each tool of the toolkit comes from. */
  readonly origins = new Map<string, ToolOrigin>();
  /** The asynchronous tools that run in the background. */
  readonly tasks = new Tasks();
  /** Programs of code mode that have not ended. */
  readonly programs: ProgramBook;
  /** Whether a person can be asked, or everything is approved. Without, a call that needs an approval makes its program wait. */
  readonly asks: boolean;
  readonly #place: Required<Omit<SessionPlace, "project">> & Pick<SessionPlace, "project">;
  readonly #options: SessionOptions;
  readonly #words: Words;
  readonly #sandboxes = new Map<ProgramLanguage, Sandbox>();
  readonly #shown = new Set<string>();
  #sessionName: string | undefined;
  #link: Promise<TrpLink> | undefined;
  #local: Promise<LocalTools> | undefined;
  #values: Promise<ProjectSecrets> | undefined;
  #kept: Promise<KeptSession> | undefined;
  /** Why commands are not confined, although nobody said so. */
  #whyNot: string | undefined;
  #unwatch: (() => void) | undefined;
  #decidesLater = false;

  /** Throws `UsageError` for a tool that can't be registered. */
  constructor(place: SessionPlace, options: SessionOptions = {}) {
    this.#place = { modules: [], env: process.env, ...place };
    this.#options = options;
    this.#words = options.words ?? wordsFor();
    this.#sessionName = options.session;
    this.asks = options.asks ?? true;
    this.programs = new ProgramBook(place.folder);
    for (const module of this.#place.modules) this.#register(module);
  }

  #register({ from, label, tools }: OpenedModule): void {
    for (const tool of tools) {
      try {
        if (typeof tool === "function") this.toolkit.registerToolFunction(tool, {});
        else this.toolkit.registerToolFunction(tool);
      } catch (error) {
        throw new UsageError(`--tools: ${from}: ${errorText(error)}`);
      }
    }
    for (const name of this.toolkit.registered.keys())
      if (!this.origins.has(name)) this.origins.set(name, { from, ...(label !== undefined && { label }) });
  }

  /** The call that a person was just asked about is decided later: its program waits. */
  later(): void {
    this.#decidesLater = true;
  }

  /** Whether {@link later} was called since the last question. */
  isLater(): boolean {
    const was = this.#decidesLater;
    this.#decidesLater = false;
    return was;
  }

  /** Reports the activity of tasks, to one listener at a time. */
  watchTasks(listener: (event: TaskEvent) => void): void {
    this.#unwatch?.();
    this.#unwatch = this.tasks.events.subscribe(listener);
  }

  /** Returns what runs ATTP programs in a language. */
  sandbox(language: ProgramLanguage): Sandbox {
    const size = this.#options.ahead === false ? 0 : 1;
    const known = this.#sandboxes.get(language);
    const sandbox = known ?? createSandbox({ language, imports: "ignore-allowed", pool: { size } });
    this.#sandboxes.set(language, sandbox);
    return sandbox;
  }

  /** The session that the conversation is kept in, when one was asked for. Rejects when it can't be taken up. */
  kept(): Promise<KeptSession> | undefined {
    const name = this.#sessionName;
    if (name === undefined) return undefined;
    const place = { data: this.#place.folder, startFolder: this.#options.startFolder, words: this.#words };
    this.#kept ??= import("../sessions/kept-session.ts").then(
      ({ KeptSession }) => new KeptSession(place, name, (language) => this.sandbox(language)),
    );
    return this.#kept;
  }

  /** Keeps the conversation in another session from now on, or in none. */
  async keepIn(name: string | undefined): Promise<void> {
    await (await this.#kept?.catch(() => undefined))?.close();
    this.#kept = undefined;
    this.#sessionName = name;
  }

  /** Opens the way to a router. Rejects when a running router can't be reached. */
  trp(): Promise<TrpLink> {
    this.#link ??= import("../router/trp-link.ts").then(({ openTrp }) =>
      openTrp({ ...this.#place, toolkit: this.toolkit }, this.#options.router ?? {}),
    );
    return this.#link;
  }

  /** Whether the model works in a folder with that protocol. */
  worksWith(protocol: ProtocolName): boolean {
    if (this.#place.modules.some(({ project }) => project)) return protocol === "toolsxml";
    return this.#place.project !== undefined && (protocol === "toolsxml" || takesAnyTool(protocol));
  }

  get #project(): Project {
    const ofModule = this.#place.modules.find(({ project }) => project)?.project;
    return (ofModule?.() ?? this.#place.project) as Project;
  }

  /** Opens shell, edits and reads in that folder. */
  local(): Promise<LocalTools> {
    this.#local ??= import("../project/open-local.ts").then(async ({ openLocal, openLocalConfined }) => {
      const { commands = "ask", sandbox } = this.#options;
      const { secrets } = await this.secrets();
      if (sandbox !== undefined) return openLocal(this.#project, { commands, sandbox, secrets });
      const opened = await openLocalConfined(this.#project, { commands, secrets });
      this.#whyNot = opened.whyNot;
      return opened.local;
    });
    return this.#local;
  }

  /** Opens the values that are used in that folder. */
  secrets(): Promise<ProjectSecrets> {
    const { askValue, interactive = false, lang } = this.#options;
    this.#values ??= import("../project/project-secrets.ts").then(({ openProjectSecrets }) =>
      openProjectSecrets(this.#project, {
        ...(askValue && { ask: askValue }),
        asksPassphrase: interactive,
        words: wordsFor(lang),
        env: this.#place.env,
      }),
    );
    return this.#values;
  }

  /** Resolves with the names of known values that stand in a text, as far as values were used in this session. */
  async valuesIn(text: string): Promise<string[]> {
    const opened = await this.#values;
    if (opened === undefined) return [];
    return (await import("../project/project-secrets.ts")).namesOfValuesIn(text, opened.secrets);
  }

  /**
   * Resolves with what a person should know after work in the project, each once: that edits can be undone, where a value is kept, whether
   * commands are confined, what the shell can't do here.
   */
  async projectNotes({ edited, ran, kept }: { edited: boolean; ran: boolean; kept?: boolean }): Promise<string[]> {
    const words = this.#words;
    const shell = ran ? await (await this.#local)?.shell().catch(() => undefined) : undefined;
    const { backend, limits, confined } = shell?.state ?? { backend: "pty", limits: [] };
    const notes = [
      ...(edited ? [words.undo] : []),
      ...(kept && this.#values ? [words.keptIn((await this.#values).store.kind)] : []),
      ...(confined === undefined ? [] : [confined ? words.confined : words.notConfined(this.#whyNot)]),
      ...(backend === "pipe" ? [["Commands run without a terminal of their own:", ...limits].join("\n  ")] : []),
    ].filter((note) => !this.#shown.has(note));
    for (const note of notes) this.#shown.add(note);
    return notes;
  }

  async dispose(): Promise<void> {
    await this.tasks.close();
    await this.toolkit.close();
    await (await this.#link?.catch(() => undefined))?.close();
    await (await this.#local?.catch(() => undefined))?.close();
    await (await this.#kept?.catch(() => undefined))?.close();
    (await this.#values?.catch(() => undefined))?.secrets.close();
    await Promise.all([...this.#sandboxes.values()].map((sandbox) => sandbox[Symbol.asyncDispose]()));
  }
}
