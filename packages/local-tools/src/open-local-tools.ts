import { resolve } from "node:path";
import { checkKeys, defined } from "@toolglot/internal";
import type { DefinedTool } from "@toolglot/toolkit";
import { Editor } from "./edit/editor.ts";
import type { EditOutcome, FileEdits, UndoOutcome } from "./edit/types.ts";
import { localError } from "./errors.ts";
import { openJournal } from "./journal/open-journal.ts";
import type { ChangeJournal, ChangeRecord } from "./journal/types.ts";
import type { CommandInput, LocalContext, LocalTools, ReadInput, ReadOutcome } from "./local-tools.ts";
import { withoutPlaceholders } from "./placeholders.ts";
import { type Ask, type Decide, decideBy, defaultLocalPolicy, type LocalPolicy } from "./policy.ts";
import { readTogether } from "./read/read-together.ts";
import { Reader } from "./read/reader.ts";
import { fitOutput } from "./results/fit-output.ts";
import { Roots } from "./roots/roots.ts";
import { checkedShellOptions, openShell } from "./shell/open-shell.ts";
import { refusingPlaceholders } from "./shell/refusing-placeholders.ts";
import type { ShellOptions, ShellResult, ShellSession } from "./shell/types.ts";
import { defaultStateDirectory, demandOutside, openStateDirectory } from "./state-directory.ts";
import { localTools } from "./tools/tools.ts";

/** Options of {@link openLocalTools}. */
export interface LocalToolsOptions {
  /** Directories that paths may lead into; relative paths begin at the first. */
  roots: string | readonly string[];
  /**
   * Where journal, backups and whole outputs are kept; never inside a root. Default:
   * `$XDG_STATE_HOME/toolglot/local-tools/<hash of the first root>`, else below `~/.local/state`.
   */
  stateDir?: string;
  /** How the shell is run. It starts in the first root, when first needed. */
  shell?: Partial<Omit<ShellOptions, "artifactDir">>;
  /** What may be done without asking. Default {@link defaultLocalPolicy}: everything but risky files. */
  policy?: LocalPolicy;
  /** Who decides where the policy says `ask`, unless the call brings somebody. Default: nobody, so it is denied. */
  ask?: Ask;
  /** UTF-16 units of text that one call, or one batch of calls, gives. Keep it below the protocol's result budget. Default 12,000. */
  maxChars?: number;
}

/**
 * Opens the tools: checks the roots, makes the state directory, and repairs what a killed process left half done. Throws
 * `TypeError` for roots that are no directories, and for a state directory inside a root.
 */
export async function openLocalTools(options: LocalToolsOptions): Promise<LocalTools> {
  checkOptions(options);
  const { maxChars = 12_000, policy = defaultLocalPolicy, ask, shell = {} } = options;
  if (!Number.isInteger(maxChars) || maxChars < 200) {
    throw new TypeError(`maxChars must be a whole number from 200, not ${maxChars}`);
  }
  const roots = await Roots.open(typeof options.roots === "string" ? [options.roots] : options.roots);
  // Its place is not known yet, and never wrong.
  checkedShellOptions("openLocalTools: shell", { cwd: roots.base, ...shell, artifactDir: roots.base });
  const path = resolve(options.stateDir ?? defaultStateDirectory(roots.base));
  await demandOutside(path, roots);
  const state = await openStateDirectory(path);
  const journal = await openJournal({ dir: state.journal, roots });
  // What was too long for a result can be read from where it is kept.
  const readable = await Roots.open([...roots.paths, state.artifacts]);
  return new OpenLocalTools({
    roots,
    stateDir: path,
    journal,
    editor: new Editor({ roots, journal, backupDir: state.backups }),
    reader: new Reader({ roots: readable, maxChars }),
    policy,
    ask,
    maxChars,
    shellOptions: { cwd: roots.base, maxChars, ...shell, artifactDir: state.artifacts },
  });
}

function checkOptions(options: LocalToolsOptions): void {
  if (options?.roots === undefined)
    throw new TypeError("openLocalTools needs options: { roots }, the directories that may be used");
  checkKeys<LocalToolsOptions>("openLocalTools", options, {
    roots: true,
    stateDir: true,
    shell: true,
    policy: true,
    ask: true,
    maxChars: true,
  });
  const { shell } = options;
  if (shell !== undefined && (typeof shell !== "object" || shell === null || Array.isArray(shell))) {
    throw new TypeError("shell must be an object of options");
  }
  if (shell !== undefined && "artifactDir" in shell) {
    throw new TypeError('openLocalTools: shell has no option "artifactDir": whole outputs lie below stateDir.');
  }
  for (const name of ["policy", "ask"] as const) {
    const given = options[name];
    if (given !== undefined && typeof given !== "function")
      throw new TypeError(`${name} must be a function, not ${typeof given}`);
  }
  if (options.stateDir !== undefined && (typeof options.stateDir !== "string" || options.stateDir === "")) {
    throw new TypeError("stateDir must be a path");
  }
}

interface Parts {
  roots: Roots;
  stateDir: string;
  journal: ChangeJournal;
  editor: Editor;
  reader: Reader;
  policy: LocalPolicy;
  ask: Ask | undefined;
  maxChars: number;
  shellOptions: ShellOptions;
}

class OpenLocalTools implements LocalTools {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly maxChars: number;
  readonly recovered: readonly ChangeRecord[];
  readonly #parts: Parts;
  /** Defined once: an executor asks for them with every batch of calls. */
  #tools: DefinedTool<Record<string, unknown>>[] | undefined;
  #shell: Promise<ShellSession> | undefined;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.roots = parts.roots.paths;
    this.stateDir = parts.stateDir;
    this.maxChars = parts.maxChars;
    this.recovered = parts.journal.recovered;
  }

  async command(input: CommandInput, context: LocalContext = {}): Promise<ShellResult> {
    const { script, timeoutMs, cwd } = withoutPlaceholders(input);
    if (script.trim() === "") throw localError("InvalidInput", "The command is empty.");
    const folder = cwd === undefined ? undefined : await this.#folder(cwd);
    await this.#decide(context)({ kind: "command", script, ...defined({ cwd }) });
    const shell = await this.#session();
    return this.#fit(await shell.run(script, defined({ timeoutMs, cwd: folder, signal: context.signal })), context);
  }

  async input(input: { data: string }, context: LocalContext = {}): Promise<ShellResult> {
    const { data } = withoutPlaceholders(input);
    const { signal } = context;
    await this.#decide(context)({ kind: "input", data });
    const shell = await this.#session();
    return this.#fit(await shell.input(data, defined({ signal })), context);
  }

  async ctrl(input: { key: string }, context: LocalContext = {}): Promise<ShellResult> {
    const { key } = withoutPlaceholders(input);
    if (!/^[A-Za-z[\\\]^_]$/.test(key)) {
      throw localError(
        "InvalidInput",
        `${JSON.stringify(key)} is no control character: a letter or one of [ \\ ] ^ _.`,
      );
    }
    const { signal } = context;
    const shell = await this.#session();
    return this.#fit(await shell.ctrl(key.toLowerCase(), defined({ signal })), context);
  }

  async edit(files: readonly FileEdits[], context: LocalContext = {}): Promise<EditOutcome> {
    this.#demandOpen();
    return this.#parts.editor.edit(withoutPlaceholders(files), { decide: this.#decide(context) });
  }

  async read(input: ReadInput, context: LocalContext = {}): Promise<ReadOutcome> {
    this.#demandOpen();
    const { files = [], searches = [] } = withoutPlaceholders(input);
    if (files.length + searches.length === 0) throw localError("InvalidInput", "There is nothing to read.");
    const { maxChars = this.maxChars, signal } = context;
    const options = { decide: this.#decide(context), maxChars, ...defined({ signal }) };
    return readTogether(this.#parts.reader, { files, searches }, options);
  }

  undo(id?: string): Promise<UndoOutcome> {
    this.#demandOpen();
    return this.#parts.editor.undo(id);
  }

  changes(): Promise<ChangeRecord[]> {
    this.#demandOpen();
    return this.#parts.journal.list();
  }

  tools(): DefinedTool<Record<string, unknown>>[] {
    this.#tools ??= localTools(this);
    return [...this.#tools];
  }

  async shell(): Promise<ShellSession> {
    return refusingPlaceholders(await this.#session());
  }

  #session(): Promise<ShellSession> {
    this.#demandOpen();
    if (this.#shell !== undefined) return this.#shell;
    const opening = openShell(this.#parts.shellOptions);
    this.#shell = opening;
    // The next call tries again.
    opening.catch(() => {
      if (this.#shell === opening) this.#shell = undefined;
    });
    return opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const shell = await this.#shell?.catch(() => undefined);
    await Promise.all([shell?.close(), this.#parts.reader.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #fit(result: ShellResult, { maxChars = this.maxChars }: LocalContext): ShellResult {
    return fitOutput(result, maxChars, this.#parts.shellOptions.artifactDir);
  }

  async #folder(path: string): Promise<string> {
    const place = await this.#parts.roots.locate(path);
    if (place.kind === "directory") return place.path;
    const [type, what] =
      place.kind === "missing" ? (["NotFound", "no"] as const) : (["NotADirectory", "not a"] as const);
    throw localError(type, what === "no" ? `There is no directory ${path}.` : `${path} is not a directory.`);
  }

  #decide({ ask = this.#parts.ask }: LocalContext): Decide {
    return decideBy(this.#parts.policy, ask);
  }

  #demandOpen(): void {
    if (this.#closed) throw new TypeError("These local tools are closed: open new ones with openLocalTools");
  }
}
