import { basename, dirname } from "node:path";
import { defined } from "@toolglot/internal";
import { encodingSettings } from "../encodings/detect.ts";
import { type EncodedText, FileEncodings } from "../encodings/file-encodings.ts";
import { loadCodecs } from "../encodings/load-codecs.ts";
import { fileChanged, localError, localErrorType, notAFile } from "../errors.ts";
import { inspectFile, maxAtOnce, nextTurn, PathQueue } from "../files/file-operations.ts";
import type { Place, Roots } from "../files/roots.ts";
import { maxTextBytes, readWhole } from "../files/text.ts";
import type { ChangeJournal, FileChange } from "../journal/types.ts";
import { counted } from "../messages.ts";
import { type Decide, protectedReason, runsLaterReason } from "../policy.ts";
import { applyEdits } from "./apply-edits.ts";
import { keepBackup } from "./backup.ts";
import {
  changeOf,
  type DiffRoom,
  diffOf,
  diffRoom,
  encodeAfter,
  formAfter,
  formNote,
  mayHoldScripts,
  namedBy,
  outcomeOf,
  type Plan,
  problemsOf,
  reasonFor,
  scriptOf,
  type Target,
  textsForDiff,
} from "./plan.ts";
import { editRefusal, type FileProblem } from "./problem-text.ts";
import type { EditOutcome, FileEdits, FileTextEdit, UndoOutcome } from "./types.ts";

export interface EditorOptions {
  roots: Roots;
  journal: Pick<ChangeJournal, "commit" | "undo">;
  /** Where copies of protected files are kept; made when needed (0700). Outside the roots. */
  backupDir: string;
  /** The largest file, before and after, in bytes. Default 8 MiB. */
  maxBytes?: number;
  /** Whether a find that differs from one place only in what no reader sees is taken for it. Default true. */
  lenient?: boolean;
  /** Hides values in a text whose parts are quoted in messages; lines keep their numbers. Default: hides nothing. */
  mask?: (text: string) => string;
  /** How files are encoded. Default: found out with nothing to prefer. */
  encodings?: FileEncodings;
}

export class Editor {
  readonly #options: Required<EditorOptions>;
  readonly #queue = new PathQueue();
  /** The encodings that edits named, by path. */
  readonly #named = new Map<string, string>();

  /** Throws `TypeError` for a bound that is no count. */
  constructor(options: EditorOptions) {
    const { maxBytes = maxTextBytes, lenient = true, roots } = options;
    const { encodings = new FileEncodings(encodingSettings(roots.paths)) } = options;
    if (!Number.isInteger(maxBytes) || maxBytes < 1) {
      throw new TypeError(`maxBytes must be a whole number of bytes from 1, not ${maxBytes}`);
    }
    const { mask = (text: string) => text } = options;
    this.#options = { ...options, maxBytes, lenient, mask, encodings };
  }

  /**
   * Makes all edits, or none and rejects: with one `ToolError` that names every file and pair that can't be made. `decide` is asked
   * about every file before any is read, and rejects what is not allowed. Sets that share a file are made one after the other, in
   * the order asked for: one that waits for a decision holds up those behind it.
   */
  async edit(files: readonly FileEdits[], { decide }: { decide: Decide }): Promise<EditOutcome> {
    demandEdits(files);
    const targets = this.#locate(files);
    const paths = targets.map(({ place }) => place.path);
    return this.#queue.run(paths, () => this.#make(targets, decide));
  }

  undo(id?: string): Promise<UndoOutcome> {
    return this.#queue.runAlone(async () => {
      const undo = await this.#options.journal.undo(id);
      const room = diffRoom(undo.changes.length);
      const files = await Promise.all(undo.changes.map((change) => this.#undone(change, room)));
      return { id: undo.undone, files };
    });
  }

  #locate(files: readonly FileEdits[]): Target[] {
    const targets = new Map<string, Target>();
    const problems: FileProblem[] = [];
    for (const { src, edits, encoding } of files) {
      let place: Place;
      try {
        place = this.#options.roots.look(src);
      } catch (error) {
        noteProblem(problems, src)(error);
        continue;
      }
      const target = targets.get(place.path) ?? { place, sources: [], risk: undefined, edits: [], origins: [] };
      targets.set(place.path, target);
      target.sources.push(src);
      const problem = namedBy(target, encoding);
      if (problem !== undefined) problems.push(problem);
      target.risk ??= reasonFor(target, protectedReason);
      edits.forEach((edit, index) => {
        target.edits.push(edit);
        const mention = target.sources.length;
        target.origins.push(`pair ${index + 1}${mention === 1 ? "" : ` of the ${ordinal(mention)} mention`}`);
      });
      if (edits.length === 0)
        problems.push({ type: "InvalidInput", path: place.shown, message: `${src} has no find and replace.` });
    }
    refuse(problems, this.#options.mask);
    return [...targets.values()];
  }

  async #make(targets: readonly Target[], decide: Decide): Promise<EditOutcome> {
    const scripts = new Map<Target, string | undefined>();
    for (const target of targets) {
      const { place, sources, risk } = target;
      scripts.set(target, await this.#changedScript(target));
      const runsLater = reasonFor(target, runsLaterReason) ?? scripts.get(target);
      await decide({ kind: "edit", path: place.shown, sources, protected: risk, ...defined({ runsLater }) });
    }
    const plans: Plan[] = [];
    const problems: FileProblem[] = [];
    for (const target of targets) {
      // To read a small file waits for nothing: the host gets its turn in between.
      if (plans.length > 0) await nextTurn();
      const plan = await this.#plan(target).catch(noteProblem(problems, target.place.shown));
      if (plan === undefined) continue;
      if (scriptOf(plan) !== scripts.get(target)) throw fileChanged(target.place.shown);
      plans.push(plan);
      problems.push(...problemsOf(plan));
    }
    refuse(problems, this.#options.mask);
    const changed = plans.filter(({ after }) => after !== undefined);
    for (const plan of changed) {
      if (plan.risk === undefined || plan.before === undefined) continue;
      plan.backup = await keepBackup(this.#options.backupDir, basename(plan.place.path), plan.before.bytes);
    }
    const id = changed.length === 0 ? undefined : await this.#options.journal.commit(changed.map(changeOf));
    for (const { place, encoding } of changed) if (encoding !== undefined) this.#named.set(place.path, encoding);
    const room = diffRoom(changed.length);
    return { id, files: plans.map((plan) => outcomeOf(plan, room)) };
  }

  /** Resolves with what the pairs make run later by the file's content, which is read for that before the decision. */
  async #changedScript(target: Target): Promise<string | undefined> {
    if (!mayHoldScripts(target)) return undefined;
    const plan = await this.#plan(target).catch(() => undefined);
    return plan === undefined ? undefined : scriptOf(plan);
  }

  async #plan(target: Target): Promise<Plan> {
    const { place, edits, origins } = target;
    const { maxBytes, lenient } = this.#options;
    const before = await this.#read(target);
    const applied = applyEdits(before?.text ?? "", edits, {
      maxChars: maxBytes,
      lenient,
      nameOf: (pair) => origins[pair] ?? `pair ${pair + 1}`,
    });
    const isSame = before !== undefined && applied.text === before.text;
    const form = formAfter(target, before);
    const after = applied.problems.length > 0 || isSame ? undefined : encodeAfter(target, before, applied, form);
    if (after !== undefined && after.length > maxBytes) {
      const message = `${place.shown} would have ${counted(after.length)} bytes; files up to ${counted(maxBytes)} can be written.`;
      throw localError("TooLarge", message);
    }
    const note = after && formNote(form);
    if (note !== undefined) applied.notes.push(note);
    if (isSame && applied.problems.length === 0) {
      applied.notes.push("The file already was as the edits leave it: nothing was written.");
    }
    return { ...target, before, applied, after, form };
  }

  /** Undefined: there is no such file, and the first pair makes it. Looked at again, since an earlier set may have made it. */
  async #read({ place, edits, encoding }: Target): Promise<EncodedText | undefined> {
    const { roots, encodings } = this.#options;
    if (encoding !== undefined) await loadCodecs();
    const now = roots.look(place.path);
    if (now.path !== place.path) throw fileChanged(place.shown);
    if (now.kind === "missing") {
      if (edits[0]?.find === "") return undefined;
      const cure = "to make it, give it one pair with an empty find (in XML: with an empty CDATA section in it).";
      throw localError("NotFound", `There is no file ${place.shown}; ${cure}`);
    }
    if (now.kind !== "file") throw notAFile(place.shown, now.kind);
    const bytes = await this.#bytesOf(place);
    const staysAscii = edits.every(({ replace }) => /^[\0-\x7f]*$/.test(replace));
    const file = { path: place.path, called: place.shown, named: encoding, staysAscii };
    return await encodings.textOf(bytes, file, "edited");
  }

  async #bytesOf({ path, shown }: Place): Promise<Buffer> {
    const { roots, maxBytes } = this.#options;
    using folder = roots.hold(dirname(path), shown);
    const isSmall = (size: number): boolean => size <= Math.min(maxBytes, maxAtOnce);
    const found = folder.pinned ? inspectFile(folder, basename(path), isSmall) : null;
    if (found?.bytes !== undefined) return found.bytes;
    await using file = await roots.openPlace(path, shown);
    return await readWhole(file, shown, maxBytes, "edited");
  }

  async #undone({ path, before, after }: FileChange, room: DiffRoom): Promise<UndoOutcome["files"][number]> {
    const { roots, encodings } = this.#options;
    const shown = roots.show(path);
    const [old, now] = await textsForDiff(encodings, { path, named: this.#named.get(path) }, before, after);
    const diff =
      old === undefined || now === undefined
        ? `Binary file ${shown} was put back\n`
        : diffOf(shown, old, now, protectedReason(shown) !== undefined, room).text;
    return { path: shown, diff, removed: after === null };
  }
}

/** Throws for a caller's mistake; what a model writes has passed a schema. */
function demandEdits(files: readonly FileEdits[]): void {
  if (!Array.isArray(files)) throw new TypeError("edit takes a list of files, each { src, edits }");
  for (const file of files as readonly Partial<FileEdits>[]) {
    if (typeof file?.src !== "string" || !Array.isArray(file.edits)) {
      throw new TypeError("each file must be { src: string, edits: { find, replace, all? }[] }");
    }
    if (file.encoding !== undefined && typeof file.encoding !== "string") {
      throw new TypeError(`encoding must be the name of an encoding, not ${typeof file.encoding}`);
    }
    for (const edit of file.edits as readonly Partial<FileTextEdit>[]) {
      if (typeof edit?.find !== "string" || typeof edit.replace !== "string") {
        throw new TypeError("each edit must be { find: string, replace: string, all?: boolean }");
      }
    }
  }
}

function refuse(problems: readonly FileProblem[], mask: (text: string) => string): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw editRefusal([first, ...others], mask);
}

/** Returns a function for `catch`: it notes the refusal of a file as a whole. Any other error is not the model's fault and is thrown on. */
function noteProblem(problems: FileProblem[], path: string): (error: unknown) => undefined {
  return (error) => {
    const type = localErrorType(error);
    if (type === undefined) throw error;
    const { hint } = (error as ReturnType<typeof localError>).data;
    problems.push({ type, path, message: (error as Error).message, ...defined({ hint }) });
  };
}

function ordinal(number: number): string {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[number % 100 > 10 && number % 100 < 20 ? 0 : number % 10];
  return `${number}${ending ?? "th"}`;
}
