import { closeSync, type Dirent, fstatSync, openSync, readdirSync } from "node:fs";
import { sep } from "node:path";
import { demandSame, holdFolder, type PinnedFolder, readFlags } from "./pinned-folder.ts";
import { isInside } from "./roots.ts";

/** What of a {@link PinnedFolder} can be handed to another thread. */
export type HeldPlace = Pick<PinnedFolder, "base" | "path" | "pinned">;

/** A {@link PinnedFolder} inside roots, for a thread that has thousands of files to open: it awaits nothing. */
export class HeldFolder {
  readonly #folder: HeldPlace & Partial<Pick<PinnedFolder, "close">>;
  readonly #roots: readonly string[];
  /** What names of entries are put behind. */
  readonly #base: string;
  readonly #prefix: string;
  /** Who needs it open. */
  #uses = 1;

  private constructor(folder: HeldPlace & Partial<Pick<PinnedFolder, "close">>, roots: readonly string[]) {
    this.#folder = folder;
    this.#roots = roots;
    this.#base = `${folder.base}/`;
    this.#prefix = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
  }

  /** Opens a folder by its real path. Throws when it can't be read, is a link, or lies outside the roots by now. `at`: another way to it. */
  static open(roots: readonly string[], real: string, at: string = real): HeldFolder {
    if (!roots.some((root) => isInside(root, real))) throw new Error("the folder is outside the roots");
    const folder = holdFolder(at);
    if (folder.path === real) return new HeldFolder(folder, roots);
    folder.close();
    throw new Error("the folder is elsewhere by now");
  }

  /** Returns the folder that another thread holds open; to close it is that thread's business. */
  static lent(place: HeldPlace): HeldFolder {
    return new HeldFolder(place, []);
  }

  /** What another thread needs to open its files. */
  get place(): HeldPlace {
    const { base, path, pinned } = this.#folder;
    return { base, path, pinned };
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Returns the real path of what has this name in it, unless that is a link. */
  pathOf(name: string): string {
    return this.#prefix + name;
  }

  /** Holds on to a folder in it. Throws as {@link HeldFolder.open} does. */
  folder(name: string): HeldFolder {
    return HeldFolder.open(this.#roots, this.pathOf(name), this.#base + name);
  }

  /** Returns what is in it, in no order. Throws the system's error. */
  entries(): Dirent[] {
    return readdirSync(this.#base, { withFileTypes: true });
  }

  /** Opens a file in it, which the caller closes. Throws the system's error; for a link that is `ELOOP`. */
  open(name: string): number {
    const fd = openSync(this.#base + name, readFlags);
    if (this.#folder.pinned) return fd;
    try {
      demandSame(this.pathOf(name), fstatSync(fd), name);
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Needs it once more: it stays open until it is closed as often. */
  keep(): void {
    this.#uses++;
  }

  close(): void {
    this.#uses--;
    if (this.#uses === 0) this.#folder.close?.();
  }
}
