import { type Dirent, existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { attempt } from "@toolglot/internal";
import { isInside } from "../files/roots.ts";
import { entriesOf, isInAny } from "./places.ts";
import type { StandIn } from "./types.ts";

/** What of git a confined command must not change in the writable places: it would run as the user's own later. */
export interface ProtectedPlaces {
  /** Folders around protected places. Each is a mount of its own, so that it can't be moved away and made anew. */
  readonly pinned: readonly string[];
  /** Exist, and can only be read. */
  readonly kept: readonly string[];
  /** Don't exist yet: something empty, or harmless, takes their place. */
  readonly missing: readonly StandIn[];
  /** What could not be protected, one sentence each. */
  readonly limits: readonly string[];
}

/** In a git folder: what git runs, or learns from what to run. */
const protectedInGit: readonly StandIn[] = [
  { path: "hooks", kind: "folder" },
  { path: "config", kind: "file" },
  { path: "config.worktree", kind: "file" },
  { path: "info/attributes", kind: "file" },
  // Where another folder is named, its hooks and settings count. This names the git folder itself.
  { path: "commondir", kind: "file", text: ".\n" },
];
/** Folders between a writable place and a nested repository. */
const deepest = 3;
/** Folders that are looked into for nested repositories. */
const maxFolders = 20_000;

/**
 * Looks for repositories in the writable places, to a depth of three folders, and for their modules. Follows no links on the way, but
 * protects what a protected name leads to. A repository that a command makes is looked for when the next shell starts: to keep
 * one from being made, a `.git` would have to stand in every folder that is none, where people and programs see it. `known`: each
 * `.git` that was a repository's before; it is protected while it is empty, too.
 */
export function protectedPlaces(writable: readonly string[], known: ReadonlySet<string> = new Set()): ProtectedPlaces {
  const search = new Search(writable, known);
  for (const place of writable) search.start(place);
  const { pinned, kept, missing, limits } = search;
  return { pinned: [...pinned], kept: [...kept], missing: [...missing.values()], limits };
}

class Search {
  readonly pinned: Set<string> = new Set();
  readonly kept: Set<string> = new Set();
  readonly missing: Map<string, StandIn> = new Map();
  readonly limits: string[] = [];
  readonly #writable: readonly string[];
  readonly #known: Set<string> = new Set();
  readonly #former: ReadonlySet<string>;
  #folders = 0;

  constructor(writable: readonly string[], known: ReadonlySet<string>) {
    this.#writable = writable;
    this.#former = known;
  }

  start(place: string): void {
    if (!isFolder(place)) return;
    // The place may be a git folder itself, as where a work tree's repository lies elsewhere.
    if (isGitFolder(place)) this.#gitFolder(place);
    this.#look(place, place, 0);
    if (this.#folders > maxFolders) {
      this.limits.push(
        `Only ${maxFolders} folders were looked into for git repositories; the hooks of others can be changed.`,
      );
    }
  }

  #look(root: string, folder: string, depth: number): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === ".git") {
        this.#pin(root, folder);
        this.#repository(path, entry);
      } else if (entry.isDirectory() && depth < deepest && this.#folders++ < maxFolders) {
        this.#look(root, path, depth + 1);
      }
    }
  }

  /** A `.git`, whatever it is. */
  #repository(path: string, entry: Dirent): void {
    if (entry.isDirectory()) {
      // An empty one is none yet.
      if (entriesOf(path).length > 0 || this.#former.has(path)) this.#gitFolder(path);
      return;
    }
    if (entry.isSymbolicLink()) {
      this.#replaceable(path);
      const real = attempt(() => realpathSync(path));
      if (real !== undefined) this.#gitFolder(real);
      return;
    }
    this.kept.add(path);
    const target = /^gitdir: (.+?)\s*$/m.exec(attempt(() => readFileSync(path, "utf8").slice(0, 8192)) ?? "")?.[1];
    const real = target === undefined ? undefined : attempt(() => realpathSync(resolve(dirname(path), target)));
    if (real !== undefined) this.#gitFolder(real);
  }

  #gitFolder(folder: string): void {
    if (this.#known.has(folder) || !isInAny(this.#writable, folder) || !isFolder(folder)) return;
    this.#known.add(folder);
    const root = this.#writable.find((place) => isInside(place, folder)) as string;
    this.#pin(root, folder);
    for (const { path: name, ...what } of protectedInGit) {
      const path = join(folder, name);
      const holder = dirname(path);
      if (holder === folder || isFolder(holder)) {
        if (holder !== folder) this.pinned.add(holder);
        this.#protect({ path, ...what });
      } else {
        this.#protect({ path: holder, kind: "folder" });
      }
    }
    for (const name of ["modules", "worktrees"])
      if (isFolder(join(folder, name))) this.#nested(join(folder, name), deepest);
  }

  /** Modules may be folders in folders, as their names are; what has a HEAD is one. */
  #nested(folder: string, depth: number): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) continue;
      if (existsSync(join(path, "HEAD"))) this.#gitFolder(path);
      else if (depth > 1) this.#nested(path, depth - 1);
    }
  }

  #protect(place: StandIn): void {
    const { path } = place;
    const found = attempt(() => lstatSync(path));
    if (found === undefined) this.missing.set(path, place);
    else if (!found.isSymbolicLink()) this.kept.add(path);
    else {
      this.#replaceable(path);
      const real = attempt(() => realpathSync(path));
      if (real !== undefined && isInAny(this.#writable, real)) this.kept.add(real);
    }
  }

  /** Makes each folder on the way a mount of its own: a folder that only holds one can be moved away. */
  #pin(root: string, folder: string): void {
    let at = root;
    for (const name of relative(root, folder).split(sep)) {
      at = join(at, name);
      if (at !== root) this.pinned.add(at);
    }
  }

  #replaceable(path: string): void {
    this.limits.push(`${path} is a link, which a command can replace.`);
  }
}

function isGitFolder(path: string): boolean {
  const has = (name: string): boolean => existsSync(join(path, name));
  return has("HEAD") && (has("objects") || has("commondir"));
}

function isFolder(path: string): boolean {
  return attempt(() => lstatSync(path).isDirectory()) === true;
}
