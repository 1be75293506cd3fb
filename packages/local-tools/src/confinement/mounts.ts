import type { Dirent } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isInside } from "../files/roots.ts";
import type { ProtectedPlaces } from "./git-places.ts";
import { isInAny } from "./places.ts";
import type { FoundPlace, ReadablePlace } from "./types.ts";

/**
 * What stands at a path inside. `read`, `write`: the host's; `optional`: if it still exists. `fresh`: a folder in memory for anything.
 * `empty`: one that can't be changed, and holds what deeper paths of the plan put there. `blank-file`, `blank-folder`: an empty one of the
 * host's. `link`: a symbolic link.
 */
export type Mount =
  | { is: "read"; optional?: boolean }
  | { is: "write" | "fresh" | "empty" | "blank-file" | "blank-folder" | "devices" | "processes" }
  | { is: "link"; target: string };

/** What stands at which path, folders before what is in them. */
export type MountPlan = ReadonlyMap<string, Mount>;

/** Folders in memory that every shell begins with. */
const freshPlaces: readonly string[] = ["/tmp", "/var/tmp"];
/** A folder that holds a hidden place is made anew, with everything else in it; not one with more entries than this. */
const maxEntries = 500;

export interface MountRequest {
  /** `all`, or what can be read; links are kept as links. */
  readable: "all" | readonly ReadablePlace[];
  /** The user's homes, and what of them is shown. */
  homes: readonly { path: string; shown: readonly string[] }[];
  /** Never shown; `system`: the homes and what `shown` names excepted. They need not exist. */
  hidden: { readonly system: readonly string[]; readonly named: readonly string[] };
  /** Shown although a hidden place holds it: the name servers' file. */
  shown: readonly string[];
  writable: readonly string[];
  repositories: ProtectedPlaces;
  /** Settings of the kernel, which root could change otherwise, without any capability. */
  kernel: readonly string[];
  /** Where the shell starts; can be read at least. */
  cwd: string;
  folder: string;
}

/** How a plan learns what the host has. */
export interface HostFiles {
  entriesOf(folder: string): readonly Pick<Dirent, "name" | "isSymbolicLink">[];
  /** Returns what a link leads to; undefined for none. */
  target(path: string): string | undefined;
  kindOf(path: string): FoundPlace["kind"] | undefined;
}

/**
 * Returns the plan for one shell. The deeper path decides: a root inside a hidden folder stays visible, a hidden folder inside a root is
 * hidden. For one path the later line here decides.
 *
 * A hidden place is not covered but left out: each folder on the way to it is a new one in memory, into which everything else that the
 * host's has is bound. The kernel takes a cover away when another process removes, renames or replaces what is under it; of a folder in
 * memory, which nobody else sees, it can take nothing, and what comes later does not appear in it. Only in writable places, where
 * the folder itself must be the host's, a cover is needed.
 */
export function planMounts(request: MountRequest, host: HostFiles): MountPlan {
  const { readable, homes, hidden, shown, writable, repositories, kernel, cwd, folder } = request;
  const all = new Map<string, Mount>();
  if (readable === "all") all.set("/", { is: "read" });
  else
    for (const { path, target } of readable)
      all.set(path, target === undefined ? { is: "read" } : { is: "link", target });
  const own = homes.filter(({ path }) => shows(all, path) || all.has(path));
  const extra = [...all.keys()].filter((path) => homes.some((home) => home.path !== path && isInside(home.path, path)));
  for (const path of freshPlaces) all.set(path, { is: "fresh" });
  for (const path of hidden.system) leaveOut(all, path, host);
  for (const { path: home, shown: parts } of own) {
    leaveOut(all, home, host);
    all.set(home, { is: "empty" });
    for (const path of parts) all.set(path, { is: "read", optional: true });
  }
  for (const path of extra) all.set(path, { is: "read" });
  for (const path of shown) if (holderOf(all, dirname(path))?.is !== "read") all.set(path, { is: "read" });
  const covered = hidden.named.filter((path) => isInAny(writable, path) && !writable.includes(path));
  for (const path of hidden.named) if (!covered.includes(path)) leaveOut(all, path, host);
  for (const path of writable) all.set(path, { is: "write" });
  for (const path of covered) cover(all, path, host);
  if (!shows(all, cwd)) all.set(cwd, { is: "read" });
  for (const path of repositories.pinned) all.set(path, { is: "write" });
  for (const path of repositories.kept) all.set(path, { is: "read" });
  for (const { path, kind, text } of repositories.missing) {
    const blank = kind === "folder" ? "blank-folder" : "blank-file";
    all.set(path, { is: text === undefined ? blank : "read" });
  }
  for (const path of freshPlaces) if (!all.has(path)) all.set(path, { is: "fresh" });
  all.set("/dev", { is: "devices" });
  all.set("/proc", { is: "processes" });
  for (const path of kernel) all.set(path, { is: "read" });
  all.set(folder, { is: "read" });
  return new Map([...all].sort(([one], [other]) => depth(one) - depth(other)));
}

/** Takes a place out of what is bound: the folders on the way to it become folders in memory, and it is not put into them. */
function leaveOut(all: Map<string, Mount>, place: string, host: HostFiles): void {
  for (const path of [...all.keys()]) if (path !== "/" && isInside(place, path)) all.delete(path);
  const holder = pathsTo(dirname(place)).findLast((path) => all.has(path));
  if (holder === undefined || all.get(holder)?.is !== "read") return;
  for (const at of pathsTo(dirname(place)).filter((path) => isInside(holder, path))) {
    // What the plan has no longer is nothing to be shown: the host has no such folder.
    if (all.get(at)?.is !== "read") return;
    const entries = host.entriesOf(at);
    if (entries.length > maxEntries) {
      cover(all, place, host);
      return;
    }
    all.set(at, { is: "empty" });
    for (const entry of entries) {
      const path = join(at, entry.name);
      const target = entry.isSymbolicLink() ? host.target(path) : undefined;
      if (path === place || all.has(path)) continue;
      all.set(path, target === undefined ? { is: "read", optional: true } : { is: "link", target });
    }
  }
}

function cover(all: Map<string, Mount>, place: string, host: HostFiles): void {
  const kind = host.kindOf(place);
  if (kind !== undefined) all.set(place, { is: kind === "folder" ? "empty" : "blank-file" });
}

/** Checks whether a path of the host is to be seen inside, going by the plan alone. */
export function shows(plan: MountPlan, path: string): boolean {
  const holder = holderOf(plan, path);
  return holder !== undefined && (holder.is === "read" || holder.is === "write");
}

/** Returns the options of bwrap that make a plan. `blank`: an empty file and an empty folder of the host's. */
export function mountArguments(plan: MountPlan, blank: { file: string; folder: string }): string[] {
  const sealed: string[] = [];
  const mounts = [...plan].flatMap(([path, mount]) => {
    switch (mount.is) {
      case "read":
        return [mount.optional ? "--ro-bind-try" : "--ro-bind", path, path];
      case "write":
        return ["--bind", path, path];
      case "fresh":
        return ["--tmpfs", path];
      case "empty":
        // In a folder in memory it is an ordinary folder.
        if (path === "/" || isInMemory(plan, path)) return path === "/" ? [] : ["--dir", path];
        sealed.push(path);
        return ["--tmpfs", path];
      case "blank-file":
        return ["--ro-bind", blank.file, path];
      case "blank-folder":
        return ["--ro-bind", blank.folder, path];
      case "devices":
        return ["--dev", path];
      case "processes":
        return ["--proc", path];
      default:
        return ["--symlink", mount.target, path];
    }
  });
  if (plan.get("/")?.is !== "read") sealed.push("/");
  return [...mounts, ...sealed.flatMap((path) => ["--remount-ro", path])];
}

/** Returns the mounts of a plan that the kernel takes away when another process changes what is under them: all but those in folders in memory. */
export function looseMounts(plan: MountPlan): string[] {
  return [...plan].flatMap(([path, { is }]) =>
    path === "/" || is === "devices" || is === "processes" || isInMemory(plan, path) ? [] : [path],
  );
}

function isInMemory(plan: MountPlan, path: string): boolean {
  const holder = holderOf(plan, dirname(path))?.is;
  return holder === undefined || holder === "empty" || holder === "fresh" || holder === "processes";
}

/** Returns the mount that a path lies in, or is. */
function holderOf(plan: MountPlan, path: string): Mount | undefined {
  const holder = pathsTo(path).findLast((at) => plan.has(at));
  return holder === undefined ? undefined : plan.get(holder);
}

/** Returns the folders that lead to a path, from `/` on, and the path itself. */
function pathsTo(path: string): string[] {
  const paths = ["/"];
  for (const name of relative("/", path).split(sep)) if (name !== "") paths.push(join(paths.at(-1) as string, name));
  return paths;
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
