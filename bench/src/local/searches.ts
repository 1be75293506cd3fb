import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalTools, openLocalTools } from "@toolglot/local-tools";
import { median } from "../measure.ts";
import { type Bar, type Findings, figure, ratio, type Table } from "../report.ts";

/** Of what takes less than a second; what takes longer differs less from one time to the next. */
const rounds = 9;
/** Instead of a number of lines. */
const stopped = "stopped early";
/** In no file, nor on the page of an earlier run. */
const absent = `absent_${randomBytes(4).toString("hex")}`;

/** A folder that is searched. */
interface Tree {
  name: string;
  path: string;
  patterns: readonly string[];
  /** Whether the bars are about it. */
  isBar: boolean;
  /** How often each search runs. */
  rounds: number;
}

/** Measures searches beside `rg`, spawned anew for each, in turns. Makes its folders in `folder`. */
export async function measureSearches(
  root: string,
  folder: string,
  progress: (text: string) => void,
): Promise<Findings> {
  const express = join(folder, "express");
  mkdirSync(express);
  execFileSync("npm", ["install", "express@5", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", express]);
  const small = [absent, "[0-9]{7,}", "export const", "\\d = \\d"];
  const trees: Tree[] = [
    {
      name: "this repository",
      path: root,
      patterns: [absent, "ToolCallRequest", "import \\{", "\\d{9,}"],
      isBar: false,
      rounds,
    },
    {
      name: "express 5 from npm",
      path: express,
      patterns: [absent, "[0-9]{12,}", "function", "\\w+ = \\w+\\("],
      isBar: false,
      rounds,
    },
    { name: "2,000 files", path: smallFiles(folder, 100, 20, 60), patterns: small, isBar: true, rounds },
    { name: "20,000 files", path: smallFiles(folder, 200, 100, 20), patterns: small, isBar: true, rounds: 5 },
    { name: "100,000 files", path: smallFiles(folder, 500, 200, 5), patterns: small, isBar: true, rounds: 3 },
  ];
  const rows: string[][] = [];
  const firstRows: string[][] = [];
  let worst = 0;
  let isStopped = false;
  let worstFirst = Number.NEGATIVE_INFINITY;
  let longestGap = 0;
  for (const tree of trees) {
    progress(`local: searches of ${tree.name}`);
    const stateDir = join(folder, `state-${tree.name}`);
    const first = await inTurns(tree, absent, async () => {
      const local = await openLocalTools({ roots: tree.path, stateDir });
      return { run: () => search(local, absent), end: () => local.close() };
    });
    firstRows.push([
      tree.name,
      `${figure(first.own)} ms`,
      `${figure(first.rg)} ms`,
      `${figure(first.own - 2 * first.rg)} ms`,
    ]);
    if (tree.isBar) worstFirst = Math.max(worstFirst, first.own - 2 * first.rg);
    const local = await openLocalTools({ roots: tree.path, stateDir });
    for (const pattern of tree.patterns) {
      const found = await inTurns(tree, pattern, async () => ({
        run: () => search(local, pattern),
        end: () => Promise.resolve(),
      }));
      if (tree.isBar) worst = Math.max(worst, found.own / found.rg);
      if (tree.isBar && found.ownLines === stopped) isStopped = true;
      longestGap = Math.max(longestGap, found.gap);
      const lines = found.ownLines === found.rgLines ? `${found.ownLines}` : `${found.ownLines}, rg ${found.rgLines}`;
      rows.push([
        tree.name,
        `\`${pattern}\``,
        lines,
        `${figure(found.own)} ms`,
        `${figure(found.rg)} ms`,
        ratio(found.own, found.rg),
      ]);
    }
    await local.close();
  }
  const table: Table = {
    title: "A search",
    note: `Beside \`rg -n --hidden -g '!.git' -e PATTERN\`, spawned for each, the two in turns, medians of ${rounds} (20,000 files: 5, 100,000: 3). Ours counts all lines that fit and shows 200; rg prints all. Where the numbers of lines differ, ours leaves out protected files, or reads binary files otherwise.`,
    columns: ["", "pattern", "lines", "search", "rg", "beside rg"],
    rows,
  };
  const firstTable: Table = {
    title: "The first search",
    note: `Of new local tools: the start of the thread is in it, and V8 has compiled nothing yet. Nothing fits. Medians of as many, in turns.`,
    columns: ["", "first search", "rg", "more than twice rg by"],
    rows: firstRows,
  };
  const bars: Bar[] = [
    {
      what: "a search of small files beside rg, the slowest",
      limit: "≤ 2×",
      measured: `${worst.toFixed(2)}×${isStopped ? `, ${stopped}` : ""}`,
      met: worst <= 2 && !isStopped,
    },
    {
      what: "the first search of small files, beyond twice rg",
      limit: "≤ 60 ms",
      measured: `${figure(worstFirst)} ms`,
      met: worstFirst <= 60,
    },
    {
      what: "longest pause of the host's event loop during a search (medians), beyond that of the same time without one",
      limit: "≤ 20 ms",
      measured: `${figure(longestGap)} ms`,
      met: longestGap <= 20,
    },
  ];
  return { bars, tables: [table, firstTable] };
}

function smallFiles(folder: string, folders: number, files: number, lines: number): string {
  const path = join(folder, `small-${folders * files}`);
  for (let i = 0; i < folders; i++) {
    mkdirSync(join(path, `d${i}`), { recursive: true });
    for (let j = 0; j < files; j++) {
      writeFileSync(join(path, `d${i}`, `f${j}.ts`), `export const v${j} = ${i};\n`.repeat(lines));
    }
  }
  return path;
}

/** How many lines fit; undefined: time was over before the end, as may be on a busy machine. */
async function search(local: LocalTools, pattern: string): Promise<number | undefined> {
  const [part] = await local.read({ searches: [{ pattern }] });
  if (part?.kind !== "search") throw new Error(JSON.stringify(part));
  if (part.head.startsWith("stopped early")) return undefined;
  return Number((/: ([\d,]+) match/.exec(part.head)?.[1] ?? "0").replaceAll(",", ""));
}

function ripgrep(path: string, pattern: string): number {
  const options = ["-n", "--hidden", "-g", "!.git", "-e", pattern, "."];
  const { stdout, error } = spawnSync("rg", options, {
    cwd: path,
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 30,
  });
  if (error !== undefined) throw error;
  return stdout.toString("latin1").split("\n").length - 1;
}

interface Own {
  run(): Promise<number | undefined>;
  end(): Promise<void>;
}

async function inTurns({ path, rounds }: Tree, pattern: string, begin: () => Promise<Own>) {
  const [own, rg, gaps, usualGaps]: number[][] = [[], [], [], []];
  let [ownLines, rgLines]: (number | string)[] = [0, 0];
  // The first round is not counted: it fills the system's caches.
  for (let round = -1; round < rounds; round++) {
    const began = performance.now();
    rgLines = ripgrep(path, pattern);
    if (round >= 0) rg?.push(performance.now() - began);
    const { run, end } = await begin();
    const [gap, ms, lines] = await longestPause(run);
    ownLines = lines ?? stopped;
    // The same time without a search: other work of the machine makes pauses, too.
    const [usual] = await longestPause(() => sleep(ms));
    if (round >= 0) {
      own?.push(ms);
      gaps?.push(gap);
      usualGaps?.push(usual);
    }
    await end();
  }
  const gap = median(gaps ?? []) - median(usualGaps ?? []);
  return { own: median(own ?? []), rg: median(rg ?? []), gap, ownLines, rgLines };
}

/** The longest pause of the event loop while something runs, how long that took in all, and what it gave. */
async function longestPause<Value>(work: () => Promise<Value>): Promise<[gap: number, ms: number, value: Value]> {
  let gap = 0;
  const began = performance.now();
  let last = began;
  const beat = setInterval(() => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
  }, 1);
  const value = await work();
  const ended = performance.now();
  clearInterval(beat);
  return [Math.max(gap, ended - last), ended - began, value];
}
