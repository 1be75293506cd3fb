import type { Stats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { localError } from "../errors.ts";
import { type OpenedFile, openIn } from "./opened-file.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";

/** Where a path leads, all links resolved; inside the roots. */
export interface Place {
  /** Real path. Of something that is not there: the real path of its nearest folder, and the rest. */
  path: string;
  /** As the model should call it. */
  shown: string;
  kind: "file" | "directory" | "other" | "missing";
}

/**
 * The directories that paths may lead into. A path is taken from the first root unless it is absolute, its links are
 * resolved, and what lies outside is refused, whether it is there or not. What was checked is what is opened: files are
 * reached through their opened folder, whose real place is read back.
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

  /** Whether a real path lies inside. */
  holds(real: string): boolean {
    return this.paths.some((root) => isInside(root, real));
  }

  /** How the model should call a real path: from the first root with `/`, or absolute. */
  show(real: string): string {
    if (!isInside(this.base, real)) return real;
    return relative(this.base, real).split(sep).join("/") || ".";
  }

  /** Where a path leads. Rejects with `InvalidPath`, `OutsideRoots` or `AccessDenied`; a missing file is a place, too. */
  async locate(path: string): Promise<Place> {
    if (typeof path !== "string" || path === "" || path.includes("\0")) {
      throw localError("InvalidPath", `${JSON.stringify(path)} is no path.`);
    }
    const wanted = resolve(this.base, path);
    const real = await realpath(wanted).catch((error: NodeJS.ErrnoException) => error);
    if (typeof real !== "string") return this.#missing(path, wanted, real);
    if (!this.holds(real)) throw outside(path);
    const found = await lstat(real).catch(() => undefined);
    return { path: real, shown: this.show(real), kind: kindOf(found) };
  }

  /** The place of an existing file; `NotFound` or `NotAFile` for anything else. */
  async locateFile(path: string): Promise<Place> {
    const place = await this.locate(path);
    if (place.kind === "missing") throw localError("NotFound", `There is no file ${path}.`);
    if (place.kind !== "file") {
      const what = place.kind === "directory" ? "a directory" : "no regular file";
      throw localError("NotAFile", `${path} is ${what}.`);
    }
    return place;
  }

  /** Opens an existing file for reading. The caller closes it. */
  async openFile(path: string): Promise<OpenedFile> {
    const { path: real } = await this.locateFile(path);
    return this.openPlace(real, path);
  }

  /** Opens the file at a real path for reading; `path` is what messages call it. */
  async openPlace(real: string, path: string = this.show(real)): Promise<OpenedFile> {
    const folder = await this.pin(dirname(real), path);
    try {
      return await openIn(folder, basename(real), path);
    } finally {
      await folder.close();
    }
  }

  /** Holds on to an existing folder inside the roots, given by its real path. The caller closes it. */
  async pin(real: string, path: string = this.show(real)): Promise<PinnedFolder> {
    const folder = await pinFolder(real).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw localError("NotFound", `There is no ${path}.`);
      if (error.code === "ELOOP" || error.code === "ENOTDIR") {
        throw localError("FileChanged", `${path} changed while it was looked at.`);
      }
      throw localError("AccessDenied", `${path} can't be opened (${error.code ?? "unknown"}).`);
    });
    if (this.holds(folder.path)) return folder;
    await folder.close();
    throw outside(path);
  }

  /** Nothing can be reached at the path: a place for something new, or a refusal that doesn't tell what lies outside. */
  async #missing(path: string, wanted: string, error: NodeJS.ErrnoException): Promise<Place> {
    const rest: string[] = [];
    for (let at = wanted; ; at = dirname(at)) {
      const real = await realpath(at).catch(() => undefined);
      if (real !== undefined) {
        if (!this.holds(real)) throw outside(path);
        if (error.code !== "ENOENT") {
          throw localError("AccessDenied", `${path} can't be reached (${error.code ?? "unknown"}).`);
        }
        const whole = join(real, ...rest);
        return { path: whole, shown: this.show(whole), kind: "missing" };
      }
      // Something is there that leads nowhere: writing to it would write where the link points.
      if (await isThere(at)) {
        const parent = await realpath(dirname(at)).catch(() => undefined);
        if (parent === undefined || !this.holds(parent)) throw outside(path);
        throw localError("AccessDenied", `${path} goes through a link that leads nowhere.`);
      }
      if (dirname(at) === at) throw outside(path);
      rest.unshift(basename(at));
    }
  }
}

export type { OpenedFile, PinnedFolder };

function kindOf(found: Stats | undefined): Place["kind"] {
  if (found === undefined) return "missing";
  if (found.isFile()) return "file";
  return found.isDirectory() ? "directory" : "other";
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function isInside(root: string, path: string): boolean {
  return isAbsolute(path) && (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

function outside(path: string): Error {
  return localError("OutsideRoots", `${path} is outside the folders that may be used.`);
}
