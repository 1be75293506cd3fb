import { type Dirent, existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { attempt } from "@toolglot/internal";
import { isInside } from "../files/roots.ts";
import type { ReadablePlace } from "./types.ts";

/** Hidden wherever they exist: the sockets of Docker, D-Bus and agents, and homes. Of the user's own homes a part stays visible. */
const systemPlaces: readonly string[] = ["/run", "/var/run", "/root", "/home"];

/** Returns the user's homes, by the environment and by the system's list of users; real paths. */
export function ownHomes(): string[] {
  const homes = [attempt(homedir), attempt(() => userInfo().homedir)];
  const real = homes.map((home) => (home ? attempt(() => realpathSync(home)) : undefined));
  return [...new Set(real.filter((home) => home !== undefined && home !== "/"))] as string[];
}

/**
 * What is hidden besides the homes, links resolved; what does not exist yet keeps the path that it was named by. `system`: wherever it
 * is; `named`: by `more`, which the options name, and by this package: stored secrets, and the journals of other projects.
 */
export function hiddenPlaces(more: readonly string[]): { system: string[]; named: string[] } {
  const { XDG_DATA_HOME, XDG_STATE_HOME } = process.env;
  const own = [XDG_DATA_HOME, XDG_STATE_HOME].flatMap((folder) => (folder ? [join(folder, "toolglot")] : []));
  const real = (paths: readonly string[]): string[] => [...new Set(paths.map(realPath))];
  return { system: real(systemPlaces), named: real([...own, ...more]) };
}

/** Returns a path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  const known = attempt(() => realpathSync(path));
  const at = path.lastIndexOf("/");
  if (known !== undefined || at <= 0) return known ?? path;
  return join(realPath(path.slice(0, at)), path.slice(at + 1));
}

/** Checks whether one of the places holds the path, or is it. */
export function isInAny(places: readonly string[], path: string): boolean {
  return places.some((place) => isInside(place, path));
}

/**
 * What a home shows where it exists: git's settings, installed tools, and caches of packages that hold no tokens. All else is hidden,
 * known or not: keys and sessions lie in places that no list is complete of.
 */
const shownInHome: readonly string[] = [
  ...[".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"],
  ...[".local/bin", ".local/lib", ".local/share/fnm", ".local/share/pnpm", ".local/share/pipx/venvs"],
  ...["bin", "installs", "plugins", "shims"].map((name) => `.local/share/mise/${name}`),
  ...["python", "tools"].map((name) => `.local/share/uv/${name}`),
  ...[".nvm", ".volta", ".bun", ".deno", ".pyenv", ".rbenv", ".asdf", ".goenv", ".rustup", ".ghcup", ".elan", "go"],
  ...["bin", "env", "git", "registry"].map((name) => `.cargo/${name}`),
  ...[".sdkman/candidates", ".m2/repository", ".gradle/caches", ".gradle/wrapper", ".gem/ruby", ".nuget/packages"],
  ...[".cache/ms-playwright", ".cache/puppeteer"],
];

/** What belongs to an installation, beside its folder of programs. Its other parts may be settings with tokens in them. */
const besidePrograms: readonly string[] = ["lib", "lib64", "libexec", "include", "pyvenv.cfg"];
const programFolders = /^(?:s?bin|shims)$/;
/** Links in one folder of programs that are followed. */
const maxLinks = 2000;

/** Returns the places of a home that a command may read, by their paths. Besides the known ones: the programs on PATH, and Node. */
export function shownPlaces(home: string): string[] {
  const shown = new Set(shownInHome.map((name) => join(home, name)));
  const looked = new Set<string>();
  /** A folder with programs, what they need beside it, and what its links lead to. */
  const addPrograms = (folder: string): void => {
    if (!isInside(home, folder) || folder === home || looked.has(folder)) return;
    looked.add(folder);
    shown.add(folder);
    if (programFolders.test(basename(folder)) && dirname(folder) !== home)
      for (const name of besidePrograms) shown.add(join(dirname(folder), name));
    for (const entry of entriesOf(folder).slice(0, maxLinks))
      if (entry.isSymbolicLink()) addProgram(join(folder, entry.name));
  };
  const addProgram = (link: string): void => {
    const target = attempt(() => realpathSync(link));
    if (target === undefined || !isInside(home, target)) return;
    const packages = /^.*?\/node_modules(?=\/)/.exec(target)?.[0];
    if (packages !== undefined) shown.add(packages);
    else if (programFolders.test(basename(dirname(target)))) addPrograms(dirname(target));
    else shown.add(target);
  };
  const onPath = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const folder of [...onPath, dirname(process.execPath)]) {
    const real = attempt(() => realpathSync(folder));
    for (const path of [resolve(folder), ...(real === undefined ? [] : [real])]) addPrograms(path);
  }
  return [...shown].filter(existsSync);
}

/** Returns what a folder holds; nothing when it can't be read. */
export function entriesOf(folder: string): Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** Returns what programs need to run, where not everything can be read: libraries, settings, and the Node in use. */
export function programPlaces(): ReadablePlace[] {
  const libraries = (attempt(() => readdirSync("/")) ?? []).filter((name) => /^lib/.test(name));
  const system = ["usr", "bin", "sbin", ...libraries, "etc"].map((name) => `/${name}`);
  return [...system, nodePlace()].flatMap((path) => {
    const found = attempt(() => lstatSync(path));
    if (found === undefined) return [];
    return found.isSymbolicLink() ? [{ path, target: readlinkSync(path) }] : [{ path }];
  });
}

/** Returns the folder of a Node installation, or Node alone where it shares its folder with other things. */
function nodePlace(): string {
  const program = attempt(() => realpathSync(process.execPath)) ?? process.execPath;
  const folder = dirname(dirname(program));
  return existsSync(join(folder, "lib/node_modules")) ? folder : program;
}

/** Returns what of /proc is the kernel's and not a process's, and can be written by root. */
export function kernelPlaces(): string[] {
  return ["sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr"]
    .map((name) => `/proc/${name}`)
    .filter((path) => existsSync(path));
}

/** Returns the file of the name servers' addresses, where it lies in a hidden folder: without it, the network has no names. */
export function nameServers(hidden: readonly string[]): string[] {
  const file = attempt(() => realpathSync("/etc/resolv.conf"));
  return file !== undefined && isInAny(hidden, file) ? [file] : [];
}
