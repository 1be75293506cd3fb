// `npm run demo`: installs and builds what is missing, quietly and on stderr, then runs the demo with the same
// terminal. Standard output belongs to the demo alone, so that `npm run --silent demo -- --json` can be piped.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "apps", "demo", "dist", "main.js");
const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
// Which builds stand in the dist folders.
const stamp = join(root, "node_modules", ".toolglot-demo-built");
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
const build = ["run", "build", "--filter=demo...", "--output-logs=errors-only"];

/** Whether pnpm has installed everything since the lockfile or any manifest changed. */
function installed() {
  const state = readJson(join(root, "node_modules", ".pnpm-workspace-state-v1.json"));
  const manifests = [root, ...members()].map((folder) => join(folder, "package.json"));
  const inputs = [join(root, "pnpm-lock.yaml"), join(root, "pnpm-workspace.yaml"), ...manifests];
  return (
    existsSync(join(root, "apps", "demo", "node_modules")) &&
    members().every((folder) => state?.projects?.[folder] !== undefined) &&
    inputs.every((file) => statSync(file).mtimeMs <= state.lastValidatedTimestamp)
  );
}

/** Folders of the packages and apps. */
function members() {
  return ["packages", "apps"]
    .flatMap((top) => readdirSync(join(root, top)).map((name) => join(root, top, name)))
    .filter((folder) => existsSync(join(folder, "package.json")));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Runs pnpm at the pinned version. What it says is shown only when it fails. */
function pnpm(args) {
  const { packageManager } = readJson(join(root, "package.json"));
  const result = spawnSync("npx", ["--prefer-offline", "-y", packageManager, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (result.signal === "SIGINT" || result.status === 130) process.exit(130);
  if (result.status === 0) return true;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  if (result.error) process.stderr.write(`${result.error.message}\n`);
  return false;
}

function install() {
  process.stderr.write("Installing what the demo needs…\n");
  if (!pnpm(["install", "--frozen-lockfile"])) fail("The installation failed; see above.");
}

/**
 * The builds that turbo would make now, with their hashes; empty when it can't tell. Asking needs no package manager,
 * unlike building, and takes a fraction of the time.
 */
function plannedBuilds() {
  const dry = spawnSync(process.execPath, [turbo, ...build, "--dry=json"], { cwd: root, env, encoding: "utf8" });
  try {
    return JSON.parse(dry.stdout).tasks.map(({ taskId, hash, directory }) => ({ taskId, hash, directory }));
  } catch {
    return [];
  }
}

/** Whether what was built last is what would be built now, and nobody has built something else since. */
function built(planned) {
  if (planned.length === 0 || !existsSync(stamp) || readFileSync(stamp, "utf8") !== stampText(planned)) return false;
  const made = statSync(stamp).mtimeMs;
  const outputs = planned.map(({ directory }) => join(root, directory, "dist"));
  return outputs.every((folder) => existsSync(folder) && readdirSync(folder).length > 0 && newest(folder) <= made);
}

function stampText(planned) {
  return planned.map(({ taskId, hash }) => `${taskId} ${hash}\n`).join("");
}

function newest(folder) {
  return Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs));
}

/** Does something that two at one time would spoil. A lock that is older than any build was left behind. */
function alone(work) {
  const lock = `${stamp}.lock`;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made > 300_000) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  process.once("exit", release);
  try {
    work();
  } finally {
    release();
    process.off("exit", release);
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!installed()) install();
let planned = plannedBuilds();
if (!built(planned)) {
  alone(() => {
    // Another one may have built it meanwhile.
    planned = plannedBuilds();
    if (built(planned)) return;
    process.stderr.write("Building the packages…\n");
    if (!pnpm(["exec", "turbo", ...build])) fail("The build failed; see above.");
    writeFileSync(stamp, stampText(planned));
  });
}

const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: "inherit" });

// A terminal sends Ctrl-C to the whole group, and npm sends it once more: the demo counts signals that come close
// together as one, so passing each of them on is right for terminals and for `kill` alike.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
