import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "@toolglot/internal";
import { isInAny } from "./hidden-places.ts";
import type { ReadablePlace } from "./mounts.ts";

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
