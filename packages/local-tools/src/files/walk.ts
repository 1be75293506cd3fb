import { join, sep } from "node:path";
import { protectedReason } from "../policy.ts";
import type { FolderEntry, PinnedFolder, Roots } from "../roots/roots.ts";
import { type IgnoreLevel, ignoreLevel, ignoreLevels, isIgnored } from "./ignore-files.ts";

/** A file that a walk came to. */
export interface WalkedFile {
  /** Real path. */
  path: string;
  /** As the model should call it. */
  shown: string;
  /** The path below the folder where the walk began, in segments. */
  below: readonly string[];
  size: number;
}

/** How far a walk goes. */
export interface WalkOptions {
  /** Called for each file that is neither ignored nor protected; false leaves it out. Default: all. */
  choose?(file: Omit<WalkedFile, "size">): boolean;
  /** Files given at most. Default 100,000. */
  maxFiles?: number;
  /** Ends the walk with what it has; asked between entries. */
  stop?(): boolean;
  signal?: AbortSignal | undefined;
}

/** What a walk found. */
export interface Walk {
  /** By path, in the order of their UTF-16 units. */
  files: WalkedFile[];
  /** Protected files that would have been chosen. */
  protectedFiles: number;
  /** Files and folders that ignore files leave out; what is in a folder doesn't count. */
  ignored: number;
  /** Folders that could not be looked into, or lie more than 100 deep. */
  unreadable: number;
  /** There is more than was looked at. */
  stopped: boolean;
  /** That is since there are more files than may be given. */
  tooMany: boolean;
}

/** Folders in folders that are gone into; each is held open while those in it are looked at. */
const deepest = 100;
/** Entries checked at one time. */
const entriesAtATime = 200;

/**
 * The files below a folder, but for those that .gitignore, .ignore and .git/info/exclude leave out, protected ones, and all
 * in `.git`. Hidden files count. Links are not followed. Each folder is held open while it is looked at, and is reached
 * through the one it lies in, so that nothing outside the roots is listed whatever happens to the paths meanwhile.
 */
export async function walkFiles(roots: Roots, real: string, options: WalkOptions = {}): Promise<Walk> {
  const walk = new Walker(roots, real, options);
  const above = await ignoreLevels(roots, real);
  await using folder = await roots.pin(real);
  await walk.into(folder, above);
  const { files } = walk.found;
  files.sort((a, b) => (a.shown < b.shown ? -1 : a.shown > b.shown ? 1 : 0));
  return walk.found;
}

class Walker {
  readonly found: Walk = { files: [], protectedFiles: 0, ignored: 0, unreadable: 0, stopped: false, tooMany: false };
  readonly #roots: Roots;
  readonly #base: string;
  readonly #options: WalkOptions;

  constructor(roots: Roots, base: string, options: WalkOptions) {
    this.#roots = roots;
    this.#base = base.endsWith(sep) ? base : base + sep;
    this.#options = options;
  }

  /** `level` is that of the folder itself. */
  async into(folder: PinnedFolder, level: IgnoreLevel | undefined): Promise<void> {
    const entries = await folder.entries().catch(() => undefined);
    if (entries === undefined) {
      this.found.unreadable++;
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (let start = 0; start < entries.length && !this.#stops(); start += entriesAtATime) {
      const some = entries.slice(start, start + entriesAtATime);
      const wanted = some.filter((entry) => this.#wants(folder, level, entry));
      await Promise.all(wanted.filter(({ kind }) => kind === "file").map(({ name }) => this.#take(folder, name)));
      for (const { kind, name } of wanted) {
        if (kind === "directory" && !this.#stops()) await this.#descend(folder, name, level);
      }
    }
  }

  #stops(): boolean {
    this.#options.signal?.throwIfAborted();
    const { maxFiles = 100_000, stop } = this.#options;
    this.found.tooMany ||= this.found.files.length >= maxFiles;
    this.found.stopped ||= this.found.tooMany || stop?.() === true;
    return this.found.stopped;
  }

  #wants(folder: PinnedFolder, level: IgnoreLevel | undefined, { name, kind }: FolderEntry): boolean {
    const isDirectory = kind === "directory";
    if (name === ".git" || (!isDirectory && kind !== "file")) return false;
    const path = join(folder.path, name);
    if (isIgnored(level, path, isDirectory)) {
      this.found.ignored++;
      return false;
    }
    if (isDirectory) return true;
    const file = this.#file(path);
    if (this.#options.choose?.(file) === false) return false;
    if (protectedReason(file.shown) === undefined) return true;
    this.found.protectedFiles++;
    return false;
  }

  #file(path: string): Omit<WalkedFile, "size"> {
    return { path, shown: this.#roots.show(path), below: path.slice(this.#base.length).split(sep) };
  }

  async #take(folder: PinnedFolder, name: string): Promise<void> {
    const stats = await folder.lstat(name).catch(() => undefined);
    // Gone, or something else by now.
    if (stats?.isFile()) this.found.files.push({ ...this.#file(join(folder.path, name)), size: stats.size });
  }

  async #descend(folder: PinnedFolder, name: string, above: IgnoreLevel | undefined): Promise<void> {
    const tooDeep = this.#file(join(folder.path, name)).below.length > deepest;
    await using inner = tooDeep ? undefined : await this.#roots.pinIn(folder, name).catch(() => undefined);
    if (inner === undefined) this.found.unreadable++;
    else await this.into(inner, await ignoreLevel(this.#roots, inner, above));
  }
}
