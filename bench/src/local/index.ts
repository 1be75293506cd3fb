import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openLocalTools } from "@toolglot/local-tools";
import { inFolder } from "../machine.ts";
import { inTurns, median, percentile, quick, timesOf } from "../measure.ts";
import { atMost, type Findings, figure, ms, type Run, ratio, together } from "../report.ts";
import { measureConfined } from "./confined.ts";
import { measureEdits } from "./edits.ts";
import { measureMasking } from "./masking.ts";
import { measureSearches } from "./searches.ts";
import { ptyEach, type Runner, sentinel, session } from "./shells.ts";

const rounds = 300;
const floodMb = quick ? 1 : 50;

/** Measures what a shell command, an edit, a search and masking cost beyond the work itself. */
export const measureLocal = (run: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const roots = join(folder, "root");
    mkdirSync(roots);
    const local = await openLocalTools({ roots, stateDir: join(folder, "state") });
    try {
      run.progress("commands");
      const commands = await measureCommands(folder);
      run.progress("confined shells");
      // Not where everything else lies: a confined shell must not write to the state directories.
      const confined = await measureConfined(roots);
      run.progress("edits");
      const edits = await measureEdits(local, roots);
      const searches = await measureSearches(run);
      run.progress("masking");
      return together(commands, confined, edits, searches, await measureMasking(run.root));
    } finally {
      await local.close();
    }
  });

async function measureCommands(folder: string): Promise<Findings> {
  const sessions = [await session("pty", folder), await session("pipe", folder)] as const;
  const runners = [...sessions, sentinel(folder), ptyEach];
  try {
    const times = await inTurns(runners, { rounds, warm: 20 }, async ({ name, run }, round) => {
      const { output, exit } = await run(`echo ${round}`);
      if (output.trim() !== String(round) || exit !== 0) throw new Error(`${name}: ${output}`);
    });
    const flood = new Map<Runner, number>();
    for (const one of sessions) {
      const script = `head -c ${floodMb * 2 ** 20} /dev/zero | tr '\\0' 'x' | fold -w 100`;
      const taken = await timesOf({ rounds: 3 }, () => one.run(script));
      flood.set(one, (floodMb * 1000) / median(taken));
    }
    const typical = (runner: Runner): number => median(times.get(runner) ?? []);
    const p99 = (runner: Runner): string => ms(percentile(times.get(runner) ?? [], 0.99));
    const [own] = sessions;
    const what = "overhead of a command in a session on a terminal";
    return {
      bars: [atMost(what, typical(own), 10, " ms", ` (p99 ${p99(own)})`)],
      tables: [
        {
          title: "A command",
          note: `\`echo N\`, output and exit status checked, ${rounds} times, the ways in turns. The last column: 50 MB printed, in MB/s.`,
          columns: ["", "state lasts", "median", "p99", "beside a new bash", "50 MB"],
          rows: runners.map((runner) => [
            runner.name,
            runner.lasts ? "yes" : "no",
            ms(typical(runner)),
            p99(runner),
            ratio(typical(runner), typical(ptyEach)),
            flood.has(runner) ? `${figure(flood.get(runner) as number)} MB/s` : "–",
          ]),
        },
      ],
    };
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}
