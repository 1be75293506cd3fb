import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { localError } from "../errors.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

/** A regular file, open for reading: what is read is what was checked. */
export interface OpenedFile {
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
  const handle = await open(folder.at(name), readOnly).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw localError("NotFound", `There is no file ${path}.`);
    if (error.code === "ELOOP") throw localError("FileChanged", `${path} changed while it was looked at.`);
    throw localError("AccessDenied", `${path} can't be opened (${error.code ?? "unknown"}).`);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw localError("NotAFile", `${path} is no regular file.`);
    const real = folder.path === "/" ? `/${name}` : `${folder.path}/${name}`;
    return { handle, stats, path: real, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
