import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@toolglot/internal/node";

/** Files of a process that was killed while it wrote. */
const staleMs = 3_600_000;

/** A folder that belongs to this user alone, and how files get into it: whole, and to stay. */
export class OwnFolder {
  readonly #dir: string;
  readonly #unfinished: string;
  #ready: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
    this.#unfinished = join(dir, "unfinished");
  }

  /** Resolves when the folder is there. Rejects with an `Error` when others can look into it. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Writes a file in place of an earlier one. A crash leaves one of the two. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.ready();
    const unfinished = join(this.#unfinished, randomUUID());
    const file = await open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await inFolder(path, () => rename(unfinished, path));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  }

  async #prepare(): Promise<void> {
    makeFolder(this.#unfinished);
    const found = await lstat(this.#dir);
    if (!found.isDirectory()) throw new Error(`${this.#dir} is no folder`);
    // Windows has neither owners nor modes here.
    if (process.getuid !== undefined) {
      if (found.uid !== process.getuid()) throw new Error(`${this.#dir} belongs to another user`);
      if ((found.mode & 0o077) !== 0) throw new Error(`others can look into ${this.#dir}: run chmod 700 on it`);
    }
    for (const name of await readdir(this.#unfinished)) {
      const path = join(this.#unfinished, name);
      const left = await absent(stat(path));
      if (left && Date.now() - left.mtimeMs > staleMs) await rm(path, { force: true });
    }
  }
}

/** Does what needs the folder of a path, which is made where there is none. */
export async function inFolder<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isAbsent(error)) throw error;
    makeFolder(dirname(path));
    return await work();
  }
}

/** Resolves to undefined where there is no such file. */
export async function absent<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Makes the names of new files stay, too. */
export async function syncFolder(dir: string): Promise<void> {
  // Windows opens no folder, and needs none to be.
  if (process.platform === "win32") return;
  const handle = await open(dir, constants.O_RDONLY);
  // Not every file system can flush a folder.
  await handle.sync().catch(() => {});
  await handle.close();
}
