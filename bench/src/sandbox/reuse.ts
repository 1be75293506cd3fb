import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Tool } from "@toolglot/core";
import { createSandbox, type Sandbox, type SandboxLanguage, type SandboxOptions } from "@toolglot/sandbox";
import { newQuickJSWASMModuleFromVariant, RELEASE_SYNC } from "quickjs-emscripten";
import { atOnce, median, often } from "../measure.ts";
import { residentMb, wholeProcessorMs } from "../processes.ts";
import { atLeast, atMost, type Findings, figure, ms, type Run, ratio, together } from "../report.ts";
import { perRound } from "./measures.ts";

// Programs with one tool call, one after another in interpreters that are kept.

type Sum = { a: number; b: number };
const sum = async ({ a, b }: Sum): Promise<number> => a + b;
const add: Tool<Sum> = {
  name: "add",
  description: "Adds.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: sum,
};

/** What is measured of a language, and what it must not exceed or fall below. */
interface ReuseCase {
  language: SandboxLanguage;
  title: string;
  code: string;
  options: Partial<SandboxOptions>;
  bars: { processorMs: number; timesRaw: number; perSecond: number };
  raw: { name: string; each(count: number): Promise<number> };
}

const javascriptReuse: ReuseCase = {
  language: "javascript",
  title: "JavaScript",
  code: "return await add({ a: 1, b: 2 })",
  options: {},
  bars: { processorMs: 10, timesRaw: 2.5, perSecond: 150 },
  raw: { name: "quickjs-emscripten, a fresh module each, no border", each: rawQuickJsEach },
};

const pythonReuse: ReuseCase = {
  language: "python",
  title: "Python",
  code: "__result__ = add(1, 2)",
  options: { domain: "bench" },
  bars: { processorMs: 25, timesRaw: 6, perSecond: 60 },
  raw: { name: "pyodide, its memory set back after each, no border", each: rawPyodideEach },
};

async function run(sandbox: Sandbox, code: string): Promise<void> {
  const { status, ...outcome } = await sandbox.run(code);
  if (status !== "ok" || !("value" in outcome) || outcome.value !== 3) {
    throw new Error(`the run failed: ${JSON.stringify(outcome)}`);
  }
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

/** The same program in the engine by itself, in the host's own thread: no border, no limits, a module for each. */
function rawQuickJsEach(rounds: number): Promise<number> {
  return perRound(rounds, async () => {
    const context = (await newQuickJSWASMModuleFromVariant(RELEASE_SYNC)).newContext();
    const tool = context.newFunction("add", (given) => {
      const { a, b } = JSON.parse(context.getString(given)) as Sum;
      const answer = context.newPromise();
      void sum({ a, b }).then((total) => {
        context.newNumber(total).consume((value) => answer.resolve(value));
        context.runtime.executePendingJobs();
      });
      return answer.handle;
    });
    context.setProp(context.global, "add", tool);
    const code = "(async () => await add(JSON.stringify({ a: 1, b: 2 })))()";
    const promise = context.unwrapResult(context.evalCode(code));
    const resolved = context.resolvePromise(promise);
    context.runtime.executePendingJobs();
    const value = context.unwrapResult(await resolved);
    if (context.getNumber(value) !== 3) throw new Error("the raw program failed");
    for (const handle of [value, promise, tool]) handle.dispose();
    context.dispose();
  });
}

interface Pyodide {
  runPython(code: string): unknown;
  globals: { set(name: string, value: unknown): void };
  _module: { HEAPU8: Uint8Array };
}

let pyodide: Promise<Pyodide> | undefined;

/** The engine by itself in the host's own thread: no border, no limits, a tool that answers at once. */
export async function loadPyodide(): Promise<Pyodide> {
  const fromSandbox = createRequire(createRequire(import.meta.url).resolve("@toolglot/sandbox"));
  const path = fromSandbox.resolve("pyodide/pyodide.mjs");
  const { FinalizationRegistry: registry } = globalThis;
  // A proxy of the memory before would lower a count in the present one.
  Object.assign(globalThis, {
    FinalizationRegistry: class {
      register(): void {}
    },
  });
  try {
    const { loadPyodide } = (await import(pathToFileURL(path).href)) as { loadPyodide(): Promise<Pyodide> };
    const made = await loadPyodide();
    made.globals.set("add", (a: number, b: number) => a + b);
    return made;
  } finally {
    Object.assign(globalThis, { FinalizationRegistry: registry });
  }
}

async function rawPyodideEach(rounds: number): Promise<number> {
  pyodide ??= loadPyodide();
  const engine = await pyodide;
  const image = engine._module.HEAPU8.slice();
  return perRound(rounds, () => {
    if (engine.runPython("add(1, 2)") !== 3) throw new Error("the raw program failed");
    engine._module.HEAPU8.set(image);
  });
}

/** What interpreters cost and hold that are used again. */
export async function measureReuse(bench: Run): Promise<Findings> {
  return together(await measureLanguage(pythonReuse, bench), await measureLanguage(javascriptReuse, bench));
}

async function measureLanguage(of: ReuseCase, { progress }: Run): Promise<Findings> {
  const { language, title, code, bars } = of;
  progress(`${language}: programs in kept interpreters`);
  const before = wholeProcessorMs();
  const sandbox = createSandbox({ language, tools: [add], ...of.options });
  await run(sandbox, code);
  const first = wholeProcessorMs() - before;
  const [few, many] = [often(100), often(500)];
  const held: { mb: number; open: number }[] = [];
  for (let number = 0; number < many; number += 1) {
    await run(sandbox, code);
    held.push({ mb: residentMb(), open: descriptors() });
  }
  // The last ten of each: a memory more or less waits for the collector.
  const mbUntil = (number: number): number => median(held.slice(Math.max(0, number - 10), number).map(({ mb }) => mb));
  const [early, late] = [mbUntil(few), mbUntil(many)];
  const [earlyOpen, lateOpen] = [held[few - 1]?.open, held[many - 1]?.open];
  const begun = performance.now();
  const each = await perRound(500, () => run(sandbox, code), wholeProcessorMs);
  const wall = (performance.now() - begun) / many;
  await sandbox[Symbol.asyncDispose]();

  progress(`${language}: two at a time`);
  const pair = createSandbox({ language, tools: [add], ...of.options, pool: { maxConcurrency: 2 } });
  await pair.warm();
  const perSecond = await atOnce(2, often(600), () => run(pair, code));
  await pair[Symbol.asyncDispose]();

  progress(`${language}: the engine by itself`);
  await of.raw.each(5);
  const raw = await of.raw.each(200);

  const beside = (time: number): string => `${ms(time)} (${ratio(time, raw)})`;
  const growth = (late / early - 1) * 100;
  return {
    tables: [
      {
        title: `${title} in kept interpreters`,
        note: "A program with one tool call. Processor time of the whole process, its threads and its children; in brackets beside the engine by itself.",
        columns: ["", "measured"],
        rows: [
          ["the first program of a process, its start included", beside(first)],
          [`each of the next ${many}: processor time`, beside(each)],
          ["the same: wall time", ms(wall)],
          [of.raw.name, beside(raw)],
          ["programs a second, two at a time", figure(perSecond)],
          [`memory of all processes after ${few} and after ${many}`, `${figure(early)} and ${figure(late)} MB`],
          ["open descriptors after as many", `${earlyOpen} and ${lateOpen}`],
        ],
      },
    ],
    bars: [
      atMost(`${title}: program in a kept interpreter, processor time`, each, bars.processorMs, " ms"),
      atMost(`${title}: the same beside the engine by itself`, each / raw, bars.timesRaw, "×"),
      atLeast(`${title}: programs a second, two at a time`, perSecond, bars.perSecond),
      {
        what: `${title}: memory after 500 programs beside after 100`,
        limit: "≤ +10 %",
        measured: `${growth < 0 ? "−" : "+"}${figure(Math.abs(growth))} %`,
        met: growth <= 10,
      },
      {
        what: `${title}: descriptors after 500 programs beside after 100`,
        limit: "equal",
        measured: `${lateOpen} and ${earlyOpen}`,
        met: lateOpen === earlyOpen,
      },
    ],
  };
}
