import type { ToolError } from "@toolglot/core";
import { checkKeys, defined } from "@toolglot/internal";
import type { Secrets } from "@toolglot/secrets";
import {
  type AskedValue,
  type AskingContext,
  type GetValueInput,
  type Mask,
  type Masks,
  maskData,
  maskedCall,
  namesIn,
  type PlaceholderFiller,
  refuseKeys,
  type SecretValues,
  scriptWithValues,
  ValueAsker,
  withoutValues,
  withPlaceholderHint,
} from "@toolglot/secrets/executing";
import type { DefinedTool } from "@toolglot/toolkit";
import { confinementSentence } from "./confinement/notes.ts";
import type { ConfinementPlaces, ConfinementSettings } from "./confinement/settings.ts";
import type { Editor } from "./edit/editor.ts";
import type { EditOutcome, FileEdits, UndoOutcome } from "./edit/types.ts";
import { localError, localErrorType } from "./errors.ts";
import type { Roots } from "./files/roots.ts";
import { type Forgotten, forgetValue } from "./forget-value.ts";
import type { ChangeJournal, ChangeRecord } from "./journal/types.ts";
import type { CommandInput, LocalContext, LocalTools, ReadInput, ReadOutcome } from "./local-tools.ts";
import { type Ask, type Decide, decideBy, type LocalPolicy, type LocalRequest } from "./policy.ts";
import { failedPart, fillSearches, maskParts, readTogether } from "./read/read-together.ts";
import type { Reader } from "./read/reader.ts";
import { fitOutput } from "./results/fit-output.ts";
import { openSession } from "./shell/open-shell.ts";
import { mayHaveTerminal } from "./shell/pty-transport.ts";
import { outerSession, type Session } from "./shell/session.ts";
import type { ShellOptions, ShellResult, ShellSession } from "./shell/types.ts";
import { localTools } from "./tools/tools.ts";

export interface Parts {
  roots: Roots;
  stateDir: string;
  journal: ChangeJournal;
  /** Where copies of protected files are kept. */
  backupDir: string;
  editor: Editor;
  reader: Reader;
  policy: LocalPolicy;
  ask: Ask | undefined;
  maxChars: number;
  shellOptions: ShellOptions;
  filler: PlaceholderFiller;
  secrets: Secrets | undefined;
  values: SecretValues | undefined;
  /** What a confined shell can write and not see. */
  confined: ConfinementPlaces;
  confinement: ConfinementSettings | undefined;
}

const withoutTerminal =
  "There is no terminal: programs see pipes, those that ask the terminal itself (sudo, ssh, editors) can't be answered, and ctrl knows c, d, z and \\ only.";

/** Tools that are open: see {@link LocalTools}. */
export class OpenLocalTools implements LocalTools {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly maxChars: number;
  readonly recovered: readonly ChangeRecord[];
  readonly secrets: Secrets | undefined;
  readonly #parts: Parts;
  readonly #asker: ValueAsker | undefined;
  /** Defined once: an executor asks for them with every batch of calls. */
  #tools: DefinedTool<Record<string, unknown>>[] | undefined;
  /** Notes about values that were given once: a model needs them no second time. */
  readonly #noted = new Set<string>();
  #shell: Promise<Session> | undefined;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.roots = parts.roots.paths;
    this.stateDir = parts.stateDir;
    this.maxChars = parts.maxChars;
    this.recovered = parts.journal.recovered;
    const { secrets, values } = parts;
    this.secrets = secrets;
    if (secrets !== undefined && values?.ask !== undefined) this.#asker = new ValueAsker(secrets, values);
  }

  command(input: CommandInput, context: LocalContext = {}): Promise<ShellResult> {
    const call = async (): Promise<ShellResult> => {
      const { script, timeoutMs, cwd } = input;
      if (script.trim() === "") throw localError("InvalidInput", "The command is empty.");
      const { filler } = this.#parts;
      const names = await filler.names(input);
      await this.#decide(context)({ kind: "command", script, ...defined({ cwd }), values: names });
      const values = await filler.values(names, context);
      const filled = scriptWithValues(script, values);
      for (const [inner, name] of filled?.inner ?? []) this.#parts.values?.hideInner(inner, name);
      const folder = cwd === undefined ? undefined : await this.#folder(filler.fill(cwd, values));
      const shell = await this.#session();
      const { signal, onOutput } = context;
      const options = defined({ timeoutMs, cwd: folder, signal, onOutput });
      const result = await shell.runFilled(script, filled, options);
      const notes = (filled?.notes ?? []).filter((note) => !this.#noted.has(note));
      for (const note of notes) this.#noted.add(note);
      return this.#fit({ ...result, notes: [...notes, ...result.notes] }, context);
    };
    return maskedCall(this.secrets, call, maskShell);
  }

  input(input: { data: string }, context: LocalContext = {}): Promise<ShellResult> {
    const call = async (): Promise<ShellResult> => {
      const { data } = input;
      const { signal, onOutput } = context;
      const { filler } = this.#parts;
      const names = await filler.names(input);
      await this.#decide(context)({ kind: "input", data, values: names });
      const typed = filler.typed(data, await filler.values(names, context));
      const shell = await this.#session();
      return this.#fit(await shell.input(typed, defined({ signal, onOutput })), context);
    };
    return maskedCall(this.secrets, call, maskShell);
  }

  ctrl(input: { key: string }, context: LocalContext = {}): Promise<ShellResult> {
    const call = async (): Promise<ShellResult> => {
      const { key } = withoutValues(input);
      if (!/^[A-Za-z[\\\]^_]$/.test(key)) {
        throw localError(
          "InvalidInput",
          `${JSON.stringify(key)} is no control character: a letter or one of [ \\ ] ^ _.`,
        );
      }
      const { signal, onOutput } = context;
      const shell = await this.#session();
      return this.#fit(await shell.ctrl(key.toLowerCase(), defined({ signal, onOutput })), context);
    };
    return maskedCall(this.secrets, call, maskShell);
  }

  edit(files: readonly FileEdits[], context: LocalContext = {}): Promise<EditOutcome> {
    const call = async (): Promise<EditOutcome> => {
      this.#demandOpen();
      const { filler, editor } = this.#parts;
      refuseKeys(files);
      const names = await filler.names(files);
      const decide = this.#decide(context);
      // A value that is written into a file stays there in the clear: the policy is asked about those that a replace brings.
      const brought = (request: LocalRequest): string[] => {
        const own = files.filter(({ src }) => request.kind === "edit" && request.sources.includes(src));
        return [
          ...new Set(
            own.flatMap(({ edits }) => edits.flatMap(({ replace }) => namesIn(replace).map(({ name }) => name))),
          ),
        ];
      };
      const filled = filler.fill(files, await filler.values(names, context));
      return editor
        .edit(filled, { decide: (request) => decide({ ...request, values: brought(request) }) })
        .catch(async (error: unknown) => {
          const masked = await filler.maskedNames(files.flatMap(({ edits }) => edits.map(({ find }) => find)));
          throw localErrorType(error) === "FindMissing" ? withPlaceholderHint(error as ToolError, masked) : error;
        });
    };
    return maskedCall(this.secrets, call);
  }

  read(input: ReadInput, context: LocalContext = {}): Promise<ReadOutcome> {
    const call = async (): Promise<ReadOutcome> => {
      this.#demandOpen();
      const { filler } = this.#parts;
      refuseKeys(input);
      const values = await filler.values(await filler.names(input), context);
      const files = filler.fill(input.files ?? [], values);
      const { searches, asWritten } = fillSearches(filler, input.searches ?? [], values);
      if (files.length + searches.length === 0) throw localError("InvalidInput", "There is nothing to read.");
      const { maxChars = this.maxChars, signal } = context;
      const options = { decide: this.#decide(context), maxChars, ...defined({ signal }) };
      const outcome = await readTogether(this.#parts.reader, { files, searches }, options);
      if (values.size === 0) return outcome;
      const written: Mask = (value) => maskData(value, asWritten);
      return outcome.map((part) => {
        if (part.kind === "failure") return failedPart(part, written);
        return part.kind === "search" ? written(part) : part;
      });
    };
    return maskedCall(this.secrets, call, maskParts);
  }

  async getValue(input: GetValueInput, context: AskingContext = {}): Promise<AskedValue> {
    this.#demandOpen();
    if (this.#asker === undefined) {
      throw localError("NotSupported", "Nobody can be asked for values here. Do not ask again.");
    }
    return await this.#asker.ask(withoutValues(input), context);
  }

  undo(id?: string): Promise<UndoOutcome> {
    this.#demandOpen();
    return maskedCall(this.secrets, () => this.#parts.editor.undo(id));
  }

  async forget(name: string): Promise<Forgotten> {
    this.#demandOpen();
    const { values, journal, backupDir } = this.#parts;
    if (values === undefined) throw new TypeError("forget needs secrets: openLocalTools({ secrets })");
    return await forgetValue(name, { journal, backupDir, values });
  }

  changes(): Promise<ChangeRecord[]> {
    this.#demandOpen();
    return maskedCall(this.secrets, () => this.#parts.journal.list());
  }

  tools(options: { stream?: boolean } = {}): DefinedTool<Record<string, unknown>>[] {
    checkKeys("tools", options, "stream:boolean");
    const { confinement, shellOptions } = this.#parts;
    const about = [
      ...(mayHaveTerminal(shellOptions.backend) ? [] : [withoutTerminal]),
      ...(confinement ? [confinementSentence(confinement)] : []),
    ];
    const setting = { canAsk: this.#asker !== undefined, aboutShell: about.map((sentence) => ` ${sentence}`).join("") };
    if (options.stream) return localTools(this, { ...setting, stream: true });
    this.#tools ??= localTools(this, setting);
    return [...this.#tools];
  }

  async shell(): Promise<ShellSession> {
    const { values } = this.#parts;
    return outerSession(await this.#session(), values && ((value) => values.maskPieces(value)));
  }

  #session(): Promise<Session> {
    this.#demandOpen();
    if (this.#shell !== undefined) return this.#shell;
    const { values, shellOptions, confined } = this.#parts;
    const hidden = values && {
      masker: () => values.masker(),
      holdsValue: (text: string) => values.namesIn(text).length > 0,
    };
    const opening = openSession(shellOptions, { places: confined, ...(hidden && { hidden }) });
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
    const { policy, values } = this.#parts;
    const decide = decideBy(policy, ask);
    return (request) => {
      const asked = { values: [], ...request };
      return decide(values === undefined ? asked : values.maskPieces(asked));
    };
  }

  #demandOpen(): void {
    if (this.#closed) throw new TypeError("These local tools are closed: open new ones with openLocalTools");
  }
}

/** Masks a shell's result. What was printed was masked as a stream, before any cut: a `…` in it is the program's own. */
function maskShell({ output, ...result }: ShellResult, { whole, pieces }: Masks): ShellResult {
  return { ...pieces(result), output: whole(output) };
}
