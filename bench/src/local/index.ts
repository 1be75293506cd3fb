import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";
import { median, percentile } from "../measure.ts";
import { type Bar, type Findings, figure, ratio, type Table } from "../report.ts";
import { measureConfined } from "./confined.ts";
import { measureEdits } from "./edits.ts";
import { measureMasking } from "./masking.ts";
import { measureSearches } from "./searches.ts";
import { ptyEach, type Runner, sentinel, session } from "./shells.ts";

const rounds = 300;
const megabyte = 2 ** 20;

/** Measures what a shell command, an edit, a search and masking cost beyond the work itself. */
export async function measureLocal(root: string, progress: (text: string) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  const roots = join(folder, "root");
  mkdirSync(roots);
  const local = await openLocalTools({ roots, stateDir: join(folder, "state") });
  try {
    progress("local: commands");
    const commands = await measureCommands(folder);
    progress("local: confined shells");
    // Not where everything else lies: a confined shell must not write to the state directories.
    const confined = await measureConfined(roots);
    progress("local: edits");
    const edits = await measureEdits(local, roots);
    const searches = await measureSearches(root, folder, progress);
    progress("local: masking");
    const masking = await measureMasking(root);
    const bars = [...commands.bars, ...confined.bars, ...edits.bars, ...searches.bars, ...masking.bars];
    const tables = [...commands.tables, ...confined.tables, ...edits.tables, ...searches.tables, ...masking.tables];
    return { bars, tables };
  } finally {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A part of {@link measureLocal}. */
export async function measureSearchesAlone(root: string, progress: (text: string) => void): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  try {
    return await measureSearches(root, folder, progress);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCommands(folder: string): Promise<Findings> {
  const own = await session("pty", folder);
  const runners = [own, await session("pipe", folder), sentinel(folder), ptyEach];
  try {
    const times = new Map<Runner, number[]>(runners.map((runner) => [runner, []]));
    // In turns, so that all see the same moods of the machine.
    for (let round = -20; round < rounds; round++) {
      for (const runner of runners) {
        const began = performance.now();
        const { output, exit } = await runner.run(`echo ${round}`);
        const ms = performance.now() - began;
        if (output.trim() !== String(round) || exit !== 0) throw new Error(`${runner.name}: ${output}`);
        if (round >= 0) times.get(runner)?.push(ms);
      }
    }
    const flood = new Map<Runner, number>();
    for (const runner of [own, runners[1] as Runner]) {
      const all: number[] = [];
      for (let round = 0; round < 3; round++) {
        const began = performance.now();
        await runner.run(`head -c ${50 * megabyte} /dev/zero | tr '\\0' 'x' | fold -w 100`);
        all.push(performance.now() - began);
      }
      flood.set(runner, 50 / (median(all) / 1000));
    }
    const typical = (runner: Runner): number => median(times.get(runner) ?? []);
    const table: Table = {
      title: "A command",
      note: `\`echo N\`, output and exit status checked, ${rounds} times, the ways in turns. The last column: 50 MB printed, in MB/s.`,
      columns: ["", "state lasts", "median", "p99", "beside a new bash", "50 MB"],
      rows: runners.map((runner) => [
        runner.name,
        runner.lasts ? "yes" : "no",
        `${figure(typical(runner))} ms`,
        `${figure(percentile(times.get(runner) ?? [], 0.99))} ms`,
        ratio(typical(runner), typical(ptyEach)),
        flood.has(runner) ? `${figure(flood.get(runner) as number)} MB/s` : "–",
      ]),
    };
    const bars: Bar[] = [
      {
        what: "overhead of a command in a session on a terminal",
        limit: "≤ 10 ms",
        measured: `${figure(typical(own))} ms (p99 ${figure(percentile(times.get(own) ?? [], 0.99))} ms)`,
        met: typical(own) <= 10,
      },
    ];
    return { bars, tables: [table] };
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}
