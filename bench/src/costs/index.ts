import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { machine } from "../../../scripts/lib/processor.mjs";
import { inFolder } from "../machine.ts";
import { startServer } from "../postgres/server.ts";
import {
  byScope,
  type Costs,
  type CostsFile,
  compare,
  type Finding,
  lesser,
  middle,
  scopesOf,
  without,
} from "./guard.ts";
import { countingAlone, type Figures, meter, type Patience, usual } from "./meter.ts";
import { groups, missing } from "./units/index.ts";

const scopeOf = scopesOf(machine());
/** How often a unit is measured that costs more than it should: V8 compiles the same code well in one process and badly in another. */
const attempts = 7;
/** Whether what can't be measured here is a failure. */
const requireAll = process.env.TOOLGLOT_REQUIRE_ALL === "1";

interface NamedUnit {
  group: string;
  name: string;
}

/**
 * Measures every unit of work and compares it with `bench/costs.json`. Returns false when one costs more. `--update "why"` records
 * the figures instead, with the reason.
 */
export async function guardCosts(root: string, argv: readonly string[]): Promise<boolean> {
  if (argv[0] === "--measure") {
    const [, group = "", name, isCounted] = argv;
    const patience = isCounted === "counted" ? countingAlone : usual;
    console.log(JSON.stringify(await inFolder((folder) => measure(folder, group, name, patience))));
    return true;
  }
  const path = join(root, "bench/costs.json");
  const file = JSON.parse(readFileSync(path, "utf8")) as CostsFile;
  const all: NamedUnit[] = [];
  const absent: string[] = [];
  const skipped = new Set<string>();
  for (const [group, load] of Object.entries(groups)) {
    const reason = await missing[group]?.(root);
    if (reason !== undefined) absent.push(`${group}: ${reason}`);
    for (const { name } of (await load()).units("")) {
      if (reason === undefined) all.push({ group, name });
      else skipped.add(name);
    }
  }
  const isUpdate = argv[0] === "--update";
  if (isUpdate && absent.length > 0) throw new Error(`not everything can be measured here: ${absent.join("; ")}`);
  const recorded = without(file.scopes, skipped);
  const server = all.some(({ group }) => group === "postgres") ? await startServer(root) : undefined;
  if (server) process.env.TOOLGLOT_POSTGRES_URL = server.url;
  try {
    if (isUpdate) return await update(path, file, argv.slice(1).join(" ").trim(), root, all);
    return (await compareAll(root, all, recorded, absent)) && !(requireAll && absent.length > 0);
  } finally {
    await server?.remove();
  }
}

/** Measures units, and says what they cost more or less than is recorded. `absent`: groups that can't be measured here, and why. */
async function compareAll(
  root: string,
  all: readonly NamedUnit[],
  recorded: CostsFile["scopes"],
  absent: readonly string[],
): Promise<boolean> {
  const here = recorded[scopeOf("time")] ?? {};
  let measured: Costs = {};
  let findings: readonly Finding[] = [];
  let unknown: readonly string[] = [];
  // On every core at first, where they disturb each other now and then: what is dear there, or has no time, is measured again, alone.
  for (let attempt = 0, units = all; attempt < attempts && units.length > 0; attempt += 1) {
    const again = await inNewProcesses(root, units, attempt === 0 ? availableParallelism() : 1, here);
    for (const [unit, figures] of Object.entries(again))
      measured = { ...measured, [unit]: lesser(measured[unit] ?? figures, figures) };
    ({ findings, unknown } = compare(recorded, byScope(measured, scopeOf)));
    const dearer = new Set(findings.filter(({ fails }) => fails).map(({ unit }) => unit));
    units = all.filter(
      ({ name }) =>
        dearer.has(name) || (attempt === 0 && here[name]?.time !== undefined && measured[name]?.time === undefined),
    );
  }
  for (const reason of absent) console.log(`${requireAll ? "✗" : "·"} not measured: ${reason}`);
  for (const { text, fails } of findings) console.log(`${fails ? "✗" : "↓"} ${text}`);
  const counted = all.filter(({ name }) => here[name] === undefined).length;
  if (counted > 0)
    console.log(`· nothing is recorded for ${scopeOf("time")}: of ${counted} units only counts were compared`);
  for (const scope of unknown) console.log(`· nothing is recorded for ${scope}: not compared`);
  const timeless = Object.keys(recorded[scopeOf("time")] ?? {}).filter(
    (unit) => recorded[scopeOf("time")]?.[unit]?.time !== undefined && measured[unit]?.time === undefined,
  );
  if (timeless.length > 0) console.log(`· the machine was busy: time was not compared of ${timeless.join("; ")}`);
  const { unfound } = await import("./planted.ts");
  const missed = await unfound(scopeOf);
  for (const kind of missed) console.log(`✗ a planted cost was not found: ${kind}`);
  const failed = findings.filter(({ fails }) => fails);
  if (failed.length > 0) console.log('Say why, or mend it: npm run costs:update -- "why it costs more"');
  console.log(`${Object.keys(measured).length} units, ${failed.length} figures that are more than is recorded`);
  return failed.length === 0 && missed.length === 0;
}

/**
 * Measures each unit in a process of its own, where V8 knows nothing yet: what came before would change its time. `recorded`: those of
 * which time and allocation are known here; of the others only what can be counted is measured, which a busy machine doesn't change.
 */
async function inNewProcesses(
  root: string,
  units: readonly NamedUnit[],
  atOnce: number,
  recorded?: Costs,
): Promise<Costs> {
  const costs: Record<string, Figures> = {};
  const queue = [...units];
  const work = async (): Promise<void> => {
    for (let unit = queue.shift(); unit !== undefined; unit = queue.shift()) {
      const { group, name } = unit;
      const args = [...process.execArgv, process.argv[1] as string, "costs", root, "--measure", group, name];
      if (recorded !== undefined && recorded[name] === undefined) args.push("counted");
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      costs[name] = (await json(child.stdout).catch((cause) => {
        throw new Error(`${name} was not measured`, { cause });
      })) as Figures;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return costs;
}

async function measure(folder: string, group: string, name: string | undefined, patience: Patience): Promise<Figures> {
  const unit = (await groups[group]?.())?.units(folder).find((one) => one.name === name);
  if (unit === undefined) throw new TypeError(`no unit ${name}`);
  const figures = await meter(unit, patience);
  console.error(
    `  ${unit.name}: ${Object.entries(figures)
      .map(([kind, value]) => `${kind} ${value}`)
      .join(", ")}`,
  );
  return figures;
}

/** What is recorded is no lucky figure: the one in the middle of three processes. */
async function update(
  path: string,
  file: CostsFile,
  reason: string,
  root: string,
  units: readonly NamedUnit[],
): Promise<boolean> {
  if (reason.length < 12) {
    console.error('Say in a line why the costs are what they are now: npm run costs:update -- "why"');
    return false;
  }
  const all: Costs[] = [];
  for (let time = 0; time < 3; time += 1) all.push(await inNewProcesses(root, units, 1));
  const costs = Object.fromEntries(
    Object.keys(all[0] ?? {}).map((unit) => [unit, middle(...all.map((each) => each[unit] ?? {}))]),
  );
  const scopes = byScope(costs, scopeOf);
  record(path, file, scopes, compare(file.scopes, scopes).findings, reason, root);
  return true;
}

function record(
  path: string,
  file: CostsFile,
  scopes: Record<string, Costs>,
  findings: readonly Finding[],
  reason: string,
  root: string,
): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const changes = findings.map(({ text }) => text);
  const next: CostsFile = {
    scopes: { ...file.scopes, ...scopes },
    history: [{ date, commit, reason, changes }, ...file.history],
  };
  writeFileSync(path, `${JSON.stringify(next, undefined, 2)}\n`);
  console.log(`recorded, with ${changes.length} changes`);
}
