import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalTools, openLocalTools } from "@toolglot/local-tools";
import { inFolder } from "../machine.ts";
import { median, often, quick } from "../measure.ts";
import { atMost, type Bar, type Findings, ms, type Run, ratio } from "../report.ts";

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
  /** Which bars are about it. */
  bar?: "small" | "large";
  /** How often each search runs. */
  rounds: number;
}

/** Measures searches beside `rg`, spawned anew for each, in turns. */
export const measureSearches = ({ root, progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const rows: string[][] = [];
    const firstRows: string[][] = [];
    const beside: Record<"small" | "large", number[]> = { small: [], large: [] };
    const firsts: number[] = [];
    const gaps: number[] = [];
    let isStopped = false;
    for (const tree of treesOf(root, folder)) {
      progress(`searches of ${tree.name}`);
      const stateDir = join(folder, `state-${tree.name}`);
      const open = (): Promise<LocalTools> => openLocalTools({ roots: tree.path, stateDir });
      const first = await inTurns(tree, absent, async () => {
        const local = await open();
        return { run: () => search(local, absent), end: () => local.close() };
      });
      const more = first.own - 2 * first.rg;
      firstRows.push([tree.name, ms(first.own), ms(first.rg), ms(more)]);
      if (tree.bar === "small") firsts.push(more);
      const local = await open();
      for (const pattern of tree.patterns) {
        const run = (): Promise<number | undefined> => search(local, pattern);
        const { own, rg, gap, ownLines, rgLines } = await inTurns(tree, pattern, async () => ({ run }));
        if (tree.bar) beside[tree.bar].push(own / rg);
        if (tree.bar && ownLines === stopped) isStopped = true;
        gaps.push(gap);
        const lines = ownLines === rgLines ? `${ownLines}` : `${ownLines}, rg ${rgLines}`;
        rows.push([tree.name, `\`${pattern}\``, lines, ms(own), ms(rg), ratio(own, rg)]);
      }
      await local.close();
    }
    const slowest = (what: string, ratios: readonly number[]): Bar => {
      const bar = atMost(`a search of ${what} beside rg, the slowest`, Math.max(...ratios), 2, "×");
      return isStopped ? { ...bar, measured: `${bar.measured}, ${stopped}`, met: false } : bar;
    };
    const pause =
      "longest pause of the host's event loop during a search (medians), beyond that of the same time without one";
    return {
      bars: [
        slowest("small files", beside.small),
        slowest("files of 50 to 500 kB", beside.large),
        atMost("the first search of small files, beyond twice rg", Math.max(...firsts), 60, " ms"),
        atMost(pause, Math.max(0, ...gaps), 20, " ms"),
      ],
      tables: [
        {
          title: "A search",
          note: `Beside \`rg -n --hidden -g '!.git' -e PATTERN\`, spawned for each, the two in turns, medians of ${rounds} (20,000 files: 5, 100,000: 3). Ours counts all lines that fit and shows 200; rg prints all. Where the numbers of lines differ, ours leaves out protected files, or reads binary files otherwise.`,
          columns: ["", "pattern", "lines", "search", "rg", "beside rg"],
          rows,
        },
        {
          title: "The first search",
          note: `Of new local tools: the start of the thread is in it, and V8 has compiled nothing yet. Nothing fits. Medians of as many, in turns.`,
          columns: ["", "first search", "rg", "more than twice rg by"],
          rows: firstRows,
        },
      ],
    };
  });

function treesOf(root: string, folder: string): Tree[] {
  const express = join(folder, "express");
  mkdirSync(express);
  execFileSync("npm", ["install", "express@5", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", express]);
  const tree = (name: string, path: string, ...patterns: string[]): Tree => ({
    ...{ name, path, patterns: [absent, ...patterns] },
    rounds,
  });
  const small = (name: string, rounds: number, ...sizes: [folders: number, files: number, lines: number]): Tree => ({
    ...tree(name, smallFiles(folder, ...sizes), "[0-9]{7,}", "export const", "\\d = \\d"),
    ...{ bar: "small", rounds },
  });
  return [
    tree("this repository", root, "ToolCallRequest", "import \\{", "\\d{9,}"),
    tree("express 5 from npm", express, "[0-9]{12,}", "function", "\\w+ = \\w+\\("),
    small("2,000 files", rounds, 100, 20, 60),
    {
      ...tree("45 MB in 500 files", largeFiles(folder), "[0-9]{12,}", "selection7 of", "\\w+ = 6\\d{4}", "return"),
      bar: "large",
    },
    ...(quick ? [] : [small("20,000 files", 5, 200, 100, 20), small("100,000 files", 3, 500, 200, 5)]),
  ];
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

/** As in a C++ project on Windows: half of the files have CR LF, some are not text, and a few are in Latin-1. */
function largeFiles(folder: string): string {
  const path = join(folder, "large");
  for (let i = 0; i < 500; i++) {
    if (i % 20 === 0) mkdirSync(join(path, `d${i / 20}`), { recursive: true });
    const place = join(path, `d${Math.floor(i / 20)}`, `f${i}`);
    if (i % 7 === 0) {
      writeFileSync(`${place}.png`, randomBytes(8192));
      continue;
    }
    const lines = Array.from({ length: 1200 + ((i * 97) % 4000) }, (_, at) =>
      at % 400 === i % 400
        ? `\t// The selection${i % 10} of line ${at}${i % 50 === 1 ? ", très court" : ""}`
        : `\t${["auto", "return", "const int", "}"][at % 4]} value${at} = ${(at * i) % 70_000};`,
    );
    writeFileSync(`${place}.cpp`, lines.join(i % 2 ? "\r\n" : "\n"), i % 50 === 1 ? "latin1" : "utf8");
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
  const args = ["-n", "--hidden", "-g", "!.git", "-e", pattern, "."];
  const { stdout, error } = spawnSync("rg", args, {
    cwd: path,
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 30,
  });
  if (error !== undefined) throw error;
  return stdout.toString("latin1").split("\n").length - 1;
}

interface Own {
  run(): Promise<number | undefined>;
  end?(): Promise<void>;
}

async function inTurns({ path, rounds }: Tree, pattern: string, begin: () => Promise<Own>) {
  const found: { own: number; rg: number; gap: number; usual: number }[] = [];
  let [ownLines, rgLines]: (number | string)[] = [0, 0];
  // The first round is not counted: it fills the system's caches.
  for (let round = -1; round < often(rounds); round++) {
    const began = performance.now();
    rgLines = ripgrep(path, pattern);
    const rg = performance.now() - began;
    const { run, end } = await begin();
    const [gap, own, lines] = await longestPause(run);
    ownLines = lines ?? stopped;
    // The same time without a search: other work of the machine makes pauses, too.
    const [usual] = await longestPause(() => sleep(own));
    if (round >= 0) found.push({ own, rg, gap, usual });
    await end?.();
  }
  const middle = (of: "own" | "rg" | "gap" | "usual"): number => median(found.map((one) => one[of]));
  return { own: middle("own"), rg: middle("rg"), gap: middle("gap") - middle("usual"), ownLines, rgLines };
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
