import { median, percentile } from "../measure.ts";

/** Something that is called over and over. */
export interface Called {
  name: string;
  call(): Promise<unknown>;
}

/** How it bore so many callers at once. */
export interface Load {
  callers: number;
  /** The median window. */
  perSecond: number;
  /** Milliseconds, over all windows. */
  p50: number;
  p99: number;
  /** Microseconds of this process, per call. */
  cpu: number;
}

/** Callers that ask again as soon as they have their answer, for a while. */
async function window(
  { call }: Called,
  callers: number,
  ms: number,
  waits: number[],
): Promise<{ calls: number; ms: number }> {
  const begun = performance.now();
  const until = begun + ms;
  let calls = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let asked = performance.now(); asked < until; ) {
        await call();
        const answered = performance.now();
        waits.push(answered - asked);
        asked = answered;
        calls += 1;
      }
    }),
  );
  return { calls, ms: performance.now() - begun };
}

/**
 * Measures all of them, window by window in turn, so that what else the machine does burdens them alike. `windowMs` each,
 * `rounds` windows, after one that doesn't count.
 */
export async function underLoad<One extends Called>(
  subjects: readonly One[],
  callers: number,
  { windowMs = 600, rounds = 5, warmMs = 800 }: { windowMs?: number; rounds?: number; warmMs?: number } = {},
): Promise<Map<One, Load>> {
  for (const subject of subjects) await window(subject, callers, warmMs, []);
  const found = new Map(
    subjects.map((subject) => [subject, { rates: [] as number[], cpu: [] as number[], waits: [] as number[] }]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const [subject, { rates, cpu, waits }] of found) {
      const before = process.cpuUsage();
      const { calls, ms } = await window(subject, callers, windowMs, waits);
      const { user, system } = process.cpuUsage(before);
      rates.push((calls * 1000) / ms);
      cpu.push((user + system) / calls);
    }
  }
  return new Map(
    [...found].map(([subject, { rates, cpu, waits }]) => [
      subject,
      {
        callers,
        perSecond: median(rates),
        p50: percentile(waits, 0.5),
        p99: percentile(waits, 0.99),
        cpu: median(cpu),
      },
    ]),
  );
}
