import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, lstat, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolder } from "@toolglot/internal/node";
import { madeOnce } from "../../made-once.ts";

const digestBytes = 32;
const snapshotExtension = ".snapshot";
/** A snapshot that nobody used for so long is removed when a new one is made. */
const staleMs = 30 * 24 * 3600 * 1000;

/** Returns where snapshots are kept: under `XDG_CACHE_HOME`, else in the temporary folder, there one folder per user. */
export function defaultCacheDir(): string {
  const cache = process.env.XDG_CACHE_HOME;
  if (cache && isAbsolute(cache)) return join(cache, "toolglot-sandbox");
  return join(tmpdir(), `toolglot-sandbox-${process.getuid?.() ?? userInfo().username}`);
}

/** A snapshot that may be used, in a file or in this process alone, and whether it was made just now. */
export type Snapshot = { path: string; built: boolean } | { bytes: Buffer; built: true };

/** Builds and checks going on in this process, by path: sandboxes that start together share one. */
const underWay = new Map<string, Promise<Snapshot>>();
/** Snapshots for which there is no file, by name: all sandboxes of the process share one. */
const held = new Map<string, Promise<Buffer>>();
/** What was checked, by path: changes with every write to the file. */
const checked = new Map<string, string>();

/**
 * Resolves with the snapshot called `name` in `dir`; made by `build` when there is none or it does not match its own hash. A file is
 * memory that will be executed, so the folder must belong to this user alone. Where no folder like that can be had, or none is
 * wanted, the snapshot is held in this process: it is the same memory, byte for byte. Rejects when the build fails.
 */
export function findOrBuildSnapshot(
  dir: string | undefined,
  name: string,
  build: () => Promise<Buffer>,
): Promise<Snapshot> {
  const hold = async (): Promise<Snapshot> => {
    const bytes = madeOnce(held, name, build);
    return { bytes: await bytes.catch(forget(held, name)), built: true };
  };
  if (dir === undefined) return hold();
  const path = join(dir, name + snapshotExtension);
  return madeOnce(underWay, path, () =>
    provide(dir, path, build)
      .catch((error: unknown) => (error instanceof BuildFailed ? Promise.reject(error.cause) : hold()))
      .finally(() => underWay.delete(path)),
  );
}

/** Takes back a file that the engine has refused, so that it is made anew. */
export async function discardSnapshot(path: string): Promise<void> {
  checked.delete(path);
  await rm(path, { force: true }).catch(() => {});
}

/** Removes what failed, so that the next one tries again. */
function forget(map: Map<string, unknown>, key: string): (error: unknown) => never {
  return (error) => {
    map.delete(key);
    throw error;
  };
}

class BuildFailed extends Error {}

async function provide(dir: string, path: string, build: () => Promise<Buffer>): Promise<Snapshot> {
  await claimFolder(dir);
  if (await isIntact(path)) {
    await utimes(path, new Date(), new Date()).catch(() => {});
    checked.set(path, await fingerprint(path));
    return { path, built: false };
  }
  const bytes = await build().catch((cause: unknown) => Promise.reject(new BuildFailed("", { cause })));
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    // Exclusive and complete before it gets its name: other builders and readers see all of it or nothing.
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.writeFile(createHash("sha256").update(bytes).digest());
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  checked.set(path, await fingerprint(path));
  await removeStale(dir, path).catch(() => {});
  return { path, built: true };
}

/** Makes the folder, or makes sure that it is one of this user's that nobody else can write to. */
async function claimFolder(dir: string): Promise<void> {
  makeFolder(dir);
  const found = await lstat(dir);
  if (!found.isDirectory()) throw new Error("not a folder");
  // Windows has neither owners nor modes here; its temporary and cache folders are the user's own.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error("another user's folder");
  if ((found.mode & 0o077) !== 0) await chmod(dir, 0o700);
}

async function fingerprint(path: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Checks whether the file ends in the SHA-256 of what stands before. */
async function isIntact(path: string): Promise<boolean> {
  try {
    if (checked.get(path) === (await fingerprint(path))) return true;
    const { size } = await stat(path);
    const length = size - digestBytes;
    if (length <= 0) return false;
    const hash = createHash("sha256");
    let digest = Buffer.alloc(0);
    let done = 0;
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const cut = Math.max(0, Math.min(chunk.length, length - done));
      hash.update(chunk.subarray(0, cut));
      if (cut < chunk.length) digest = Buffer.concat([digest, chunk.subarray(cut)]);
      done += chunk.length;
    }
    return done === size && hash.digest().equals(digest);
  } catch {
    return false;
  }
}

async function removeStale(dir: string, keep: string): Promise<void> {
  for (const entry of await readdir(dir)) {
    const path = join(dir, entry);
    if (path === keep || !entry.includes(snapshotExtension)) continue;
    if (Date.now() - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true });
  }
}
