import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileChanged, localError, notAFile } from "../errors.ts";
import { inMessage } from "../messages.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

/** A regular file, open for reading: what is read is what was checked. */
export interface OpenedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Real path. */
  readonly path: string;
  close(): Promise<void>;
}

/** A link is not followed, and a pipe doesn't hold up the opening. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file of a folder. `path` is what messages call it. */
export async function openIn(folder: PinnedFolder, name: string, path: string): Promise<OpenedFile> {
  const refuse = (error: NodeJS.ErrnoException): never => {
    const called = inMessage(path);
    if (error.code === "ENOENT") throw localError("NotFound", `There is no file ${called}.`);
    if (error.code === "ELOOP") throw fileChanged(path);
    throw localError("AccessDenied", `${called} can't be opened (${error.code ?? "unknown"}).`);
  };
  // Looked at first: opening a pipe or a device does something to it, even if it is closed again at once.
  const found = await folder.lstat(name).catch(refuse);
  if (found.isSymbolicLink()) throw fileChanged(path);
  if (!found.isFile()) throw notAFile(path);
  const handle = await open(folder.at(name), readOnly).catch(refuse);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notAFile(path);
    const real = join(folder.path, name);
    if (!folder.pinned) await demandSame(real, stats, path);
    const close = (): Promise<void> => handle.close();
    return { handle, stats, path: real, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where folders can't be held: the opened file must be the one that is now at its path, and the path its real one. */
async function demandSame(real: string, opened: Stats, path: string): Promise<void> {
  const now = await realpath(real).catch(() => undefined);
  const there = now === real ? await stat(real).catch(() => undefined) : undefined;
  if (there === undefined || there.dev !== opened.dev || there.ino !== opened.ino) {
    throw fileChanged(path);
  }
}
