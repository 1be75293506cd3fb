import { closeSync, fstatSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { attempt } from "@toolglot/internal";
import { HeldFolder } from "./held-folder.ts";
import { type IgnoreRule, parseIgnoreFile, verdict } from "./ignore-rules.ts";
import { isInside } from "./roots.ts";

/** What one folder's files say, and those of the folders above it. */
export interface IgnoreLevel {
  path: string;
  above: IgnoreLevel | undefined;
  /** The folder is a repository of its own: what .gitignore files above it say does not count. */
  repository: boolean;
  /** In the order of their weight. */
  ignore: readonly IgnoreRule[];
  gitignore: readonly IgnoreRule[];
  exclude: readonly IgnoreRule[];
  /** Neither it nor a level above has a rule. */
  isSilent: boolean;
}

/** An ignore file of more bytes is none. */
const maxBytes = 1024 * 1024;

/** Reads the ignore files of a folder that is held. `entries`: what is in it. */
export function ignoreLevel(
  folder: HeldFolder,
  above: IgnoreLevel | undefined,
  entries: readonly { name: string; isDirectory(): boolean }[],
): IgnoreLevel {
  const named = (name: string) => entries.find((entry) => entry.name === name);
  const rules = (name: string): IgnoreRule[] => (named(name) === undefined ? [] : rulesIn(folder, name));
  const git = named(".git");
  const [ignore, gitignore] = [rules(".ignore"), rules(".gitignore")];
  const exclude = git?.isDirectory() ? excludeOf(folder) : [];
  const isSilent = above?.isSilent !== false && ignore.length + gitignore.length + exclude.length === 0;
  return { path: folder.path, above, repository: git !== undefined, ignore, gitignore, exclude, isSilent };
}

/** Returns the levels of a folder and of those above it, as far as they lie in the same root. */
export function ignoreLevels(roots: readonly string[], real: string): IgnoreLevel | undefined {
  const root = roots.filter((path) => isInside(path, real)).sort((a, b) => a.length - b.length)[0];
  if (root === undefined) return undefined;
  const names = relative(root, real).split(sep).filter(Boolean);
  let level: IgnoreLevel | undefined;
  for (let depth = 0; depth <= names.length; depth++) {
    const folder = HeldFolder.open(roots, join(root, ...names.slice(0, depth)));
    try {
      level = ignoreLevel(folder, level, folder.entries());
    } finally {
      folder.close();
    }
  }
  return level;
}

/** Checks whether an entry is left out: .ignore files go before .gitignore and .git/info/exclude; of one name the nearest with a rule decides. */
export function isIgnored(level: IgnoreLevel | undefined, path: string, isDirectory: boolean): boolean {
  let gitignore: boolean | undefined;
  let exclude: boolean | undefined;
  let inRepository = true;
  for (let at = level; at !== undefined; at = at.above) {
    const { ignore, gitignore: git, exclude: info } = at;
    if (ignore.length + git.length + info.length > 0) {
      const below = path.slice(withSlash(at.path).length).split(sep);
      const said = verdict(ignore, below, isDirectory);
      if (said !== undefined) return said;
      if (inRepository) {
        gitignore ??= verdict(git, below, isDirectory);
        exclude ??= verdict(info, below, isDirectory);
      }
    }
    if (at.repository) inRepository = false;
  }
  return gitignore ?? exclude ?? false;
}

/** Reads an ignore file. A link is not followed, as in git; one that can't be read is ignored. */
function rulesIn(folder: HeldFolder, name: string): IgnoreRule[] {
  const fd = attempt(() => folder.open(name));
  if (fd === undefined) return [];
  const stats = fstatSync(fd);
  const text = stats.isFile() && stats.size <= maxBytes ? attempt(() => readFileSync(fd, "utf8")) : undefined;
  closeSync(fd);
  return parseIgnoreFile(text ?? "");
}

function excludeOf(folder: HeldFolder): IgnoreRule[] {
  const git = attempt(() => folder.folder(".git"));
  const info = attempt(() => git?.folder("info"));
  const rules = info === undefined ? [] : rulesIn(info, "exclude");
  info?.close();
  git?.close();
  return rules;
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : path + sep;
}
