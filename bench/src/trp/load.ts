import { median, often, percentile, quick } from "../measure.ts";
import { atLeast, type Bar, figure, ms, ratio, type Table, us } from "../report.ts";

/** Something that is called over and over. */
export interface Called {
  name: string;
  /** Where it keeps what it has to keep, for tables that say so. */
  store?: string;
  call(): Promise<unknown>;
  /** Instead of {@link window}, where others call in its name: in processes of their own. */
  window?: typeof window;
}

/** Something that is called, and its end. */
export interface Peer extends Called {
  close(): Promise<void>;
}

/** How it bore so many callers at once. */
interface Load {
  callers: number;
  /** The median window. */
  perSecond: number;
  /** Milliseconds, over all windows. */
  p50: number;
  p99: number;
  /** Microseconds per call of what was metered: of this process, where nothing else is said. */
  cpu: number[];
}

/** Microseconds of processor time from now on, when it is asked for. */
type Meter = () => () => number[];

const thisProcess: Meter = () => {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return [user + system];
  };
};

/** How long windows are, and how many. */
interface Windows<One> {
  windowMs?: number;
  rounds?: number;
  /** Before them, for one that doesn't count. */
  warmMs?: number;
  meter?(subject: One): Meter;
}

/** Callers at the same time. */
export const crowd = 32;

/** Callers that ask again as soon as they have their answer, for a while. How long each waited is added to `waits`. */
export async function window(
  { call }: Called,
  callers: number,
  ms: number,
  waits: number[],
): Promise<{ calls: number; ms: number }> {
  const begun = performance.now();
  const until = begun + (quick ? 20 : ms);
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

/** Measures all of them, window by window in turn, so that what else the machine does burdens them alike. */
export async function underLoad<One extends Called>(
  subjects: readonly One[],
  callers: number,
  { windowMs = 600, rounds = 5, warmMs = 800, meter = () => thisProcess }: Windows<One> = {},
): Promise<Map<One, Load>> {
  const windowOf = (subject: One, ms: number, waits: number[]) =>
    (subject.window ?? window)(subject, callers, ms, waits);
  for (const subject of subjects) await windowOf(subject, warmMs, []);
  const found = new Map(
    subjects.map((subject) => [subject, { rates: [] as number[], cpu: [] as number[][], waits: [] as number[] }]),
  );
  for (let round = 0; round < often(rounds); round += 1) {
    for (const [subject, { rates, cpu, waits }] of found) {
      const took = meter(subject)();
      const { calls, ms } = await windowOf(subject, windowMs, waits);
      cpu.push(took().map((time) => time / calls));
      rates.push((calls * 1000) / ms);
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
        cpu: (cpu[0] ?? []).map((_, at) => median(cpu.map((times) => times[at] ?? Number.NaN))),
      },
    ]),
  );
}

export type Loads = Map<Called, Load>[];

/** One caller, then many. */
export async function bothLoads<One extends Called>(
  subjects: readonly One[],
  windows: Windows<One> = {},
): Promise<Map<One, Load>[]> {
  return [await underLoad(subjects, 1, windows), await underLoad(subjects, crowd, windows)];
}

/** A table with a row for each subject and load. */
export function loadTable(
  title: string,
  note: string,
  loads: Loads,
  base?: Called,
  meters: readonly string[] = ["CPU here per call"],
): Table {
  const subjects = [...(loads[0]?.keys() ?? [])];
  const withStore = subjects.some(({ store }) => store !== undefined);
  const rows = subjects.flatMap((subject) =>
    loads.map((load) => {
      const { callers, perSecond, p50, p99, cpu } = load.get(subject) as Load;
      return [
        subject.name,
        ...(withStore ? [subject.store ?? "–"] : []),
        String(callers),
        figure(perSecond),
        ...(base ? [ratio(perSecond, load.get(base)?.perSecond ?? Number.NaN)] : []),
        ...[ms(p50), ms(p99), ...cpu.map(us)],
      ];
    }),
  );
  const columns = ["", ...(withStore ? ["store"] : []), "callers", "calls/s", ...(base ? [`beside ${base.name}`] : [])];
  return { title, note, columns: [...columns, "p50", "p99", ...meters], words: withStore ? [1] : [], rows };
}

/** Bars: so many times the calls of another one, under each load. */
export function faster(what: string, one: Called, other: Called, times: number, loads: Loads): Bar[] {
  return loads.map((load) => {
    const { callers, perSecond, p99 } = load.get(one) as Load;
    const name = `${what}, ${callers === 1 ? "1 caller" : `${callers} callers`}`;
    return atLeast(name, perSecond / (load.get(other) as Load).perSecond, times, "×", ` (p99 ${ms(p99)})`);
  });
}
