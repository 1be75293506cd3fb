import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { attempt, codeOf } from "@toolglot/internal";
import { fileChanged, localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import { type FolderEntry, holdFolder, type OpenedFile, openIn, type PinnedFolder } from "./pinned-folder.ts";

/** Where a path leads, all links resolved; inside the roots. */
export interface Place {
  /** Real path. Of something that is not there: the real path of its nearest folder, and the rest. */
  path: string;
  /** As the model should call it. */
  shown: string;
  kind: "file" | "directory" | "other" | "missing";
}

/** Longer paths name nothing on any system of the kind; in UTF-16 units. */
const maxPathLength = process.platform === "win32" ? 32_767 : 4096;
/** As many links as Linux follows in one path. */
const maxLinks = 40;

/**
 * The directories that paths may lead into. A path is taken from the first root unless it is absolute, its `..` are taken
 * as written, its links are resolved, and what lies outside is refused, whether it is there or not. What was checked is
 * what is opened: files are reached through their opened folder, whose real place is read back.
 *
 * Only real paths are compared, never what was written: where case does not count, or accents have two spellings, the
 * system returns the one name that is on the disk for both the roots and what lies in them.
 */
export class Roots {
  readonly paths: readonly string[];

  private constructor(paths: readonly string[]) {
    this.paths = paths;
  }

  /** Throws `TypeError` when there is none, or one is no existing directory. */
  static async open(roots: readonly string[]): Promise<Roots> {
    if (roots.length === 0) throw new TypeError("roots: name at least one directory that paths may lead into");
    const paths = await Promise.all(
      roots.map(async (root) => {
        if (typeof root !== "string" || root === "") throw new TypeError(`roots: ${JSON.stringify(root)} is no path`);
        const real = await realpath(resolve(root)).catch(() => undefined);
        const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
        if (real === undefined || !found?.isDirectory()) throw new TypeError(`roots: ${root} is no existing directory`);
        return real;
      }),
    );
    return new Roots([...new Set(paths)]);
  }

  /** The first root: where relative paths begin. */
  get base(): string {
    return this.paths[0] as string;
  }

  /** Checks whether a real path lies inside. */
  holds(real: string): boolean {
    return this.paths.some((root) => isInside(root, real));
  }

  /** Returns how the model should call a real path: from the first root with `/`, or absolute. */
  show(real: string): string {
    return shownPath(this.paths, real);
  }

  /**
   * Returns where a path leads. Rejects with `InvalidPath`, `OutsideRoots`, `NotADirectory` (a slash after a file) or
   * `AccessDenied`; a missing file is a place, too, unless it is written as a directory (`NotFound`).
   */
  async locate(path: string): Promise<Place> {
    // Only this waits for a disk. What it looked at is in memory afterwards, where a call takes less time than an `await`.
    await stat(this.#wanted(path)).catch(() => undefined);
    return this.look(path);
  }

  /** As {@link Roots.locate} for a path that was located before, but throws. */
  look(path: string): Place {
    const place = this.#place(path, this.#wanted(path));
    if (place.kind !== "directory" && asDirectory(path)) {
      if (place.kind === "missing") throw localError("NotFound", `There is no directory ${inMessage(path)}.`);
      throw localError("NotADirectory", `${inMessage(path)} is no directory.`);
    }
    return place;
  }

  #wanted(path: string): string {
    if (typeof path !== "string" || path === "" || path.includes("\0")) {
      throw localError("InvalidPath", `${typeof path === "string" ? JSON.stringify(path) : "That"} is no path.`);
    }
    if (path.length > maxPathLength) {
      throw localError("InvalidPath", `${inMessage(path)} is longer than a path can be.`);
    }
    if (process.platform === "win32") refuseOddNames(path, this.paths);
    return resolve(this.base, path);
  }

  #place(path: string, wanted: string): Place {
    let real: string;
    try {
      real = realpathSync.native(wanted);
    } catch (error) {
      return this.#missing(path, wanted, error as NodeJS.ErrnoException);
    }
    if (!this.holds(real)) throw outside(path);
    return { path: real, shown: this.show(real), kind: kindOf(attempt(() => lstatSync(real))) };
  }

  /** Opens the file at a real path for reading; `path` is what messages call it. */
  async openPlace(real: string, path: string = this.show(real)): Promise<OpenedFile> {
    using folder = this.hold(dirname(real), path);
    return await openIn(folder, basename(real), path);
  }

  /** Holds on to a folder inside the roots by its real path. Throws `FileChanged` when it is none any more. The caller closes it. */
  hold(real: string, path: string = this.show(real)): PinnedFolder {
    return this.#held(() => holdFolder(real), real, path);
  }

  /** Holds on to a folder that lies in a held one; a link is refused. The caller closes both. */
  holdIn(folder: PinnedFolder, name: string): PinnedFolder {
    const real = join(folder.path, name);
    return this.#held(() => folder.folder(name), real, this.show(real));
  }

  #held(open: () => PinnedFolder, real: string, path: string): PinnedFolder {
    let folder: PinnedFolder;
    try {
      folder = open();
    } catch (error) {
      return refuseFolder(error, path);
    }
    if (folder.path === real && this.holds(real)) return folder;
    folder.close();
    if (this.holds(folder.path)) throw fileChanged(path);
    throw outside(path);
  }

  /** Nothing can be reached at the path: a place for something new, or a refusal that doesn't reveal what lies outside. */
  #missing(path: string, wanted: string, error: NodeJS.ErrnoException): Place {
    const rest: string[] = [];
    let links = 0;
    for (let at = wanted; ; ) {
      const real = attempt(() => realpathSync.native(at));
      if (real !== undefined) {
        if (!this.holds(real)) throw outside(path);
        // Writing to what a link names would write where the link points.
        if (links > 0) throw localError("AccessDenied", `${inMessage(path)} goes through a link that leads nowhere.`);
        if (error.code !== "ENOENT") throw unreachable(path, error);
        const whole = join(real, ...rest);
        return { path: whole, shown: this.show(whole), kind: "missing" };
      }
      const target = linkTarget(at);
      if (target !== undefined) {
        // A link that leads nowhere: what it names lies inside, or nothing is said of it.
        if (!this.holds(target.from)) throw outside(path);
        if (++links > maxLinks) throw unreachable(path, error);
        at = target.to;
        continue;
      }
      if (dirname(at) === at) throw outside(path);
      rest.unshift(basename(at));
      at = dirname(at);
    }
  }
}

export type { FolderEntry, OpenedFile, PinnedFolder };

function kindOf(found: Stats | undefined): Place["kind"] {
  if (found === undefined) return "missing";
  if (found.isFile()) return "file";
  return found.isDirectory() ? "directory" : "other";
}

/** Where a link points, and the real folder it lies in; undefined for anything that is no link. */
function linkTarget(at: string): { from: string; to: string } | undefined {
  return attempt(() => {
    const text = readlinkSync(at);
    const from = realpathSync.native(dirname(at));
    return { from, to: resolve(from, text) };
  });
}

/** `src/` and `src/.` can only mean a directory. */
function asDirectory(path: string): boolean {
  return process.platform === "win32" ? /[\\/]\.?$/.test(path) : /\/\.?$/.test(path);
}

/** Returns how the model should call a real path: see {@link Roots.show}. */
export function shownPath([base = ""]: readonly string[], real: string): string {
  if (!isInside(base, real)) return real;
  if (real === base) return ".";
  const inner = real.slice(base.endsWith(sep) ? base.length : base.length + 1);
  return sep === "/" ? inner : inner.split(sep).join("/");
}

/** Checks whether a real path is a folder, or lies in it. */
export function isInside(root: string, path: string): boolean {
  return isAbsolute(path) && (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** Windows: a stream of a file (`a.txt:x`) is no path, and to look at a share is to log in there. */
function refuseOddNames(path: string, roots: readonly string[]): void {
  const share = /^[\\/]{2}/;
  if (share.test(path) && !roots.some((root) => share.test(root))) throw outside(path);
  if (
    path
      .replace(/^[\\/]{2}\?[\\/]/, "")
      .replace(/^[A-Za-z]:/, "")
      .includes(":")
  ) {
    throw localError("InvalidPath", `${inMessage(path)} is no path.`);
  }
}

function refuseFolder(error: unknown, path: string): never {
  const code = codeOf(error);
  if (code === "ENOENT") throw localError("NotFound", `There is no ${inMessage(path)}.`);
  if (code === "ELOOP" || code === "ENOTDIR") throw fileChanged(path);
  throw localError("AccessDenied", `${inMessage(path)} can't be opened (${code ?? "unknown"}).`);
}

/** Returns why something inside the roots can't be reached. */
function unreachable(path: string, error: NodeJS.ErrnoException): Error {
  const called = inMessage(path);
  if (error.code === "ENOTDIR")
    return localError("NotADirectory", `${called} leads through something that is no directory.`);
  if (error.code === "ENAMETOOLONG") return localError("InvalidPath", `${called} is longer than a path can be.`);
  if (error.code === "ELOOP") return localError("AccessDenied", `${called} goes through links that lead in a circle.`);
  return localError("AccessDenied", `${called} can't be reached (${error.code ?? "unknown"}).`);
}

function outside(path: string): Error {
  return localError("OutsideRoots", `${inMessage(path)} is outside the folders that may be used.`);
}
