import { openShell, type ShellSession } from "@toolglot/local-tools";
import { inTurns, median, percentile } from "../measure.ts";
import { type Bar, type Findings, ms } from "../report.ts";

const rounds = 60;

interface Way {
  backend: "pty" | "pipe";
  confined: boolean;
}

const ways: Way[] = (["pty", "pipe"] as const).flatMap((backend) =>
  [false, true].map((confined) => ({ backend, confined })),
);

/** Measures what bubblewrap adds to a shell's start and to a command. */
export async function measureConfined(folder: string): Promise<Findings> {
  const open = ({ backend, confined }: Way): Promise<ShellSession> =>
    openShell({ cwd: folder, backend, artifactDir: folder, sandbox: confined ? "bwrap" : false });
  const starts = await inTurns(ways, { rounds, warm: 3 }, async (way) => {
    const shell = await open(way);
    return () => shell.close();
  });
  const shells = new Map<Way, ShellSession>();
  for (const way of ways) shells.set(way, await open(way));
  try {
    const commands = await inTurns(ways, { rounds, warm: 20 }, async (way, round) => {
      const result = await shells.get(way)?.run(`echo ${round}`);
      if (result?.output.trim() !== String(round)) throw new Error(`${result?.status}: ${result?.output}`);
    });
    const bar = (what: string, times: Map<Way, number[]>, limit: number): Bar => {
      const [pty = 0, confinedPty = 0, pipe = 0, confinedPipe = 0] = ways.map((way) => median(times.get(way) ?? []));
      const [onTerminal, overPipes] = [confinedPty - pty, confinedPipe - pipe];
      return {
        what,
        limit: `≤ ${limit} ms`,
        measured: `${ms(onTerminal)} on a terminal, ${ms(overPipes)} over pipes`,
        met: Math.max(onTerminal, overPipes) <= limit,
      };
    };
    return {
      bars: [
        bar("what confinement adds to a shell's start", starts, 40),
        bar("what confinement adds to a command", commands, 1),
      ],
      tables: [
        {
          title: "A confined shell",
          note: `Opening a session, and \`echo N\` in it, ${rounds} times each, the ways in turns. Confined by bubblewrap.`,
          columns: ["", "start, median", "start, p95", "command, median", "command, p95"],
          rows: ways.map((way) => [
            `${way.confined ? "confined" : "unconfined"}, ${way.backend === "pty" ? "on a terminal" : "over pipes"}`,
            ...[starts, commands].flatMap((times) => [
              ms(median(times.get(way) ?? [])),
              ms(percentile(times.get(way) ?? [], 0.95)),
            ]),
          ]),
        },
      ],
    };
  } finally {
    await Promise.all([...shells.values()].map((shell) => shell.close()));
  }
}
