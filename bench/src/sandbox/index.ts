import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type Sandbox, type SandboxLanguage, type SandboxOptions } from "@toolglot/sandbox";
import { median, percentile } from "../measure.ts";
import { type Bar, type Findings, figure, ratio, type Table } from "../report.ts";
import { bareThread, cold, hoard, loops, processorEach, toolCalls, warm } from "./measures.ts";
import { bareQuickjs, freshQuickjsEach, monty, type PeerFigures, processEach, wesselQuickjs } from "./peers.ts";
import { javascriptReuse, measureReuse, pythonReuse } from "./reuse.ts";
import { measureSessions } from "./sessions.ts";

interface Row {
  what: string;
  values: number[];
  unit: string;
  note: string;
}

/** What our own sandbox was seen to do, in the form that peers are. */
interface Measured {
  rows: Row[];
  bars: Bar[];
  figures: PeerFigures;
}

const roomy = { maxToolCalls: 100_000, toolTimeMs: 600_000, timeoutMs: 60_000 };
const made = "`createSandbox` to the value of `__result__ = 1`";

function bar(what: string, values: readonly number[], limit: number, unit: string): Bar {
  const measured = median(values);
  return { what, limit: `< ${figure(limit)} ${unit}`, measured: `${figure(measured)} ${unit}`, met: measured < limit };
}

/** What is the same in every language: a sandbox that is warm. */
async function measureWarm(sandbox: Sandbox, pauseMs: number, progress: (text: string) => void): Promise<Measured> {
  const { language } = sandbox;
  await sandbox.warm();
  progress(`${language}: warm`);
  const { besides, whole } = await warm(sandbox, 25, pauseMs);
  progress(`${language}: tool calls`);
  const calls = await toolCalls(sandbox, 1000, 5);
  progress(`${language}: a loop`);
  const looped = await loops(sandbox, 5);
  progress(`${language}: memory`);
  const cap = await hoard(sandbox);
  const python = language === "python";
  return {
    rows: [
      { what: "warm, besides the program", values: besides, unit: "ms", note: "`run` to its value, less guest time" },
      { what: "warm, in all", values: whole, unit: "ms", note: "`run` to its value" },
      { what: "tool call", values: calls, unit: "µs", note: "one call of an empty tool to the next, 1000 in a row" },
      { what: "loop of 1,000,000 additions", values: looped, unit: "ms", note: "guest time" },
    ],
    bars: [
      python
        ? bar("Python: warm start, besides the program", besides, 15, "ms")
        : bar("JavaScript: warm run", whole, 5, "ms"),
      bar(`${python ? "Python" : "JavaScript"}: tool call`, calls, python ? 250 : 100, "µs"),
    ],
    figures: { name: "**toolglot**", warm: whole, call: calls, loop: looped, cap },
  };
}

async function measurePython(cacheDir: string, progress: (text: string) => void): Promise<Measured> {
  const make = (folder: string | false) => (): Sandbox =>
    createSandbox({ language: "python", cacheDir: folder, pool: { size: 0 } });
  progress("python: cold, without a snapshot");
  const without = await cold(make(false), 5);
  progress("python: the first start, which makes the snapshot");
  const first = await cold(make(cacheDir), 1);
  progress("python: cold, from the snapshot");
  const withSnapshot = await cold(make(cacheDir), 9);
  await using sandbox = createSandbox({ language: "python", cacheDir, limits: roomy });
  const { rows, bars, figures } = await measureWarm(sandbox, 1500, progress);
  return {
    rows: [
      { what: "cold, without a snapshot", values: without, unit: "ms", note: made },
      {
        what: "first start with an empty cache folder",
        values: first,
        unit: "ms",
        note: "the same; makes the snapshot",
      },
      { what: "cold, from the snapshot", values: withSnapshot, unit: "ms", note: "the same" },
      ...rows,
    ],
    bars: [bar("Python: cold start from the snapshot", withSnapshot, 1200, "ms"), ...bars],
    figures,
  };
}

async function measureJavascript(progress: (text: string) => void): Promise<Measured> {
  progress("javascript: cold");
  const starts = await cold(() => createSandbox({ language: "javascript", pool: { size: 0 } }), 15);
  await using sandbox = createSandbox({ language: "javascript", limits: roomy });
  const { rows, bars, figures } = await measureWarm(sandbox, 150, progress);
  return { rows: [{ what: "cold", values: starts, unit: "ms", note: made }, ...rows], bars, figures };
}

function table(language: string, rows: readonly Row[]): Table {
  return {
    title: language,
    note: "Wall time: much of it passes in the interpreter's process or thread.",
    columns: ["", "median", "p95", "n", "what is timed"],
    words: [4],
    rows: rows.map(({ what, values, unit, note }) => [
      what,
      `${figure(median(values))} ${unit}`,
      `${figure(percentile(values, 0.95))} ${unit}`,
      String(values.length),
      note,
    ]),
  };
}

function beside(language: SandboxLanguage, note: string, own: PeerFigures, peers: readonly PeerFigures[]): Table {
  const times = (values: readonly number[], base: readonly number[], unit: string): string =>
    values.length === 0 ? "–" : `${figure(median(values))} ${unit} (${ratio(median(values), median(base))})`;
  return {
    title: `${language === "python" ? "Python" : "JavaScript"} beside peers`,
    note,
    columns: ["", "trivial program, warm", "async tool call", "loop", "a program that keeps 1000 MB"],
    words: [4],
    rows: [own, ...peers].map(({ name, warm: warmed, call, loop, cap }) => [
      name,
      times(warmed, own.warm, "ms"),
      times(call, own.call, "µs"),
      times(loop, own.loop, "ms"),
      cap,
    ]),
  };
}

/** What a program costs in all, starts and whatever is done ahead counted. */
async function processorTable(cacheDir: string, progress: (text: string) => void): Promise<Table> {
  progress("processor time");
  const javascript =
    (more: Partial<SandboxOptions> = {}) =>
    (): Sandbox =>
      createSandbox({ language: "javascript", ...more });
  const python = (): Sandbox => createSandbox({ language: "python", cacheDir });
  const many = await processorEach(javascript(), 200);
  const bare = await freshQuickjsEach(200);
  const cost = (ms: number): string => `${figure(ms)} ms (${ratio(ms, bare)})`;
  const row = (name: string, alone: number | undefined, each: number): string[] => [
    name,
    alone === undefined ? "–" : cost(alone),
    cost(each),
  ];
  const single = { reuse: { maxPrograms: 1 } };
  return {
    title: "Processor time of a program, everything counted",
    note: "Starts, interpreters started ahead, and the end are in it; a program that does nothing. Of Linux's count, in steps of 10 ms. In brackets: beside quickjs-emscripten alone, with a fresh module for each program. The first program of a process costs more: engine and realms are made ready once.",
    columns: ["", "one program", "each of many in a row"],
    words: [],
    rows: [
      row("**toolglot**, JavaScript (200 in a row)", await processorEach(javascript(), 1), many),
      row(
        "**toolglot**, JavaScript, a thread each (20)",
        await processorEach(javascript(single), 1),
        await processorEach(javascript(single), 20),
      ),
      row("quickjs-emscripten, a fresh module each, no border (200)", undefined, bare),
      row("`node -e 1` (10)", undefined, processEach(process.execPath, ["-e", "1"], 10)),
      row("**toolglot**, Python (10)", await processorEach(python, 1), await processorEach(python, 10)),
      row("`python3 -c 1` (10)", undefined, processEach("python3", ["-c", "1"], 10)),
    ],
  };
}

/** Only what interpreters cost that are used again. */
export async function measureReuseAlone(progress: (text: string) => void): Promise<Findings> {
  const found = [await measureReuse(pythonReuse, progress), await measureReuse(javascriptReuse, progress)];
  return { tables: found.flatMap(({ tables }) => tables), bars: found.flatMap(({ bars }) => bars) };
}

/** Measures both languages, and what one would use instead. */
export async function measureSandbox(progress: (text: string) => void): Promise<Findings> {
  const cacheDir = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  try {
    const python = await measurePython(cacheDir, progress);
    const javascript = await measureJavascript(progress);
    const thread = await bareThread(1000);
    const processor = await processorTable(cacheDir, progress);
    const reuse = await measureReuseAlone(progress);
    const sessions = await measureSessions(progress);
    progress("peers");
    const pythonPeers = [await monty(25)];
    const javascriptPeers = [await bareQuickjs(25), await wesselQuickjs(25)];
    return {
      tables: [
        table("Python", python.rows),
        beside(
          "python",
          "Monty interprets a subset of Python in the host's process, with a limit of 256 MB here.",
          python.figures,
          pythonPeers,
        ),
        table("JavaScript", [
          ...javascript.rows,
          {
            what: "a bare thread's answer",
            values: thread,
            unit: "µs",
            note: "a message to a thread that only answers, and back: what this machine takes for it, at this time",
          },
        ]),
        beside(
          "javascript",
          "Both peers run QuickJS in the host's own thread, which stands still meanwhile, with a memory limit of 64 MB.",
          javascript.figures,
          javascriptPeers,
        ),
        processor,
        ...reuse.tables,
        ...sessions.tables,
      ],
      bars: [...python.bars, ...javascript.bars, ...reuse.bars, ...sessions.bars],
    };
  } finally {
    rmSync(cacheDir, { recursive: true, force: true });
  }
}
