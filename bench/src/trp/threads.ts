import { readdirSync, readFileSync } from "node:fs";

/** Processor time by thread, in microseconds since it began. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** What the threads of a router with a store on SQLite took, in microseconds. */
export interface Shares {
  main: number;
  /** The busiest of the others: the one that the store has. */
  store: number;
  /** V8's own: collector and compiler. */
  rest: number;
}

/** Of a process, from what Linux says of its threads; empty on other systems. */
export function threadTimes(pid: number): ThreadTimes {
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

/** What they took between two looks. */
export function shares(pid: number, before: ThreadTimes, after: ThreadTimes): Shares {
  const took = (thread: string): number => (after.get(thread) ?? Number.NaN) - (before.get(thread) ?? 0);
  const others = [...after.keys()].filter((thread) => thread !== String(pid)).map(took);
  const store = Math.max(0, ...others);
  return { main: took(String(pid)), store, rest: others.reduce((sum, one) => sum + one, 0) - store };
}
