import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** `--quick`: everything runs a time or two, to see that it works; the figures are worth nothing. */
export const quick: boolean = process.argv.includes("--quick");

/** So many rounds; with `--quick` two at most. */
export const often = (rounds: number): number => (quick ? Math.min(rounds, 2) : rounds);

/** How many calls a benchmark that takes minutes makes: `--calls N`. */
export function askedCalls(whenQuick: number): number {
  const at = process.argv.indexOf("--calls");
  if (at !== -1) return Number(process.argv[at + 1]);
  return quick ? whenQuick : 100_000;
}

/** What one piece of work took: medians over rounds, in milliseconds. */
export interface Timing {
  /** Processor time of the main thread where Node reports it (22.19 and later), else of the whole process. */
  cpu: number;
  wall: number;
}

/** Whether {@link Timing.cpu} is the main thread's alone. */
export const threadTime: boolean = "threadCpuUsage" in process;

interface CpuUsage {
  user: number;
  system: number;
}

/** Milliseconds of processor time so far. */
export function cpuNow(): number {
  const usage = threadTime
    ? (process as unknown as { threadCpuUsage(): CpuUsage }).threadCpuUsage()
    : process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}

/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value below which the given share (0 to 1) of the values lies, interpolated. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** How often to repeat, and when to stop repeating. */
export interface Rounds {
  /** Rounds before the counted ones go on for this many milliseconds, at least one. 0: there are none. Default 1000. */
  warmMs?: number;
  /** Counted rounds. Default 9. */
  rounds?: number;
  /** No further round begins after this many milliseconds; one is always counted. Default 4000. */
  budgetMs?: number;
  /** Short work is repeated within a round until that lasts about this long, and the time divided. Default 100. */
  roundMs?: number;
}

/**
 * Repeats work and gives the medians. Garbage is collected when it comes, as part of the work: collecting it by force
 * between rounds throws away optimised code as well, and then measures the compiler.
 */
export async function measure(
  work: () => unknown,
  { warmMs = 1000, rounds = 9, budgetMs = 4000, roundMs = 100 }: Rounds = {},
): Promise<Timing> {
  if (quick) [warmMs, rounds, roundMs] = [Math.min(warmMs, 1), 1, 1];
  // The quickest one: what the machine held up says nothing about the work, and would have it measured once a round, clock and all.
  let onceMs = Number.POSITIVE_INFINITY;
  for (const begun = performance.now(); performance.now() - begun < warmMs; ) {
    const start = performance.now();
    await work();
    onceMs = Math.min(onceMs, performance.now() - start);
  }
  const repeats = Math.max(1, Math.ceil(roundMs / onceMs));
  const cpu: number[] = [];
  const wall: number[] = [];
  const begun = performance.now();
  while (cpu.length < rounds && (cpu.length === 0 || performance.now() - begun < budgetMs)) {
    const cpuStart = cpuNow();
    const wallStart = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) await work();
    wall.push((performance.now() - wallStart) / repeats);
    cpu.push((cpuNow() - cpuStart) / repeats);
  }
  return { cpu: median(cpu), wall: median(wall) };
}

/** How often ways take turns. */
export interface Turns {
  rounds: number;
  /** Rounds before them that are not counted. Default 0. */
  warm?: number;
  /** Milliseconds so far. Default: of wall time. */
  clock?: () => number;
}

/**
 * Milliseconds of each way, in turns, so that what else the machine does burdens all alike. What a way returns is called when its time
 * is taken. The rounds are numbered from 0; those that are not counted have negative numbers.
 */
export async function inTurns<Way>(
  ways: readonly Way[],
  { rounds, warm = 0, clock = () => performance.now() }: Turns,
  once: (way: Way, round: number) => unknown,
): Promise<Map<Way, number[]>> {
  const times = new Map<Way, number[]>(ways.map((way) => [way, []]));
  for (let round = -often(warm); round < often(rounds); round += 1) {
    for (const [way, found] of times) {
      const begun = clock();
      const after = await once(way, round);
      if (round >= 0) found.push(clock() - begun);
      if (typeof after === "function") await after();
    }
  }
  return times;
}

/** Milliseconds of each round of one piece of work. */
export async function timesOf(turns: Turns, once: (round: number) => unknown): Promise<number[]> {
  const times = await inTurns([once], turns, (_, round) => once(round));
  return times.get(once) ?? [];
}

/** Makes so many calls, numbered from 0, by so many callers at the same time. How many that are in a second. */
export async function atOnce(callers: number, total: number, call: (number: number) => unknown): Promise<number> {
  let next = 0;
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    while (next < total) await call(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (total * 1000) / (performance.now() - begun);
}

/** Bytes that the heap holds when its garbage is collected. */
export function collectedHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
