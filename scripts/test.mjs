// `npm test`: installs, then runs every gate and goes on after a failure, so that one run shows everything.
//   npm test -- --only arrows,tests     some gates
//   npm test -- --list                  what there is
// A plain run leaves to .ci/run what lib/dear-tests.mjs names. TOOLGLOT_REQUIRE_ALL=1 leaves nothing out, and makes a skipped test a
// failure. The last line is `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changedFiles, leftOut } from "./lib/dear-tests.mjs";
import { gates } from "./lib/gates.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import {
  closingLine,
  count,
  gateOutcomes,
  readOutcomes,
  settleSkips,
  skipLines,
  warningOutcomes,
} from "./lib/outcomes.mjs";
import { run, toolEnvironment } from "./lib/workspace.mjs";

const { values } = parseArgs({ options: { only: { type: "string" }, list: { type: "boolean" } } });
if (values.list) {
  for (const { id, what } of gates) console.log(`${id.padEnd(12)}${what}`);
  process.exit();
}
const only = values.only?.split(",");
const unknown = only?.filter((id) => !gates.some((gate) => gate.id === id)) ?? [];
if (unknown.length > 0) {
  console.error(`no gate ${unknown.join(", ")}; there are ${gates.map((gate) => gate.id).join(", ")}`);
  process.exit(2);
}

const requireAll = process.env.TOOLGLOT_REQUIRE_ALL === "1";
const scratch = mkdtempSync(join(tmpdir(), "toolglot-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const environment = { ...toolEnvironment(), TOOLGLOT_TARBALLS: join(scratch, "tarballs") };
const install = await run("pnpm", ["install", "--frozen-lockfile"], { env: environment });
if (install.code !== 0) {
  console.log(install.output);
  console.log("Nothing was tested: the dependencies could not be installed.");
  console.log(closingLine({ passed: 0, failed: 1, skipped: 0 }));
  process.exit(1);
}
console.log(`✓ install  ${install.seconds.toFixed(1)} s`);

const wanted = gates.filter(({ id }) => only === undefined || only.includes(id));
/** A plain run leaves the dear tests of what has not changed to `.ci/run`. */
const left = requireAll || !wanted.some(({ tests }) => tests) ? [] : leftOut(changedFiles());
const reason = "a test file that takes long, of a package without a change: left to .ci/run";
/** @type {import("./lib/outcomes.mjs").Outcome[]} */
const all = left.map((name) => ({ name, state: "skipped", reason }));
/** @type {string[]} */
const report = [];

/** @param {import("./lib/gates.mjs").Gate} gate */
async function pass(gate) {
  if (gate.stream) console.log(`▸ ${gate.id}: ${gate.what}`);
  const file = join(scratch, `${gate.id}.json`);
  const [command = "", ...args] = gate.command;
  const { code, output, seconds } = await run(command, args, {
    env: { ...environment, TOOLGLOT_OUTCOMES: file, TOOLGLOT_LEFT_OUT: left.join("\n") },
    stream: gate.stream ?? false,
    isAside: !gate.tests && !gate.alone,
    // For what hangs, not for what is slow.
    timeoutMs: 45 * 60_000,
  });
  const written = gate.counts ? readOutcomes(readIfThere(file)) : [];
  const warnings = gate.tests ? warningOutcomes(output) : [];
  const outcomes = settleSkips([...gateOutcomes(gate, code, written), ...warnings], requireAll);
  const totals = count(outcomes);
  all.push(...outcomes);
  const line = `${totals.failed === 0 ? "✓" : "✗"} ${gate.id.padEnd(11)}${`${seconds.toFixed(1)} s`.padStart(8)}  ${
    gate.counts ? closingLine(totals) : gate.what
  }`;
  report.push(line);
  if (totals.failed > 0) {
    if (!gate.stream) console.log(output.trimEnd());
    console.log(`${line}\n  to look into it: ${gate.cure}`);
  } else console.log(line);
}

/** @param {import("./lib/gates.mjs").Gate[]} row */
const inTurn = async (row) => {
  for (const gate of row) await pass(gate);
};
const shared = wanted.filter(({ alone }) => !alone);
await inTurn(wanted.filter(({ alone }) => alone === "first"));
// Tests wait for processes and disks now and then. What is beside them has the time that they leave, the longest first.
const beside = shared.filter(({ tests }) => !tests);
await Promise.all([
  inTurn(shared.filter(({ tests }) => tests)),
  inPairs([...beside.filter(({ stream }) => stream), ...beside.filter(({ stream }) => !stream)], pass),
]);
await inTurn(wanted.filter(({ alone }) => alone === "last"));

const totals = count(all);
console.log(`\n${"─".repeat(60)}\n${report.join("\n")}`);
const failed = all.filter((outcome) => outcome.state === "failed");
if (failed.length > 0) console.log("\nFailed:");
for (const { name, reason } of failed) console.log(`  ✗ ${name}${reason ? ` (${reason})` : ""}`);
if (totals.skipped > 0) console.log("\nSkipped (TOOLGLOT_REQUIRE_ALL=1 or .ci/run asks for all):");
for (const line of skipLines(all)) console.log(`  ${line}`);
console.log(`\n${closingLine(totals)}`);
process.exitCode = totals.failed > 0 ? 1 : 0;

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
