import type { Dirent } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { attempt } from "@toolglot/internal";
import { protectedReason } from "../policy.ts";
import { HeldFolder } from "./held-folder.ts";
import { type IgnoreLevel, ignoreLevel, ignoreLevels, isIgnored } from "./ignore-files.ts";
import { shownPath } from "./roots.ts";

/** A file that a walk came to. */
export interface WalkedFile {
  /** The folder that it lies in, held open for as long as the file is visited. */
  folder: HeldFolder;
  name: string;
  /** As the model should call it. */
  shown: string;
  /** The folder's path below the one where the walk began, in segments. */
  below: readonly string[];
  /** What was left out before it. */
  counts: Readonly<WalkCounts>;
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
  /** Called before a folder is looked into. `skip` leaves it out, as one that can't be read; `end` ends the walk. */
  enter?(shown: string): "enter" | "skip" | "end";
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
  const { roots, from, after = [], counts } = options;
  const opened = attempt(() => ({ above: ignoreLevels(roots, dirname(from)), folder: HeldFolder.open(roots, from) }));
  if (opened === undefined) counts.unreadableFolders++;
  else new Walker(options).into(opened.folder, [], opened.above, after);
}

class Walker {
  readonly #options: WalkOptions;
  #counted: Readonly<WalkCounts>;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#counted = { ...options.counts };
  }

  /** Visits what is in a folder, and closes it. False when the walk is to end. */
  into(
    folder: HeldFolder,
    below: readonly string[],
    above: IgnoreLevel | undefined,
    after: readonly string[],
  ): boolean {
    const { roots, counts, enter, visit } = this.#options;
    try {
      const place = shownPath(roots, folder.path);
      const how = enter?.(place);
      if (how === "end") return false;
      const entries = how === "skip" ? undefined : attempt(() => folder.entries());
      if (entries === undefined) {
        counts.unreadableFolders++;
        return true;
      }
      const level = ignoreLevel(folder, above, entries);
      const prefix = place === "." ? "" : isAbsolute(place) ? join(place, sep) : `${place}/`;
      const [next] = after;
      const passed = after.length > 1 ? `${next}/` : next;
      for (const entry of byPath(entries)) {
        const isDirectory = entry.endsWith("/");
        const isPassed = passed === entry;
        if ((passed !== undefined && entry < passed) || (isPassed && !isDirectory)) continue;
        const name = isDirectory ? entry.slice(0, -1) : entry;
        if (!level.isSilent && isIgnored(level, folder.pathOf(name), isDirectory)) {
          counts.ignored++;
        } else if (isDirectory) {
          const inner = below.length < deepest ? attempt(() => folder.folder(name)) : undefined;
          if (inner === undefined) counts.unreadableFolders++;
          else if (!this.into(inner, [...below, name], level, isPassed ? after.slice(1) : [])) return false;
        } else {
          const shown = prefix + name;
          if (this.#wants(name, shown, below) && !visit({ folder, name, shown, below, counts: this.#counts() }))
            return false;
        }
      }
      return true;
    } finally {
      folder.close();
    }
  }

  #counts(): Readonly<WalkCounts> {
    const { protectedFiles, ignored, unreadableFolders } = this.#options.counts;
    const before = this.#counted;
    const isNew =
      protectedFiles !== before.protectedFiles ||
      ignored !== before.ignored ||
      unreadableFolders !== before.unreadableFolders;
    if (isNew) this.#counted = { protectedFiles, ignored, unreadableFolders };
    return this.#counted;
  }

  #wants(name: string, shown: string, below: readonly string[]): boolean {
    const { choose, counts } = this.#options;
    if (choose?.([...below, name], shown.split("/").filter(Boolean)) === false) return false;
    if (protectedReason(shown) === undefined) return true;
    counts.protectedFiles++;
    return false;
  }
}

/** Files, and folders with a `/`, in the order of the paths of the files in them, by UTF-16 units. */
function byPath(entries: readonly Dirent[]): string[] {
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.name === ".git") continue;
    if (entry.isFile()) names.push(entry.name);
    else if (entry.isDirectory()) names.push(`${entry.name}/`);
  }
  return names.sort();
}
