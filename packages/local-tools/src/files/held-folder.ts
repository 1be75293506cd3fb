import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { sep } from "node:path";
import { attempt } from "../errors.ts";
import { isInside } from "../roots/roots.ts";

const nofollow: number = constants.O_NOFOLLOW ?? 0;
const folderFlags: number = constants.O_RDONLY | constants.O_DIRECTORY | nofollow;
/** A pipe doesn't hold up the opening. */
const fileFlags: number = constants.O_RDONLY | nofollow | (constants.O_NONBLOCK ?? 0);

/**
 * A folder that is held open by synchronous calls: a `PinnedFolder` for a thread that has thousands of files to open. What it opens lies
 * in this folder even if the folder's path is renamed or made a link meanwhile. Only Linux (with /proc) can do that;
 * elsewhere what was opened is compared with what its path leads to.
 */
export class HeldFolder {
  /** Its real path. */
  readonly path: string;
  readonly #roots: readonly string[];
  readonly #fd: number | undefined;
  /** What names of entries are put behind. */
  readonly #base: string;
  readonly #isPinned: boolean;
  readonly #prefix: string;

  private constructor(path: string, roots: readonly string[], fd: number | undefined, isPinned: boolean) {
    this.path = path;
    this.#roots = roots;
    this.#fd = fd;
    this.#isPinned = isPinned;
    this.#prefix = path.endsWith(sep) ? path : path + sep;
    this.#base = isPinned ? `/proc/self/fd/${fd}/` : this.#prefix;
  }

  /** Opens a folder by its real path. Throws when it can't be read, is a link, or lies outside the roots by now. `at`: another way to it. */
  static open(roots: readonly string[], real: string, at: string = real): HeldFolder {
    if (!roots.some((root) => isInside(root, real))) throw new Error("the folder is outside the roots");
    if (process.platform === "win32") {
      // Windows can't open folders: the path stands for it. A junction is a link, too.
      if (!lstatSync(real).isDirectory() || realpathSync(real) !== real) throw new Error("no folder of this path");
      return new HeldFolder(real, roots, undefined, false);
    }
    const fd = openSync(at, folderFlags);
    try {
      const place = process.platform === "linux" ? attempt(() => readlinkSync(`/proc/self/fd/${fd}`)) : undefined;
      if (place === undefined) demandSame(real, fstatSync(fd));
      else if (place !== real) throw new Error("the folder is elsewhere by now");
      return new HeldFolder(real, roots, fd, place !== undefined);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** The real path of what has this name in it, unless that is a link. */
  pathOf(name: string): string {
    return this.#prefix + name;
  }

  /** Holds on to a folder in it. Throws as {@link HeldFolder.open} does. */
  folder(name: string): HeldFolder {
    return HeldFolder.open(this.#roots, this.pathOf(name), this.#base + name);
  }

  /** What is in it, in no order. Throws the system's error. */
  entries(): Dirent[] {
    return readdirSync(this.#base, { withFileTypes: true });
  }

  /** Opens a file in it, which the caller closes. Throws the system's error; for a link that is `ELOOP`. */
  open(name: string): number {
    const fd = openSync(this.#base + name, fileFlags);
    if (this.#isPinned) return fd;
    try {
      demandSame(this.#base + name, fstatSync(fd));
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

/** Where folders can't be held: what was opened must be what is now at its path, and the path its real one. */
function demandSame(real: string, opened: Stats): void {
  const there = realpathSync(real) === real ? statSync(real) : undefined;
  if (there?.dev !== opened.dev || there.ino !== opened.ino) throw new Error("something else is at the path by now");
}
