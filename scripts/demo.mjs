// `npm run demo`: installs and builds what is missing, quietly and on stderr, then runs the demo with the same
// terminal. Standard output belongs to the demo alone, so that `npm run --silent demo -- --json` can be piped.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "apps", "demo", "dist", "main.js");
const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
const build = ["run", "build", "--filter=demo...", "--output-logs=errors-only"];

/** Whether pnpm has installed everything since the lockfile or any manifest changed. */
function installed() {
  const state = readJson(join(root, "node_modules", ".pnpm-workspace-state-v1.json"));
  const folders = ["packages", "apps"].flatMap((top) =>
    readdirSync(join(root, top)).map((name) => join(root, top, name)),
  );
  const members = folders.filter((folder) => existsSync(join(folder, "package.json")));
  const manifests = [root, ...members].map((folder) => join(folder, "package.json"));
  const inputs = [join(root, "pnpm-lock.yaml"), join(root, "pnpm-workspace.yaml"), ...manifests];
  return (
    existsSync(join(root, "apps", "demo", "node_modules")) &&
    members.every((folder) => state?.projects?.[folder] !== undefined) &&
    inputs.every((file) => statSync(file).mtimeMs <= state.lastValidatedTimestamp)
  );
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

/** Whether turbo has every build in its cache: then it needs no package manager to restore them. */
function builtBefore() {
  const dry = spawnSync(process.execPath, [turbo, ...build, "--dry=json"], { cwd: root, env, encoding: "utf8" });
  if (dry.status !== 0) return false;
  try {
    return JSON.parse(dry.stdout).tasks.every((task) => task.cache?.status === "HIT");
  } catch {
    return false;
  }
}

function restoreBuild() {
  const result = spawnSync(process.execPath, [turbo, ...build], { cwd: root, env, stdio: "ignore" });
  return result.status === 0 && existsSync(main);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const ready = installed();
if (!ready) install();
if (!(ready && builtBefore() && restoreBuild())) {
  process.stderr.write("Building the packages…\n");
  if (!pnpm(["exec", "turbo", ...build])) fail("The build failed; see above.");
}

const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { stdio: "inherit" });

// A terminal sends Ctrl-C to the whole group, and npm sends it once more: the demo counts signals that come close
// together as one, so passing each of them on is right for terminals and for `kill` alike.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
