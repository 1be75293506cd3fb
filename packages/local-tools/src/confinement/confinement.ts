import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../errors.ts";
import { protectedPlaces } from "./git-places.ts";
import { hiddenPlaces, ownHomes } from "./hidden-places.ts";
import { type MountPlan, mountArguments, planMounts, shows } from "./mounts.ts";
import { type FoundBwrap, probe } from "./probe.ts";
import { kernelPlaces, nameServers, programPlaces } from "./program-places.ts";
import type { ConfinementSettings } from "./settings.ts";
import { makeStandIns } from "./stand-ins.ts";
import type { ConfinedState } from "./types.ts";

/** Variables that lead programs to where they can write. */
export const confinedEnvironment: Readonly<Record<string, string>> = {
  TMPDIR: "/tmp",
  XDG_CACHE_HOME: "/tmp/.cache",
  npm_config_cache: "/tmp/.npm",
};

/** How one confined program is started. */
export interface ConfinedStart {
  /** The program that is to be run in place of another one, and its first arguments. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** What of git could not be protected, one sentence each. */
  readonly limits: readonly string[];
  /** To be called when the program is over: removes what had to be put into the writable places. */
  release(): void;
}

/** Where a confined program is started. */
export interface ConfinedStartOptions {
  cwd: string;
  /** A folder of the program's own, which it can read: 0700, on the host at the same path. */
  folder: string;
  /** A terminal session of its own: for a program without a terminal. */
  newSession: boolean;
}

/** A confinement that works here. What exists is looked at anew at each start. */
export class Confinement {
  readonly state: ConfinedState;
  readonly #settings: ConfinementSettings;
  readonly #found: FoundBwrap;
  #plan: MountPlan = new Map();

  private constructor(settings: ConfinementSettings, found: FoundBwrap) {
    this.#settings = settings;
    this.#found = found;
    const { network, writable } = settings;
    this.state = { kind: "bwrap", network, writable, hidden: hiddenPaths(settings) };
  }

  /**
   * Finds bubblewrap and tries it out; rejects with `ShellUnavailable` where it doesn't work. `env`: what programs inside get.
   * `start`: as of the first one.
   */
  static async open(
    settings: ConfinementSettings,
    env: Readonly<Record<string, string>>,
    start: ConfinedStartOptions,
  ): Promise<Confinement> {
    const release: (() => void)[] = [];
    try {
      const found = await probe(settings.bwrap, settings.writable, env, (found) => {
        const begun = new Confinement(settings, found).start(start);
        release.push(begun.release);
        return begun.arguments;
      });
      return new Confinement(settings, found);
    } finally {
      for (const end of release) end();
    }
  }

  /** Whether a path of the host is to be seen by what was started last. */
  shows(path: string): boolean {
    return shows(this.#plan, path);
  }

  start({ folder, newSession, ...options }: ConfinedStartOptions): ConfinedStart {
    const cwd = attempt(() => realpathSync(options.cwd)) ?? options.cwd;
    const { readable, writable, network } = this.#settings;
    const homes = ownHomes();
    const hidden = hiddenPlaces(homes, this.#settings.hidden);
    const paths = hidden.map(({ path }) => path);
    const repositories = protectedPlaces(writable);
    const servers = network ? nameServers(paths) : [];
    this.#plan = planMounts({
      readable:
        readable === "all"
          ? "all"
          : [...programPlaces(), ...readable.map((path) => ({ path })), ...servers.map((path) => ({ path }))],
      hidden,
      shown: readable === "all" ? [...homes, ...servers] : [],
      writable,
      repositories,
      kernel: kernelPlaces(),
      cwd,
      folder,
    });
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
      release: makeStandIns(repositories.missing),
    };
  }
}

function hiddenPaths({ hidden }: ConfinementSettings): string[] {
  return hiddenPlaces(ownHomes(), hidden).map(({ path }) => path);
}

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
