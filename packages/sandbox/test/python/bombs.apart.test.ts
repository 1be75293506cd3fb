import { isLong, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pythonSandbox } from "../own-sandbox.ts";
import { addTool, readSections, watchTicks } from "../support.ts";
import { descendants, peakMb, seesProcesses } from "./processes.ts";

const limits = { timeoutMs: 30_000, memoryMb: 96, maxResultBytes: 100_000, maxToolCalls: 20 };
const pool = { size: 1 };
const sandbox = pythonSandbox({ limits, pool, tools: [addTool] });
// Those that end by nothing else need not run long.
const short = pythonSandbox({ limits: { ...limits, timeoutMs: 400 }, pool, tools: [addTool] });
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await short[Symbol.asyncDispose]();
});

/** What the threat model says of the process around the interpreter's memory. */
const AROUND_MB = 200;
/** Sixty thousand signs in front of a number need no line of their own in the text file. */
const places: Readonly<Record<string, string>> = { "{DEEP}": `${"-".repeat(60_000)}1` };

const bombs = readSections(new URL("./bombs.txt", import.meta.url)).map(({ name, code }) => {
  const [what = "", type = ""] = name.split(" → ");
  return { what, type, code: code.replace(/\{[A-Z]+\}/g, (place) => places[place] ?? place) };
});

/** A plain run takes the first of each type that uses something up; with TOOLGLOT_REQUIRE_ALL=1 or TOOLGLOT_LONG=1 each has its turn. */
const usedUp = ["MemoryError", "RecursionError", "ResultTooLarge", "Timeout", "ToolCallLimit"];
const isFirst = (type: string, code: string): boolean =>
  usedUp.includes(type) && bombs.find((bomb) => bomb.type === type)?.code === code;

let idleGap = 0;
const greatest = { gap: 0, peak: 0 };
beforeAll(async () => {
  // One child starts meanwhile, as one does during every run.
  const stop = watchTicks();
  await short.warm();
  await new Promise((resolve) => setTimeout(resolve, 300));
  idleGap = stop();
});
afterAll(() => {
  if (isLong) {
    const { gap, peak } = greatest;
    console.log(`greatest gap ${gap.toFixed(0)} ms (idle ${idleGap.toFixed(0)}), greatest child ${peak.toFixed(0)} MB`);
  }
});

it("should hold at least fifty bombs, of all types", () => {
  expect(bombs.length).toBeGreaterThanOrEqual(50);
  expect([...new Set(bombs.map(({ type }) => type))].sort()).toEqual([
    ...[
      "MemoryError",
      "MissingResult",
      "NameError",
      "OverflowError",
      "RecursionError",
      "ResultTooLarge",
      "SyntaxError",
    ],
    ...["Timeout", "ToolCallLimit", "ValueError"],
  ]);
});

/** All in test:long; what a plain run takes, and some of the others, in .ci/run. */
const some = someOf(bombs, 8);
const tried = bombs.filter((bomb) => some.includes(bomb) || isFirst(bomb.type, bomb.code));

it.for(tried)("should end in $type and leave the host at work: $what", async ({ type, code }, context) => {
  leftToCi(context, isFirst(type, code));
  const stop = watchTicks();
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, seesProcesses ? peakMb(descendants()) : 0);
  }, 60);
  const run = await (type === "Timeout" ? short : sandbox).run(code);
  clearInterval(sampling);
  const gap = stop();
  greatest.gap = Math.max(greatest.gap, gap);
  greatest.peak = Math.max(greatest.peak, peak);
  // What it was instead is told whole.
  expect(run.status === "error" ? run.error : run.value).toMatchObject({ type });
  // A host that waits for its guest waits for seconds; what the machine itself is late by is measured first.
  expect(gap).toBeLessThan(1000 + 5 * idleGap);
  expect(peak).toBeLessThan(limits.memoryMb + AROUND_MB);
});

it("should run the next program as if nothing had been", async () => {
  const run = await sandbox.run("__result__ = add(1)");
  expect(run).toMatchObject({ status: "ok", value: 3 });
});
