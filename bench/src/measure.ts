/** What one piece of work took: medians over rounds, in milliseconds. */
export interface Timing {
  /** Processor time of the main thread where Node reports it (22.19 and later), else of the whole process. */
  cpu: number;
  wall: number;
  rounds: number;
}

/** Whether {@link Timing.cpu} is the main thread's alone. */
export const threadTime: boolean = "threadCpuUsage" in process;

interface CpuUsage {
  user: number;
  system: number;
}

function cpuNow(): number {
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
  let lastMs = Number.POSITIVE_INFINITY;
  for (const begun = performance.now(); performance.now() - begun < warmMs; ) {
    const start = performance.now();
    await work();
    lastMs = performance.now() - start;
  }
  const repeats = Math.max(1, Math.ceil(roundMs / lastMs));
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
  return { cpu: median(cpu), wall: median(wall), rounds: cpu.length };
}
