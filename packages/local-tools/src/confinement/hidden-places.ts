import { realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { attempt } from "../errors.ts";
import { isInside } from "../roots/roots.ts";
import type { FoundPlace } from "./types.ts";

/** Hidden wherever they exist: the sockets of Docker, D-Bus and agents, and homes. A user's own home stays visible. */
const systemPlaces: readonly string[] = ["/run", "/var/run", "/root", "/home"];

/** Hidden in the user's home. */
const homePlaces: readonly string[] = [
  // Keys and tokens.
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  ".password-store",
  ".config/gcloud",
  ".config/gh",
  ".local/share/keyrings",
  // Browsers: cookies and stored passwords.
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  // What was typed.
  ".bash_history",
  ".zsh_history",
  // This package's own: stored secrets, and the journals of other projects.
  ".local/share/toolglot",
  ".local/state/toolglot",
];

/** The user's homes, by the environment and by the system's list of users; real paths. */
export function ownHomes(): string[] {
  const homes = [attempt(homedir), attempt(() => userInfo().homedir)];
  const real = homes.map((home) => (home ? attempt(() => realpathSync(home)) : undefined));
  return [...new Set(real.filter((home) => home !== undefined && home !== "/"))] as string[];
}

/** Everything that is to be hidden and exists, links resolved. `more`: what the options name. */
export function hiddenPlaces(homes: readonly string[], more: readonly string[]): FoundPlace[] {
  const { XDG_DATA_HOME, XDG_STATE_HOME } = process.env;
  const named = [
    ...systemPlaces,
    ...homes.flatMap((home) => homePlaces.map((name) => join(home, name))),
    ...[XDG_DATA_HOME, XDG_STATE_HOME].flatMap((folder) => (folder ? [join(folder, "toolglot")] : [])),
    ...more,
  ];
  const found = new Map<string, FoundPlace>();
  for (const name of named) {
    const place = foundPlace(name);
    if (place !== undefined && !homes.includes(place.path)) found.set(place.path, place);
  }
  return [...found.values()];
}

/** What a path leads to, links resolved; undefined for nothing. */
function foundPlace(path: string): FoundPlace | undefined {
  return attempt(() => {
    const real = realpathSync(path);
    return { path: real, kind: statSync(real).isDirectory() ? "folder" : "file" };
  });
}

/** Whether one of the places holds the path, or is it. */
export function isInAny(places: readonly string[], path: string): boolean {
  return places.some((place) => isInside(place, path));
}
