import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { attempt } from "@toolglot/internal";
import { isInside } from "../files/roots.ts";

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
