import { parseArgs } from "node:util";
import { naiveVariants } from "./mistakes.ts";
import { simulate } from "./simulate.ts";

/** The command line: plays seeds, prints those that fail, and says in the last line how many there were. Returns the exit code. */
export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      seeds: { type: "string", default: "2000" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      trace: { type: "boolean", default: false },
      variant: { type: "string" },
    },
  });
  const { variant, trace } = values;
  const mistakes = variant === undefined ? {} : naiveVariants[variant];
  if (mistakes === undefined) {
    console.error(`no variant ${variant}; there are:\n${Object.keys(naiveVariants).join("\n")}`);
    return 2;
  }
  const from = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  const totals: Record<string, number> = {};
  const failed: number[] = [];
  let events = 0;
  const began = process.cpuUsage();
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await simulate(seed, { mistakes, isTraced: trace });
    for (const [what, times] of Object.entries(outcome.counts)) totals[what] = (totals[what] ?? 0) + times;
    events += outcome.events;
    if (outcome.trace) console.log(outcome.trace.join("\n"));
    if (outcome.wrong.length === 0) continue;
    failed.push(seed);
    console.log(`seed ${seed}:\n${outcome.wrong.map((line) => `  ${line}`).join("\n")}`);
  }
  const { user, system } = process.cpuUsage(began);
  totals.events = events;
  console.log(
    Object.entries(totals)
      .sort()
      .map(([what, times]) => `${what}: ${times}`)
      .join("\n"),
  );
  console.log(`${count} seeds, ${failed.length} failed, ${((user + system) / 1e6).toFixed(1)} s of processor time`);
  return failed.length === 0 ? 0 : 1;
}
