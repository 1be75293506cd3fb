import { hash, randomBytes } from "node:crypto";
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  unlinkSync,
  write,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import { allowing, attempt, codeOf } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import { flush, type PinnedFolder, readFlags } from "./pinned-folder.ts";

/** What a new file gets beside its content: owner, permissions. */
export interface Rights {
  /** Permission bits, exactly; undefined: the usual ones, less the umask. */
  mode?: number | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Sets more than that on the open file, before its owner and permissions. It has its content by then: writing removes some attributes. */
  furnish?: (file: number) => Promise<void>;
}

/** What a name in a folder leads to. `bytes` is missing when it is no regular file, or none of a size asked for. */
export interface FoundFile {
  stats: BigIntStats;
  bytes?: Buffer;
}

export const createFlags: number =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

/** Returns what a folder holds under a name, links not followed; `null`: nothing. Reads only files of which the size is wanted. */
export function inspectFile(folder: PinnedFolder, name: string, isWanted: (size: number) => boolean): FoundFile | null {
  const path = folder.at(name);
  let file: number;
  try {
    file = openSync(path, readFlags);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return null;
    // A link, a socket.
    if (code === "ELOOP" || code === "EMLINK" || code === "ENXIO") return { stats: lstatSync(path, { bigint: true }) };
    throw error;
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    return stats.isFile() && isWanted(Number(stats.size)) ? { stats, bytes: readFileSync(file) } : { stats };
  } finally {
    closeSync(file);
  }
}

/** Checks whether what stands there is this content; for `null`: whether nothing does. */
export function holds(found: FoundFile | null, content: { hash: string } | null): boolean {
  if (found === null || content === null) return found === content;
  return found.bytes !== undefined && sha256(found.bytes) === content.hash;
}

/** More bytes than that are read and written by the thread pool: they take long, and who writes much has to wait for the disk. */
export const maxAtOnce: number = 1 << 18;

/** Writes all of the bytes, behind what was written before. */
export async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  if (bytes.length <= maxAtOnce) return writeFileSync(file, bytes);
  for (let from = 0; from < bytes.length; ) from += (await writeSome(file, bytes, from)).bytesWritten;
}

const writeSome = promisify(write);

/** Creates a file with content and rights that last; its name does once the folder is synced. `usualMode`: bits where `rights` has none. */
export async function createFile(path: string, bytes: Uint8Array, rights: Rights, usualMode?: number): Promise<Stats> {
  const file = await writeNewFile(path, bytes, rights, usualMode);
  try {
    await flush(file);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

/** As {@link createFile}, but nothing of it is on the disk yet: returns the open file, which the caller flushes and closes. */
export async function writeNewFile(
  path: string,
  bytes: Uint8Array,
  rights: Rights,
  usualMode = 0o644,
): Promise<number> {
  const file = openSync(path, createFlags, rights.mode === undefined ? usualMode : 0o600);
  try {
    await writeAll(file, bytes);
    await rights.furnish?.(file);
    if (process.platform !== "win32") setRights(file, rights);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function setRights(file: number, { mode, uid, gid }: Rights): void {
  const made = fstatSync(file);
  let isKept = true;
  if ((uid ?? made.uid) !== made.uid || (gid ?? made.gid) !== made.gid) {
    isKept = chownTo(file, uid ?? made.uid, gid ?? made.gid);
    // Only the superuser may give files away; the group of one's own may be kept by anybody.
    if (!isKept) chownTo(file, made.uid, gid ?? made.gid);
  }
  // Bits that run a file with its owner's rights would now be those of another owner.
  if (mode !== undefined) fchmodSync(file, isKept ? mode : mode & 0o1777);
}

function chownTo(file: number, uid: number, gid: number): boolean {
  return attempt(() => fchownSync(file, uid, gid) ?? true) === true;
}

export interface ReplaceOptions {
  /** What messages call the file. */
  shown: string;
  /** Refuses (`AlreadyExists`) when there is something of that name. Default false. */
  exclusive?: boolean;
  /** The file as the caller saw it: its mode is kept, and `FileChanged` refuses when it is another one by now. */
  before?: Stats | undefined;
}

/** Writes a file as a whole: readers get all of the old or all of the new, also after a power cut. A link of that name is replaced. */
export async function replaceFile(
  folder: PinnedFolder,
  name: string,
  data: Uint8Array,
  { shown, exclusive = false, before }: ReplaceOptions,
): Promise<Stats> {
  const temporary = `.toolglot-${randomBytes(8).toString("hex")}.tmp`;
  try {
    const mode = before === undefined ? undefined : before.mode & 0o777;
    const stats = await createFile(folder.at(temporary), data, { mode }, 0o666);
    if (exclusive) {
      if (!nameFile(folder, temporary, name)) {
        throw localError("AlreadyExists", `${inMessage(shown)} exists already.`);
      }
      removeFile(folder.at(temporary));
    } else {
      if (before !== undefined) demandSame(folder.at(name), before, shown);
      renameSync(folder.at(temporary), folder.at(name));
    }
    await folder.sync();
    return stats;
  } catch (error) {
    attempt(() => unlinkSync(folder.at(temporary)));
    throw error;
  }
}

function demandSame(path: string, before: Stats, shown: string): void {
  const now = attempt(() => lstatSync(path));
  if (now?.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs) return;
  throw localError("FileChanged", `${inMessage(shown)} was changed by someone else meanwhile: read it again.`);
}

/** Links a file to a second name. False where the file system, or the system's rules, allow none. */
export function linkFile(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const refused = ["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];
    if (refused.includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

/** Names a file by a name that is free; false when it is not. The old name may stay. */
export function nameFile(folder: PinnedFolder, from: string, to: string): boolean {
  try {
    if (linkFile(folder.at(from), folder.at(to))) return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  // Without hard links a moment remains between looking and renaming.
  if (lstatSync(folder.at(to), { throwIfNoEntry: false }) !== undefined) return false;
  renameSync(folder.at(from), folder.at(to));
  return true;
}

/** Removes a file; does nothing when there is none. */
export function removeFile(path: string): void {
  allowing(["ENOENT"], () => unlinkSync(path));
}

/**
 * Removes the last name of a file that somebody may have held much in. To free that takes as long as all other calls of an edit: it is
 * left to the thread pool, by a file that is closed there, when `free` is called.
 */
export function discardFile(path: string): { free(): void } {
  const file = attempt(() => openSync(path, readFlags));
  removeFile(path);
  return { free: () => file !== undefined && close(file, () => {}) };
}

/** Makes the names in a folder last. Windows can't open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await flush(folder).finally(() => closeSync(folder));
}

/** Lets the host have its turn. */
export const nextTurn: () => Promise<void> = promisify(setImmediate);

/** Does something with each, one after the other. Work that waits for nothing would hold up the host: it gets its turn in between. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0) await nextTurn();
    await work(item);
  }
}

/** Runs tasks that share a path one after the other, in the order they were given; others side by side. */
export class PathQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  /** Tasks that wait for everything before them, and everything behind them waits for them. */
  #barrier: Promise<unknown> = Promise.resolve();

  /** Runs a task once all earlier ones that share one of its paths are over. */
  run<Value>(paths: readonly string[], task: () => Promise<Value>): Promise<Value> {
    const before = [this.#barrier, ...paths.flatMap((path) => this.#last.get(path) ?? [])];
    const running = Promise.allSettled(before).then(task);
    for (const path of paths) this.#last.set(path, running);
    const forget = (): void => {
      for (const path of paths) if (this.#last.get(path) === running) this.#last.delete(path);
    };
    running.then(forget, forget);
    return running;
  }

  /** Runs a task alone. */
  runAlone<Value>(task: () => Promise<Value>): Promise<Value> {
    const running = Promise.allSettled([this.#barrier, ...this.#last.values()]).then(task);
    this.#barrier = running.catch(() => undefined);
    return running;
  }
}
