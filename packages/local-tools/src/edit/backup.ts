import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, ignoring } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { createFile, syncFolder } from "../files/file-operations.ts";

/** Names that are tried. */
const maxTries = 1_000;

/** Keeps a copy of a file's content, for its owner alone and flushed to the disk. Resolves with its path; rejects with `WriteFailed`. */
export async function keepBackup(
  folder: string,
  name: string,
  bytes: Uint8Array,
  now: Date = new Date(),
): Promise<string> {
  const time = now.toISOString().replaceAll(":", "-");
  try {
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await chmod(folder, 0o700);
    for (let number = 1; number <= maxTries; number++) {
      const path = join(folder, number === 1 ? `${name}.${time}` : `${name}.${time}-${number}`);
      if ((await createFile(path, bytes, { mode: 0o600 }).catch(ignoring("EEXIST"))) === undefined) continue;
      await syncFolder(folder);
      return path;
    }
    throw new Error("no free name");
  } catch (error) {
    const message = `A copy of ${name} could not be kept first (${codeOf(error) ?? "unknown"}), so nothing was written.`;
    throw localError("WriteFailed", message, {}, error);
  }
}
