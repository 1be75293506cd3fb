import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { attempt, codeOf } from "../attempt.ts";
import { isObject } from "../json.ts";

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
  /** Of this owner alone: a process may have several. */
  id: string;
}

/**
 * How long somebody counts as alive of whom nothing can be known (on another machine, or in another container) after the last
 * sign. The holder of the lock writes one every few seconds.
 */
const maxUnknownMs = 60_000;

/** Returns a new owner: this process, with an id of its own. */
export function thisOwner(): Owner {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))?.trim() || null;
  const space = attempt(() => readlinkSync("/proc/self/ns/pid")) ?? null;
  const life = lifeOf(process.pid);
  const started = life === "unknown" ? null : life;
  return { pid: process.pid, started, boot, space, host: hostname(), id: randomUUID() };
}

/** Checks whether the process is still there. `age`: milliseconds since its last sign of life; decides only where nothing else can. */
export function isAlive(owner: Owner, self: Owner, age: number): boolean {
  if (owner.boot !== self.boot) {
    // This machine after a restart; or another one, which can't be asked.
    return owner.host !== self.host && age < maxUnknownMs;
  }
  if (owner.boot === null) {
    if (owner.host !== self.host) return age < maxUnknownMs;
    // Since then the machine was started.
    if (age > uptime() * 1000 + maxUnknownMs) return false;
  }
  if (owner.space !== self.space) return age < maxUnknownMs;
  const life = lifeOf(owner.pid);
  if (life === "ended") return false;
  if (life === "unknown") return owner.started === null ? isRunning(owner.pid) : age < maxUnknownMs;
  return owner.started === null || owner.started === life;
}

/** Returns when a process started; `ended` for a dead one that waits for its parent, too; `unknown` where there is no /proc. */
function lifeOf(pid: number): string | "ended" | "unknown" {
  if (process.platform !== "linux") return "unknown";
  const fields = processFields(pid);
  if (fields === undefined) return isRunning(pid) ? "unknown" : "ended";
  const [state] = fields;
  if (state === "Z" || state === "X" || state === "x") return "ended";
  return fields[19] ?? "unknown";
}

/** Returns the fields of a process in /proc behind its name, which may hold anything: the state is 0, the start 19. Undefined: there is none. */
export function processFields(pid: number): string[] | undefined {
  const line = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return line?.slice(line.lastIndexOf(")") + 2).split(" ");
}

/** Parses an owner as it was written down; undefined for anything else. */
export function parseOwner(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { pid, started, boot, space, host, id } = value;
  const isText = (text: unknown): text is string | null => text === null || typeof text === "string";
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return undefined;
  if (!isText(started) || !isText(boot) || !isText(space)) return undefined;
  if (typeof host !== "string" || typeof id !== "string") return undefined;
  return { pid: pid as number, started, boot, space, host, id };
}

/** Checks whether a process of this number runs, whichever user owns it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
