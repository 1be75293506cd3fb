import { chmod, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { localError } from "../errors.ts";

/** Tries for a name that is free. */
const maxTries = 1_000;

/**
 * Keeps a copy of a file's content in a folder, as `name.2026-11-21T21-10-05.123Z`, for its owner alone (0600; the folder 0700),
 * flushed to the disk. Gives its path. Rejects with `WriteFailed`; nothing is left of it then.
 */
export async function keepBackup(
  folder: string,
  name: string,
  bytes: Uint8Array,
  now: Date = new Date(),
): Promise<string> {
  const time = now.toISOString().replaceAll(":", "-");
  try {
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await chmod(folder, 0o700);
    for (let turn = 1; turn <= maxTries; turn++) {
      const path = join(folder, turn === 1 ? `${name}.${time}` : `${name}.${time}-${turn}`);
      if (await writeNew(path, bytes)) {
        await flushFolder(folder);
        return path;
      }
    }
    throw new Error("no free name");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw localError(
      "WriteFailed",
      `A copy of ${name} could not be kept first (${code}), so nothing was written.`,
      {},
      error,
    );
  }
}

/** False when there is such a file. */
async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(bytes);
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** Makes a new name in a folder last. Windows can't. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
