import { renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf } from "@toolglot/internal";
import { localErrorType } from "../errors.ts";
import { createFile, holds, inspectFile, nameFile, removeFile } from "../files/file-operations.ts";
import { Folders } from "./folders.ts";
import type { Parts } from "./parts.ts";
import { besideName, isChanged, type KeptContent, type ManifestFile, type StoredRecord } from "./record.ts";

/**
 * Ends a record that its process left unfinished. One rule: the change stands when every file holds its new content, and is
 * taken back otherwise. A file that holds neither content was changed by somebody else since: it is left alone, has no part
 * in the decision, and makes the record a `conflict`. A file that can't be looked at (another set of roots, a folder that
 * can't be read) leaves the record for a later repair.
 */
export async function repair(parts: Parts, record: StoredRecord): Promise<void> {
  const { roots, records } = parts;
  const { manifest } = record;
  const folders = new Folders(roots);
  try {
    if (record.state === "prepared") {
      if (manifest.owner.boot === parts.owner.boot) {
        await takeBack(parts, record, folders);
        return;
      }
      // The machine was started again: a power cut may have taken the mark, and left files that were replaced.
      records.mark(record, "committing");
    }
    const neither: string[] = [];
    let isOld = false;
    let isNew = false;
    for (const { path, before, after } of manifest.files.filter(isChanged)) {
      const found = folders.inspect(path, before, after);
      if (holds(found, before)) isOld = true;
      else if (holds(found, after)) isNew = true;
      else neither.push(neitherSentence(roots.show(path), before));
    }
    if (isOld || (!isNew && neither.length === 0)) {
      await takeBack(parts, record, folders);
      return;
    }
    for (const [index, { path }] of manifest.files.entries()) folders.removeBeside(manifest.id, index, path);
    for (const path of [...manifest.removes].reverse()) folders.removeEmpty(path);
    await folders.sync();
    records.setTrouble(record, neither);
    records.mark(record, neither.length > 0 ? "conflict" : "done");
  } catch (error) {
    records.setTrouble(record, [reasonOf(error)]);
  } finally {
    folders.close();
  }
}

function reasonOf(error: unknown): string {
  if (localErrorType(error) !== undefined) return `${(error as Error).message} The change waits for repair.`;
  return `A file of the change can't be looked at (${codeOf(error) ?? "unknown"}). The change waits for repair.`;
}

/** What the process that failed knows better than one that comes later. */
interface Done {
  /** The files that were replaced, made or removed, by number. Default: whatever holds the new content. */
  touched: ReadonlySet<number>;
  /** The folders that were made. Default: all that were to be. */
  made: readonly string[];
}

/**
 * Puts back what a change replaced, removes what it made, and ends its record. Done again after an interruption, it resumes
 * where it stopped. A file that holds neither its old nor its new content is left alone: the record ends as `conflict`. When
 * something can't be done now, the record stays as it is, for a later repair. Returns sentences about what remains.
 */
export async function takeBack(parts: Parts, record: StoredRecord, folders: Folders, done?: Done): Promise<string[]> {
  const { roots, records, reach } = parts;
  const { manifest } = record;
  const conflicts: string[] = [];
  const failures: string[] = [];
  const attempt = async (what: string, work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failures.push(`${what} (${codeOf(error) ?? "it changed meanwhile"}).`);
    }
  };

  if (record.state !== "prepared") {
    for (const path of manifest.removes) {
      await attempt(`The folder ${roots.show(path)} can't be made again`, () => folders.make(path));
    }
    for (const [index, file] of [...manifest.files.entries()].reverse()) {
      if (!isChanged(file) || done?.touched.has(index) === false) continue;
      await attempt(`${roots.show(file.path)} can't be put back`, async () => {
        const conflict = await putBack(parts, record, folders, index, file);
        if (conflict !== undefined) conflicts.push(conflict);
        await reach("restored", index);
      });
    }
  }
  for (const [index, { path }] of manifest.files.entries()) {
    await attempt(`The hidden files beside ${roots.show(path)} can't be removed`, () =>
      folders.removeBeside(manifest.id, index, path),
    );
  }
  for (const path of [...(done?.made ?? manifest.makes)].reverse()) {
    await attempt(`The folder ${roots.show(path)} can't be removed`, () => folders.removeEmpty(path));
  }
  await attempt("What was put back can't be made to last", () => folders.sync());
  await attempt("The record can't be ended", () => reach("tidied"));

  if (failures.length > 0) {
    const trouble = [...conflicts, ...failures];
    records.setTrouble(record, trouble);
    return trouble;
  }
  return end(parts, record, conflicts);
}

async function end({ records, reach }: Parts, record: StoredRecord, conflicts: string[]): Promise<string[]> {
  records.setTrouble(record, conflicts);
  try {
    records.mark(record, conflicts.length > 0 ? "conflict" : "rolled-back");
    await reach("rolled-back");
  } catch {
    // The journal can't be written. The next opening finds the old content everywhere, and ends the record.
    return conflicts;
  }
  if (conflicts.length === 0) records.dropOld(record);
  return conflicts;
}

/** Puts the old content of a file back; returns a sentence when that must not be done. */
async function putBack(
  { roots, records }: Parts,
  record: StoredRecord,
  folders: Folders,
  index: number,
  { path, before, after }: ManifestFile,
): Promise<string | undefined> {
  const folder = folders.find(dirname(path));
  const name = basename(path);
  const found = folders.inspect(path, before, after);
  if (holds(found, before)) return;
  if (folder === undefined || !holds(found, after)) return neitherSentence(roots.show(path), before);
  if (before === null) {
    removeFile(folder.at(name));
    return;
  }

  const beside = besideName(record.manifest.id, index, "old");
  if (
    !holds(
      inspectFile(folder, beside, (size) => size === before.size),
      before,
    )
  ) {
    const bytes = await records.old(record, index);
    if (bytes === undefined) return `What ${roots.show(path)} held before is not in the journal any more.`;
    removeFile(folder.at(beside));
    await createFile(folder.at(beside), bytes, before);
  }
  if (after !== null) {
    // The file itself comes back: its owner, its other names and its times with it.
    renameSync(folder.at(beside), folder.at(name));
    return;
  }
  return nameFile(folder, beside, name) ? undefined : neitherSentence(roots.show(path), before);
}

function neitherSentence(shown: string, before: KeptContent | null): string {
  const kept = before === null ? "" : " What it held before is kept in the journal.";
  return `${shown} holds neither what it held before the change nor what the change wrote, and was left as it is.${kept}`;
}
