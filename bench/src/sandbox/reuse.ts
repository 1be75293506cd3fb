import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Tool } from "@toolglot/core";
import { createSandbox, type Sandbox, type SandboxLanguage, type SandboxOptions } from "@toolglot/sandbox";
import { newQuickJSWASMModuleFromVariant, RELEASE_SYNC } from "quickjs-emscripten";
import { median } from "../measure.ts";
import { type Bar, type Findings, figure, ratio } from "../report.ts";
import { processorMs } from "./measures.ts";
import { residentMb, wholeProcessorMs } from "./processes.ts";

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
export interface ReuseCase {
  language: SandboxLanguage;
  title: string;
  code: string;
  options: Partial<SandboxOptions>;
  bars: { processorMs: number; timesRaw: number; perSecond: number };
  raw: { name: string; each(count: number): Promise<number> };
}

export const javascriptReuse: ReuseCase = {
  language: "javascript",
  title: "JavaScript",
  code: "return await add({ a: 1, b: 2 })",
  options: {},
  bars: { processorMs: 10, timesRaw: 2.5, perSecond: 150 },
  raw: { name: "quickjs-emscripten, a fresh module each, no border", each: rawQuickJsEach },
};

export const pythonReuse: ReuseCase = {
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
async function rawQuickJsEach(count: number): Promise<number> {
  const before = processorMs();
  for (let number = 0; number < count; number += 1) {
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
  }
  return (processorMs() - before) / count;
}

export interface Pyodide {
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

async function rawPyodideEach(count: number): Promise<number> {
  pyodide ??= loadPyodide();
  const engine = await pyodide;
  const image = engine._module.HEAPU8.slice();
  const before = processorMs();
  for (let number = 0; number < count; number += 1) {
    if (engine.runPython("add(1, 2)") !== 3) throw new Error("the raw program failed");
    engine._module.HEAPU8.set(image);
  }
  return (processorMs() - before) / count;
}

/** What kept interpreters of a language cost and hold. */
export async function measureReuse(of: ReuseCase, progress: (text: string) => void): Promise<Findings> {
  const { language, title, code, bars } = of;
  progress(`${language}: programs in kept interpreters`);
  const before = wholeProcessorMs();
  const sandbox = createSandbox({ language, tools: [add], ...of.options });
  await run(sandbox, code);
  const first = wholeProcessorMs() - before;
  const count = 500;
  const held: Record<number, { mb: number[]; open: number }> = {
    100: { mb: [], open: 0 },
    [count]: { mb: [], open: 0 },
  };
  for (let number = 1; number <= count; number += 1) {
    await run(sandbox, code);
    // The last ten of each: a memory more or less waits for the collector.
    const at = held[Math.ceil(number / 10) * 10];
    if (!at) continue;
    at.mb.push(residentMb());
    at.open = descriptors();
  }
  const begun = { processor: wholeProcessorMs(), wall: performance.now() };
  for (let number = 0; number < count; number += 1) await run(sandbox, code);
  const each = (wholeProcessorMs() - begun.processor) / count;
  const wall = (performance.now() - begun.wall) / count;
  await sandbox[Symbol.asyncDispose]();

  progress(`${language}: two at a time`);
  const pair = createSandbox({ language, tools: [add], ...of.options, pool: { maxConcurrency: 2 } });
  await pair.warm();
  let left = 600;
  const started = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) await run(pair, code);
  };
  await Promise.all([work(), work()]);
  const perSecond = 600_000 / (performance.now() - started);
  await pair[Symbol.asyncDispose]();

  progress(`${language}: the engine by itself`);
  await of.raw.each(5);
  const raw = await of.raw.each(200);

  const bar = (what: string, limit: string, measured: string, met: boolean): Bar => ({
    what: `${title}: ${what}`,
    ...{ limit, measured, met },
  });
  const [early, late] = [median(held[100]?.mb ?? []), median(held[count]?.mb ?? [])];
  const open = { 100: held[100]?.open, [count]: held[count]?.open };
  const growth = (late / early - 1) * 100;
  return {
    tables: [
      {
        title: `${title} in kept interpreters`,
        note: "A program with one tool call. Processor time of the whole process, its threads and its children; in brackets beside the engine by itself.",
        columns: ["", "measured"],
        words: [],
        rows: [
          ["the first program of a process, its start included", `${figure(first)} ms (${ratio(first, raw)})`],
          [`each of the next ${count}: processor time`, `${figure(each)} ms (${ratio(each, raw)})`],
          ["the same: wall time", `${figure(wall)} ms`],
          [of.raw.name, `${figure(raw)} ms (${ratio(raw, raw)})`],
          ["programs a second, two at a time", figure(perSecond)],
          [`memory of all processes after 100 and after ${count}`, `${figure(early)} and ${figure(late)} MB`],
          ["open descriptors after as many", `${open[100]} and ${open[count]}`],
        ],
      },
    ],
    bars: [
      bar(
        "program in a kept interpreter, processor time",
        `≤ ${bars.processorMs} ms`,
        `${figure(each)} ms`,
        each <= bars.processorMs,
      ),
      bar("the same beside the engine by itself", `≤ ${bars.timesRaw}×`, ratio(each, raw), each <= bars.timesRaw * raw),
      bar("programs a second, two at a time", `≥ ${bars.perSecond}`, figure(perSecond), perSecond >= bars.perSecond),
      bar(
        "memory after 500 programs beside after 100",
        "≤ +10 %",
        `${growth < 0 ? "−" : "+"}${figure(Math.abs(growth))} %`,
        growth <= 10,
      ),
      bar(
        "descriptors after 500 programs beside after 100",
        "equal",
        `${open[count]} and ${open[100]}`,
        open[count] === open[100],
      ),
    ],
  };
}
