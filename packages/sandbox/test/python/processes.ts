import { readdirSync, readFileSync } from "node:fs";

/** What Linux says of a process, by field name; undefined when it is gone. */
function status(pid: number): Map<string, string> | undefined {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
  } catch {
    return undefined;
  }
}

/** Whether this system tells of its processes under /proc. */
export const seesProcesses = status(process.pid) !== undefined;

/** Process ids of everything below this process that is not yet reaped. */
export function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? status(pid)?.get("PPid") : undefined;
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === process.pid || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

/** The most memory, in megabytes, that one of these processes has had resident so far. */
export function peakMb(pids: readonly number[]): number {
  const peaks = pids.map((pid) => Number.parseInt(status(pid)?.get("VmHWM") ?? "0", 10) / 1024);
  return Math.max(0, ...peaks);
}

/** Descriptors that this process has open. */
export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
