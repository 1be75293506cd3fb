import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { isObject } from "@toolglot/internal";
import { isRunning } from "../shell/signal.ts";

/**
 * Who wrote a record or holds the lock. What Linux shows of a process besides its number keeps a number that was given out
 * again from passing for the old process; elsewhere those are `null`, and only the number decides.
 */
export interface Owner {
  pid: number;
  /** When it started, in the kernel's ticks since boot. */
  started: string | null;
  /** The boot it runs in. */
  boot: string | null;
  /** The process-number namespace (a container's) that `pid` is of. */
  space: string | null;
  host: string;
  /** The opened journal, of which a process may have several. */
  journal: string;
}

/**
 * How long somebody counts as alive of whom nothing can be known (on another machine, or in another container) after the last
 * sign. The holder of the lock gives one every few seconds.
 */
const unknownFor = 60_000;

export async function thisOwner(): Promise<Owner> {
  const [boot, space, life] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => null),
    lifeOf(process.pid),
  ]);
  const started = typeof life === "string" ? life : null;
  return { pid: process.pid, started, boot: boot.trim() || null, space, host: hostname(), journal: randomUUID() };
}

/** Whether the process is still there. `age`: milliseconds since it last showed itself; decides only where nothing else can. */
export async function isAlive(owner: Owner, self: Owner, age: number): Promise<boolean> {
  if (owner.boot !== self.boot) {
    // This machine after a restart; or another one, which can't be asked.
    return owner.host !== self.host && age < unknownFor;
  }
  if (owner.boot === null) {
    if (owner.host !== self.host) return age < unknownFor;
    // Since then the machine was started.
    if (age > uptime() * 1000 + unknownFor) return false;
  }
  if (owner.space !== self.space) return age < unknownFor;
  const life = await lifeOf(owner.pid);
  if (life === "ended") return false;
  if (life === "unknown") return owner.started === null ? isRunning(owner.pid) : age < unknownFor;
  return owner.started === null || owner.started === life;
}

/** When a process started; `ended` for a dead one that waits for its parent, too; `unknown` where there is no /proc. */
async function lifeOf(pid: number): Promise<string | "ended" | "unknown"> {
  if (process.platform !== "linux") return "unknown";
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  if (text === undefined) return isRunning(pid) ? "unknown" : "ended";
  // The name stands in parentheses and may hold any; the fields after it are fixed: state is the 3rd, start the 22nd.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  if (state === "Z" || state === "X" || state === "x") return "ended";
  return fields[19] ?? "unknown";
}

/** An owner as it was written down; undefined for anything else. */
export function parseOwner(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { pid, started, boot, space, host, journal } = value;
  const isText = (text: unknown): text is string | null => text === null || typeof text === "string";
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return undefined;
  if (!isText(started) || !isText(boot) || !isText(space)) return undefined;
  if (typeof host !== "string" || typeof journal !== "string") return undefined;
  return { pid: pid as number, started, boot, space, host, journal };
}
