// Runs @toolglot/sandbox from its tarball under every version of Node that it supports: the flags that lock its child
// process in change from one to the next. Needs a build. The versions come from npm: TOOLGLOT_REQUIRE_ALL=1 gets them, a
// plain run leaves all to it: there `consumer` runs the sandbox under the present one. For others: node scripts/node-versions.mjs 26
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createChecks } from "./lib/checks.mjs";
import { createProject, install } from "./lib/consumer-project.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { createTarballs, optionalPeers } from "./lib/tarballs.mjs";
import { root, run, toolEnvironment } from "./lib/workspace.mjs";

const SUPPORTED = ["20", "22", "24"];
/** npm has the binaries of Node as packages, one for each system. */
const BINARIES = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

const scratch = mkdtempSync(join(tmpdir(), "toolglot-nodes-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const { outcomes, skip, finish } = createChecks("nodes");

/** A version of Node: its major number, and what to start. @typedef {{ major: string, binary: string }} Version */

/**
 * @param {string[]} majors
 * @returns {Promise<Version[]>}
 */
async function fetchVersions(majors) {
  const project = createProject(join(scratch, "versions"));
  if (majors.length > 0)
    await install(
      project,
      majors.map((major) => `node${major}@npm:${BINARIES}@${major}`),
    );
  return majors.map((major) => ({ major, binary: join(project, `node_modules/node${major}/bin/node`) }));
}

/** The sandbox and its engines, installed as a stranger would. @returns {Promise<string>} the folder */
async function installSandbox() {
  const { packages, pack, closure, tarballsFor } = createTarballs(scratch);
  const sandbox = packages.find(({ id }) => id === "sandbox");
  if (!sandbox) throw new Error("there is no packages/sandbox");
  for (const member of closure(sandbox)) await pack(member);
  const project = createProject(join(scratch, "stranger"));
  await install(project, [...tarballsFor(sandbox), ...optionalPeers(sandbox)]);
  copyFileSync(join(root, "scripts/consumer/sandbox.nodes.mjs"), join(project, "program.mjs"));
  return project;
}

/**
 * Runs the program under one version and counts each of its checks.
 * @param {string} project
 * @param {Version} version
 */
async function check(project, { major, binary }) {
  // Nothing of this process but what a shell gives: a snapshot that an earlier run left would hide how one is made.
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: join(scratch, `cache-${major}`) };
  const { code, output, seconds } = await run(binary, ["program.mjs"], { cwd: project, env, timeoutMs: 3 * 60_000 });
  const lines = output.trim().split("\n");
  const found = readChecks(lines.at(-1) ?? "");
  // What stands before it is a warning of this version of Node.
  if (found === undefined || code !== 0 || lines.length > 1) {
    found?.checks.push({ name: "ends by itself, without a warning", fault: output });
  }
  const checks = found?.checks ?? [{ name: "runs", fault: `ended with code ${code}\n${output}` }];
  for (const { name, fault } of checks) {
    const outcome = { name: `nodes ${major} ${name}`, reason: fault?.split("\n", 1)[0] ?? "" };
    outcomes.push(fault === undefined ? { ...outcome, state: "passed" } : { ...outcome, state: "failed" });
  }
  const faults = checks.filter(({ fault }) => fault !== undefined);
  const summary = `${checks.length - faults.length} of ${checks.length} checks  ${seconds.toFixed(1)} s`;
  console.log(`${faults.length === 0 ? "✓" : "✗"} Node ${found?.version ?? major}  ${summary}`);
  for (const { name, fault } of faults) console.log(`    ✗ ${name}: ${fault}`);
}

/**
 * @param {string} line
 * @returns {{ version: string, checks: { name: string, fault?: string }[] } | undefined}
 */
function readChecks(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

Object.assign(process.env, toolEnvironment());
const asked = process.argv.slice(2);
const [present = ""] = process.versions.node.split(".", 1);
const wanted = asked.length > 0 ? asked : SUPPORTED;
if (asked.length > 0 || process.env.TOOLGLOT_REQUIRE_ALL === "1") {
  const others = wanted.filter((major) => major !== present);
  const [project, versions] = await Promise.all([installSandbox(), fetchVersions(others)]);
  const here = wanted.includes(present) ? [{ major: present, binary: process.execPath }] : [];
  await inPairs([...here, ...versions], (version) => check(project, version));
} else for (const major of wanted) skip(major, "left to .ci/run");
finish();
