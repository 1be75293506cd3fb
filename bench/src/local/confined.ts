import { openShell, type ShellSession } from "@toolglot/local-tools";
import { median, percentile } from "../measure.ts";
import { type Bar, type Findings, figure, type Table } from "../report.ts";

const rounds = 60;

interface Way {
  backend: "pty" | "pipe";
  confined: boolean;
  starts: number[];
  commands: number[];
  shell?: ShellSession;
}

/** Measures what bubblewrap adds to a shell's start and to a command. */
export async function measureConfined(folder: string): Promise<Findings> {
  const ways: Way[] = (["pty", "pipe"] as const).flatMap((backend) =>
    [false, true].map((confined) => ({ backend, confined, starts: [], commands: [] })),
  );
  const opened = (way: Way): Promise<ShellSession> => {
    const { backend, confined } = way;
    return openShell({ cwd: folder, backend, artifactDir: folder, sandbox: confined ? "bwrap" : false });
  };
  // In turns, so that all see the same moods of the machine.
  for (let round = -3; round < rounds; round++) {
    for (const way of ways) {
      const began = performance.now();
      const shell = await opened(way);
      if (round >= 0) way.starts.push(performance.now() - began);
      await shell.close();
    }
  }
  for (const way of ways) way.shell = await opened(way);
  try {
    for (let round = -20; round < rounds; round++) {
      for (const { shell, commands } of ways) {
        const began = performance.now();
        const result = await shell?.run(`echo ${round}`);
        const ms = performance.now() - began;
        if (result?.output.trim() !== String(round)) throw new Error(`${result?.status}: ${result?.output}`);
        if (round >= 0) commands.push(ms);
      }
    }
  } finally {
    await Promise.all(ways.map(({ shell }) => shell?.close()));
  }
  return { bars: barsOf(ways), tables: [tableOf(ways)] };
}

function barsOf(ways: readonly Way[]): Bar[] {
  const more = (backend: Way["backend"], what: "starts" | "commands"): number => {
    const of = (confined: boolean): number[] =>
      ways.find((way) => way.backend === backend && way.confined === confined)?.[what] ?? [];
    return median(of(true)) - median(of(false));
  };
  const bar = (what: string, list: "starts" | "commands", limit: number): Bar => {
    const [pty, pipe] = [more("pty", list), more("pipe", list)];
    return {
      what,
      limit: `≤ ${limit} ms`,
      measured: `${figure(pty)} ms on a terminal, ${figure(pipe)} ms over pipes`,
      met: pty <= limit && pipe <= limit,
    };
  };
  return [
    bar("what confinement adds to a shell's start", "starts", 40),
    bar("what confinement adds to a command", "commands", 1),
  ];
}

function tableOf(ways: readonly Way[]): Table {
  return {
    title: "A confined shell",
    note: `Opening a session, and \`echo N\` in it, ${rounds} times each, the ways in turns. Confined by bubblewrap.`,
    columns: ["", "start, median", "start, p95", "command, median", "command, p95"],
    rows: ways.map(({ backend, confined, starts, commands }) => [
      `${confined ? "confined" : "unconfined"}, ${backend === "pty" ? "on a terminal" : "over pipes"}`,
      ...[starts, commands].flatMap((times) => [
        `${figure(median(times))} ms`,
        `${figure(percentile(times, 0.95))} ms`,
      ]),
    ]),
  };
}
