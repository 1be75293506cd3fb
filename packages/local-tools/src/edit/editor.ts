import { basename } from "node:path";
import { defined } from "@toolglot/internal";
import { attempt, fileChanged, localError, localErrorType, notAFile } from "../errors.ts";
import { PathQueue } from "../files/file-operations.ts";
import { decodeText, encodeText, type FileText, maxTextBytes, readWhole } from "../files/text.ts";
import type { ChangeJournal, FileChange } from "../journal/types.ts";
import { counted } from "../messages.ts";
import { type Decide, protectedReason } from "../policy.ts";
import type { Roots } from "../roots/roots.ts";
import { runsLaterReason } from "../runs-later.ts";
import { applyEdits } from "./apply-edits.ts";
import { keepBackup } from "./backup.ts";
import { changeOf, mayHoldScripts, type Plan, problemsOf, reasonFor, scriptOf, type Target } from "./plan.ts";
import { editRefusal, type FileProblem } from "./problem-text.ts";
import type { EditOutcome, FileEdits, FileOutcome, FileTextEdit, UndoOutcome } from "./types.ts";
import { type UnifiedDiff, type UnifiedDiffOptions, unifiedDiff } from "./unified-diff.ts";

/** What an editor works with. */
export interface EditorOptions {
  roots: Roots;
  journal: Pick<ChangeJournal, "commit" | "undo">;
  /** Where copies of protected files are kept; made when needed (0700). Outside the roots. */
  backupDir: string;
  /** The largest file, before and after, in bytes. Default 8 MiB. */
  maxBytes?: number;
  /** Whether a find that differs from one place only in what no reader sees is taken for it. Default true. */
  lenient?: boolean;
}

/** Characters of all diffs of one outcome, and the least for each. */
const allDiffChars = 60_000;
const minDiffChars = 600;
const maxDiffChars = 12_000;
const maxDiffLines = 300;
/** Milliseconds for all comparisons of one outcome, and the least for each. */
const allDiffMs = 2_000;
const minDiffMs = 20;

type DiffRoom = Required<Pick<UnifiedDiffOptions, "maxChars" | "timeoutMs">>;

/** Edits files inside the roots. */
export class Editor {
  readonly #options: Required<EditorOptions>;
  readonly #queue = new PathQueue();
  #entry: Promise<unknown> = Promise.resolve();

  /** Throws `TypeError` for a bound that is no count. */
  constructor(options: EditorOptions) {
    const { maxBytes = maxTextBytes, lenient = true } = options;
    if (!Number.isInteger(maxBytes) || maxBytes < 1) {
      throw new TypeError(`maxBytes must be a whole number of bytes from 1, not ${maxBytes}`);
    }
    this.#options = { ...options, maxBytes, lenient };
  }

  /**
   * Makes all edits, or none and rejects: with one `ToolError` that names every file and pair that can't be made. `decide` is asked
   * about every file before any is read, and rejects what is not allowed. Sets that share a file are made one after the other, in
   * the order asked for: one that waits for a decision holds up those behind it.
   */
  async edit(files: readonly FileEdits[], { decide }: { decide: Decide }): Promise<EditOutcome> {
    demandEdits(files);
    // One after the other up to its place in the queue, so that sets which share a file are made in the order asked for.
    const entry = this.#entry.then(async () => {
      const targets = await this.#locate(files);
      const paths = targets.map(({ place }) => place.path);
      return { made: this.#queue.run(paths, () => this.#make(targets, decide)) };
    });
    this.#entry = entry.catch(() => {});
    return (await entry).made;
  }

  /** Puts back what a change replaced. Default: the newest. */
  undo(id?: string): Promise<UndoOutcome> {
    return this.#queue.runAlone(async () => {
      const undo = await this.#options.journal.undo(id);
      const room = diffRoom(undo.changes.length);
      const files = undo.changes.map((change) => this.#undone(change, room));
      return { id: undo.undone, files };
    });
  }

  /** The files that are named, each once. */
  async #locate(files: readonly FileEdits[]): Promise<Target[]> {
    const targets = new Map<string, Target>();
    const problems: FileProblem[] = [];
    for (const { src, edits } of files) {
      const place = await this.#options.roots.locate(src).catch(noteProblem(problems, src));
      if (place === undefined) continue;
      const target = targets.get(place.path) ?? { place, sources: [], risk: undefined, edits: [], origins: [] };
      targets.set(place.path, target);
      target.sources.push(src);
      target.risk ??= reasonFor(target, protectedReason);
      edits.forEach((edit, index) => {
        target.edits.push(edit);
        const mention = target.sources.length;
        target.origins.push(`pair ${index + 1}${mention === 1 ? "" : ` of the ${ordinal(mention)} mention`}`);
      });
      if (edits.length === 0)
        problems.push({ type: "InvalidInput", path: place.shown, message: `${src} has no find and replace.` });
    }
    refuse(problems);
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
      const plan = await this.#plan(target).catch(noteProblem(problems, target.place.shown));
      if (plan === undefined) continue;
      if (scriptOf(plan) !== scripts.get(target)) throw fileChanged(target.place.shown);
      plans.push(plan);
      problems.push(...problemsOf(plan));
    }
    refuse(problems);
    const changed = plans.filter(({ after }) => after !== undefined);
    for (const plan of changed) {
      if (plan.risk === undefined || plan.before === undefined) continue;
      plan.backup = await keepBackup(this.#options.backupDir, basename(plan.place.path), plan.before.bytes);
    }
    const id = changed.length === 0 ? undefined : await this.#options.journal.commit(changed.map(changeOf));
    const room = diffRoom(changed.length);
    return { id, files: plans.map((plan) => outcomeOf(plan, room)) };
  }

  /** What the pairs make run later by the file's content, which is read for that before the decision. Nothing of it is shown. */
  async #changedScript(target: Target): Promise<string | undefined> {
    if (!mayHoldScripts(target)) return undefined;
    const plan = await this.#plan(target).catch(() => undefined);
    return plan === undefined ? undefined : scriptOf(plan);
  }

  /** Reads a file and makes its edits in memory. */
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
    const after = applied.problems.length > 0 || isSame ? undefined : encodeText(applied.text, before?.bom ?? false);
    if (after !== undefined && after.length > maxBytes) {
      const message = `${place.shown} would have ${counted(after.length)} bytes; files up to ${counted(maxBytes)} can be written.`;
      throw localError("TooLarge", message);
    }
    if (isSame && applied.problems.length === 0) {
      applied.notes.push("The file already was as the edits leave it: nothing was written.");
    }
    return { ...target, before, applied, after };
  }

  /** Undefined: there is no such file, and the first pair makes it. Looked at again, since an earlier set may have made it. */
  async #read({ place, edits }: Target): Promise<FileText | undefined> {
    const { roots, maxBytes } = this.#options;
    const now = await roots.locate(place.path);
    if (now.path !== place.path) throw fileChanged(place.shown);
    if (now.kind === "missing") {
      if (edits[0]?.find === "") return undefined;
      const cure = "to make it, give it one pair with an empty find (in XML: with an empty CDATA section in it).";
      throw localError("NotFound", `There is no file ${place.shown}; ${cure}`);
    }
    if (now.kind !== "file") throw notAFile(place.shown, now.kind);
    await using file = await roots.openPlace(place.path, place.shown);
    return decodeText(await readWhole(file, place.shown, maxBytes, "edited"), place.shown, "edited");
  }

  #undone({ path, before, after }: FileChange, room: DiffRoom): UndoOutcome["files"][number] {
    const shown = this.#options.roots.show(path);
    const [old, now] = [textOf(before, shown), textOf(after, shown)];
    const diff =
      old === undefined || now === undefined
        ? `Binary file ${shown} was put back\n`
        : diffOf(shown, old, now, protectedReason(shown) !== undefined, room).text;
    return { path: shown, diff, removed: after === null };
  }
}

/** A caller's mistake; what a model writes has passed a schema. */
function demandEdits(files: readonly FileEdits[]): void {
  if (!Array.isArray(files)) throw new TypeError("edit takes a list of files, each { src, edits }");
  for (const file of files as readonly Partial<FileEdits>[]) {
    if (typeof file?.src !== "string" || !Array.isArray(file.edits)) {
      throw new TypeError("each file must be { src: string, edits: { find, replace, all? }[] }");
    }
    for (const edit of file.edits as readonly Partial<FileTextEdit>[]) {
      if (typeof edit?.find !== "string" || typeof edit.replace !== "string") {
        throw new TypeError("each edit must be { find: string, replace: string, all?: boolean }");
      }
    }
  }
}

function refuse(problems: readonly FileProblem[]): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw editRefusal([first, ...others]);
}

/** For `catch`: notes the refusal of a file as a whole. Any other error is not the model's fault and is thrown on. */
function noteProblem(problems: FileProblem[], path: string): (error: unknown) => undefined {
  return (error) => {
    const type = localErrorType(error);
    if (type === undefined) throw error;
    problems.push({ type, path, message: (error as Error).message });
  };
}

function ordinal(number: number): string {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[number % 100 > 10 && number % 100 < 20 ? 0 : number % 10];
  return `${number}${ending ?? "th"}`;
}

function outcomeOf(plan: Plan, room: DiffRoom): FileOutcome {
  const { place, sources, before, applied, after, risk, backup } = plan;
  const { text, added, removed } =
    after === undefined
      ? { text: "", added: 0, removed: 0 }
      : diffOf(place.shown, before?.text ?? null, applied.text, risk !== undefined, room);
  return {
    path: place.shown,
    sources,
    created: before === undefined,
    replacements: applied.replacements,
    diff: text,
    added,
    removed,
    ...defined({ backup }),
    notes: applied.notes,
  };
}

/** Of a protected file only the changed lines are shown, not those around them. */
function diffOf(
  path: string,
  before: string | null,
  after: string | null,
  isProtected: boolean,
  room: DiffRoom,
): UnifiedDiff {
  return unifiedDiff(path, before, after, { maxLines: maxDiffLines, ...room, ...(isProtected ? { context: 0 } : {}) });
}

/** What one diff of so many may take. */
function diffRoom(files: number): DiffRoom {
  const share = (all: number): number => Math.floor(all / Math.max(1, files));
  return {
    maxChars: Math.min(maxDiffChars, Math.max(minDiffChars, share(allDiffChars))),
    timeoutMs: Math.max(minDiffMs, share(allDiffMs)),
  };
}

/** `null` stays; undefined: no text. */
function textOf(bytes: Uint8Array | null, path: string): string | null | undefined {
  return bytes === null ? null : attempt(() => decodeText(bytes, path).text);
}
