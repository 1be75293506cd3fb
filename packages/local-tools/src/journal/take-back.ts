import { rename } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "../errors.ts";
import { createFile, holds, inspectFile, nameFile, removeFile } from "../files/file-operations.ts";
import type { Folders } from "./folders.ts";
import type { Parts } from "./journal.ts";
import {
  besideName,
  isChanged,
  type KeptContent,
  type ManifestFile,
  type NewContent,
  type StoredRecord,
} from "./record.ts";

/** What the process that failed knows better than one that comes later. */
interface Done {
  /** The files that were replaced, made or removed, by number. Default: whatever holds the new content. */
  touched: ReadonlySet<number>;
  /** The folders that were made. Default: all that were to be. */
  made: readonly string[];
}

/**
 * Puts back what a change replaced, removes what it made, and ends its record. Done again after an interruption, it goes on
 * where it stopped. A file that holds neither its old nor its new content is left alone: the record ends as `conflict`. When
 * something can't be done now, the record stays as it is, for a later repair. Gives what there is to say about it.
 */
export async function takeBack(parts: Parts, record: StoredRecord, folders: Folders, done?: Done): Promise<string[]> {
  const { roots, records, reach } = parts;
  const { manifest } = record;
  const conflicts: string[] = [];
  const failures: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error) => failures.push(`${what} (${codeOf(error) ?? "it changed meanwhile"}).`));
  };

  if (record.state !== "prepared") {
    for (const path of manifest.removes) {
      await attempt(`The folder ${roots.show(path)} can't be made again`, async () => void (await folders.make(path)));
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
    await records.setTrouble(record, trouble);
    return trouble;
  }
  return end(parts, record, conflicts);
}

async function end({ records, reach }: Parts, record: StoredRecord, conflicts: string[]): Promise<string[]> {
  await records.setTrouble(record, conflicts);
  try {
    await records.mark(record, conflicts.length > 0 ? "conflict" : "rolled-back");
    await reach("rolled-back");
  } catch {
    // The journal can't be written. The next opening finds the old content everywhere, and ends the record.
    return conflicts;
  }
  if (conflicts.length === 0) await records.dropOld(record);
  return conflicts;
}

/** Gives a file its old content again; a sentence when that must not be done. */
async function putBack(
  { roots, records }: Parts,
  record: StoredRecord,
  folders: Folders,
  index: number,
  { path, before, after }: ManifestFile,
): Promise<string | undefined> {
  const { manifest } = record;
  const folder = await folders.find(dirname(path));
  const name = basename(path);
  const found = await folders.inspect(path, sizesOf(before, after));
  if (holds(found, before)) return;
  if (folder === undefined || !holds(found, after)) return neitherSentence(roots.show(path), before);
  if (before === null) return removeFile(folder.at(name)).then(() => undefined);

  const beside = besideName(manifest.id, index, "old");
  if (!holds(await inspectFile(folder, beside, [before.size]), before)) {
    const bytes = await records.old(manifest, index);
    if (bytes === undefined) return `What ${roots.show(path)} held before is not in the journal any more.`;
    await removeFile(folder.at(beside));
    await createFile(folder.at(beside), bytes, before);
  }
  if (after !== null) {
    // The file itself comes back: its owner, its other names and its times with it.
    await rename(folder.at(beside), folder.at(name));
    return;
  }
  return (await nameFile(folder, beside, name)) ? undefined : neitherSentence(roots.show(path), before);
}

export function sizesOf(before: KeptContent | null, after: NewContent | null): number[] {
  return [before, after].flatMap((content) => (content === null ? [] : [content.size]));
}

export function neitherSentence(shown: string, before: KeptContent | null): string {
  const kept = before === null ? "" : " What it held before is kept in the journal.";
  return `${shown} holds neither what it held before the change nor what the change wrote, and was left as it is.${kept}`;
}
