import { type BigIntStats, closeSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ToolError } from "@toolglot/core";
import { inParallel } from "@toolglot/core/executing";
import { allowing, attempt, codeOf, defined } from "@toolglot/internal";
import type { HeldLock } from "@toolglot/internal/node";
import { localError, localErrorType } from "../errors.ts";
import { inTurns, linkFile, nameFile, writeNewFile } from "../files/file-operations.ts";
import { flush } from "../files/pinned-folder.ts";
import { copyAttributes } from "./attributes.ts";
import { changed, Folders, named } from "./folders.ts";
import type { Parts } from "./parts.ts";
import {
  besideName,
  isChanged,
  keptContent,
  type Manifest,
  newContent,
  type StoredRecord,
  valuesIn,
} from "./record.ts";
import type { Scan } from "./records.ts";
import { takeBack } from "./repair.ts";
import type { FileChange } from "./types.ts";

/** A change of one file, with the owner that a file gets that is made again. */
export interface PlannedFile extends FileChange {
  uid?: number;
  gid?: number;
}

export interface Plan {
  files: readonly PlannedFile[];
  undoes?: string;
  /** Folders to remove when they are empty afterwards, outermost first. */
  removes: readonly string[];
}

/** Writes a change, all or nothing; returns its id. The moments it goes through: see `Point`. */
export async function writeChange(parts: Parts, lock: HeldLock, scan: Scan, plan: Plan): Promise<string> {
  const folders = new Folders(parts.roots);
  try {
    const record = await prepare(parts, folders, scan, plan);
    const write = new Writing(parts, lock, folders, record, plan);
    try {
      await write.run();
    } catch (error) {
      const trouble = await takeBack(parts, record, folders, write);
      throw failure(error, trouble);
    }
    return record.manifest.id;
  } finally {
    folders.close();
  }
}

/** Checks the plan's preconditions, then writes the record. */
async function prepare(
  { roots, records, owner, reach, namesIn }: Parts,
  folders: Folders,
  scan: Scan,
  plan: Plan,
): Promise<StoredRecord> {
  const found: (BigIntStats | null)[] = [];
  const makes = new Set<string>();
  await inTurns(plan.files, async ({ path, before }) => {
    const shown = roots.show(path);
    const missing = await named(shown, () => folders.missing(path));
    if (missing.length > 0 && before !== null) throw changed(shown, "gone");
    for (const folder of missing) makes.add(folder);
    found.push(missing.length > 0 ? null : await folders.expect(path, before));
  });
  await reach("checked");
  const old = plan.files.map(({ before }) => before);
  const manifest: Manifest = {
    version: 2,
    id: records.nextId(scan),
    at: Date.now(),
    owner,
    ...defined({
      undoes: plan.undoes,
      values: valuesIn(old, namesIn),
      writes: valuesIn(
        plan.files.map(({ after }) => after),
        namesIn,
      ),
    }),
    files: plan.files.map((file, index) => {
      return { path: file.path, before: keptContent(file.before, found[index]), after: newContent(file) };
    }),
    makes: [...makes],
    removes: [...plan.removes],
  };
  try {
    const record = await records.prepare(manifest, old, reach);
    scan.records.push(record);
    return record;
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    throw localError("WriteFailed", `The change journal can't be written (${code}). Nothing was changed.`, {}, error);
  }
}

const maxOpen = 64;

/** The steps from a written record to a written change. */
class Writing {
  readonly touched: Set<number> = new Set();
  readonly made: string[] = [];
  readonly #parts: Parts;
  readonly #lock: HeldLock;
  readonly #folders: Folders;
  readonly #record: StoredRecord;
  readonly #manifest: Manifest;
  readonly #plan: Plan;
  /** What stood at each changed file's path right before the replacing. */
  readonly #seen = new Map<number, BigIntStats>();

  constructor(parts: Parts, lock: HeldLock, folders: Folders, record: StoredRecord, plan: Plan) {
    this.#parts = parts;
    this.#lock = lock;
    this.#folders = folders;
    this.#record = record;
    this.#manifest = record.manifest;
    this.#plan = plan;
  }

  async run(): Promise<void> {
    const { records, reach } = this.#parts;
    const changed = [...this.#manifest.files.keys()].filter((index) => this.#isChanged(index));
    await reach("prepared");
    await this.#makeFolders();
    await this.#writeAll(changed);
    await this.#inTurns([...this.#manifest.files.keys()], (index) => this.#verify(index));
    await reach("verified");
    this.#folders.confirm();
    if (!this.#lock.isHeld()) {
      throw localError("WriteFailed", "Another process took the change journal for abandoned. Nothing was changed.");
    }
    await named("The change journal", () => this.#commit());
    await reach("committing");
    // In the order given: a reader of the tree sees a beginning of the change.
    await this.#inTurns(changed, (index) => this.#replace(index));
    this.#folders.confirm();
    await reach("settled");
    await this.#inTurns(changed, (index) => {
      const { path, before } = this.#file(index);
      // What was renamed into place is gone from beside it.
      this.#folders.removeBeside(this.#manifest.id, index, path, [before === null ? "new" : "old"]);
    });
    for (const path of [...this.#manifest.removes].reverse()) {
      await named(this.#parts.roots.show(path), () => this.#folders.removeEmpty(path));
    }
    await reach("cleaned");
    await named("The change", () => this.#folders.sync());
    await reach("synced");
    await named("The change journal", () => records.mark(this.#record, "done"));
  }

  async #commit(): Promise<void> {
    const { records, owner } = this.#parts;
    records.mark(this.#record, "committing");
    // Where a repair can't see that the machine was started again, it relies on this mark.
    if (owner.boot === null) await records.keep(this.#record);
  }

  async #makeFolders(): Promise<void> {
    for (const [index, path] of this.#manifest.makes.entries()) {
      await named(this.#parts.roots.show(path), async () => {
        if (this.#folders.make(path)) this.made.push(path);
        await this.#parts.reach("folder-made", index);
      });
    }
  }

  /**
   * Makes the record, and the new content of all files, last. What is written is flushed together: it waits for the same disk, and who
   * makes a file while a journalling file system flushes another one has to wait for that.
   */
  async #writeAll(changed: readonly number[]): Promise<void> {
    const keep = (): Promise<void> => named("The change journal", () => this.#parts.records.keep(this.#record));
    for (let from = 0; from === 0 || from < changed.length; from += maxOpen) {
      const open: { index: number; file: number }[] = [];
      try {
        await this.#inTurns(changed.slice(from, from + maxOpen), async (index) => {
          const file = await this.#writeBeside(index);
          if (file !== undefined) open.push({ index, file });
        });
        const flushes = open.map(
          ({ index, file }) =>
            () =>
              this.#named(index, () => flush(file)),
        );
        await together(from === 0 ? [keep, ...flushes] : flushes);
      } finally {
        for (const { file } of open) closeSync(file);
      }
      for (const { index } of open) await this.#parts.reach("new-written", index);
    }
  }

  /** Writes the new content to a hidden file beside the file. Returns the open file, not flushed yet; undefined for a file that is removed. */
  async #writeBeside(index: number): Promise<number | undefined> {
    const { path, before, after } = this.#file(index);
    const bytes = this.#plan.files[index]?.after;
    if (after === null || bytes === null || bytes === undefined) return undefined;
    const folder = this.#folders.open(dirname(path));
    const { keepAttributes, roots } = this.#parts;
    const furnish = (file: number): Promise<void> => copyAttributes(folder.at(basename(path)), roots.show(path), file);
    const rights = { ...(before ?? after), ...(keepAttributes && before !== null ? { furnish } : {}) };
    return await writeNewFile(folder.at(besideName(this.#manifest.id, index, "new")), bytes, rights);
  }

  /** Links the old file to a second name, so that it can be put back as it is, and checks its content. */
  async #verify(index: number): Promise<void> {
    const { path, before } = this.#file(index);
    const folder = this.#folders.open(dirname(path));
    const beside = folder.at(besideName(this.#manifest.id, index, "old"));
    const isLinked =
      before !== null && this.#isChanged(index) && (await this.#secondName(index, folder.at(basename(path)), beside));
    const shown = this.#parts.roots.show(path);
    const found = await this.#folders.expect(path, this.#plan.files[index]?.before ?? null);
    if (found === null) return;
    this.#seen.set(index, found);
    if (isLinked && lstatSync(beside, { bigint: true }).ino !== found.ino) throw changed(shown, "changed");
  }

  async #secondName(index: number, from: string, to: string): Promise<boolean> {
    // It may be gone: `check` reports that.
    const isLinked = allowing(["ENOENT"], () => linkFile(from, to)) === true;
    await this.#parts.reach("old-linked", index);
    return isLinked;
  }

  async #replace(index: number): Promise<void> {
    const { path, before, after } = this.#file(index);
    const folder = this.#folders.open(dirname(path));
    const beside = besideName(this.#manifest.id, index, "new");
    const target = folder.at(basename(path));
    const shown = this.#parts.roots.show(path);
    if (before === null) {
      // Never over a file that came since.
      this.touched.add(index);
      if (!nameFile(folder, beside, basename(path))) {
        this.touched.delete(index);
        throw changed(shown, "appeared");
      }
    } else {
      const now = attempt(() => lstatSync(target, { bigint: true }));
      const seen = this.#seen.get(index);
      const isSame = now?.ino === seen?.ino && now?.size === seen?.size && now?.mtimeNs === seen?.mtimeNs;
      if (now === undefined || !isSame) throw changed(shown, now === undefined ? "gone" : "changed");
      // Before the call: one that fails may have been done all the same. Taking back looks what stands there.
      this.touched.add(index);
      if (after === null) unlinkSync(target);
      else renameSync(folder.at(beside), target);
    }
    await this.#parts.reach("replaced", index);
  }

  #file(index: number): Manifest["files"][number] {
    return this.#manifest.files[index] as Manifest["files"][number];
  }

  #isChanged(index: number): boolean {
    return isChanged(this.#file(index));
  }

  #inTurns(indexes: readonly number[], work: (index: number) => void | Promise<void>): Promise<void> {
    return inTurns(indexes, (index) => this.#named(index, () => work(index)));
  }

  #named<T>(index: number, work: () => T | Promise<T>): Promise<T> {
    return named(this.#parts.roots.show(this.#file(index).path), work);
  }
}

/** Runs tasks, a few at a time. After a failure it begins nothing more, and rejects when all that it began has ended. */
async function together(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  await inParallel(tasks, 8, async (task) => {
    if (failures.length === 0) await task().catch((error) => failures.push(error));
  });
  if (failures.length > 0) throw failures[0];
}

/** Returns the error for the caller: what failed, and what could not be put back. */
function failure(error: unknown, trouble: readonly string[]): unknown {
  const cause = ToolError.isInstance(error)
    ? error
    : localError("WriteFailed", `The change can't be written (${codeOf(error) ?? "unknown"}).`, {}, error);
  if (trouble.length === 0) return cause;
  const message = [cause.message, "Not all of it could be taken back:", ...trouble].join(" ");
  return localError(localErrorType(cause) ?? "WriteFailed", message, { ...cause.data }, error);
}
