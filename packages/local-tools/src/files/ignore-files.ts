import { sep } from "node:path";
import { openIn } from "../roots/pinned-folder.ts";
import type { PinnedFolder, Roots } from "../roots/roots.ts";
import { type IgnoreRule, parseIgnoreFile, verdict } from "./ignore-rules.ts";

/** What one folder's files say, and those of the folders above it. */
export interface IgnoreLevel {
  /** Real path. */
  path: string;
  above: IgnoreLevel | undefined;
  /** The folder is a repository of its own: what .gitignore files above it say does not count. */
  repository: boolean;
  /** In the order of their weight. */
  ignore: readonly IgnoreRule[];
  gitignore: readonly IgnoreRule[];
  exclude: readonly IgnoreRule[];
}

/** An ignore file of more bytes is none. */
const mostBytes = 1024 * 1024;

/** Reads the ignore files of a folder that is held. */
export async function ignoreLevel(
  roots: Roots,
  folder: PinnedFolder,
  above: IgnoreLevel | undefined,
): Promise<IgnoreLevel> {
  const [ignore, gitignore, git] = await Promise.all([
    rulesIn(folder, ".ignore"),
    rulesIn(folder, ".gitignore"),
    folder.lstat(".git").catch(() => undefined),
  ]);
  return {
    path: folder.path,
    above,
    repository: git !== undefined,
    ignore,
    gitignore,
    exclude: git?.isDirectory() ? await excludeOf(roots, folder) : [],
  };
}

/** The levels of a folder and of those above it, as far as they lie in the same root. */
export async function ignoreLevels(roots: Roots, real: string): Promise<IgnoreLevel | undefined> {
  const root = roots.paths
    .filter((path) => real === path || real.startsWith(withSlash(path)))
    .sort((a, b) => a.length - b.length)[0];
  if (root === undefined) return undefined;
  const names = real.slice(withSlash(root).length).split(sep).filter(Boolean);
  let level: IgnoreLevel | undefined;
  for (let depth = 0; depth <= names.length; depth++) {
    const path = depth === 0 ? root : withSlash(root) + names.slice(0, depth).join(sep);
    await using folder = await roots.pin(path);
    level = await ignoreLevel(roots, folder, level);
  }
  return level;
}

/**
 * Whether an entry is left out: .ignore files go before .gitignore files and those before .git/info/exclude; among files of
 * one name the nearest that says something decides. What lies in a folder that is left out is left out, too, which the
 * walk sees to by not going there.
 */
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

async function rulesIn(folder: PinnedFolder, name: string): Promise<IgnoreRule[]> {
  // A link to one is not followed, as git does. One that can't be read says nothing.
  await using file = await openIn(folder, name, name).catch(() => undefined);
  if (file === undefined || file.stats.size > mostBytes) return [];
  return parseIgnoreFile(await file.handle.readFile("utf8").catch(() => ""));
}

async function excludeOf(roots: Roots, folder: PinnedFolder): Promise<IgnoreRule[]> {
  await using git = await roots.pinIn(folder, ".git").catch(() => undefined);
  await using info = git && (await roots.pinIn(git, "info").catch(() => undefined));
  return info === undefined ? [] : await rulesIn(info, "exclude");
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : path + sep;
}
