import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Tool } from "@toolglot/core";
import type { Sandbox, SandboxLanguage, SandboxRun, SandboxRunOptions } from "@toolglot/sandbox";
import { often, timesOf } from "../measure.ts";
import { processorMs } from "../processes.ts";

/** The same programs in each language. */
export const programs: Readonly<
  Record<SandboxLanguage, { trivial: string; loop: string; calls(count: number): string; hoard: string }>
> = {
  python: {
    trivial: "__result__ = 1",
    loop: "total = 0\nfor number in range(1_000_000):\n    total += number\n__result__ = total",
    calls: (count) => `for number in range(${count}):\n    echo(number)\n__result__ = "done"`,
    hoard: "kept = [bytearray(1024 * 1024) for _ in range(1000)]\n__result__ = len(kept)",
  },
  javascript: {
    trivial: "__result__ = 1",
    loop: "let total = 0;\nfor (let number = 0; number < 1_000_000; number++) total += number;\n__result__ = total;",
    calls: (count) =>
      `for (let number = 0; number < ${count}; number++) await echo({ value: number });\n__result__ = "done";`,
    hoard:
      "const kept = [];\nfor (let n = 0; n < 1000; n++) kept.push(new Uint8Array(1024 * 1024).fill(1));\n__result__ = kept.length;",
  },
};

/** Wall milliseconds of a run that has to end well, and the run. */
async function timed(
  sandbox: Sandbox,
  code: string,
  expected: unknown,
  options: SandboxRunOptions = {},
): Promise<{ ms: number; run: SandboxRun }> {
  const begun = performance.now();
  const run = await sandbox.run(code, options);
  const ms = performance.now() - begun;
  if (run.status !== "ok" || run.value !== expected) throw new Error(`the run failed: ${JSON.stringify(run)}`);
  return { ms, run };
}

/** From making a sandbox to the value of a program that does nothing, the interpreter started for it. */
export const cold = (make: () => Sandbox, rounds: number): Promise<number[]> =>
  timesOf({ rounds }, async () => {
    const sandbox = make();
    await timed(sandbox, programs[sandbox.language].trivial, 1);
    return () => sandbox[Symbol.asyncDispose]();
  });

/** Runs with an interpreter ready: what passes besides the program itself, and what the caller waits in all. */
export async function warm(
  sandbox: Sandbox,
  rounds: number,
  pauseMs: number,
): Promise<{ besides: number[]; whole: number[] }> {
  const besides: number[] = [];
  const whole: number[] = [];
  while (besides.length < often(rounds)) {
    await sleep(pauseMs);
    const { ms, run } = await timed(sandbox, programs[sandbox.language].trivial, 1);
    if (!run.stats.warm) continue;
    whole.push(ms);
    besides.push(ms - run.stats.guestMs);
  }
  return { besides, whole };
}

/** Microseconds from one call's arrival at its tool to the next one's: the way back, the guest, and the way out. */
export async function toolCalls(sandbox: Sandbox, count: number, rounds: number): Promise<number[]> {
  const gaps: number[] = [];
  for (let round = 0; round < often(rounds); round += 1) {
    const echo = timedEcho(gaps, 0);
    await timed(sandbox, programs[sandbox.language].calls(count), "done", { tools: [echo] });
  }
  return gaps;
}

/** Gives back what it gets, and notes the microseconds since it was last called, of calls with more than `from`. */
export function timedEcho(gaps: number[], from = 50): Tool<{ value: number }> {
  let last = Number.NaN;
  return {
    name: "echo",
    description: "Gives back what it gets.",
    inputSchema: { type: "object", properties: { value: { type: "integer" } }, required: ["value"] },
    async execute({ value }) {
      const now = performance.now();
      if (value > from) gaps.push((now - last) * 1000);
      last = now;
      return value;
    },
  };
}

export async function loops(sandbox: Sandbox, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < often(rounds); round += 1) {
    const { run } = await timed(sandbox, programs[sandbox.language].loop, 499999500000);
    times.push(run.stats.guestMs);
  }
  return times;
}

/** Processor time of each of so many pieces of work in a row. */
export async function perRound(
  rounds: number,
  work: () => unknown,
  clock: () => number = () => processorMs(),
): Promise<number> {
  const count = often(rounds);
  const before = clock();
  for (let number = 0; number < count; number += 1) await work();
  return (clock() - before) / count;
}

/** Processor time of each of so many programs in a row: the start, the programs, what was started ahead, and the end. */
export async function processorEach(make: () => Sandbox, rounds: number): Promise<number> {
  const before = processorMs();
  const sandbox = make();
  await perRound(rounds, () => timed(sandbox, programs[sandbox.language].trivial, 1));
  await sandbox[Symbol.asyncDispose]();
  return (processorMs() - before) / often(rounds);
}

/** What happens to a program that keeps a thousand megabytes. */
export async function hoard(sandbox: Sandbox): Promise<string> {
  const run = await sandbox.run(programs[sandbox.language].hoard);
  return run.status === "ok" ? `${String(run.value)} MB kept` : `${run.error.type}`;
}

/** Microseconds of a message to a thread that does nothing but answer: what the machine itself takes, at this moment. */
export async function bareThread(rounds: number): Promise<number[]> {
  const code =
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (n) => parentPort.postMessage(n));';
  const worker = new Worker(code, { eval: true });
  const times = await timesOf({ rounds, warm: 50 }, async (round) => {
    const answer = once(worker, "message");
    worker.postMessage(round);
    await answer;
  });
  await worker.terminate();
  return times.map((ms) => ms * 1000);
}
