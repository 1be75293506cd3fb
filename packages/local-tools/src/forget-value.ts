import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SecretValues } from "@toolglot/secrets/executing";
import { removeFile, syncFolder } from "./files/file-operations.ts";
import { textOf } from "./journal/record.ts";
import type { ChangeJournal } from "./journal/types.ts";

/** What `LocalTools.forget` did. */
export interface Forgotten {
  /** Changes whose contents were removed: they can't be undone any more. */
  changes: number;
  /** Copies of protected files that were removed. */
  copies: number;
}

interface Places {
  journal: ChangeJournal;
  backupDir: string;
  values: SecretValues;
}

/** Removes what is kept of files that held a value: in the journal, and copies of protected files. */
export async function forgetValue(name: string, { journal, backupDir, values }: Places): Promise<Forgotten> {
  const value = (await values.get(name))?.value;
  // Former values of the name are known as well; one that is too short to be masked is known by itself.
  const holds = (bytes: Uint8Array): boolean => {
    const text = textOf(bytes);
    return values.namesIn(text).includes(name) || (value !== undefined && text.includes(value));
  };
  const changes = await journal.forget(name, holds);
  let copies = 0;
  for (const file of await readdir(backupDir)) {
    const path = join(backupDir, file);
    if (!holds(await readFile(path))) continue;
    removeFile(path);
    copies += 1;
  }
  if (copies > 0) await syncFolder(backupDir);
  return { changes, copies };
}
