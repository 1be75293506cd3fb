import { dirname } from "node:path";
import type { ProtectedPlaces } from "./git-places.ts";
import type { FoundPlace } from "./types.ts";

/**
 * What stands at a path inside. `read`, `write`: the host's. `empty`: a new folder in memory. `blank-file`, `blank-folder`: an
 * empty one that can't be changed. `link`: a symbolic link.
 */
export type Mount =
  | { is: "read" | "write" | "empty" | "blank-file" | "blank-folder" | "devices" | "processes" }
  | { is: "link"; target: string };

/** What stands at which path, folders before what is in them. */
export type MountPlan = ReadonlyMap<string, Mount>;

/** Folders in memory that every shell begins with. */
const freshPlaces: readonly string[] = ["/tmp", "/var/tmp"];

/** Something that can be read; `target`: it is a link, and stays one. */
export interface ReadablePlace {
  path: string;
  target?: string;
}

/** What a plan is made of; all paths are real. */
export interface MountRequest {
  /** `all`, or what can be read; links are kept as links. */
  readable: "all" | readonly ReadablePlace[];
  hidden: readonly FoundPlace[];
  /** Shown although a hidden place holds them: the user's own homes, the name servers' file. */
  shown: readonly string[];
  writable: readonly string[];
  repositories: ProtectedPlaces;
  /** Settings of the kernel, which root could change otherwise, without any capability. */
  kernel: readonly string[];
  /** Where the shell starts; can be read at least. */
  cwd: string;
  /** The shell's own folder. */
  folder: string;
}

/**
 * The plan for one shell. The deeper path decides: a root inside a hidden folder stays visible, a hidden folder inside a root is
 * hidden. For one path the later line here decides.
 */
export function planMounts(request: MountRequest): MountPlan {
  const { readable, hidden, shown, writable, repositories, kernel, cwd, folder } = request;
  const all = new Map<string, Mount>();
  if (readable === "all") all.set("/", { is: "read" });
  else
    for (const { path, target } of readable)
      all.set(path, target === undefined ? { is: "read" } : { is: "link", target });
  for (const path of freshPlaces) all.set(path, { is: "empty" });
  for (const { path, kind } of hidden) all.set(path, { is: kind === "folder" ? "empty" : "blank-file" });
  for (const path of shown) if (holderOf(all, dirname(path))?.is === "empty") all.set(path, { is: "read" });
  for (const path of writable) all.set(path, { is: "write" });
  if (!shows(all, cwd)) all.set(cwd, { is: "read" });
  for (const path of repositories.pinned) all.set(path, { is: "write" });
  for (const path of repositories.kept) all.set(path, { is: "read" });
  for (const { path, kind, text } of repositories.missing) {
    const blank = kind === "folder" ? "blank-folder" : "blank-file";
    all.set(path, { is: text === undefined ? blank : "read" });
  }
  all.set("/dev", { is: "devices" });
  all.set("/proc", { is: "processes" });
  for (const path of kernel) all.set(path, { is: "read" });
  all.set(folder, { is: "read" });
  const ordered = [...all].sort(([one], [other]) => depth(one) - depth(other));
  return new Map(ordered.filter(([path, mount]) => !isIdle(all, path, mount)));
}

/** Whether a path of the host is to be seen inside, going by the plan alone. */
export function shows(plan: MountPlan, path: string): boolean {
  const holder = holderOf(plan, path);
  return holder !== undefined && (holder.is === "read" || holder.is === "write");
}

/** The options of bwrap that make a plan. `blank`: an empty file and an empty folder of the host's. */
export function mountArguments(plan: MountPlan, blank: { file: string; folder: string }): string[] {
  return [...plan].flatMap(([path, mount]) => {
    switch (mount.is) {
      case "read":
        return ["--ro-bind", path, path];
      case "write":
        return ["--bind", path, path];
      case "empty":
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
}

/** The mount that a path lies in, or is. */
function holderOf(plan: MountPlan, path: string): Mount | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = plan.get(at);
    if (mount !== undefined || at === "/") return mount;
  }
}

/** Hiding what lies in an empty folder, or nowhere. */
function isIdle(plan: MountPlan, path: string, { is }: Mount): boolean {
  if (freshPlaces.includes(path) || (is !== "empty" && is !== "blank-file")) return false;
  const holder = holderOf(plan, dirname(path));
  return holder === undefined || holder.is === "empty";
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
