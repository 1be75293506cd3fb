import { checkKeys } from "@toolglot/internal";
import { applyEdits } from "../../edit/apply-edits.ts";
import type { EditProblem } from "../../edit/problem-text.ts";
import { localError } from "../../errors.ts";
import { pathMatcher } from "../../files/glob.ts";
import { byteOrderMark } from "../../files/text.ts";
import { inMessage } from "../../messages.ts";
import { asFolder } from "./namespaces.ts";
import { selectLines } from "./tool-texts.ts";
import type { EntryMeta, FsHandle, LineSelection, ReadResult, SelectedLines, TextReplacement } from "./types.ts";

const brand = Symbol.for("toolglot.file-domain-service");

/** How a folder is listed with sizes. */
export type SortBy = "name" | "size";

/**
 * What can be done with the files of a handle: the service that file tools get as a preset. Rights are those of the handle.
 * Paths are logical; rejects as {@link FsHandle} does, and with `InvalidRange`, `FindMissing`, `FindAmbiguous` and
 * `EmptyFind`.
 */
export class FileDomainService {
  readonly #handle: FsHandle;

  constructor(handle: FsHandle) {
    if (typeof handle?.describeGrantsMarkdown !== "function") {
      throw new TypeError("FileDomainService needs a handle: new DiskFileSystem(…).createHandle(grants)");
    }
    this.#handle = handle;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Returns true for every service, whichever copy of this package made it. */
  static isInstance(value: unknown): value is FileDomainService {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  }

  /** Returns what is right in a folder: `[DIR] name/`, then `[FILE] name`, each sorted. */
  async listDirectory(path: string): Promise<string[]> {
    const entries = await this.#handle.children(path);
    return entries.toSorted(foldersFirst).map((meta) => entryLine(asFolder(path), meta));
  }

  /** Lists the same with bytes, of a folder those of all files below it; and a line that sums up. Folders first. */
  async listDirectoryWithSizes(
    path: string,
    sortBy: SortBy = "name",
    options: { signal?: AbortSignal } = {},
  ): Promise<{ lines: string[]; summary: string }> {
    checkKeys("listDirectoryWithSizes", options, "signal:signal");
    const folder = asFolder(path);
    const entries = await this.#handle.children(path);
    const sizes = new Map(entries.map((meta) => [meta.path, meta.size]));
    if (entries.some(({ kind }) => kind === "directory")) {
      for (const { path: file, size } of await this.#handle.list(path, options)) {
        const below = file.slice(folder.length);
        const at = below.indexOf("/");
        if (at === -1) continue;
        const top = folder + below.slice(0, at);
        sizes.set(top, (sizes.get(top) ?? 0) + size);
      }
    }
    const sizeOf = (meta: EntryMeta): number => sizes.get(meta.path) ?? 0;
    const order = (a: EntryMeta, b: EntryMeta): number =>
      foldersFirst(a, b) || (sortBy === "size" ? sizeOf(a) - sizeOf(b) : 0) || (a.path < b.path ? -1 : 1);
    const sorted = entries.toSorted(order);
    const files = sorted.filter(({ kind }) => kind === "file").length;
    const total = sorted.reduce((sum, meta) => sum + sizeOf(meta), 0);
    const lines = sorted.map((meta) => `${entryLine(folder, meta)} (size=${sizeOf(meta)})`);
    const counts = `files=${files}, dirs=${sorted.length - files}`;
    return { lines, summary: `total: ${sorted.length} entries; ${counts}; total_size=${total}` };
  }

  /** Returns the files below a folder whose path fits a pattern (`*` takes slashes as well) or holds it, less those that fit one to be left out. */
  async searchFiles(
    path: string,
    pattern: string,
    excludePatterns: readonly string[] = [],
    options: { signal?: AbortSignal } = {},
  ): Promise<string[]> {
    checkKeys("searchFiles", options, "signal:signal");
    const fits = pathMatcher(pattern);
    const excluded = excludePatterns.map(pathMatcher);
    const files = await this.#handle.list(asFolder(path), options);
    return files
      .map((meta) => meta.path)
      .filter((file) => (fits(file) || file.includes(pattern)) && !excluded.some((isOut) => isOut(file)));
  }

  /** Returns what there is to know of a file or folder. */
  getFileInfo(path: string): Promise<EntryMeta> {
    return this.#handle.file(path);
  }

  /** As {@link FileDomainService.getFileInfo}. */
  stat(path: string): Promise<EntryMeta> {
    return this.#handle.file(path);
  }

  /** Returns the prefixes of the handle's grants, sorted. */
  listAllowedDirectories(): string[] {
    return this.#handle.prefixes;
  }

  /** Returns lines of a text, joined by LF; without a selection all of them. */
  async readTextFile(path: string, selection: LineSelection = {}): Promise<string> {
    return (await this.readTextLines(path, selection)).lines.join("\n");
  }

  /** Returns lines of a text, which they are, and how many there are. */
  async readTextLines(path: string, selection: LineSelection = {}): Promise<SelectedLines> {
    return selectLines(await this.#handle.readFile(path), selection, path);
  }

  /** Several texts. What can't be read is one of the results. */
  async readMultipleFiles(paths: Iterable<string>): Promise<ReadResult[]> {
    const results: ReadResult[] = [];
    for (const path of paths) {
      try {
        results.push({ path, ok: true, content: await this.readTextFile(path) });
      } catch (reason) {
        results.push({ path, ok: false, error: (reason as Error).message, reason });
      }
    }
    return results;
  }

  /** Returns a file's bytes. */
  readBinaryFile(path: string): Promise<Uint8Array> {
    return this.#handle.readBinary(path);
  }

  /** Writes a text as a whole, with the folders it needs. */
  writeFile(path: string, content: string): Promise<EntryMeta> {
    return this.#handle.write(path, content);
  }

  /** Makes replacements in order, all or none; each `oldText` must occur exactly once. `notes`: what was done otherwise than written. */
  async editFile(path: string, edits: readonly TextReplacement[]): Promise<EntryMeta & { notes: string[] }> {
    let notes: string[] = [];
    const meta = await this.#handle.update(path, (text) => {
      const edited = applyTextEdits(path, text, edits);
      notes = edited.notes;
      return edited.text;
    });
    return { ...meta, notes };
  }

  /** Deletes a file. */
  deleteFile(path: string): Promise<void> {
    return this.#handle.delete(path);
  }

  /** Returns a line for each prefix: `/workspace/: ls, stat, read, write, delete`. */
  describePermissionsMarkdown(): string {
    return this.#handle.describeGrantsMarkdown();
  }
}

function foldersFirst(a: EntryMeta, b: EntryMeta): number {
  return Number(a.kind === "file") - Number(b.kind === "file");
}

function entryLine(folder: string, { path, kind }: EntryMeta): string {
  const name = path.slice(folder.length);
  return kind === "file" ? `[FILE] ${name}` : `[DIR] ${name}/`;
}

/** Makes replacements in a file's text, all or none; a byte order mark stays, and is not matched. Throws for the first problem. */
function applyTextEdits(
  path: string,
  text: string,
  edits: readonly TextReplacement[],
): { text: string; notes: string[] } {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const made = applyEdits(
    text.slice(mark.length),
    edits.map(({ oldText, newText }) => ({ find: oldText, replace: newText })),
  );
  if (made.problems.length > 0) throw problemError(path, made.problems, edits.length);
  return { text: mark + made.text, notes: made.notes.map(asAgentScope) };
}

function problemError(path: string, problems: readonly EditProblem[], count: number): Error {
  const lines = problems.map(
    ({ pair, message }) => `- ${count === 1 ? "" : `edit ${pair + 1}: `}${asAgentScope(message)}`,
  );
  const [first] = problems as [EditProblem];
  return localError(first.type, `${inMessage(path)} was not edited:\n${lines.join("\n")}`);
}

/** Rewrites an error of the editor, whose messages are about pairs of find and replace, and an `all` that these tools don't have. */
function asAgentScope(message: string): string {
  return message
    .replace(/, or replace all$/, "")
    .replace(/\bfind\b/g, "oldText")
    .replace(/\breplace holds\b/g, "newText holds")
    .replace(/\b([Pp])air(s?)\b/g, (_, first: string, plural: string) => `${first === "P" ? "E" : "e"}dit${plural}`);
}
