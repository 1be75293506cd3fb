import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tool } from "@toolglot/core";
import { createSandbox, type Sandbox, type SandboxRun, type SandboxRunOptions } from "@toolglot/sandbox";
import { median, percentile } from "./measure.ts";
import { type Bar, type Findings, figure, type Table } from "./report.ts";

const trivial = "__result__ = 1";
const loop = "total = 0\nfor number in range(1_000_000):\n    total += number\n__result__ = total";
const callsOf = (count: number): string => `for number in range(${count}):\n    echo(number)\n__result__ = "done"`;

interface Row {
  what: string;
  values: number[];
  unit: string;
  note: string;
}

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

/** From `createSandbox` to the value of a program that does nothing, the interpreter started for it. */
async function cold(cacheDir: string | false, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const sandbox = createSandbox({ language: "python", cacheDir, pool: { size: 0 } });
    await timed(sandbox, trivial, 1);
    times.push(performance.now() - begun);
    await sandbox[Symbol.asyncDispose]();
  }
  return times;
}

/** Runs with an interpreter ready: what passes besides the program itself, and what the caller waits in all. */
async function warm(sandbox: Sandbox, rounds: number): Promise<{ besides: number[]; whole: number[] }> {
  const besides: number[] = [];
  const whole: number[] = [];
  while (besides.length < rounds) {
    await sleep(1500);
    const { ms, run } = await timed(sandbox, trivial, 1);
    if (!run.stats.warm) continue;
    whole.push(ms);
    besides.push(ms - run.stats.guestMs);
  }
  return { besides, whole };
}

/** Microseconds from one call's arrival at its tool to the next one's: the way back, the guest, and the way out. */
async function toolCalls(sandbox: Sandbox, count: number, rounds: number): Promise<number[]> {
  const gaps: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let last = Number.NaN;
    const echo: Tool<{ value: number }> = {
      name: "echo",
      description: "Gives back what it gets.",
      inputSchema: { type: "object", properties: { value: { type: "integer" } }, required: ["value"] },
      execute({ value }) {
        const now = performance.now();
        if (value > 50) gaps.push((now - last) * 1000);
        last = now;
        return value;
      },
    };
    await timed(sandbox, callsOf(count), "done", { tools: [echo] });
  }
  return gaps;
}

async function loops(sandbox: Sandbox, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { run } = await timed(sandbox, loop, 499999500000);
    times.push(run.stats.guestMs);
  }
  return times;
}

function bar(what: string, values: readonly number[], limit: number, unit: string): Bar {
  const measured = median(values);
  return { what, limit: `< ${figure(limit)} ${unit}`, measured: `${figure(measured)} ${unit}`, met: measured < limit };
}

/** Measures the Python sandbox. Wall time: most of it passes in another process. */
export async function measureSandbox(progress: (text: string) => void): Promise<Findings> {
  const cacheDir = mkdtempSync(join(tmpdir(), "toolglot-bench-"));
  try {
    progress("sandbox: cold, without a snapshot");
    const without = await cold(false, 5);
    progress("sandbox: the first start, which makes the snapshot");
    const first = await cold(cacheDir, 1);
    progress("sandbox: cold, from the snapshot");
    const withSnapshot = await cold(cacheDir, 9);
    const sandbox = createSandbox({
      language: "python",
      cacheDir,
      limits: { maxToolCalls: 100_000, toolTimeMs: 600_000, timeoutMs: 60_000 },
    });
    await timed(sandbox, trivial, 1);
    progress("sandbox: warm");
    const { besides, whole } = await warm(sandbox, 15);
    progress("sandbox: tool calls");
    const calls = await toolCalls(sandbox, 1000, 5);
    progress("sandbox: a loop");
    const looped = await loops(sandbox, 5);
    await sandbox[Symbol.asyncDispose]();
    const rows: Row[] = [
      {
        what: "cold, without a snapshot",
        values: without,
        unit: "ms",
        note: "`createSandbox` to the value of `__result__ = 1`",
      },
      {
        what: "first start with an empty cache folder",
        values: first,
        unit: "ms",
        note: "the same; the snapshot gets made",
      },
      { what: "cold, from the snapshot", values: withSnapshot, unit: "ms", note: "the same" },
      {
        what: "warm, besides the program",
        values: besides,
        unit: "ms",
        note: "`run` to its value, less the guest's own time",
      },
      { what: "warm, in all", values: whole, unit: "ms", note: "`run` to its value" },
      {
        what: "tool call",
        values: calls,
        unit: "µs",
        note: "from one call of an empty tool to the next, 1000 in a row",
      },
      { what: "loop of 1,000,000 additions", values: looped, unit: "ms", note: "guest time" },
    ];
    const table: Table = {
      title: "Python sandbox",
      note: "Wall time: most of it passes in the interpreter's process.",
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
    return {
      tables: [table],
      bars: [
        bar("warm start, besides the program", besides, 15, "ms"),
        bar("cold start from the snapshot", withSnapshot, 1200, "ms"),
        bar("tool call", calls, 250, "µs"),
      ],
    };
  } finally {
    rmSync(cacheDir, { recursive: true, force: true });
  }
}
