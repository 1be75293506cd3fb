import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder that is held open. What is reached through {@link at} lies in this folder, even if its path is renamed or made a
 * link meanwhile. Only Linux can do that; elsewhere a moment remains between looking and acting.
 */
export interface PinnedFolder {
  /** Its real path, read back after it was opened. */
  readonly path: string;
  /** A path to an entry of the folder. The entry itself may be a link: open it with `O_NOFOLLOW`. */
  at(name: string): string;
  /** Makes a rename or removal in it last. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a folder by its real path: a link put in its place is refused (`ELOOP`, `ENOTDIR`). */
export async function pinFolder(real: string): Promise<PinnedFolder> {
  if (process.platform === "win32") return unpinned(real);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const folder = await open(real, flags);
  try {
    const path = await openedPath(folder, real);
    const base = path.pinned ? `/proc/self/fd/${folder.fd}` : path.path;
    return {
      path: path.path,
      at: (name) => join(base, plainName(name)),
      sync: () => folder.sync(),
      close: () => folder.close(),
    };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Windows can't open folders: the path stands for it. */
async function unpinned(real: string): Promise<PinnedFolder> {
  const path = await realpath(real);
  return {
    path,
    at: (name) => join(path, plainName(name)),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function openedPath(folder: FileHandle, real: string): Promise<{ path: string; pinned: boolean }> {
  if (process.platform === "linux") {
    const path = await readlink(`/proc/self/fd/${folder.fd}`).catch(() => undefined);
    if (path !== undefined) return { path, pinned: true };
  }
  return { path: await realpath(real), pinned: false };
}

function plainName(name: string): string {
  if (
    name === "" ||
    name === "." ||
    name === ".." ||
    /[/\0]/.test(name) ||
    (process.platform === "win32" && /[\\:]/.test(name))
  ) {
    throw new TypeError(`${JSON.stringify(name)} is no name of an entry`);
  }
  return name;
}
