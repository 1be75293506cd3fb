import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { attempt, codeOf } from "@toolglot/internal";
import { fileChanged, localError, notAFile } from "../errors.ts";
import { inMessage } from "../messages.ts";

/** Makes what was written to an open file, or made in an open folder, last. */
export const flush: (file: number) => Promise<void> = promisify(fsync);

/** Opens for reading: a link is not followed, and a pipe doesn't hold up the opening. */
export const readFlags: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** An entry of a folder, links not followed. */
export interface FolderEntry {
  name: string;
  kind: "file" | "directory" | "link" | "other";
}

/**
 * A folder that is held open. What is reached through {@link at} lies in this folder, even if its path is renamed or made a
 * link meanwhile. Only Linux (with /proc) can do that; elsewhere a moment remains between looking and acting.
 */
export interface PinnedFolder extends Disposable {
  /** Its real path, read back after it was opened. */
  readonly path: string;
  /** Whether {@link at} leads through the open folder; false: through its path, which somebody may change. */
  readonly pinned: boolean;
  /** A path to the folder itself, as {@link at} begins. */
  readonly base: string;
  /** Returns a path to an entry of the folder. The entry itself may be a link: open it with `O_NOFOLLOW`. */
  at(name: string): string;
  /** Returns what is in it, in no order. Rejects with the system's error. */
  entries(): Promise<FolderEntry[]>;
  /** Facts about an entry; a link is not followed. Rejects with the system's error. */
  lstat(name: string): Promise<Stats>;
  /** Holds on to a folder in it; a link is refused with the system's error. The caller closes it, and sees to its `path`. */
  folder(name: string): PinnedFolder;
  /** Makes a rename or removal in it last. */
  sync(): Promise<void>;
  close(): void;
}

/** Checks whether there is a folder at a path, links followed. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Opens a folder by its real path, at once: whoever resolved it has looked at it. A link in its place is refused (`ELOOP`, `ENOTDIR`). */
export function holdFolder(real: string): PinnedFolder {
  if (process.platform === "win32") return unpinned(real);
  const folder = openSync(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { path, pinned } = openedPath(folder, real);
    let isOpen = true;
    const close = (): void => {
      if (isOpen) closeSync(folder);
      isOpen = false;
    };
    return reachedAt(pinned ? `/proc/self/fd/${folder}` : path, { path, pinned, sync: () => flush(folder), close });
  } catch (error) {
    closeSync(folder);
    throw error;
  }
}

/** Windows can't open folders: the path stands for it. */
function unpinned(real: string): PinnedFolder {
  const found = lstatSync(real);
  // A junction is a link, too.
  if (found.isSymbolicLink()) throw Object.assign(new Error("a link is no folder"), { code: "ELOOP" });
  if (!found.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  const path = realpathSync.native(real);
  return reachedAt(path, { path, pinned: false, sync: () => Promise.resolve(), close: () => {} });
}

/** Returns a held folder whose entries are reached through `base`. */
function reachedAt(base: string, held: Pick<PinnedFolder, "path" | "pinned" | "sync" | "close">): PinnedFolder {
  const at = (name: string): string => join(base, plainName(name));
  return {
    ...held,
    base,
    [Symbol.dispose]: held.close,
    at,
    lstat: async (name) => lstat(at(name)),
    folder: (name) => holdFolder(at(name)),
    // The folder itself is reached through `.`: as a bare link, `/proc/self/fd/…` would be looked at and not through.
    entries: async () =>
      (await readdir(`${base}/.`, { withFileTypes: true })).map((entry) => ({
        name: entry.name,
        kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other",
      })),
  };
}

/** Where an open folder is. Without /proc: where its path leads now, if that is the same folder still. */
function openedPath(folder: number, real: string): { path: string; pinned: boolean } {
  if (process.platform === "linux") {
    const path = attempt(() => readlinkSync(`/proc/self/fd/${folder}`));
    if (path !== undefined) return { path, pinned: true };
  }
  const path = realpathSync.native(real);
  const [opened, there] = [fstatSync(folder), statSync(path)];
  if (opened.dev !== there.dev || opened.ino !== there.ino) {
    throw Object.assign(new Error("the folder was replaced"), { code: "ELOOP" });
  }
  return { path, pinned: false };
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

/** A regular file, open for reading: what is read is what was checked. */
export interface OpenedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: Stats;
  readonly path: string;
  close(): Promise<void>;
}

/** Opens a file of a folder. `path` is what messages call it. */
export async function openIn(folder: PinnedFolder, name: string, path: string): Promise<OpenedFile> {
  const refuse = (error: unknown): never => {
    const called = inMessage(path);
    const code = codeOf(error);
    if (code === "ENOENT") throw localError("NotFound", `There is no file ${called}.`);
    if (code === "ELOOP") throw fileChanged(path);
    throw localError("AccessDenied", `${called} can't be opened (${code ?? "unknown"}).`);
  };
  // Looked at first: opening a pipe or a device does something to it, even if it is closed again at once.
  const found = attempt(() => lstatSync(folder.at(name)));
  if (found?.isSymbolicLink()) throw fileChanged(path);
  if (found?.isFile() === false) throw notAFile(path);
  const handle = await open(folder.at(name), readFlags).catch(refuse);
  try {
    const stats = fstatSync(handle.fd);
    if (!stats.isFile()) throw notAFile(path);
    const real = join(folder.path, name);
    if (!folder.pinned) demandSame(real, stats, path);
    const close = (): Promise<void> => handle.close();
    return { handle, stats, path: real, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where folders can't be held: the opened file must be the one that is now at its path, and the path its real one. */
export function demandSame(real: string, opened: Stats, path: string): void {
  const there = attempt(() => (realpathSync.native(real) === real ? statSync(real) : undefined));
  if (there === undefined || there.dev !== opened.dev || there.ino !== opened.ino) throw fileChanged(path);
}
