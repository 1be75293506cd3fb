import { readdirSync, readFileSync } from "node:fs";
import { processorMs } from "./measures.ts";

/** Children of this process that live, theirs too. */
export function descendants(): string[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const fields = statOf(pid);
      return fields ? [{ pid, parent: fields[1] ?? "" }] : [];
    });
  const found = [String(process.pid)];
  for (const parent of found) {
    found.push(...parents.filter((each) => each.parent === parent).map(({ pid }) => pid));
  }
  return found.slice(1);
}

function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** Processor time of this process, its threads, and all of its children, in steps of 10 ms each. */
export function wholeProcessorMs(): number {
  const ticks = descendants().flatMap((pid) => statOf(pid)?.slice(11, 15) ?? []);
  return processorMs() + ticks.reduce((sum, each) => sum + Number(each) * 10, 0);
}

/** Megabytes that are in memory of these processes; by default of this process and its children. */
export function residentMb(pids: readonly string[] = [...descendants(), String(process.pid)]): number {
  const pages = pids.map((pid) => Number(statOf(pid)?.[21] ?? 0));
  return (pages.reduce((sum, each) => sum + each, 0) * 4096) / 1024 / 1024;
}
