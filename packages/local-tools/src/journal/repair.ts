import { codeOf, localErrorType } from "../errors.ts";
import { holds } from "../files/file-operations.ts";
import { Folders } from "./folders.ts";
import type { Parts } from "./journal.ts";
import { isChanged, type StoredRecord } from "./record.ts";
import { neitherSentence, sizesOf, takeBack } from "./take-back.ts";

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
      await takeBack(parts, record, folders);
      return;
    }
    const neither: string[] = [];
    let isOld = false;
    let isNew = false;
    for (const { path, before, after } of manifest.files.filter(isChanged)) {
      const found = await folders.inspect(path, sizesOf(before, after));
      if (holds(found, before)) isOld = true;
      else if (holds(found, after)) isNew = true;
      else neither.push(neitherSentence(roots.show(path), before));
    }
    if (isOld || (!isNew && neither.length === 0)) {
      await takeBack(parts, record, folders);
      return;
    }
    for (const [index, { path }] of manifest.files.entries()) await folders.removeBeside(manifest.id, index, path);
    for (const path of [...manifest.removes].reverse()) await folders.removeEmpty(path);
    await folders.sync();
    await records.setTrouble(record, neither);
    await records.mark(record, neither.length > 0 ? "conflict" : "done");
  } catch (error) {
    await records.setTrouble(record, [reasonOf(error)]);
  } finally {
    await folders.close();
  }
}

function reasonOf(error: unknown): string {
  if (localErrorType(error) !== undefined) return `${(error as Error).message} The change waits for repair.`;
  return `A file of the change can't be looked at (${codeOf(error) ?? "unknown"}). The change waits for repair.`;
}
