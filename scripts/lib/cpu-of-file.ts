import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

// A setup file of `node scripts/dear-tests.mjs`: notes the processor time of each test file, with that of the processes that it has
// started and seen end.

const ticksPerSecond = 100;
const root = `${import.meta.dirname}/../..`;

function seconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ").slice(11, 15) ?? [];
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

const before = seconds();
afterAll(() => {
  const file = relative(root, expect.getState().testPath ?? "");
  appendFileSync(process.env.TOOLGLOT_CPU_OF_FILES as string, `${JSON.stringify([file, seconds() - before])}\n`);
});
