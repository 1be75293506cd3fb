import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import { localError } from "../errors.ts";
import type { PinnedFolder } from "../roots/roots.ts";
import { inMessage } from "../roots/words.ts";

/** How a file is written. */
export interface ReplaceOptions {
  /** What messages call it. */
  shown: string;
  /** Refuse (`AlreadyExists`) when there is something of that name. Default false. */
  exclusive?: boolean;
  /** The file as it was looked at: its mode is kept, and `FileChanged` refuses when it is another one by now. */
  before?: Stats | undefined;
}

/**
 * Writes a file of a folder as a whole: whoever opens it has all of the old content or all of the new, also after a power
 * cut. A link of that name is replaced, not followed.
 */
export async function replaceFile(
  folder: PinnedFolder,
  name: string,
  data: Uint8Array,
  options: ReplaceOptions,
): Promise<Stats> {
  const { shown, exclusive = false, before } = options;
  const target = folder.at(name);
  const temporary = folder.at(`.toolglot-${randomBytes(8).toString("hex")}.tmp`);
  let stats: Stats;
  try {
    stats = await writeNew(temporary, data, before?.mode);
    if (exclusive) await claim(temporary, target, shown);
    else {
      if (before !== undefined) await demandSame(target, before, shown);
      await rename(temporary, target);
    }
    await folder.sync();
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  return stats;
}

async function writeNew(path: string, data: Uint8Array, mode: number | undefined): Promise<Stats> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, 0o666);
  try {
    await handle.writeFile(data);
    if (mode !== undefined) await handle.chmod(mode & 0o777);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/** Gives the file its name only if that is free. Where files can't have two names, a moment remains in between. */
async function claim(temporary: string, target: string, shown: string): Promise<void> {
  const taken = (): Error => localError("AlreadyExists", `${inMessage(shown)} exists already.`);
  try {
    await link(temporary, target);
    await unlink(temporary);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw taken();
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    if ((await lstat(target).catch(() => undefined)) !== undefined) throw taken();
    await rename(temporary, target);
  }
}

async function demandSame(target: string, before: Stats, shown: string): Promise<void> {
  const now = await lstat(target).catch(() => undefined);
  const same = now?.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs;
  if (!same)
    throw localError("FileChanged", `${inMessage(shown)} was changed by someone else meanwhile: read it again.`);
}
