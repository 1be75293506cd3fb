import { localError } from "../errors.ts";
import type { ConfinementReason } from "./types.ts";

/** The oldest bubblewrap that has what is needed. */
export const oldestBwrap: readonly [number, number] = [0, 4];

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

/** Returns why a probe failed, by what it printed. */
export function classifyFailure(stderr: string): ConfinementReason {
  return signs.find(([sign]) => sign.test(stderr))?.[1] ?? "failed";
}

/** Returns the version in `bwrap --version`; undefined for anything else. */
export function bwrapVersion(text: string): readonly [number, number] | undefined {
  const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

/** Returns true when the version is not older than the other. */
export function isAtLeast(version: readonly [number, number], least: readonly [number, number]): boolean {
  return version[0] > least[0] || (version[0] === least[0] && version[1] >= least[1]);
}

/** Returns the error for a confinement that can't be had: `ShellUnavailable` with `data.reason` and `data.hint`. */
export function confinementUnavailable(reason: ConfinementReason, printed?: string): Error {
  const [message, hint] = texts[reason];
  const cause = printed === undefined || printed.trim() === "" ? undefined : new Error(printed.trim());
  return localError("ShellUnavailable", `${message} ${hint}`, { reason, hint }, cause);
}
