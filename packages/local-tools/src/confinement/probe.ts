import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { attempt } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { isInAny } from "./places.ts";
import type { ConfinementReason } from "./types.ts";

const probeMs = 3000;
/** The version from which on it can forbid user namespaces inside. */
const firstToForbid: readonly [number, number] = [0, 8];

/** A bubblewrap. */
export interface FoundBwrap {
  path: string;
  /** Whether it is asked to forbid user namespaces inside. */
  forbidsNested: boolean;
}

/** Returns a program by its path or its name on PATH, unless it lies in one of the places; undefined when there is none. */
export function programOutside(name: string, places: readonly string[]): string | undefined {
  const paths = name.includes("/")
    ? [name]
    : (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => {
    const real = isAbsolute(path) ? attempt(() => realpathSync(path)) : undefined;
    if (real === undefined || isInAny(places, path) || isInAny(places, real)) return false;
    const isProgram = (): boolean => {
      accessSync(real, constants.X_OK);
      return statSync(real).isFile();
    };
    return attempt(isProgram) === true;
  });
}

/** Those that can't forbid user namespaces inside, as a probe has shown. */
const nesting: Set<string> = new Set();

/** Finds bubblewrap; throws `ShellUnavailable` where there is none that may be run. */
export function findBwrap(name: string, writable: readonly string[]): FoundBwrap {
  if (process.platform !== "linux") throw confinementUnavailable("platform");
  const path = programOutside(name, writable);
  if (path === undefined) throw confinementUnavailable("no-bwrap");
  return { path, forbidsNested: !nesting.has(path) };
}

/** Starts `true` with the arguments of a real start. Rejects with `ShellUnavailable`, which names the reason and the cure. */
export async function probe(
  path: string,
  env: Readonly<Record<string, string>>,
  argumentsFor: (found: FoundBwrap) => readonly string[],
): Promise<void> {
  const { stdout } = await run(path, ["--version"], env);
  const version = bwrapVersion(stdout);
  if (version === undefined) throw confinementUnavailable("failed", `${path} --version: ${stdout}`);
  if (!isAtLeast(version, oldestBwrap)) throw confinementUnavailable("old-bwrap", stdout);
  let printed = "";
  // Some containers and set-uid programs don't let it forbid nested namespaces; the rest works there all the same.
  for (const forbidsNested of isAtLeast(version, firstToForbid) ? [true, false] : [false]) {
    const args = [...argumentsFor({ path, forbidsNested }), "--", "true"];
    const { failed, isTooLate, stderr } = await run(path, args, env);
    if (!failed) {
      if (!forbidsNested) nesting.add(path);
      return;
    }
    printed = stderr;
    if (isTooLate || classifyFailure(stderr) !== "failed") break;
  }
  throw confinementUnavailable(classifyFailure(printed), printed);
}

function run(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ failed: boolean; isTooLate: boolean; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(path, [...args], { env: { ...env }, timeout: probeMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      const isTooLate = error?.killed === true;
      const printed = stderr || (error ? `${error.message}${isTooLate ? ` (after ${probeMs} ms)` : ""}` : "");
      resolve({ failed: error !== null, isTooLate, stdout, stderr: printed });
    });
  });
}

const oldestBwrap: readonly [number, number] = [0, 4];

/** What is wrong, and what cures it. */
const texts: Readonly<Record<ConfinementReason, readonly [message: string, hint: string]>> = {
  platform: [
    "A shell can be confined on Linux only.",
    "Run the agent on Linux or in a Linux container, or open the shell with sandbox: false.",
  ],
  "no-bwrap": [
    "The shell can't be confined: bubblewrap (bwrap) was not found on PATH outside the writable folders.",
    "Install the package bubblewrap, or name the program by the option bwrap.",
  ],
  "old-bwrap": [
    `The shell can't be confined: this bubblewrap is older than ${oldestBwrap.join(".")}.`,
    "Install a newer bubblewrap, or name one by the option bwrap.",
  ],
  "userns-off": [
    "The shell can't be confined: this system doesn't let bubblewrap make a user namespace.",
    "Give bwrap an AppArmor profile that allows userns, or set kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1; in a container, allow unshare, clone and mount in its seccomp rule.",
  ],
  "network-namespace": [
    "The shell can't be confined: this system doesn't let bubblewrap set up a network namespace.",
    "Ubuntu 24.04 and later need an AppArmor profile for bwrap that allows userns (or kernel.apparmor_restrict_unprivileged_userns=0); network: true does without the namespace, but leaves the network open.",
  ],
  failed: [
    "The shell can't be confined: bubblewrap failed.",
    "Look at the cause of this error: it has what bubblewrap printed.",
  ],
};

/** What bubblewrap prints, and the reason it stands for. The first that fits counts. */
const signs: readonly (readonly [sign: RegExp, reason: ConfinementReason])[] = [
  [/loopback: Failed (?:RTM_NEWADDR|to )/i, "network-namespace"],
  [/setting up uid map: Permission denied/i, "userns-off"],
  [/No permissions to create (?:a )?new namespace/i, "userns-off"],
  [/Creating new namespace failed/i, "userns-off"],
  [/Unknown option/i, "old-bwrap"],
];

export function classifyFailure(stderr: string): ConfinementReason {
  return signs.find(([sign]) => sign.test(stderr))?.[1] ?? "failed";
}

/** Returns the version in `bwrap --version`; undefined for anything else. */
export function bwrapVersion(text: string): readonly [number, number] | undefined {
  const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

export function isAtLeast(version: readonly [number, number], least: readonly [number, number]): boolean {
  return version[0] > least[0] || (version[0] === least[0] && version[1] >= least[1]);
}

/** Returns the error for a confinement that can't be had: `ShellUnavailable` with `data.reason` and `data.hint`. */
export function confinementUnavailable(reason: ConfinementReason, printed?: string): Error {
  const [message, hint] = texts[reason];
  const cause = printed === undefined || printed.trim() === "" ? undefined : new Error(printed.trim());
  return localError("ShellUnavailable", `${message} ${hint}`, { reason, hint }, cause);
}
