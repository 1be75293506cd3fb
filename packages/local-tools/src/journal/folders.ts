import { lstat, mkdir, rmdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf, localError, localErrorType } from "../errors.ts";
import { type FoundFile, inspectFile, removeFile } from "../files/file-operations.ts";
import type { PinnedFolder } from "../roots/pinned-folder.ts";
import type { Roots } from "../roots/roots.ts";
import { besideName } from "./record.ts";

/** The folders of one change, each held open from its first use on: what is looked at, written and put back is in the same folder. */
export class Folders {
  readonly roots: Roots;
  readonly #pinned = new Map<string, Promise<PinnedFolder>>();

  constructor(roots: Roots) {
    this.roots = roots;
  }

  /** The folder at a real path. Rejects when it is not there, lies outside the roots, or is reached through a link. */
  open(real: string): Promise<PinnedFolder> {
    const known = this.#pinned.get(real);
    if (known !== undefined) return known;
    const pinned = this.roots.pin(real);
    this.#pinned.set(real, pinned);
    pinned.catch(() => this.#pinned.delete(real));
    return pinned;
  }

  /** Undefined when there is no such folder. */
  async find(real: string): Promise<PinnedFolder | undefined> {
    return this.open(real).catch((error) => {
      if (localErrorType(error) === "NotFound") return undefined;
      throw error;
    });
  }

  /** What stands at a path; `null`: nothing. Reads only files of one of the sizes. */
  async inspect(path: string, sizes: readonly number[]): Promise<FoundFile | null> {
    const folder = await this.find(dirname(path));
    return folder === undefined ? null : inspectFile(folder, basename(path), sizes);
  }

  /** The folders that are missing above a file, outermost first. */
  async missing(file: string): Promise<string[]> {
    const missing: string[] = [];
    for (let at = dirname(file); (await this.find(at)) === undefined; at = dirname(at)) missing.unshift(at);
    return missing;
  }

  /** Makes a folder; false when there is one. */
  async make(real: string): Promise<boolean> {
    const parent = await this.open(dirname(real));
    try {
      await mkdir(parent.at(basename(real)), 0o777);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  /** Removes a folder when it is empty; otherwise it stays. */
  async removeEmpty(real: string): Promise<void> {
    const parent = await this.find(dirname(real));
    if (parent === undefined) return;
    try {
      await rmdir(parent.at(basename(real)));
    } catch (error) {
      if (["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EBUSY"].includes(codeOf(error) ?? "")) return;
      throw error;
    }
    const pinned = this.#pinned.get(real);
    this.#pinned.delete(real);
    await (await pinned?.catch(() => undefined))?.close();
  }

  /** Rejects when a folder is no longer what its path leads to: what is written into it now would be written elsewhere. */
  async confirm(): Promise<void> {
    for (const [real, pinned] of this.#pinned) {
      const folder = await pinned;
      // Where the folder is held open this is the open folder itself, otherwise its path.
      const [held, there] = await Promise.all([
        stat(dirname(folder.at("x")), { bigint: true }).catch(() => undefined),
        lstat(real, { bigint: true }).catch(() => undefined),
      ]);
      if (held === undefined || there === undefined || held.ino !== there.ino || held.dev !== there.dev) {
        throw localError("FileChanged", `${this.roots.show(real)} was moved or replaced while its files were written.`);
      }
    }
  }

  /** Removes the hidden files that a change made beside a file. */
  async removeBeside(id: string, index: number, path: string): Promise<void> {
    const folder = await this.find(dirname(path));
    if (folder === undefined) return;
    for (const kind of ["new", "old"] as const) await removeFile(folder.at(besideName(id, index, kind)));
  }

  /** Makes all that was made, renamed or removed in these folders last. */
  async sync(): Promise<void> {
    await Promise.all([...this.#pinned.values()].map(async (pinned) => (await pinned).sync()));
  }

  async close(): Promise<void> {
    const pinned = [...this.#pinned.values()];
    this.#pinned.clear();
    await Promise.all(pinned.map(async (folder) => (await folder.catch(() => undefined))?.close()));
  }
}
