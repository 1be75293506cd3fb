import { readFileSync } from "node:fs";
import { getHeapSpaceStatistics } from "node:v8";
import { median } from "../measure.ts";
import { reference } from "./reference.ts";

/** What was measured of one piece of work. A figure that is nought is left out. */
export type Figures = Readonly<Record<string, number>>;

/** A unit of work, ready to be done. */
export interface Ready {
  /** Does it once, or `times` times. Throws when the result is not what it has to be. */
  once(): unknown;
  /** How many units of work one {@link once} is. Default 1. */
  times?: number;
  /** Much of it is done by other threads, processes, packages or the disk: its time is too uneven to be guarded. */
  isElsewhere?: true;
  /** What else it can count, so far, as `counting.cjs` does. */
  counts?(): Readonly<Record<string, number>>;
  /** Figures for one unit of work that it measures itself. */
  figures?(): Promise<Figures>;
  /** Its time is that of once, right after a full collection: V8 may have dropped code with it. */
  afterCollection?: true;
  close?(): unknown;
}

export interface Unit {
  name: string;
  ready(): Ready | Promise<Ready>;
}

/** What `counting.cjs` has counted, and what `--expose-gc` gives. */
const { costsCounted, gc } = globalThis as unknown as { costsCounted(): Record<string, number>; gc(): void };

/** Rounds of work and of the reference, in turns. */
const rounds = 9;
const roundMs = 8;
const countedTimes = 5;
export const usual: Patience = { warmMs: 1000, partMs: 300 };
/** For figures that can be counted alone, and are the same in code that V8 has not compiled yet. */
export const countingAlone: Patience = { warmMs: 200, partMs: 0 };
/** Of one part that allocates: the young generation holds many, see the flags in run.mjs. */
const mostBytes = 20e6;

/** Not counted: V8's own notes on the code that it runs. One hidden class takes about 200 bytes. */
const fewOldBytes = 128;
const fewOldShare = 0.015;

/** How long the warm-up and what is measured of allocation may take, in milliseconds. */
export interface Patience {
  warmMs: number;
  /** 0: allocation and time are not measured, as where nobody has recorded what they should be. */
  partMs: number;
}

/** Measures what one unit of work costs: what can be counted, what is allocated, and time beside the reference's. */
export async function meter({ name, ready }: Unit, { warmMs, partMs }: Patience = usual): Promise<Figures> {
  const work = await ready();
  const { once, times = 1, isElsewhere, counts = () => ({}), figures: own, afterCollection, close } = work;
  const repeat = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await once();
  };
  const elapsed = async (count: number, doing: (count: number) => unknown, by = processMs): Promise<number> => {
    const begun = by();
    await doing(count);
    return (by() - begun) / count;
  };
  try {
    for (const begun = performance.now(); performance.now() - begun < warmMs / (isElsewhere ? 4 : 1); ) await once();
    const figures: Record<string, number> = {
      ...(await countedFigures(() => repeat(countedTimes), countedTimes * times, counts)),
      ...(await own?.()),
    };
    if (partMs === 0) return tidy(figures);
    const each = await elapsed(3, repeat, () => performance.now());
    // When others do their part, and so how much is done in one go, differs from time to time.
    const { all, old } = await allocatedBytes(repeat, each, partMs);
    figures[isElsewhere ? "allocated, unevenly" : "allocated"] = all / times;
    if (!isElsewhere && old > fewOldBytes + fewOldShare * all) figures["allocated as old"] = old / times;
    if (!isElsewhere) {
      const count = afterCollection ? 1 : Math.max(1, Math.round(roundMs / each));
      const [own, other] = [[] as number[], [] as number[]];
      const [begun, before] = [performance.now(), processMs()];
      for (let round = 0; round < rounds; round += 1) {
        if (afterCollection) gc();
        own.push(await elapsed(count, repeat));
        other.push(await elapsed(reference.perRound, reference.repeat));
      }
      // The least of each: what else a machine does only adds to it. On a busy one the two suffer differently, and time says nothing.
      const waited = performance.now() - begun;
      if (waited < 1.15 * (processMs() - before)) figures.time = Math.min(...own) / times / Math.min(...other);
    }
    return tidy(figures);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    await close?.();
  }
}

/** What can be counted without noise. The least of three, since what is left of the start may end meanwhile. */
async function countedFigures(
  work: () => Promise<void>,
  times: number,
  counts: () => Readonly<Record<string, number>>,
): Promise<Figures> {
  const found: Record<string, number[]> = {};
  for (let round = 0; round < 3; round += 1) {
    const before: Record<string, number> = { written: writtenBytes(), ...costsCounted(), ...counts() };
    await work();
    const after: Record<string, number> = { ...costsCounted(), ...counts(), written: writtenBytes() };
    for (const [kind, count] of Object.entries(after)) {
      found[kind] ??= [];
      found[kind].push((count - (before[kind] ?? 0)) / times);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([kind, each]) => [kind, Math.min(...each)]));
}

/**
 * Bytes that one repetition allocates in the main thread. None of the parts is so large that more than one of them sees a collection,
 * and none is forced before: that would throw away optimised code, which allocates less.
 */
async function allocatedBytes(
  repeat: (count: number) => Promise<void>,
  each: number,
  partMs: number,
): Promise<{ all: number; old: number }> {
  const over = async (count: number): Promise<{ all: number; old: number }> => {
    const before = { all: process.memoryUsage().heapUsed, old: oldBytes() };
    await repeat(count);
    return { all: (process.memoryUsage().heapUsed - before.all) / count, old: (oldBytes() - before.old) / count };
  };
  const first = Math.max(1, (await over(2)).all);
  const count = Math.ceil(Math.min(10_000 / rounds, mostBytes / first, partMs / rounds / each));
  const found: Awaited<ReturnType<typeof over>>[] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await over(count));
  return { all: median(found.map(({ all }) => all)), old: median(found.map(({ old }) => old)) };
}

/** Bytes of old objects: while nothing is collected, these are hidden classes, and objects that V8 makes old at once. */
function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}

/** Bytes that this process has written, to files, pipes and sockets; 0 where the system doesn't say. */
function writtenBytes(): number {
  if (process.platform !== "linux") return 0;
  return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** Milliseconds of processor time of this process so far, all threads of it. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Three digits that count, and no noughts. */
function tidy(figures: Figures): Figures {
  const round = (value: number): number => Number(value.toPrecision(3));
  return Object.fromEntries(
    Object.entries(figures)
      .map(([kind, value]) => [kind, round(value)] as const)
      .filter(([, value]) => value > 0),
  );
}
