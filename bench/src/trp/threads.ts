import { readdirSync, readFileSync } from "node:fs";

/** Microseconds of processor time by thread, from what Linux says of a process; empty on other systems. */
function threadTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  if (process.platform !== "linux") return times;
  for (const thread of readdirSync(folder)) {
    try {
      const [nanoseconds] = readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ");
      times.set(thread, Number(nanoseconds) / 1000);
    } catch {
      // It has just ended.
    }
  }
  return times;
}

/** What the threads of a router with a store on SQLite take: the main one, the store's, and V8's own (collector and compiler). */
export function meterThreads(pid: number): () => number[] {
  const before = threadTimes(pid);
  return () => {
    const after = threadTimes(pid);
    const took = (thread: string): number => (after.get(thread) ?? Number.NaN) - (before.get(thread) ?? 0);
    const others = [...after.keys()].filter((thread) => thread !== String(pid)).map(took);
    // The busiest of the others is the one that the store has.
    const store = Math.max(0, ...others);
    return [took(String(pid)), store, others.reduce((sum, one) => sum + one, 0) - store];
  };
}
