// Runs the packages from their tarballs on every runtime that README.md names, and holds the rows of its table to what happens.
// On Node also all that locks the sandbox's interpreters in: the flags for it change from one version to the next. Needs a build.
// The runtimes come from npm: TOOLGLOT_REQUIRE_ALL=1 gets them, a plain run leaves all to it. On the present Node `consumer` runs
// the packages, and all tests the sandbox. By hand: node scripts/runtimes.mjs 22 bun; a Node that the table lacks, too:
// node scripts/runtimes.mjs 26
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { createChecks } from "./lib/checks.mjs";
import { createProject, installWithNpm } from "./lib/consumer-project.mjs";
import { inPairs } from "./lib/in-pairs.mjs";
import { postgresForTests } from "./lib/postgres.mjs";
import { readSupport, runtimeOf } from "./lib/support.mjs";
import { createTarballs } from "./lib/tarballs.mjs";
import { root, run, toolEnvironment } from "./lib/workspace.mjs";

/** @typedef {import("./lib/support.mjs").Runtime} Runtime */

const { platform, arch } = process;

/** npm has the binaries as packages, one for each system. */
const binaries = {
  node: { package: `node-${platform === "win32" ? "win" : platform}-${arch}`, file: "bin/node" },
  bun: {
    package: `@oven/bun-${platform === "win32" ? "windows" : platform}-${arch === "x64" ? "x64-baseline" : "aarch64"}`,
    file: "bin/bun",
  },
  deno: { package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`, file: "deno" },
};

const scratch = mkdtempSync(join(tmpdir(), "toolglot-runtimes-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const { outcomes, skip, finish } = createChecks("runtimes");
const support = readSupport(readFileSync(join(root, "README.md"), "utf8"));

/** @param {Runtime} runtime */
const isPresent = ({ family, version }) => family === "node" && process.versions.node.startsWith(`${version}.`);

/**
 * @param {readonly Runtime[]} runtimes
 * @returns {Promise<Map<Runtime, string>>} what to start
 */
async function fetchRuntimes(runtimes) {
  const project = createProject(join(scratch, "binaries"));
  const absent = runtimes.filter((runtime) => !isPresent(runtime));
  const alias = (/** @type {Runtime} */ { family, version }) => `${family}${version.replaceAll(".", "-")}`;
  if (absent.length > 0) {
    await installWithNpm(
      project,
      absent.map((runtime) => `${alias(runtime)}@npm:${binaries[runtime.family].package}@${runtime.version}`),
    );
  }
  return new Map(
    runtimes.map((runtime) => {
      const path = join(project, "node_modules", alias(runtime), binaries[runtime.family].file);
      return [runtime, isPresent(runtime) ? process.execPath : path];
    }),
  );
}

/** All packages with their peers, installed as a stranger would, and the programs. @returns {Promise<string>} the folder */
async function installPackages() {
  const { packages, pack, tarballsFor, peersFor } = createTarballs(scratch);
  for (const member of packages) await pack(member);
  const project = createProject(join(scratch, "stranger"));
  await installWithNpm(project, [...new Set([...packages.flatMap(tarballsFor), ...packages.flatMap(peersFor)])]);
  mkdirSync(join(project, "programs"));
  for (const { id } of support.claims) {
    const source = readFileSync(join(root, "scripts/consumer", `${id}.ts`), "utf8");
    const { code } = await transform(source, { loader: "ts" });
    writeFileSync(join(project, "programs", `${id}.mjs`), code);
  }
  for (const name of ["all", "sandbox"]) {
    copyFileSync(join(root, `scripts/consumer/${name}.runtimes.mjs`), join(project, `${name}.mjs`));
  }
  return project;
}

/**
 * Runs a program and reads the JSON of its last line.
 * @param {string} project @param {Runtime} runtime @param {string} binary @param {string[]} words
 */
async function runProgram(project, { family, name }, binary, words) {
  // Nothing of this process but what a shell gives: a snapshot that an earlier run left would hide how one is made. `sandbox.mjs`
  // makes it, and `all.mjs` finds it.
  const own = join(scratch, `cache-${name}`);
  const { PATH, TOOLGLOT_POSTGRES_URL } = process.env;
  const env = { PATH, TOOLGLOT_POSTGRES_URL, XDG_CACHE_HOME: own, DENO_DIR: own, DENO_NO_UPDATE_CHECK: "1" };
  const flags = family === "deno" ? ["run", "--quiet", "--allow-all"] : [];
  const result = await run(binary, [...flags, ...words], { cwd: project, env, timeoutMs: 10 * 60_000 });
  const lines = result.output.trim().split("\n");
  try {
    return { ...result, isQuiet: lines.length === 1, found: JSON.parse(lines.at(-1) ?? "") };
  } catch {
    return { ...result, isQuiet: false, found: undefined };
  }
}

/**
 * Every package does what its cell says: `yes`, what it does everywhere; anything else, what its program expects there.
 * @param {string} project @param {Runtime} runtime @param {string} binary
 * @returns {Promise<{ name: string, fault?: string | undefined }[]>}
 */
async function checkClaims(project, runtime, binary) {
  const column = support.runtimes.findIndex(({ name }) => name === runtime.name);
  const ids = support.claims.map(({ id }) => id);
  const { code, output, found } = await runProgram(project, runtime, binary, ["all.mjs", runtime.family, ...ids]);
  if (code !== 0 || found === undefined) return [{ name: "runs", fault: `ended with code ${code}\n${output}` }];
  return support.claims.map(({ id, cells }) => {
    const claim = column < 0 ? "yes" : (cells[column] ?? "");
    const { fault, isLimited } = found.programs.find((/** @type {{ id: string }} */ each) => each.id === id);
    const isClaimed = (claim === "yes") === !isLimited;
    const wrong = `README.md says ${JSON.stringify(claim)}, but its program expects ${isLimited ? "less" : "everything"}`;
    return { name: `${id}: ${claim}`, fault: fault ?? (isClaimed ? undefined : wrong) };
  });
}

/**
 * What locks the sandbox's interpreters in. Bun lacks walls of Python, which its program in `all.mjs` lists; Deno is refused.
 * @param {string} project @param {Runtime} runtime @param {string} binary
 * @returns {Promise<{ name: string, fault?: string }[]>}
 */
async function checkSandbox(project, runtime, binary) {
  if (runtime.family === "deno") return [];
  const languages = runtime.family === "bun" ? ["javascript"] : ["python", "javascript"];
  const { code, output, found, isQuiet } = await runProgram(project, runtime, binary, ["sandbox.mjs", ...languages]);
  if (found === undefined) return [{ name: "sandbox runs", fault: `ended with code ${code}\n${output}` }];
  // What stands before the JSON is a warning of this runtime.
  if (code !== 0 || !isQuiet) found.checks.push({ name: "ends by itself, without a warning", fault: output });
  return found.checks;
}

/** @param {string} project @param {Runtime} runtime @param {string} binary */
async function check(project, runtime, binary) {
  const started = performance.now();
  const checks = [...(await checkSandbox(project, runtime, binary)), ...(await checkClaims(project, runtime, binary))];
  for (const { name, fault } of checks) {
    const outcome = { name: `runtimes ${runtime.name} ${name}`, reason: fault?.split("\n", 1)[0] ?? "" };
    outcomes.push(fault === undefined ? { ...outcome, state: "passed" } : { ...outcome, state: "failed" });
  }
  const faults = checks.filter(({ fault }) => fault !== undefined);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const summary = `${checks.length - faults.length} of ${checks.length} checks  ${seconds} s`;
  console.log(`${faults.length === 0 ? "✓" : "✗"} ${runtime.name}  ${summary}`);
  for (const { name, fault } of faults) console.log(`    ✗ ${name}: ${fault}`);
}

Object.assign(process.env, toolEnvironment());
const asked = process.argv.slice(2);
const wanted =
  asked.length === 0
    ? support.runtimes.filter((runtime) => !isPresent(runtime))
    : asked.map(
        (word) =>
          support.runtimes.find(({ family, version }) => word === version || word === family) ??
          runtimeOf(`Node ${word}`),
      );
if (asked.length > 0 || process.env.TOOLGLOT_REQUIRE_ALL === "1") {
  const { url, skip: noPostgres } = await postgresForTests();
  if (noPostgres) skip("postgres: on a server", noPostgres);
  else process.env.TOOLGLOT_POSTGRES_URL = url;
  const [project, runtimes] = await Promise.all([installPackages(), fetchRuntimes(wanted)]);
  await inPairs([...runtimes], ([runtime, binary]) => check(project, runtime, binary));
} else for (const { name } of wanted) skip(name, "left to .ci/run");
finish();
