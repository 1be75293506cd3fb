// All tests at full rounds, of which `.ci/run` has a sample: everything that is thrown at the sandbox in both languages (corpora,
// escape attempts, bombs, fuzzed sources and messages, endurance, every crash point), the journal of the local tools killed
// hundreds of times, thousands of operations on routers that die, every request to the demo in every protocol, more slips, and longer
// fuzz. Takes about two hours.
//   npm run test:long
//   npm run test:long -- python bombs          files whose path has one of these words
// The last line is `N passed, N failed`; a skipped test counts as failed.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workspaceMembers } from "./lib/workspace.mjs";

const root = join(import.meta.dirname, "..");
const folders = [...workspaceMembers().map(({ folder }) => folder), "scripts"].filter((folder) =>
  existsSync(join(root, folder, "test")),
);
const words = process.argv.slice(2);
const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder, "test"), { recursive: true, encoding: "utf8" }).map((file) =>
      join(folder, "test", file),
    ),
  )
  .filter((file) => file.endsWith(".test.ts") && (words.length === 0 || words.some((word) => file.includes(word))));
if (files.length === 0) {
  console.error(`no test of ${folders.join(", ")} has ${words.join(" or ")} in its path`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "toolglot-long-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const outcomes = join(scratch, "outcomes.json");

const started = performance.now();
const child = spawn(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${outcomes}`],
    // Rounds of minutes next to rounds of seconds: each suite says itself how long it may take, or has this long.
    "--testTimeout=600000",
    ...files,
  ],
  { cwd: root, env: { ...process.env, TOOLGLOT_LONG: "1" }, stdio: ["ignore", "inherit", "inherit"] },
);
for (const signal of ["SIGTERM", "SIGHUP"]) process.once(signal, () => child.kill("SIGTERM"));
const code = await new Promise((resolve) => child.once("close", resolve));

/** @type {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, testResults: { status: string, assertionResults: unknown[] }[] }} */
const found = JSON.parse(await readFile(outcomes, "utf8").catch(() => "null")) ?? { testResults: [] };
const broken = found.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
).length;
const passed = found.numPassedTests ?? 0;
let failed = (found.numFailedTests ?? 0) + (found.numPendingTests ?? 0) + (found.numTodoTests ?? 0) + broken;
// Only the exit code shows an error that ended the whole run, such as an uncaught one.
if (failed === 0 && (code !== 0 || passed === 0)) failed = 1;
console.log(`\nlong tests: ${((performance.now() - started) / 60_000).toFixed(1)} min`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
