import { existsSync, mkdirSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "@toolglot/internal";
import { protectedPlaces } from "./git-places.ts";
import { type HostFiles, looseMounts, type MountPlan, mountArguments, planMounts, shows } from "./mounts.ts";
import {
  entriesOf,
  hiddenPlaces,
  isInAny,
  kernelPlaces,
  nameServers,
  ownHomes,
  programPlaces,
  shownPlaces,
} from "./places.ts";
import { type FoundBwrap, findBwrap, probe } from "./probe.ts";
import type { ConfinementSettings } from "./settings.ts";
import { makeStandIns } from "./stand-ins.ts";
import type { ConfinedState } from "./types.ts";

/** Variables that lead programs to where they can write. */
export const confinedEnvironment: Readonly<Record<string, string>> = {
  TMPDIR: "/tmp",
  XDG_CACHE_HOME: "/tmp/.cache",
  npm_config_cache: "/tmp/.npm",
};

export interface ConfinedStart {
  /** The program that is to be run in place of another one, and its first arguments. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** What of git could not be protected, one sentence each. */
  readonly limits: readonly string[];
  /** Mounts that other processes can undo, as by renaming a file over what is under one. */
  readonly loose: readonly string[];
  /** What is to be hidden or protected in a writable place and does not exist: nothing can cover it once it does. */
  readonly absent: readonly string[];
  /** To be called when the program is over: removes what had to be put into the writable places. */
  release(): void;
}

export interface ConfinedStartOptions {
  cwd: string;
  /** A folder of the program's own, which it can read: 0700, on the host at the same path. */
  folder: string;
  /** A terminal session of its own: for a program without a terminal. */
  newSession: boolean;
}

/** How programs are confined. What exists is looked at anew at each start. */
export class Confinement {
  readonly state: ConfinedState;
  readonly #settings: ConfinementSettings;
  #found: FoundBwrap;
  #plan: MountPlan = new Map();
  /** Each `.git` that one of the shells has protected: another program may remove a repository and make it anew. */
  readonly #repositories = new Set<string>();

  /** Finds bubblewrap; throws `ShellUnavailable` where there is none. Whether it works is seen when something is started. */
  constructor(settings: ConfinementSettings) {
    this.#settings = settings;
    this.#found = findBwrap(settings.bwrap, settings.writable);
    const { network, writable, hidden } = settings;
    const { system, named } = hiddenPlaces(hidden);
    const all = new Set([...system, ...ownHomes(), ...named].filter(existsSync));
    this.state = { kind: "bwrap", network, writable, hidden: [...all] };
  }

  /**
   * Tries bubblewrap out; rejects with `ShellUnavailable`, which has the reason, where it doesn't work. True when it works now as it was not
   * used before: then it is worth starting again. `env`: what programs inside get.
   */
  async tryOut(env: Readonly<Record<string, string>>, start: ConfinedStartOptions): Promise<boolean> {
    const before = this.#found;
    const release: (() => void)[] = [];
    try {
      await probe(before.path, env, (found) => {
        this.#found = found;
        const begun = this.start(start);
        release.push(begun.release);
        return begun.arguments;
      });
      return this.#found.forbidsNested !== before.forbidsNested;
    } finally {
      for (const end of release) end();
    }
  }

  /** Checks whether a path of the host is to be seen by what was started last. */
  shows(path: string): boolean {
    return shows(this.#plan, path);
  }

  start({ folder, newSession, ...options }: ConfinedStartOptions): ConfinedStart {
    const cwd = attempt(() => realpathSync(options.cwd)) ?? options.cwd;
    const { readable, writable, network } = this.#settings;
    const hidden = hiddenPlaces(this.#settings.hidden);
    const repositories = protectedPlaces(writable, this.#repositories);
    for (const path of [...repositories.pinned, ...repositories.kept])
      if (basename(path) === ".git") this.#repositories.add(path);
    const servers = network ? nameServers(hidden.system) : [];
    const request = {
      readable:
        readable === "all"
          ? readable
          : [...programPlaces(), ...readable.map((path) => ({ path })), ...servers.map((path) => ({ path }))],
      homes: ownHomes().map((path) => ({ path, shown: shownPlaces(path) })),
      hidden,
      shown: readable === "all" ? servers : [],
      writable,
      repositories,
      kernel: kernelPlaces(),
      cwd,
      folder,
    };
    this.#plan = planMounts(request, hostFiles);
    const blank = makeBlank(folder);
    return {
      program: this.#found.path,
      arguments: [
        ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
        ...(network ? [] : ["--unshare-net"]),
        ...(this.#found.forbidsNested ? ["--disable-userns"] : []),
        ...(newSession ? ["--new-session"] : []),
        ...["--die-with-parent", "--cap-drop", "ALL"],
        ...mountArguments(this.#plan, blank),
        ...["--chdir", cwd],
      ],
      limits: repositories.limits,
      loose: looseMounts(this.#plan),
      absent: [...hidden.named.filter((path) => isInAny(writable, path)), ...this.#repositories].filter(
        (path) => !existsSync(path),
      ),
      release: makeStandIns(repositories.missing),
    };
  }
}

const hostFiles: HostFiles = {
  entriesOf,
  target: (path) => attempt(() => readlinkSync(path)),
  kindOf: (path) => attempt(() => (statSync(path).isDirectory() ? "folder" : "file")),
};

/** An empty file and an empty folder, which stand for what can't be seen or must not be made. */
function makeBlank(folder: string): { file: string; folder: string } {
  const blank = { file: join(folder, "blank-file"), folder: join(folder, "blank-folder") };
  mkdirSync(blank.folder, { recursive: true, mode: 0o555 });
  try {
    writeFileSync(blank.file, "", { mode: 0o444, flag: "wx" });
  } catch {
    // It is there from the start before.
  }
  return blank;
}
