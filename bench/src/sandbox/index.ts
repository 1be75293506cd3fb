import { createSandbox, type Sandbox, type SandboxLanguage, type SandboxOptions } from "@toolglot/sandbox";
import { inFolder } from "../machine.ts";
import { median, percentile } from "../measure.ts";
import { type Bar, type Findings, figure, ms, type Run, ratio, type Table, together } from "../report.ts";
import { bareThread, cold, hoard, loops, processorEach, toolCalls, warm } from "./measures.ts";
import { bareQuickjs, freshQuickjsEach, monty, type PeerFigures, processEach, wesselQuickjs } from "./peers.ts";
import { measureReuse } from "./reuse.ts";
import { measureSessions } from "./sessions.ts";

/** What is timed, the times with their unit, and what there is to say. */
type Row = [what: string, values: number[], unit: string, note: string];

/** What our own sandbox was seen to do, in the form that peers are. */
interface Measured {
  rows: Row[];
  bars: Bar[];
  figures: PeerFigures;
}

const titles: Readonly<Record<SandboxLanguage, string>> = { python: "Python", javascript: "JavaScript" };
const roomy = { maxToolCalls: 100_000, toolTimeMs: 600_000, timeoutMs: 60_000 };
const made = "`createSandbox` to the value of `__result__ = 1`";

function bar(what: string, values: readonly number[], limit: number, unit: string): Bar {
  const measured = median(values);
  return { what, limit: `< ${figure(limit)} ${unit}`, measured: `${figure(measured)} ${unit}`, met: measured < limit };
}

/** Within the default limits, from the first call of a new interpreter on. */
async function measureCalls(options: SandboxOptions): Promise<number[]> {
  await using sandbox = createSandbox({ ...options, domain: "bench" });
  await sandbox.warm();
  return await toolCalls(sandbox, 20, 40);
}

/** What is the same in every language: a sandbox that is warm. */
async function measureWarm(sandbox: Sandbox, calls: number[], pauseMs: number, { progress }: Run): Promise<Measured> {
  const { language } = sandbox;
  await sandbox.warm();
  progress(`${language}: warm`);
  const { besides, whole } = await warm(sandbox, 25, pauseMs);
  progress(`${language}: a loop, memory`);
  const looped = await loops(sandbox, 5);
  const cap = await hoard(sandbox);
  const python = language === "python";
  return {
    rows: [
      ["warm, besides the program", besides, "ms", "`run` to its value, less guest time"],
      ["warm, in all", whole, "ms", "`run` to its value"],
      [
        "tool call",
        calls,
        "µs",
        "one call of an empty tool to the next, in 40 programs of 20 calls, a new interpreter's first among them",
      ],
      ["loop of 1,000,000 additions", looped, "ms", "guest time"],
    ],
    bars: [
      python
        ? bar("Python: warm start, besides the program", besides, 15, "ms")
        : bar("JavaScript: warm run", whole, 5, "ms"),
      bar(`${titles[language]}: tool call`, calls, python ? 150 : 100, "µs"),
    ],
    figures: { name: "**toolglot**", warm: whole, call: calls, loop: looped, cap },
  };
}

async function measurePython(cacheDir: string, run: Run): Promise<Measured> {
  const make = (folder: string | false) => (): Sandbox =>
    createSandbox({ language: "python", cacheDir: folder, pool: { size: 0 } });
  run.progress("python: cold, without a snapshot");
  const without = await cold(make(false), 5);
  run.progress("python: the first start, which makes the snapshot, then from it");
  const first = await cold(make(cacheDir), 1);
  const withSnapshot = await cold(make(cacheDir), 9);
  run.progress("python: tool calls");
  const calls = await measureCalls({ language: "python", cacheDir });
  await using sandbox = createSandbox({ language: "python", cacheDir, limits: roomy });
  const { rows, bars, figures } = await measureWarm(sandbox, calls, 1500, run);
  return {
    rows: [
      ["cold, without a snapshot", without, "ms", made],
      ["first start with an empty cache folder", first, "ms", "the same; makes the snapshot"],
      ["cold, from the snapshot", withSnapshot, "ms", "the same"],
      ...rows,
    ],
    bars: [bar("Python: cold start from the snapshot", withSnapshot, 1200, "ms"), ...bars],
    figures,
  };
}

async function measureJavascript(run: Run): Promise<Measured> {
  run.progress("javascript: cold");
  const starts = await cold(() => createSandbox({ language: "javascript", pool: { size: 0 } }), 15);
  run.progress("javascript: tool calls");
  const calls = await measureCalls({ language: "javascript" });
  await using sandbox = createSandbox({ language: "javascript", limits: roomy });
  const { rows, ...others } = await measureWarm(sandbox, calls, 150, run);
  const answer = "a message to a thread that only answers, and back: what this machine takes for it, at this time";
  const thread = await bareThread(1000);
  return { rows: [["cold", starts, "ms", made], ...rows, ["a bare thread's answer", thread, "µs", answer]], ...others };
}

function table(language: SandboxLanguage, rows: readonly Row[]): Table {
  return {
    title: titles[language],
    note: "Wall time: much of it passes in the interpreter's process or thread.",
    columns: ["", "median", "p95", "n", "what is timed"],
    words: [4],
    rows: rows.map(([what, values, unit, note]) => [
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
    title: `${titles[language]} beside peers`,
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
async function processorTable(cacheDir: string): Promise<Table> {
  const javascript =
    (more: Partial<SandboxOptions> = {}) =>
    (): Sandbox =>
      createSandbox({ language: "javascript", ...more });
  const python = (): Sandbox => createSandbox({ language: "python", cacheDir });
  const many = await processorEach(javascript(), 200);
  const bare = await freshQuickjsEach(200);
  const cost = (time: number): string => `${ms(time)} (${ratio(time, bare)})`;
  const row = (name: string, each: number, alone?: number): string[] => [
    name,
    alone === undefined ? "–" : cost(alone),
    cost(each),
  ];
  const single = javascript({ reuse: { maxPrograms: 1 } });
  const threads = [await processorEach(single, 20), await processorEach(single, 1)] as const;
  return {
    title: "Processor time of a program, everything counted",
    note: "Starts, interpreters started ahead, and the end are in it; a program that does nothing. Of Linux's count, in steps of 10 ms. In brackets: beside quickjs-emscripten alone, with a fresh module for each program. The first program of a process costs more: engine and realms are made ready once.",
    columns: ["", "one program", "each of many in a row"],
    rows: [
      row("**toolglot**, JavaScript (200 in a row)", many, await processorEach(javascript(), 1)),
      row("**toolglot**, JavaScript, a thread each (20)", ...threads),
      row("quickjs-emscripten, a fresh module each, no border (200)", bare),
      row("`node -e 1` (10)", await processEach(process.execPath, ["-e", "1"], 10)),
      row("**toolglot**, Python (10)", await processorEach(python, 10), await processorEach(python, 1)),
      row("`python3 -c 1` (10)", await processEach("python3", ["-c", "1"], 10)),
    ],
  };
}

/** Measures both languages, and what one would use instead. */
export const measureSandbox = (run: Run): Promise<Findings> =>
  inFolder(async (cacheDir) => {
    const python = await measurePython(cacheDir, run);
    const javascript = await measureJavascript(run);
    run.progress("processor time");
    const processor = await processorTable(cacheDir);
    const kept = together(await measureReuse(run), await measureSessions(run));
    run.progress("peers");
    const pythonNote = "Monty interprets a subset of Python in the host's process, with a limit of 256 MB here.";
    const javascriptNote =
      "Both peers run QuickJS in the host's own thread, which stands still meanwhile, with a memory limit of 64 MB.";
    const javascriptPeers = [await bareQuickjs(25), await wesselQuickjs(25)];
    return {
      tables: [
        table("python", python.rows),
        beside("python", pythonNote, python.figures, [await monty(25)]),
        table("javascript", javascript.rows),
        beside("javascript", javascriptNote, javascript.figures, javascriptPeers),
        processor,
        ...kept.tables,
      ],
      bars: [...python.bars, ...javascript.bars, ...kept.bars],
    };
  });
