import { parseArgs } from "node:util";
import { naiveVariants } from "./mistakes.ts";
import { reportOf } from "./report.ts";
import { simulate } from "./simulate.ts";

const options = {
  seeds: { type: "string", default: "2000" },
  from: { type: "string", default: "1" },
  seed: { type: "string" },
  trace: { type: "boolean", default: false },
  variant: { type: "string" },
} as const;

/**
 * The command line: plays seeds, prints those that fail with the command that plays them again, and says in the end how many there
 * were. Returns the exit code.
 */
export async function main(argv: string[]): Promise<number> {
  const { values } = parseArgs({ args: argv, options });
  const { variant, trace: isTraced } = values;
  const mistakes = variant === undefined ? {} : naiveVariants[variant];
  const from = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  if (mistakes === undefined || !Number.isSafeInteger(from) || !Number.isSafeInteger(count)) {
    const variants = Object.keys(naiveVariants).map((name) => `  --variant ${JSON.stringify(name)}`);
    console.error(["Numbers for --seeds, --from and --seed; for --variant one of:", ...variants].join("\n"));
    return 2;
  }
  const totals: Record<string, number> = {};
  let failed = 0;
  const began = process.cpuUsage();
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await simulate(seed, { mistakes, isTraced });
    for (const [what, often] of Object.entries(outcome.counts)) totals[what] = (totals[what] ?? 0) + often;
    if (outcome.trace) console.log(outcome.trace.join("\n"));
    if (outcome.wrong.length === 0) continue;
    failed += 1;
    console.log(reportOf(outcome, variant));
  }
  const { user, system } = process.cpuUsage(began);
  const rows = Object.entries(totals).sort(([one], [other]) => (one < other ? -1 : 1));
  console.log(rows.map(([what, often]) => `${String(often).padStart(9)}  ${what}`).join("\n"));
  console.log(`${count} seeds, ${failed} failed, ${((user + system) / 1e6).toFixed(1)} s of processor time`);
  return failed === 0 ? 0 : 1;
}
