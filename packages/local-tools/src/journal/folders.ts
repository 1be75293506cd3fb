import { type BigIntStats, lstatSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ToolError } from "@toolglot/core";
import { allowing, attempt, codeOf } from "@toolglot/internal";
import { localError, localErrorType } from "../errors.ts";
import { discardFile, type FoundFile, inspectFile } from "../files/file-operations.ts";
import type { PinnedFolder } from "../files/pinned-folder.ts";
import type { Roots } from "../files/roots.ts";
import { besideName } from "./record.ts";

/** Removed files that are held at one time. */
const maxDiscarded = 64;

/** The folders of one change, each held open from its first use on: what is looked at, written and put back is in the same folder. */
export class Folders {
  readonly roots: Roots;
  readonly #held = new Map<string, PinnedFolder>();
  readonly #discarded: { free(): void }[] = [];

  constructor(roots: Roots) {
    this.roots = roots;
  }

  /** Returns the folder at a real path. Throws when it is not there, lies outside the roots, or is reached through a link. */
  open(real: string): PinnedFolder {
    const folder = this.#held.get(real) ?? this.roots.hold(real);
    this.#held.set(real, folder);
    return folder;
  }

  /** Returns undefined when there is no such folder. */
  find(real: string): PinnedFolder | undefined {
    try {
      return this.open(real);
    } catch (error) {
      if (localErrorType(error) === "NotFound") return undefined;
      throw error;
    }
  }

  /** Returns what stands at a path; `null`: nothing. Reads only files that are as long as one of the contents. */
  inspect(path: string, ...contents: ({ size: number } | null)[]): FoundFile | null {
    const folder = this.find(dirname(path));
    if (folder === undefined) return null;
    return inspectFile(folder, basename(path), (size) => contents.some((content) => content?.size === size));
  }

  /** Returns what stands at a path, if that is what was expected; throws `FileChanged` otherwise. */
  async expect(path: string, before: Uint8Array | null): Promise<BigIntStats | null> {
    const shown = this.roots.show(path);
    const found = await named(shown, () =>
      inspectFile(this.open(dirname(path)), basename(path), (size) => size === before?.length),
    );
    if (found === null) {
      if (before === null) return null;
      throw changed(shown, "gone");
    }
    if (before === null) throw changed(shown, "appeared");
    if (found.bytes === undefined || Buffer.compare(found.bytes, before) !== 0) throw changed(shown, "changed");
    return found.stats;
  }

  /** Returns the folders that are missing above a file, outermost first. */
  missing(file: string): string[] {
    const missing: string[] = [];
    for (let at = dirname(file); this.find(at) === undefined; at = dirname(at)) missing.unshift(at);
    return missing;
  }

  /** Creates a folder; false when there is one. */
  make(real: string): boolean {
    const parent = this.open(dirname(real));
    return allowing(["EEXIST"], () => mkdirSync(parent.at(basename(real)), 0o777) ?? true) === true;
  }

  /** Removes a folder when it is empty; otherwise it stays. */
  removeEmpty(real: string): void {
    const path = this.find(dirname(real))?.at(basename(real));
    const staying = ["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EBUSY"];
    if (path === undefined || !allowing(staying, () => rmdirSync(path) ?? true)) return;
    this.#held.get(real)?.close();
    this.#held.delete(real);
  }

  /** Throws when a folder is no longer what its path leads to: what is written into it now would be written elsewhere. */
  confirm(): void {
    for (const [real, folder] of this.#held) {
      // Where the folder is held open this is the open folder itself, otherwise its path.
      const held = attempt(() => statSync(dirname(folder.at("x")), { bigint: true }));
      const there = attempt(() => lstatSync(real, { bigint: true }));
      if (held === undefined || there === undefined || held.ino !== there.ino || held.dev !== there.dev) {
        throw localError("FileChanged", `${this.roots.show(real)} was moved or replaced while its files were written.`);
      }
    }
  }

  /** Removes the hidden files that a change made beside a file: both, or the one that can be left. What they held is freed later. */
  removeBeside(id: string, index: number, path: string, kinds: readonly ("new" | "old")[] = ["new", "old"]): void {
    const folder = this.find(dirname(path));
    for (const kind of kinds) {
      if (folder !== undefined) this.#discarded.push(discardFile(folder.at(besideName(id, index, kind))));
    }
    if (this.#discarded.length > maxDiscarded) this.#free();
  }

  #free(): void {
    for (const file of this.#discarded.splice(0)) file.free();
  }

  /** Makes all that was made, renamed or removed in these folders last. */
  async sync(): Promise<void> {
    await Promise.all([...this.#held.values()].map((folder) => folder.sync()));
  }

  close(): void {
    this.#free();
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
  }
}

/** Returns the error for a file that is not what was read of it. */
export function changed(shown: string, how: "appeared" | "gone" | "changed"): Error {
  const words = {
    appeared: "is there now, and was not when the change was planned",
    gone: "was removed since it was read",
    changed: "changed since it was read",
  };
  return localError("FileChanged", `${shown} ${words[how]}.`, { hint: "Read it again, then make the edit anew." });
}

/** Runs a step; a failure of the system is reported as that of the file. */
export async function named<T>(shown: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ToolError.isInstance(error)) throw error;
    throw localError("WriteFailed", `${shown} can't be written (${codeOf(error) ?? "unknown"}).`, {}, error);
  }
}
