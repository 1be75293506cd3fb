import { leftToCi, share } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { addTool } from "../support.ts";
import { descendants, openDescriptors, seesProcesses } from "./processes.ts";

const MAX_CONCURRENT = 3;
const limits = { timeoutMs: 120_000 };
const pool = { size: 1, maxConcurrency: MAX_CONCURRENT };
/** Processes of the test runner itself. */
const own = seesProcesses ? descendants().length : 0;
const sandbox = createSandbox({ language: "python", limits, tools: [addTool], pool });
afterAll(() => sandbox[Symbol.asyncDispose]());

/** What a host could lose by running programs. Without its count of processes where the system doesn't tell. */
interface Held {
  heapMb: number;
  descriptors: number;
  processes: number;
  /** Timers, pipes and processes that Node keeps, by kind. */
  resources: Record<string, number>;
  listeners: number;
}

async function settle(): Promise<void> {
  await sandbox.warm();
  // Children that were killed are reaped, and the next one is started, a little later.
  const isAlone = (): boolean => sandbox.stats().starting === 0 && (!seesProcesses || descendants().length <= own + 1);
  for (let tries = 0; tries < 1200 && !isAlone(); tries++) await pause(50);
  await pause(300);
  globalThis.gc?.();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function held(): Held {
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return {
    heapMb: process.memoryUsage().heapUsed / 1024 / 1024,
    descriptors: seesProcesses ? openDescriptors() : 0,
    processes: seesProcesses ? descendants().length : 0,
    resources,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

/** Programs that end in every way there is. */
const programs: readonly [code: string, type: string | undefined][] = [
  ["__result__ = add(1)", undefined],
  ["print('x' * 5000)\n__result__ = [add(i) for i in range(20)]", undefined],
  ["1 / 0", "ZeroDivisionError"],
  ["x = [0] * 10**9", "MemoryError"],
  ["import os", "ImportForbidden"],
  ["x = (", "SyntaxError"],
  ["def f(n):\n    return f(n + 1)\nf(0)", "RecursionError"],
  ["__result__ = 'x' * 2_000_000", "ResultTooLarge"],
  ["while True:\n    pass", "Aborted"],
];

async function runOne(index: number, signal: AbortSignal): Promise<void> {
  const [code, type] = programs[index % programs.length] as (typeof programs)[number];
  const abort = new AbortController();
  const timer = type === "Aborted" ? setTimeout(() => abort.abort(), 200) : undefined;
  const run = await sandbox.run(code, { signal: type === "Aborted" ? abort.signal : signal });
  clearTimeout(timer);
  expect(run.status === "ok" ? undefined : run.error.type).toBe(type);
}

async function run(count: number, atOnce: number): Promise<void> {
  // One signal for all, as a server has: what listens to it must go.
  const { signal } = new AbortController();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await runOne(next++, signal);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const inRow = share("runs", 3, 100);
const together = share("asked for at once", 1, 100);

it(`should hold nothing back after ${inRow.told}, and ${together.told}`, async (context) => {
  leftToCi(context);
  await run(1, 1);
  await settle();
  const before = held();
  await run(inRow.count, 1);
  // More than run at once: the others wait in line.
  await run(together.count, Math.min(together.count, 20));
  await settle();
  const after = held();
  expect(sandbox.stats()).toMatchObject({ running: 0, waiting: 0, idle: 1, starting: 0 });
  expect(after.processes).toBe(before.processes);
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
  expect(after.listeners).toBe(before.listeners);
  for (const [kind, count] of Object.entries(after.resources)) {
    // Timers of the test runner itself come and go.
    expect(count, kind).toBeLessThanOrEqual((before.resources[kind] ?? 0) + (kind === "Timeout" ? 2 : 0));
  }
  // A run that was held would cost megabytes: its code, logs and values; the heap itself breathes.
  expect(after.heapMb).toBeLessThan(before.heapMb + 30);
  await sandbox[Symbol.asyncDispose]();
  await pause(100);
  if (seesProcesses) expect(descendants().length).toBeLessThan(before.processes);
}, 1_200_000);
