import type { Dirent } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { attempt } from "../errors.ts";
import { protectedReason } from "../policy.ts";
import { shownPath } from "../roots/roots.ts";
import { HeldFolder } from "./held-folder.ts";
import { type IgnoreLevel, ignoreLevel, ignoreLevels, isIgnored } from "./ignore-files.ts";

/** A file that a walk came to. */
export interface WalkedFile {
  /** The folder that it lies in, held open for as long as the file is visited. */
  folder: HeldFolder;
  name: string;
  /** As the model should call it. */
  shown: string;
  /** The folder's path below the one where the walk began, in segments. */
  below: readonly string[];
}

/** What a walk left out. */
export interface WalkCounts {
  /** Protected files that would have been chosen. */
  protectedFiles: number;
  /** Files and folders that ignore files leave out; what is in a folder doesn't count. */
  ignored: number;
  /** Folders that could not be looked into, or lie more than 100 deep. */
  unreadableFolders: number;
}

/** Where a walk goes, and what it does there. */
export interface WalkOptions {
  /** Real paths. */
  roots: readonly string[];
  /** The folder where it begins, by its real path. */
  from: string;
  /** Called for each file that is neither ignored nor protected; false leaves it out. Default: all. */
  choose?: ((below: readonly string[], shown: readonly string[]) => boolean) | undefined;
  /** Called before a folder is looked into; false leaves it out, as one that can't be read. */
  enter?(shown: string): boolean;
  /** Does something with a file; false ends the walk. */
  visit(file: WalkedFile): boolean;
  /** A path below `from`, in segments: what comes before it, and itself, was visited and counted already. */
  after?: readonly string[] | undefined;
  /** What is added to. */
  counts: WalkCounts;
}

/** Folders in folders that are gone into; each is held open while those in it are looked at. */
const deepest = 100;

/**
 * Visits the files below a folder by path, but for those that .gitignore, .ignore and .git/info/exclude leave out, protected
 * ones, and all in `.git`. Hidden files count. Links are not followed. Each folder is held open while it is looked at, and is
 * reached through the one it lies in, so that nothing outside the roots is listed whatever happens to the paths meanwhile.
 */
export function walkFiles(options: WalkOptions): void {
  const { roots, from, after, counts } = options;
  const walker = new Walker(options);
  const opened = attempt(() => ({ folder: HeldFolder.open(roots, from), above: ignoreLevels(roots, dirname(from)) }));
  if (opened === undefined) counts.unreadableFolders++;
  else walker.into(opened.folder, opened.above, after);
}

class Walker {
  readonly #options: WalkOptions;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** Visits what is in a folder, and closes it. False when the walk is to end. */
  into(folder: HeldFolder, above: IgnoreLevel | undefined, after: readonly string[] = []): boolean {
    const { roots, from, counts, enter, visit } = this.#options;
    try {
      const place = shownPath(roots, folder.path);
      const entries = enter?.(place) === false ? undefined : attempt(() => sorted(folder.entries()));
      if (entries === undefined) {
        counts.unreadableFolders++;
        return true;
      }
      const level = ignoreLevel(folder, above, entries);
      const below = relative(from, folder.path).split(sep).filter(Boolean);
      const prefix = place === "." ? "" : isAbsolute(place) ? join(place, sep) : `${place}/`;
      for (const entry of entries) {
        const order =
          after[0] === undefined ? 1 : compare(orderOf(entry), after.length > 1 ? `${after[0]}/` : after[0]);
        if (order < 0) continue;
        const file = { folder, name: entry.name, shown: prefix + entry.name, below };
        if (entry.isDirectory()) {
          const inner = this.#folder(file, level);
          if (inner !== undefined && !this.into(inner, level, order === 0 ? after.slice(1) : [])) return false;
        } else if (order > 0 && entry.isFile() && this.#wants(file, level) && !visit(file)) return false;
      }
      return true;
    } finally {
      folder.close();
    }
  }

  /** Opens a folder that is to be looked into. */
  #folder({ folder, name, below }: WalkedFile, level: IgnoreLevel): HeldFolder | undefined {
    if (name === ".git" || this.#ignores(level, folder, name, true)) return undefined;
    const inner = below.length < deepest ? attempt(() => folder.folder(name)) : undefined;
    if (inner === undefined) this.#options.counts.unreadableFolders++;
    return inner;
  }

  #wants({ folder, name, shown, below }: WalkedFile, level: IgnoreLevel): boolean {
    const { choose, counts } = this.#options;
    if (name === ".git" || this.#ignores(level, folder, name, false)) return false;
    if (choose?.([...below, name], shown.split("/").filter(Boolean)) === false) return false;
    if (protectedReason(shown) === undefined) return true;
    counts.protectedFiles++;
    return false;
  }

  #ignores(level: IgnoreLevel, folder: HeldFolder, name: string, isDirectory: boolean): boolean {
    if (!isIgnored(level, join(folder.path, name), isDirectory)) return false;
    this.#options.counts.ignored++;
    return true;
  }
}

/** Entries in the order of the paths of the files in them. */
function sorted(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => compare(orderOf(a), orderOf(b)));
}

function orderOf(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** By UTF-16 units. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
