import { parseArgs } from "node:util";
import { chaos } from "../../../trp-core/test/chaos/chaos.ts";
import type { Variant } from "../../../trp-core/test/chaos/naive.ts";
import { soak, soakLine } from "../../../trp-core/test/chaos/soak.ts";
import { bundleProcesses, ledger } from "../bundle.ts";
import { failOver } from "./fail-over.ts";
import { allUnrest, stageOn, withServer } from "./stage.ts";
import { faultsOf, weak } from "./verdict.ts";

// The program behind scripts/chaos.mjs: `node main.mjs <folder of the tests> soak|chaos|naive|fail-over …`.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "60" }, operations: { type: "string", default: "6000" } },
});
const [tests = "", what = "", part = ""] = positionals;
const operations = Number(values.operations);
const scripts = await bundleProcesses([ledger, "processes/router"], tests);
process.on("exit", () => scripts.remove());
const say = (line: string): void => console.log(line);

/** A soak of the naive store must show duplicates within a minute. */
async function control(): Promise<boolean> {
  const variant: Variant = "naive";
  const { duplicates, seconds } = await withServer((server) => {
    const stage = stageOn(scripts, { url: server.url, schema: variant }, allUnrest(server, variant, 10_000));
    return soak(stage, { variant, minutes: 1, untilDuplicate: true });
  });
  const found = `${duplicates.length} duplicates after ${seconds.toFixed(1)} s`;
  say(`control, the naive store (reads, runs, records): ${found}`);
  return duplicates.length > 0;
}

async function soakAll(): Promise<boolean> {
  const isSeen = await control();
  const report = await withServer((server) => {
    const stage = stageOn(scripts, { url: server.url, schema: "soak" }, allUnrest(server, "soak", 10_000));
    return soak(stage, { variant: "fence", minutes: Number(values.minutes), onProgress: say });
  });
  const { duplicates, unattributed, untrue, audit, unrest } = report;
  say(
    `broken: ${Object.entries(unrest)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}`,
  );
  say(`audit: ${audit.ok ? "intact" : audit.problem}, ${audit.rows.toLocaleString("en")} rows`);
  for (const line of [...duplicates, ...unattributed, ...untrue].slice(0, 20)) say(`✗ ${line}`);
  if (!isSeen) say("✗ the naive store went through: this soak sees nothing");
  say(soakLine(report));
  return isSeen && audit.ok && duplicates.length + unattributed.length + untrue.length === 0;
}

/** Each kind of effect as often; what was wrong, and figures. */
async function chaosAll(): Promise<boolean> {
  const report = await withServer((server) =>
    chaos(stageOn(scripts, { url: server.url, schema: "chaos" }, allUnrest(server, "chaos", 10_000)), {
      ...{ variant: "fence", operations, routers: 4, clients: 32, lease: 2_000, every: 2_000 },
    }),
  );
  const { evidence, ...figures } = report;
  const faults = faultsOf(report, operations);
  say(JSON.stringify(figures));
  for (const line of [...faults, ...(faults.length > 0 ? evidence : [])]) say(`✗ ${line}`);
  return faults.length === 0;
}

async function naiveAll(): Promise<boolean> {
  let areSeen = true;
  for (const [name, run] of Object.entries(weak).filter(([name]) => name.includes(part))) {
    const found = await run(scripts, say);
    say(`${name}: ${found.length} faults, ${found.slice(0, 3).join("; ")}`);
    areSeen &&= found.length > 0;
  }
  return areSeen;
}

async function failOverAll(): Promise<boolean> {
  const report = await failOver(scripts, {
    ...{ variant: "fence", operations, routers: 4, clients: 32, lease: 2_000, every: 1_000, afterMs: 5_000 },
  });
  const { evidence, ...figures } = report;
  const faults = faultsOf(report, operations);
  say(JSON.stringify(figures));
  for (const line of [...faults, ...(faults.length > 0 ? evidence : [])]) say(`✗ ${line}`);
  return faults.length === 0;
}

const programs: Record<string, () => Promise<boolean>> = {
  soak: soakAll,
  chaos: chaosAll,
  naive: naiveAll,
  "fail-over": failOverAll,
};
const program = programs[what];
if (program === undefined) {
  console.error(`no program ${what}; there are ${Object.keys(programs).join(", ")}`);
  process.exit(2);
}
process.exit((await program()) ? 0 : 1);
