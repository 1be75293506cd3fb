/** What one piece of work took: medians over rounds, in milliseconds. */
export interface Timing {
  /** Processor time of the main thread where Node tells it (22.19 and later), else of the whole process. */
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
  /** The work is done this often in a round, and the time divided: for work of a few milliseconds. Default 1. */
  repeats?: number;
}

/** Repeats work with the heap cleaned before each round, and gives the medians. */
export async function measure(
  work: () => unknown,
  { warmMs = 1000, rounds = 9, budgetMs = 4000, repeats = 1 }: Rounds = {},
): Promise<Timing> {
  const cpu: number[] = [];
  const wall: number[] = [];
  for (const begun = performance.now(); performance.now() - begun < warmMs; ) await work();
  const begun = performance.now();
  while (cpu.length < rounds && (cpu.length === 0 || performance.now() - begun < budgetMs)) {
    globalThis.gc?.();
    const cpuStart = cpuNow();
    const wallStart = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) await work();
    const wallMs = (performance.now() - wallStart) / repeats;
    const cpuMs = (cpuNow() - cpuStart) / repeats;
    cpu.push(cpuMs);
    wall.push(wallMs);
  }
  return { cpu: median(cpu), wall: median(wall), rounds: cpu.length };
}
