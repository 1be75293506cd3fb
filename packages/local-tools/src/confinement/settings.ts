import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { attempt, checkKeys, isObject } from "@toolglot/internal";
import { isInside } from "../files/roots.ts";
import { ownHomes } from "./places.ts";
import type { BwrapOptions } from "./types.ts";

/** The option, complete: all paths of `writable` and `readable` are real. */
export interface ConfinementSettings extends Required<BwrapOptions> {}

/** What the caller adds to the option. */
export interface ConfinementPlaces {
  /** Folders that always are writable, as they were named. */
  roots: readonly string[];
  /** What is hidden besides, as the state directory. */
  hidden?: readonly string[];
}

/** Returns the settings that an option stands for; undefined for no confinement. Throws `TypeError` for what can't be. */
export function confinementSettings(
  what: string,
  sandbox: false | "bwrap" | BwrapOptions | undefined,
  places: ConfinementPlaces,
): ConfinementSettings | undefined {
  if (sandbox === undefined || sandbox === false) return undefined;
  const options: BwrapOptions = sandbox === "bwrap" ? { kind: "bwrap" } : sandbox;
  if (!isObject(options) || options.kind !== "bwrap") {
    throw new TypeError(`${what}: sandbox must be false, "bwrap" or an object of options with kind: "bwrap"`);
  }
  checkKeys(
    `${what}: sandbox`,
    options as BwrapOptions,
    'kind:"bwrap" bwrap:text writable:string[] hidden:string[] readable:"all"|string[] network:boolean',
  );
  const { bwrap = "bwrap", readable = "all", network = false } = options;
  const writable = [...places.roots, ...absolute(`${what}: writable`, options.writable)].map((path) =>
    writablePlace(what, path, [...ownHomes(), ...(places.hidden ?? [])]),
  );
  const hidden = [...(places.hidden ?? []), ...absolute(`${what}: hidden`, options.hidden)];
  if (hidden.includes("/")) throw new TypeError(`${what}: hidden can't be /`);
  if (bwrap.includes("/")) {
    const real = attempt(() => realpathSync(bwrap));
    if (!isAbsolute(bwrap)) throw new TypeError(`${what}: bwrap must be an absolute path or a name: ${bwrap}`);
    if (writable.some((place) => isInside(place, bwrap) || (real !== undefined && isInside(place, real)))) {
      throw new TypeError(`${what}: bwrap must not lie in a writable place, where commands can replace it: ${bwrap}`);
    }
  }
  return {
    kind: "bwrap",
    bwrap,
    network,
    hidden,
    writable: [...new Set(writable)],
    readable: readable === "all" ? "all" : absolute(`${what}: readable`, readable).map((path) => existing(what, path)),
  };
}

function absolute(what: string, paths: readonly string[] = []): readonly string[] {
  for (const path of paths) {
    if (typeof path !== "string" || !isAbsolute(path) || path.includes("\0")) {
      throw new TypeError(`${what} must be a list of absolute paths: ${path}`);
    }
  }
  return paths;
}

function existing(what: string, path: string): string {
  const real = attempt(() => realpathSync(path));
  if (real === undefined) throw new TypeError(`${what}: there is nothing at ${path}`);
  return real;
}

/** Returns a place to be bound writable. `outside`: homes and the state directory, which must not lie in it. */
function writablePlace(what: string, path: string, outside: readonly string[]): string {
  const real = existing(what, path);
  if (lstatSync(path.replace(/(?<=.)\/+$/, "")).isSymbolicLink()) {
    throw new TypeError(`${what}: a confined shell can't write to ${path}, a link; name what it leads to`);
  }
  if (real === "/") throw new TypeError(`${what}: a confined shell can't write to /; name a folder`);
  const held = outside.find((one) => isInside(real, attempt(() => realpathSync(one)) ?? one));
  if (held !== undefined) {
    throw new TypeError(
      `${what}: a confined shell can't write to ${path}, which holds ${held}; name a folder inside it`,
    );
  }
  return real;
}
