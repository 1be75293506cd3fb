import { readFileSync } from "node:fs";
import { leftToCi, share } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { createSandbox } from "../../../src/node/index.ts";
import { addTool, tool } from "../../support.ts";
import { descendants, openDescriptors, seesProcesses } from "../processes.ts";
import { endless, runNext } from "./one-at-a-time.ts";

/** Megabytes of all children that are in memory. */
function residentMb(): number {
  const mb = (pid: number): number => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  };
  return descendants().reduce((sum, pid) => sum + mb(pid), 0);
}

/** Programs that use memory, files, tools and errors, and leave their interpreter as it can be used again. */
const programs = [
  "__result__ = add(1)",
  "kept = [{'id': number, 'name': f'row {number}'} for number in range(20_000)]\n__result__ = len(kept)",
  "1 / 0",
  "import os\nfiles = [open(f'/tmp/{number}', 'w') for number in range(20)]\nfiles[0].write('x' * 100_000)\n__result__ = os.listdir('/tmp')",
  "data = bytearray(10_000_000)\n__result__ = sum(data[::100_000])",
  "print('x' * 1000)\n__result__ = [add(number) for number in range(10)]",
];

const inRow = share("programs", 60, 500);
/** By then V8 has compiled what it will, and all of the memory that they need is there. */
const early = Math.min(100, inRow.count / 2);

it.skipIf(!seesProcesses)(`should hold nothing back after ${inRow.told}, in one interpreter`, async (context) => {
  leftToCi(context);
  await using sandbox = createSandbox({
    ...({ language: "python", tools: [addTool], domain: "one", guard: false, reuse: endless } as const),
    limits: { timeoutMs: 120_000 },
  });
  // During a long program another interpreter is started, which then stays.
  const slow = tool("slow", {}, () => new Promise((resolve) => setTimeout(() => resolve(1), 2000)));
  await runNext(sandbox, "__result__ = slow()", { tools: [slow] });
  let before = { mb: 0, descriptors: 0 };
  for (let number = 1; number <= inRow.count; number++) {
    const run = await runNext(sandbox, programs[number % programs.length] as string);
    expect(run.stats.reused).toBe(number);
    if (number === early) before = { mb: residentMb(), descriptors: openDescriptors() };
  }
  expect(openDescriptors()).toBe(before.descriptors);
  expect(residentMb()).toBeLessThan(before.mb * 1.1);
  expect(sandbox.stats()).toMatchObject({ started: 2, retired: { "not-at-rest": 0, failed: 0 } });
});
