import { createHash } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { link, lstat, open, unlink } from "node:fs/promises";
import type { PinnedFolder } from "../roots/pinned-folder.ts";

/** What is asked of a file that is made. */
export interface Rights {
  /** Permission bits, exactly; undefined: 0o644 less the umask. */
  mode?: number | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
}

/** What stands at a name. `hash` and `bytes` are missing when it is no regular file, or of none of the sizes asked for. */
export interface Found {
  stats: BigIntStats;
  hash?: string;
  bytes?: Uint8Array;
}

const nofollow: number = constants.O_NOFOLLOW ?? 0;
const toRead: number = constants.O_RDONLY | nofollow | (constants.O_NONBLOCK ?? 0);
const toMake: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | nofollow;

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The error code of a system call's failure. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Looks at what a folder holds under a name, links not followed; `null`: nothing. Only files of one of the sizes are read. */
export async function look(folder: PinnedFolder, name: string, sizes: readonly number[]): Promise<Found | null> {
  const path = folder.at(name);
  const handle = await open(path, toRead).catch((error) => {
    if (codeOf(error) === "ENOENT") return null;
    // A link, a socket.
    if (codeOf(error) === "ELOOP" || codeOf(error) === "EMLINK" || codeOf(error) === "ENXIO") return undefined;
    throw error;
  });
  if (handle === null) return null;
  if (handle === undefined) return { stats: await lstat(path, { bigint: true }) };
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile() || !sizes.includes(Number(stats.size))) return { stats };
    const bytes = await handle.readFile();
    return { stats, bytes, hash: sha256(bytes) };
  } finally {
    await handle.close();
  }
}

/** Makes a file that lasts: its content and rights are on the disk when this resolves. Its name isn't, before the folder is synced. */
export async function makeFile(path: string, bytes: Uint8Array, rights: Rights): Promise<void> {
  const exact = rights.mode !== undefined;
  const handle = await open(path, toMake, exact ? 0o600 : 0o644);
  try {
    await handle.writeFile(bytes);
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
  } finally {
    await handle.close();
  }
}

/** A second name for a file. False where the file system, or the system's rules, allow none. */
export async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EPERM" || code === "EACCES" || code === "ENOTSUP" || code === "EOPNOTSUPP") return false;
    if (code === "ENOSYS" || code === "EMLINK" || code === "EXDEV") return false;
    throw error;
  }
}

/** Removes a file; nothing there is fine. */
export async function remove(path: string): Promise<void> {
  await unlink(path).catch((error) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

/** Makes the names in a folder last. Windows can't open folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Does something with each, a few at a time. After a failure nothing more is begun; rejects when all that was begun has ended. */
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
