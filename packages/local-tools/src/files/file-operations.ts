import { createHash, randomBytes } from "node:crypto";
import { type BigIntStats, constants, type Stats } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import { codeOf, ignoring, localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import type { PinnedFolder } from "../roots/pinned-folder.ts";

/** What a new file gets beside its content: owner, permissions. */
export interface Rights {
  /** Permission bits, exactly; undefined: the usual ones, less the umask. */
  mode?: number | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Gives the open file more than that, before its owner and permissions are set. It has its content by then: writing takes some attributes away. */
  furnish?: (file: number) => Promise<void>;
}

/** What a name in a folder leads to. `hash` and `bytes` are missing when it is no regular file, or has none of the sizes asked for. */
export interface FoundFile {
  stats: BigIntStats;
  hash?: string;
  bytes?: Uint8Array;
}

const nofollow: number = constants.O_NOFOLLOW ?? 0;
const readFlags: number = constants.O_RDONLY | nofollow | (constants.O_NONBLOCK ?? 0);
const createFlags: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | nofollow;

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a folder holds under a name, links not followed; `null`: nothing. Reads only files of one of the sizes. */
export async function inspectFile(
  folder: PinnedFolder,
  name: string,
  sizes: readonly number[],
): Promise<FoundFile | null> {
  const path = folder.at(name);
  const handle = await open(path, readFlags).catch((error) => {
    if (codeOf(error) === "ENOENT") return null;
    // A link, a socket.
    if (codeOf(error) === "ELOOP" || codeOf(error) === "EMLINK" || codeOf(error) === "ENXIO") return undefined;
    throw error;
  });
  if (handle === null) return null;
  if (handle === undefined) return { stats: await lstat(path, { bigint: true }) };
  await using opened = handle;
  const stats = await opened.stat({ bigint: true });
  if (!stats.isFile() || !sizes.includes(Number(stats.size))) return { stats };
  const bytes = await opened.readFile();
  return { stats, bytes, hash: sha256(bytes) };
}

/** Whether what stands there is this content; for `null`: whether nothing does. */
export function holds(found: FoundFile | null, content: { hash: string } | null): boolean {
  return found === null || content === null ? found === null && content === null : found.hash === content.hash;
}

/**
 * Creates a file durably: its content and rights are on the disk when this resolves. Its name is not, before the folder is
 * synced. `usualMode`: permission bits where `rights` names none, less the umask.
 */
export async function createFile(path: string, bytes: Uint8Array, rights: Rights, usualMode = 0o644): Promise<Stats> {
  await using handle = await open(path, createFlags, rights.mode === undefined ? usualMode : 0o600);
  await handle.writeFile(bytes);
  await rights.furnish?.(handle.fd);
  if (process.platform !== "win32") {
    let mode = rights.mode;
    const made = await handle.stat();
    const { uid = made.uid, gid = made.gid } = rights;
    if (uid !== made.uid || gid !== made.gid) {
      // Only the superuser may give files away; the group of one's own may be kept by anybody.
      const kept = await handle.chown(uid, gid).then(
        () => true,
        () =>
          handle.chown(made.uid, gid).then(
            () => false,
            () => false,
          ),
      );
      // Bits that run a file with its owner's rights would now be those of another owner.
      if (!kept && mode !== undefined) mode &= 0o1777;
    }
    if (mode !== undefined) await handle.chmod(mode);
  }
  await handle.sync();
  return await handle.stat();
}

/** How {@link replaceFile} writes. */
export interface ReplaceOptions {
  /** What messages call the file. */
  shown: string;
  /** Refuses (`AlreadyExists`) when there is something of that name. Default false. */
  exclusive?: boolean;
  /** The file as the caller saw it: its mode is kept, and `FileChanged` refuses when it is another one by now. */
  before?: Stats | undefined;
}

/**
 * Writes a file of a folder as a whole: every reader gets all of the old content or all of the new, also after a power cut. A
 * link of that name is replaced, not followed.
 */
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
      if (!(await nameFile(folder, temporary, name))) {
        throw localError("AlreadyExists", `${inMessage(shown)} exists already.`);
      }
      await removeFile(folder.at(temporary));
    } else {
      if (before !== undefined) await demandSame(folder, name, before, shown);
      await rename(folder.at(temporary), folder.at(name));
    }
    await folder.sync();
    return stats;
  } catch (error) {
    await unlink(folder.at(temporary)).catch(() => undefined);
    throw error;
  }
}

async function demandSame(folder: PinnedFolder, name: string, before: Stats, shown: string): Promise<void> {
  const now = await folder.lstat(name).catch(() => undefined);
  if (now?.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs) return;
  throw localError("FileChanged", `${inMessage(shown)} was changed by someone else meanwhile: read it again.`);
}

/** Gives a file a second name. False where the file system, or the system's rules, allow none. */
export async function linkFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const refused = ["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];
    if (refused.includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

/** Gives a file a name that is free; false when it is not. The old name may stay. */
export async function nameFile(folder: PinnedFolder, from: string, to: string): Promise<boolean> {
  try {
    if (await linkFile(folder.at(from), folder.at(to))) return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  // Without hard links a moment remains between looking and renaming.
  if ((await folder.lstat(to).catch(ignoring("ENOENT"))) !== undefined) return false;
  await rename(folder.at(from), folder.at(to));
  return true;
}

/** Removes a file; does nothing when there is none. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(ignoring("ENOENT"));
}

/** Makes the names in a folder last. Windows can't open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  await folder.sync();
}

/** Does something with each, a few at a time. After a failure it begins nothing more, and rejects when all that it began has ended. */
export async function forEach<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      await work(items[index] as T, index).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  if (failures.length > 0) throw failures[0];
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
